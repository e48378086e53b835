/** Explains the codes of settings for features: catch-ups, polls and alerts. */

import type { Explanation } from './explanation.ts'

export const featureExplanations = {
  WH236: {
    means: 'catch_up does not say whose log is to be asked, or lacks what that sender needs.',
    why: 'The log cannot be read, so events that came while the gateway was down stay lost.',
    fix: 'Write what the message names. docs/catch-up.md has what each sender needs.',
    example: {
      of: 'route',
      bad: 'verify: github\ncatch_up: { from: github, hook: 12345678 }\n',
      good: 'verify: github\ncatch_up: { from: github, repo: octo-org/octo-repo, hook: 12345678 }\n',
    },
  },
  WH237: {
    means: 'poll.url is not the https address of a polling endpoint of Svix.',
    why: 'Nothing could be read there, so no event of the sender would come.',
    fix: 'Copy the address from the page of the endpoint in the portal of the sender. docs/relay.md says what it looks like.',
    example: {
      of: 'route',
      bad: 'poll: { url: "https://api.eu.svix.com/api/v1/app/app_2mG6", token: "${POLL_TOKEN}" }\n',
      good: 'poll: { url: "https://api.eu.svix.com/api/v1/app/app_2mG6/poller/poll_59q", token: "${POLL_TOKEN}" }\n',
    },
  },
  WH238: {
    means: 'An alert is to tell the silence of a route, and there is no route of this name.',
    why: 'Nothing waits for events of the route, so nobody is told when none come.',
    fix: 'Correct the name, or remove the item. A subscription that is made later counts from then on.',
    example: {
      of: 'config',
      bad: 'alerts: [{ deliver: log, silence: [{ route: order, after_hours: 2 }] }]\nplatforms: { webhook: { enabled: true, routes: { orders: { secret: "a-long-secret-of-orders", prompt: hi } } } }\n',
      good: 'alerts: [{ deliver: log, silence: [{ route: orders, after_hours: 2 }] }]\nplatforms: { webhook: { enabled: true, routes: { orders: { secret: "a-long-secret-of-orders", prompt: hi } } } }\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
