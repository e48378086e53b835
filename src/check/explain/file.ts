/** Explains the codes that begin with WH0: files that cannot be read, or that are not read as their author thinks. */

import type { Explanation } from './explanation.ts'

export const fileExplanations = {
  WH001: {
    means:
      'At this place the text is not YAML 1.2 (or, in a .json file, not JSON). Every such place of a file is reported, up to twenty, and what can be read around them is checked.',
    why: 'What stands there is not known, so nothing of the file is served. At a reload the gateway goes on serving the previous configuration.',
    fix: 'Look at the marked line and the one above it. Most often a quote or a bracket is not closed, a tab indents a line, or a text that begins with * & ! { [ needs quotes.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook: { enabled: true\n',
      good: 'platforms:\n  webhook: { enabled: true }\n',
    },
  },
  WH002: {
    means: 'The same key stands twice in one map, or a route stands in two files of the configuration.',
    why: 'YAML does not say which of the two counts, and readers differ. A route that stands twice would silently lose one of its definitions.',
    fix: 'Remove one of the two, or give one another name.',
    example: { of: 'route', bad: 'events: [push]\nevents: [pull_request]\n', good: 'events: [push, pull_request]\n' },
  },
  WH003: {
    means:
      'A file that was expected is not there, cannot be opened, is no regular file, or is larger than 16 MB; or more is included than may be.',
    why: 'Its contents would not count: the gateway would serve something else than was written.',
    fix: 'Check the path (include, --config, --data-dir, HEADGATE_HOME) and that the user who runs headgate may read the file.',
  },
  WH004: {
    means: 'The data directory has no config.yaml.',
    why: 'Only the environment and the other files of the data directory count: subscriptions, jobs, .env. That may be intended.',
    fix: 'If that is intended, do nothing. Otherwise run headgate gateway setup, or name the right folder with --data-dir.',
  },
  WH006: {
    means: 'A value without quotes that YAML 1.1 reads in one way and YAML 1.2, which headgate reads, in another: yes, on, 0755.',
    why: 'An editor, a template engine or a person may take it for true, or for another number.',
    fix: 'Put it in quotes where the text is meant, or write true or false.',
    example: { of: 'route', bad: 'filters: [{ field: draft, equals: no }]\n', good: 'filters: [{ field: draft, equals: false }]\n' },
  },
  WH007: {
    means: 'A line of .env holds a quoted text that does not end, or goes on after its end. The line is skipped.',
    why: 'The variable is not set, so settings that refer to it, most often a secret, have no value.',
    fix: 'Close the quotes, or leave them out. docs/environment.md has the rule.',
    example: { of: 'env', bad: 'API_TOKEN="abc\n', good: 'API_TOKEN=abc\n' },
  },
  WH008: {
    means: 'headgate reads this line of .env in one way, and a shell, systemd or docker in another.',
    why: 'The same file gives another secret when it is loaded by one of them, and signatures then fail for no visible reason.',
    fix: 'Write the value so that all read it alike: letters, digits and -_.:/+=@%,# without quotes, blanks or export.',
    example: { of: 'env', bad: 'export API_TOKEN=abc\n', good: 'API_TOKEN=abc\n' },
  },
  WH010: {
    means:
      'A webhook-ignore comment hides nothing: it has no reason, names no known code, or there is no such finding on its line or the next.',
    why: 'A comment that is left behind hides the next mistake in the same place. A finding that stops the start cannot be hidden, because the gateway does not read these comments.',
    fix: 'Remove the comment, or write it as: # webhook-ignore WH210: why it is right here',
    example: {
      of: 'route',
      bad: 'deliver_only: true\ndeliver: telegram\nagent: { model: small } # webhook-ignore WH210\n',
      good: 'deliver_only: true\ndeliver: telegram\nagent: { model: small } # webhook-ignore WH210: kept for the switch back in May\n',
    },
  },
  WH011: {
    means:
      'Behind a text without quotes stands a comment that looks like the rest of the text: its # has no blank behind it, or the comment has a placeholder {…}. This is looked for in prompts, settings of targets, bodies, keys and descriptions.',
    why: 'YAML begins a comment at each # behind a blank, so that the text ends before it.',
    fix: 'Put the whole text in quotes. Where a comment is meant, write a blank behind its #, and no placeholder in it.',
    example: { of: 'route', bad: 'prompt: PR #{number} {title}\n', good: 'prompt: "PR #{number} {title}"\n' },
  },
  WH012: {
    means:
      'A pattern under include finds no file. It finds names that end in .yaml, .yml or .json, but no hidden files and no files of tests.',
    why: 'Routes that were meant are not served. A new configuration may have the pattern before its first file.',
    fix: 'Check the path, which begins at the folder of config.yaml, or add the first file. A path without * must be there: its absence is an error.',
    example: { of: 'config', bad: 'include: [routes.d/*.yaml]\n', good: 'include: []\n' },
  },
  WH013: {
    means:
      'A file that is read as a configuration, a map of routes, the configuration of a relay or a file of tests has none of the keys of such a file.',
    why: 'It may be another file, such as a key or a .env behind a link. So nothing of it is shown: no line, no key and no value.',
    fix: 'Check the path, and where a link leads. Where it is the right file, look at the keys at its top.',
    example: { of: 'config', bad: 'webhook_routes: { push: { prompt: p } }\n', good: 'platforms: { webhook: { enabled: true } }\n' },
  },
  WH014: {
    means: 'An included file, or its folder, is a link that leads to nothing in the folder of the configuration.',
    why: 'Whoever may add a link there could let the gateway read any file that it may read.',
    fix: 'Put the files themselves into the folder. Where the link is meant, name the folder that it leads to, as it is without links, under include_links_to.',
  },
} as const satisfies { readonly [code: string]: Explanation }
