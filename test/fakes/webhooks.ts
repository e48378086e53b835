/** Gives real deliveries of GitHub, from GitHub's published examples. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export type Delivery = { readonly event: string; readonly payload: Payload }
// biome-ignore lint/suspicious/noExplicitAny: real payloads, read by their documented names
export type Payload = { readonly [name: string]: any }

const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json')

export const deliveries: readonly Delivery[] = (JSON.parse(readFileSync(file, 'utf8')) as { name: string; examples: Payload[] }[]).flatMap(
  ({ name, examples }) => examples.map((payload) => ({ event: name, payload })),
)

/** Returns the first example of an event, with this action where one is named. */
export const delivery = (event: string, action?: string): Payload => {
  const found = deliveries.find((each) => each.event === event && (action === undefined || each.payload.action === action))
  if (!found) throw new Error(`no example of ${event} ${action ?? ''}`)
  return found.payload
}
