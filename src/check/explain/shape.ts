/** Explains the codes that begin with WH1: keys and values of a wrong shape, a setting that stands twice, and an adapter that is off. */

import type { Explanation } from './explanation.ts'

export const shapeExplanations = {
  WH101: {
    means: 'Nothing reads a key of this name at this place.',
    why: 'A mistyped key would be ignored in silence: filters that do not filter, a secret that is not checked.',
    fix: 'Write the key that is meant; the help names the nearest. Keys that begin with x- are free for notes. docs/reference.md lists all keys.',
    example: { of: 'route', bad: 'evnts: [push]\n', good: 'events: [push]\n' },
  },
  WH102: {
    means: 'The value is of another type than the key takes: a text where a list is needed, a number where a text is.',
    why: 'headgate converts nothing: "30" and 30 would be two things in a filter, and a guess would be wrong for somebody.',
    fix: 'Write the value as the type that the message names. A number that is meant as a text stands in quotes.',
    example: { of: 'route', bad: 'events: push\n', good: 'events: [push]\n' },
  },
  WH103: {
    means: 'The key takes one word of a list, and this value is not in the list.',
    why: 'The route would do something else than its author thinks, or nothing.',
    fix: 'Use one of the words that the help lists.',
    example: { of: 'route', bad: 'verify: githb\n', good: 'verify: github\n' },
  },
  WH104: {
    means: 'A required key is missing.',
    why: 'The map around it has no meaning without this key, so the file is refused.',
    fix: 'Add the key. docs/reference.md says what it takes.',
    example: { of: 'route', bad: 'coalesce: { window_seconds: 30 }\n', good: 'coalesce: { key: "{number}", window_seconds: 30 }\n' },
  },
  WH105: {
    means: 'The value is of the right type, but too small, too large, too long, empty, or of the wrong form.',
    why: 'A value out of range would either be cut to the range in silence, or break other parts of the program.',
    fix: 'Use a value within the bounds that the message names.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook: { enabled: true, port: 99999 }\n',
      good: 'platforms:\n  webhook: { enabled: true, port: 8644 }\n',
    },
  },
  WH106: {
    means: 'The same setting stands under platforms.webhook and under platforms.webhook.extra.',
    why: 'The setting under extra wins. Changing the other one has no effect.',
    fix: 'Keep the one under extra, and remove the other.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook:\n    enabled: true\n    port: 8644\n    extra: { port: 8645 }\n',
      good: 'platforms:\n  webhook:\n    enabled: true\n    extra: { port: 8645 }\n',
    },
  },
  WH108: {
    means: 'The name of a route, subscription or job has characters that cannot stand in an address, or is too long.',
    why: 'Its address could not be written the same way by every sender.',
    fix: 'Use letters, digits, dot, underscore and hyphen; at most 64, the first a letter or digit. Subscriptions are in lower case.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook:\n    enabled: true\n    extra: { secret: "${SECRET:-7f3c91d0aa25}", routes: { "pull requests": {} } }\n',
      good: 'platforms:\n  webhook:\n    enabled: true\n    extra: { secret: "${SECRET:-7f3c91d0aa25}", routes: { pull-requests: {} } }\n',
    },
  },
  WH109: {
    means: 'The webhook adapter is off: neither platforms.webhook.enabled nor WEBHOOK_ENABLED says that it is on.',
    why: 'headgate gateway run ends with exit code 7: there is nothing to serve.',
    fix: 'Run headgate gateway setup, or set platforms.webhook.enabled: true, or WEBHOOK_ENABLED=true.',
  },
} as const satisfies { readonly [code: string]: Explanation }
