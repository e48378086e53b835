/**
 * `all`, `any` and `not` over conditions, which judge an event or an item of a list (`S`). A condition may return a promise, and may turn out
 * to be undecidable.
 */

/** Whether a condition could not be decided. `later`: it can be decided later, when a list is there that it needs. */
export type Broken = boolean | 'later'

/** Returns what is true of a group of which two conditions are `a` and `b`. */
export const eitherBroken = (a: Broken, b: Broken): Broken => (a === 'later' || b === 'later' ? 'later' : a || b)

/**
 * Why a condition does not hold. `broken`: the condition could not be decided, so a `not` around it must not pass. `rule` returns the
 * sentence for the log.
 */
export type ConditionFailure = { readonly broken: Broken; readonly rule: () => string }
/** `undefined`: the condition holds. */
export type ConditionResult = ConditionFailure | undefined
export type RunCondition<S> = (subject: S) => ConditionResult | Promise<ConditionResult>

/** Makes a condition that holds when all of `runs` hold. It stops at the first condition that does not hold. */
export const all = <S>(runs: readonly RunCondition<S>[]): RunCondition<S> => {
  const from = (start: number, subject: S): ConditionResult | Promise<ConditionResult> => {
    for (let i = start; i < runs.length; i++) {
      const failure = runs[i]?.(subject)
      if (failure instanceof Promise) return failure.then((settled) => settled ?? from(i + 1, subject))
      if (failure) return failure
    }
    return undefined
  }
  return (subject) => from(0, subject)
}

/**
 * Makes a condition that holds when any of `runs` holds. It stops at the first condition that holds. `name`: the path of the group, for the
 * sentence when none holds.
 */
export const any = <S>(runs: readonly RunCondition<S>[], name: string): RunCondition<S> => {
  const both = (earlier: ConditionResult, failure: ConditionFailure): ConditionFailure => ({
    broken: eitherBroken(earlier?.broken ?? false, failure.broken),
    rule: earlier?.rule ?? failure.rule,
  })
  const none = (first: ConditionResult): ConditionFailure => ({
    broken: first?.broken ?? false,
    rule: () => `${name}: none of ${runs.length} holds${first ? `; ${first.rule()}` : ''}`,
  })
  const from = (start: number, subject: S, earlier: ConditionResult): ConditionResult | Promise<ConditionResult> => {
    let joined = earlier
    for (let i = start; i < runs.length; i++) {
      const failure = runs[i]?.(subject)
      if (failure instanceof Promise) {
        const before = joined
        return failure.then((settled) => settled && from(i + 1, subject, both(before, settled)))
      }
      if (!failure) return undefined
      joined = both(joined, failure)
    }
    return none(joined)
  }
  return (subject) => from(0, subject, undefined)
}

/**
 * Makes a condition that holds when `run` does not hold, and is broken when `run` is broken. Where `run` holds, `held` explains that in the
 * sentence of the `not`.
 */
export const not = <S>(run: RunCondition<S>, held: (subject: S) => ConditionFailure['rule']): RunCondition<S> => {
  const negate = (inner: ConditionResult, subject: S): ConditionResult =>
    inner ? (inner.broken ? inner : undefined) : { broken: false, rule: held(subject) }
  return (subject) => {
    const inner = run(subject)
    return inner instanceof Promise ? inner.then((settled) => negate(settled, subject)) : negate(inner, subject)
  }
}
