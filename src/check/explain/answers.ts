/** Explains the codes of the answers to senders. */

import type { Explanation } from './explanation.ts'

export const answerExplanations = {
  WH245: {
    means:
      'The sender of a route waits for the reply (respond.wait_seconds), and waits in vain or longer than it does by itself: the body has no {reply} or is no JSON with it, the run begins later, or the sender gives up before.',
    why: "The sender would get another answer than its author expects. A wait that is longer than the sender's own is cut, half a second before the sender gives up.",
    fix: 'Put {reply} into the body, in quotes where the body is JSON, and make wait_seconds shorter than the sender waits and longer than delay_seconds.',
    example: {
      of: 'route',
      bad: 'respond: { wait_seconds: 5, body: thanks }\n',
      good: 'respond: { wait_seconds: 5, body: "{reply}" }\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
