/** Explains the codes of settings for alerts. */

import type { Explanation } from './explanation.ts'

export const alertExplanations = {
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
