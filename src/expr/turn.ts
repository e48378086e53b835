/** Turns of the event loop, given to what looks at large payloads. */

import { setImmediate } from 'node:timers/promises'
import type { Opened } from '../core/exchange.ts'

/** A payload past this is looked at by expressions in a turn of the loop of its own: it was parsed in this one, which is enough for one. */
const longText = 65_536

/** Waits for the next turn where the payload is large. */
export const ownTurn = async ({ text }: Pick<Opened, 'text'>): Promise<void> => {
  if (text.length > longText) await setImmediate()
}
