/** `all`, `any` and `not` over conditions. A condition may return a promise, and may turn out to be undecidable. */

import type { Event } from '../core/request.ts'

/**
 * Why a condition does not hold. `broken`: the condition could not be decided, so a `not` around it must not pass. `rule` returns the
 * sentence for the log.
 */
export type ConditionFailure = { readonly broken: boolean; readonly rule: () => string }
/** `undefined`: the condition holds. */
export type ConditionResult = ConditionFailure | undefined
export type RunCondition = (event: Event) => ConditionResult | Promise<ConditionResult>

/** Makes a condition that holds when all of `runs` hold. It stops at the first condition that does not hold. */
export const all = (runs: readonly RunCondition[]): RunCondition => {
  const from = (start: number, event: Event): ConditionResult | Promise<ConditionResult> => {
    for (let i = start; i < runs.length; i++) {
      const failure = runs[i]?.(event)
      if (failure instanceof Promise) return failure.then((settled) => settled ?? from(i + 1, event))
      if (failure) return failure
    }
    return undefined
  }
  return (event) => from(0, event)
}

/**
 * Makes a condition that holds when any of `runs` holds. It stops at the first condition that holds. `name`: the path of the group, for the
 * sentence when none holds.
 */
export const any = (runs: readonly RunCondition[], name: string): RunCondition => {
  const both = (earlier: ConditionResult, failure: ConditionFailure): ConditionFailure => ({
    broken: earlier?.broken === true || failure.broken,
    rule: earlier?.rule ?? failure.rule,
  })
  const none = (first: ConditionResult): ConditionFailure => ({
    broken: first?.broken === true,
    rule: () => `${name}: none of ${runs.length} holds${first ? `; ${first.rule()}` : ''}`,
  })
  const from = (start: number, event: Event, earlier: ConditionResult): ConditionResult | Promise<ConditionResult> => {
    let joined = earlier
    for (let i = start; i < runs.length; i++) {
      const failure = runs[i]?.(event)
      if (failure instanceof Promise) {
        const before = joined
        return failure.then((settled) => settled && from(i + 1, event, both(before, settled)))
      }
      if (!failure) return undefined
      joined = both(joined, failure)
    }
    return none(joined)
  }
  return (event) => from(0, event, undefined)
}

/**
 * Makes a condition that holds when `run` does not hold, and is broken when `run` is broken. Where `run` holds, `held` explains that in the
 * sentence of the `not`.
 */
export const not = (run: RunCondition, held: (event: Event) => ConditionFailure['rule']): RunCondition => {
  const negate = (inner: ConditionResult, event: Event): ConditionResult =>
    inner ? (inner.broken ? inner : undefined) : { broken: false, rule: held(event) }
  return (event) => {
    const inner = run(event)
    return inner instanceof Promise ? inner.then((settled) => negate(settled, event)) : negate(inner, event)
  }
}
