/** Walks the items of a list, in turns of the event loop where the list is long, and judges them by conditions. */

import type { ExactJson } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { type Broken, type ConditionFailure, type ConditionResult, eitherBroken, type RunCondition } from './logic.ts'
import { TooHard } from './too-hard.ts'
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

/** The most tests of items, by all conditions of a route on one event: 20 conditions on a list of 100,000 items, twice over. */
const maxTests = 4_000_000

/** The tests of items that a condition may still make on an event. */
class Allowance {
  #left: number

  constructor(tests: number) {
    this.#left = tests
  }

  /** Throws TooHard where these are more tests than are left. */
  spend(tests: number): void {
    this.#left -= tests
    if (this.#left < 0) throw new TooHard(`the lists are too long for the conditions on their items: ${maxTests} tests at most`)
  }
}

/** The conditions on items that stand in no other one, in the filters of a route. They share the tests. */
export class ItemTests {
  #sharers = 0

  /** Makes the function that returns what a further condition may spend on an event. */
  share(): () => Allowance {
    this.#sharers++
    return () => new Allowance(Math.floor(maxTests / this.#sharers))
  }
}

/** An item of a list, which conditions judge. `event`: the event that has the list. */
export type Item = { readonly value: ExactJson; readonly event: Event; readonly allowance: Allowance }

/** What conditions say of the items of a list. `at`: the index of the item that decides; absent where all items do. */
export type ItemVerdict = {
  readonly holds: boolean
  readonly broken: Broken
  readonly at?: number
  readonly rule?: ConditionFailure['rule']
}

/** The judge of a list: what `run` says of its items. `tests`: the number of conditions in `run`. Throws or rejects with TooHard. */
type JudgeItems = (list: readonly ExactJson[], around: Omit<Item, 'value'>) => ItemVerdict | Promise<ItemVerdict>

/** The steps of a turn that a test takes. */
const stepsATest = 2

const judgeEach = <T>(
  list: readonly ExactJson[],
  { event, allowance }: Omit<Item, 'value'>,
  { run, tests }: { readonly run: RunCondition<Item>; readonly tests: number },
  conclude: (result: ConditionResult, i: number) => T | undefined,
): Found<T> =>
  firstFound(
    list,
    (value, i) => {
      allowance.spend(tests)
      const result = run({ value, event, allowance })
      return result instanceof Promise ? result.then((settled) => conclude(settled, i)) : conclude(result, i)
    },
    () => tests * stepsATest,
  )

/** Holds when `run` holds for one item. Where it holds for none, the verdict has the sentence of the first. */
export const judgeAnyItem =
  (run: RunCondition<Item>, tests: number): JudgeItems =>
  (list, around) => {
    let first: ItemVerdict | undefined
    let broken: Broken = false
    const found = judgeEach(list, around, { run, tests }, (result, at): ItemVerdict | undefined => {
      if (!result) return { holds: true, broken: false, at }
      broken = eitherBroken(broken, result.broken)
      first ??= { holds: false, broken, at, rule: result.rule }
      return undefined
    })
    const orNone = (verdict: ItemVerdict | undefined): ItemVerdict => verdict ?? { holds: false, ...first, broken }
    return found instanceof Promise ? found.then(orNone) : orNone(found)
  }

/** Holds when `run` holds for every item, also where the list is empty. Stops at the first item for which it does not hold. */
export const judgeEveryItem =
  (run: RunCondition<Item>, tests: number): JudgeItems =>
  (list, around) => {
    const found = judgeEach(list, around, { run, tests }, (result, at): ItemVerdict | undefined =>
      result ? { holds: false, at, ...result } : undefined,
    )
    const orAll = (verdict: ItemVerdict | undefined): ItemVerdict => verdict ?? { holds: true, broken: false }
    return found instanceof Promise ? found.then(orAll) : orAll(found)
  }
