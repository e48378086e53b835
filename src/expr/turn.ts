/** Shares the event loop among expressions: in one turn of the loop they run for some milliseconds together, then the others wait. */

import type { Event } from '../core/request.ts'

/** An expression on a longer payload waits for a later turn, because parsing the payload took enough of this one. */
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

/** Waits for a turn of the loop. Each turn wakes one waiting expression. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (began === undefined) begin()
    waiting.push(resolve)
  })

/** Waits for a turn when the payload is large; otherwise there is no wait. */
export const ownTurn = async ({ text }: Pick<Event, 'text'>): Promise<void> => {
  if (text.length > longText) await nextTurn()
}
