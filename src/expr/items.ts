/** Walks the items of a list, in turns of the event loop where the list is long. */

import { isTurnOverAfter, nextExpressionTurn } from './turn.ts'

type Found<T> = T | undefined | Promise<T | undefined>

/**
 * Returns the first thing that `look` finds at an item; `undefined` where it finds nothing. Returns a promise only where `look` does, or where
 * the walk must wait. `stepsOf`: how much of a turn an item takes.
 */
export const firstFound = <I, T>(items: readonly I[], look: (item: I, i: number) => Found<T>, stepsOf: (item: I) => number): Found<T> => {
  const onward = async (start: number, pending: Promise<T | undefined>): Promise<T | undefined> => {
    let found = await pending
    for (let i = start; found === undefined && i < items.length; i++) {
      if (isTurnOverAfter(stepsOf(items[i] as I))) await nextExpressionTurn()
      found = await look(items[i] as I, i)
    }
    return found
  }
  for (let i = 0; i < items.length; i++) {
    if (isTurnOverAfter(stepsOf(items[i] as I)))
      return onward(
        i,
        nextExpressionTurn().then(() => undefined),
      )
    const found = look(items[i] as I, i)
    if (found instanceof Promise) return onward(i + 1, found)
    if (found !== undefined) return found
  }
  return undefined
}
