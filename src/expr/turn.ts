/**
 * Shares the event loop among expressions: in one turn of the loop, all expressions together run for some milliseconds. Then they wait for
 * later turns. Searches of long texts for patterns wait with them.
 */

import type { Event } from '../core/request.ts'
import { turnShares } from '../core/turns/turn-shares.ts'

/**
 * A payload with more UTF-16 units than this is large. An expression waits for a later turn before it reads such a payload, because parsing
 * the payload took enough of the present turn.
 */
const largeTextUnits = 65_536

/** The time at which the first expression of this turn began; `undefined` while none has begun. */
let turnBegan: number | undefined
/** The functions that wake the expressions that wait for a turn, in their order. */
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

/** Whether the expressions of this turn have used up their time. The first call in a turn begins that time. */
export const isTurnOver = (): boolean => {
  if (turnBegan !== undefined) return performance.now() - turnBegan > turnShares.expressions
  beginTurn()
  return false
}

/** Waits for a later turn of the loop. Each turn wakes one expression or search that waits. */
export const nextExpressionTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (turnBegan === undefined) beginTurn()
    waiting.push(resolve)
  })

/** Waits for a later turn where the payload of the event is large, and else not at all. */
export const waitIfLarge = async ({ text }: Pick<Event, 'text'>): Promise<void> => {
  if (text.length > largeTextUnits) await nextExpressionTurn()
}

/** A text with more UTF-16 units is long: the times of many searches of long texts would add up in one turn. */
const longTextUnits = 8192

/** Returns whether a text passes a test. The test of a long text waits for a later turn. */
export const searched = (text: string, search: { test(text: string): boolean }): boolean | Promise<boolean> =>
  text.length > longTextUnits ? nextExpressionTurn().then(() => search.test(text)) : search.test(text)

/** The steps between two questions whether the turn is over. A step takes about a tenth of a microsecond. */
const stepsAStretch = 1024
let stepsLeft = stepsAStretch

/** Counts the steps of walks over items, and returns whether the walk must wait for a later turn. */
export const isTurnOverAfter = (steps: number): boolean => {
  stepsLeft -= steps
  if (stepsLeft > 0) return false
  stepsLeft = stepsAStretch
  return isTurnOver()
}
