/** The contract of operators: an operator tests the value of a condition's field. */

import type { Json } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { Event } from '../../core/request.ts'
import type { RecompileAtReload, Report } from '../report.ts'

/** Tests a field's value; `undefined` is a missing field. A condition whose test throws does not hold, not even inside `not`. */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

/** What an operator may use: the profile's folder, and where its findings go. */
export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly recompileAtReload: RecompileAtReload }

/**
 * Which fields an operator holds for, where its operand alone says that. So `validate` and `webhook subscribe` find conditions that no event
 * meets, and operands that are likely not meant.
 */
export type Domain =
  /** `one_of`: fields with one of these values. `none_of`: all others, missing ones too. */
  | { readonly kind: 'one_of' | 'none_of'; readonly values: readonly Json[] }
  /** Fields that are there, whatever their value is. `absent`: missing ones. */
  | { readonly kind: 'present' | 'absent' }
  /** Some of the texts, lists and maps that have this value in them. */
  | { readonly kind: 'part'; readonly value: Json }
  /** Some of the fields in whose text this regular expression (RE2) is found. */
  | { readonly kind: 'pattern'; readonly source: string }
  /** Fields with a value that is listed elsewhere, where it may change between two events. */
  | { readonly kind: 'elsewhere' }

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
  /** The fields that it holds for. When absent or `undefined`, nothing is concluded from a condition. */
  domain?(operand: Json): Domain | undefined
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}
