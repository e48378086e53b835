/** Shares the event loop: in one turn of the loop, expressions run for some milliseconds together, and the other expressions wait. */

import type { Event } from '../core/request.ts'

/** An expression on a longer payload waits for a later turn, because parsing the payload took enough of the present turn. */
const longText = 65_536
/** The time for which the expressions of one turn may hold the loop. */
const turnMs = 10

/** The time at which the first expression of this turn began; `undefined` before that. */
let turnBegan: number | undefined
const waiting: (() => void)[] = []

const beginTurn = (): void => {
  turnBegan = performance.now()
  setImmediate(() => {
    turnBegan = undefined
    const next = waiting.shift()
    if (!next) return
    beginTurn()
    next()
  })
}

/** Whether the expressions of this turn have used up their time. */
export const isTurnOver = (): boolean => {
  if (turnBegan !== undefined) return performance.now() - turnBegan > turnMs
  beginTurn()
  return false
}

/** Waits for a turn of the loop. Each turn wakes one waiting expression. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (turnBegan === undefined) beginTurn()
    waiting.push(resolve)
  })

/** Waits for a later turn when the payload is large, else not. */
export const ownTurn = async ({ text }: Pick<Event, 'text'>): Promise<void> => {
  if (text.length > longText) await nextTurn()
}
