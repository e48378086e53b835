/** The contract of operators: an operator tests the value of a condition's field. */

import type { Json } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { Event } from '../../core/request.ts'
import type { LooksOutside, Report } from '../report.ts'

/** Tests a field's value; `undefined` is a missing field. A condition whose test throws does not hold, not even inside `not`. */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly looksOutside: LooksOutside }

/**
 * One operator, whole. The contract tests run its examples.
 * @example
 * const startsWith: OperatorPart = {
 *   name: 'starts_with',
 *   compile(operand, { report }) {
 *     if (typeof operand !== 'string') report('WH405', [], '"starts_with" must be a text')
 *     return (value) => typeof value === 'string' && value.startsWith(String(operand))
 *   },
 *   examples: [
 *     { operand: 'fix', value: 'fix: a typo', holds: true },
 *     { operand: 'fix', value: 'feat: fix', holds: false },
 *   ],
 * }
 */
export type OperatorPart = {
  readonly name: string
  /** The operator is written without `field`. */
  readonly fieldless?: true
  compile(operand: Json, kit: OperatorKit): Closable<Test>
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}
