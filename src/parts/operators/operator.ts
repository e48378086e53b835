/** The contract of operators: an operator tests the value of a condition's field. */

import type { Json } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { Event } from '../../core/request.ts'
import type { LooksOutside, Report } from '../report.ts'

/** Tests a field's value; `undefined` is a missing field. A condition whose test throws does not hold, not even inside `not`. */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

/** What an operator may use: the profile's folder, and where its findings go. */
export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly looksOutside: LooksOutside }

/**
 * What a condition asks of a field.
 * @example
 * export const operator: OperatorPart = {
 *   name: 'acme-longer',
 *   compile: (operand) => (value) => typeof value === 'string' && value.length > Number(operand),
 *   examples: [{ operand: 2, value: 'abc', holds: true }, { operand: 2, value: 'ab', holds: false }],
 * }
 */
export type OperatorPart = {
  /** Its key in a condition. */
  readonly name: string
  /** The operator is written without `field`. */
  readonly fieldless?: true
  compile(operand: Json, kit: OperatorKit): Closable<Test>
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}
