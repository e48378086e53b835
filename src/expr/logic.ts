/** `all`, `any` and `not` over conditions. A condition may return a promise, and may turn out to be undecidable. */

import type { Event } from '../core/request.ts'

/** Why a condition does not hold. `broken`: it could not be decided, so `not` must not turn it into a pass. */
export type ConditionFailure = { readonly broken: boolean; readonly rule: () => string }
export type ConditionResult = ConditionFailure | undefined
export type RunCondition = (event: Event) => ConditionResult | Promise<ConditionResult>

/** Makes a condition that holds when all hold. It stops at the first condition that does not. */
export const all = (runs: readonly RunCondition[]): RunCondition => {
  const from = (start: number, event: Event): ConditionResult | Promise<ConditionResult> => {
    for (let i = start; i < runs.length; i++) {
      const no = runs[i]?.(event)
      if (no instanceof Promise) return no.then((settled) => settled ?? from(i + 1, event))
      if (no) return no
    }
    return undefined
  }
  return (event) => from(0, event)
}

/** Makes a condition that holds when any holds. It stops at the first condition that does. */
export const any = (runs: readonly RunCondition[], name: string): RunCondition => {
  const both = (earlier: ConditionResult, no: ConditionFailure): ConditionFailure => ({
    broken: earlier?.broken === true || no.broken,
    rule: earlier?.rule ?? no.rule,
  })
  const none = (first: ConditionResult): ConditionFailure => ({
    broken: first?.broken === true,
    rule: () => `${name}: none of ${runs.length} holds${first ? `; ${first.rule()}` : ''}`,
  })
  const from = (start: number, event: Event, earlier: ConditionResult): ConditionResult | Promise<ConditionResult> => {
    let nos = earlier
    for (let i = start; i < runs.length; i++) {
      const no = runs[i]?.(event)
      if (no instanceof Promise) {
        const before = nos
        return no.then((settled) => settled && from(i + 1, event, both(before, settled)))
      }
      if (!no) return undefined
      nos = both(nos, no)
    }
    return none(nos)
  }
  return (event) => from(0, event, undefined)
}

/** Makes a condition that holds when `run` does not, and is broken when `run` is. `held` returns the sentence of a `run` that holds. */
export const not = (run: RunCondition, held: (event: Event) => ConditionFailure['rule']): RunCondition => {
  const turn = (no: ConditionResult, event: Event): ConditionResult =>
    no ? (no.broken ? no : undefined) : { broken: false, rule: held(event) }
  return (event) => {
    const no = run(event)
    return no instanceof Promise ? no.then((settled) => turn(settled, event)) : turn(no, event)
  }
}
