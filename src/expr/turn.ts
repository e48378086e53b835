/** Turns of the event loop, shared out among expressions: those of one turn hold it for some milliseconds together, the rest wait. */

import type { Event } from '../core/request.ts'

/** Expressions look at a larger payload in a later turn of the loop: parsing it took enough of this one. */
const longText = 65_536
/** How long the expressions of one turn may hold the loop. */
const turnMs = 10

/** When the first expression of this turn began; `undefined` where none has. */
let began: number | undefined
const waiting: (() => void)[] = []

const begin = (): void => {
  began = performance.now()
  setImmediate(() => {
    began = undefined
    const next = waiting.shift()
    if (!next) return
    begin()
    next()
  })
}

/** Whether the expressions of this turn have had their time. */
export const isTurnOver = (): boolean => {
  if (began !== undefined) return performance.now() - began > turnMs
  begin()
  return false
}

/** Waits for a turn of the loop that nobody else who waited gets. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (began === undefined) begin()
    waiting.push(resolve)
  })

/** Waits for a turn where the payload is large. */
export const ownTurn = async ({ text }: Pick<Event, 'text'>): Promise<void> => {
  if (text.length > longText) await nextTurn()
}
