/**
 * Guards a plugin's operator, so that a faulty operator fails as a built-in one does: when its test throws, says neither true nor false, or
 * gives no answer in time, the test of the guard throws or rejects, and the condition does not hold. An operator that does not compile
 * never holds.
 */

import { type Clock, systemClock } from '../core/clock.ts'
import { withTextIds } from '../core/exact-json.ts'
import type { Json } from '../core/json.ts'
import { throwTimeout, within } from '../core/turns/within.ts'
import type { Domain, ExactOperator, ExactTest, OperatorPart, Test } from '../parts/operators/operator.ts'
import { guardedRun } from './closing.ts'
import { failure, type Hide, reportAs } from './report-as.ts'
import { isDomain } from './shape.ts'

/** How long the test of one condition may take. The time is short, because a request waits for it. */
const operatorMs = 5_000

/** Returns an operator that calls the plugin's operator. What is wrong with an operand is reported as WH714. */
export const guardedOperator = (given: OperatorPart, hide: Hide, clock: Clock = systemClock): ExactOperator => ({
  name: given.name,
  ...(given.fieldless === true ? { fieldless: true } : {}),
  ...(given.namesField === true ? { namesField: true } : {}),
  examples: given.examples ?? [],
  domain: (operand) => domainOf(given, operand),
  compile(operand, kit) {
    const report = (why: string): ExactTest => {
      kit.report('WH714', [], `the operator ${given.name} ${why}`, 'look up in its plugin what it takes')
      return () => false
    }
    try {
      const made: unknown = given.compile(withTextIds(operand), { ...kit, report: reportAs('WH714', kit.report, hide) })
      return guardedRun<Test, ExactTest>(made, (test) => guardedTest(test, clock)) ?? report('compiled to something else than a function')
    } catch (error) {
      return report(`failed: ${failure(error, hide)}`)
    }
  },
})

/**
 * Returns the domain of the plugin's operator for an operand, which says what its answers can be; `undefined` when the operator gives none,
 * or its function throws or gives back something else.
 */
const domainOf = (given: OperatorPart, operand: Json): Domain | undefined => {
  try {
    const domain: unknown = given.domain?.(operand)
    return isDomain(domain) ? domain : undefined
  } catch {
    return undefined
  }
}

/** Guards the plugin's test. Where it gives no decision, the guarded test throws or rejects, as the test of a built-in operator does. */
const guardedTest =
  (test: Test, clock: Clock): ExactTest =>
  (value, event) => {
    const holds: unknown = test(value === undefined ? undefined : withTextIds(value), event)
    return isThenable(holds)
      ? within(Promise.resolve(holds), operatorMs, clock, throwTimeout('no answer', operatorMs)).then(decided)
      : decided(holds)
  }

const isThenable = (value: unknown): value is PromiseLike<unknown> => typeof value === 'object' && value !== null && 'then' in value

/** Returns the answer of a test. Throws when it is neither true nor false. */
const decided = (holds: unknown): boolean => {
  if (typeof holds === 'boolean') return holds
  throw new Error('it said neither true nor false')
}
