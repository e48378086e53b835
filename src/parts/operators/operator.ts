/** The contract of operators: an operator tests the value of a condition's field. */

import type { Json } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { Event } from '../../core/request.ts'
import type { RecompileAtReload, Report } from '../report.ts'

/** Tests a field's value; `undefined` is a missing field. A condition whose test throws does not hold, not even inside `not`. */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

/** The kit of operators: the profile's folder, and the functions for findings and dependences. */
export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly recompileAtReload: RecompileAtReload }

/**
 * The fields that an operator holds for, where its operand alone decides that. `validate` and `webhook subscribe` use it to find conditions
 * that no event meets, and operands that are likely mistakes.
 */
export type Domain =
  /** `one_of`: fields with one of these values. `none_of`: all other fields, including missing ones. */
  | { readonly kind: 'one_of' | 'none_of'; readonly values: readonly Json[] }
  /** `present`: fields that exist, with any value. `absent`: missing fields. */
  | { readonly kind: 'present' | 'absent' }
  /** Some of the texts, lists and maps that contain this value. */
  | { readonly kind: 'part'; readonly value: Json }
  /** Some of the fields in whose text this regular expression (RE2) matches. */
  | { readonly kind: 'pattern'; readonly source: string }
  /** Fields with a value from a list outside of the condition, which may change between two events. */
  | { readonly kind: 'elsewhere' }

/**
 * An operator of conditions.
 * @example
 * export const operator: OperatorPart = {
 *   name: 'acme-longer',
 *   compile: (operand) => (value) => typeof value === 'string' && value.length > Number(operand),
 *   examples: [{ operand: 2, value: 'abc', holds: true }, { operand: 2, value: 'ab', holds: false }],
 * }
 */
export type OperatorPart = {
  /** The operator's key in a condition. */
  readonly name: string
  /** The operator is written without `field`. */
  readonly fieldless?: true
  compile(operand: Json, kit: OperatorKit): Closable<Test>
  /** Returns the fields that the operator holds for. Absent or `undefined`: nothing is concluded from a condition. */
  domain?(operand: Json): Domain | undefined
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}
