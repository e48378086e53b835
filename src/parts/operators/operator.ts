/** The contract of operators: an operator tests the value of a condition's field or, in a condition without a field, the whole event. */

import type { Report } from '../../core/diagnostic.ts'
import type { ExactJson, Json, JsonObject } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { Closable } from '../../core/scope.ts'
import type { Measure } from '../../expr/bound.ts'
import type { OpenList } from '../../expr/named-lists.ts'
import type { RecompileAtReload } from '../report.ts'

/**
 * Tests the value of a condition's field, or the event. `value` is `undefined` for a missing field, and for an operator without a field. A
 * condition whose test throws or rejects does not hold, not even inside `not`. The promise of a plugin's test must settle within five
 * seconds. `value`: a whole number past 2^53, which no `number` can hold, is the text of its digits.
 */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

/** As `Test`, for the operators of this program: a number that a double does not represent exactly is an `ExactNumber`. */
export type ExactTest = (value: ExactJson | undefined, event: Event) => boolean | Promise<boolean>

/**
 * What an operator gets when it is compiled: the profile's folder, the opening of lists, the report of mistakes in the operand, and the
 * call by which the plan of the route is compiled again at each reload.
 */
export type OperatorKit = {
  readonly profileDir: string
  /** Opens a list that changes while the gateway runs. Absent: there is none. */
  readonly openList?: OpenList
  readonly report: Report
  readonly recompileAtReload: RecompileAtReload
}

/**
 * The fields that an operator holds for, as far as its operand alone decides. The review of a route (`src/plan/review/`) uses the domains
 * of the route's conditions to find conditions that no event meets, and operands that are likely mistakes.
 */
export type Domain =
  /** `one_of`: fields with one of these values. `none_of`: all other fields, including missing ones. */
  | { readonly kind: 'one_of' | 'none_of'; readonly values: readonly Json[] }
  /** `present`: fields that exist, with any value. `absent`: missing fields. */
  | { readonly kind: 'present' | 'absent' }
  /** Some of the fields that contain this value, as a part of their text, an item or a key. */
  | { readonly kind: 'part'; readonly value: Json }
  /** Some of the fields in whose text this regular expression (RE2) matches. */
  | { readonly kind: 'pattern'; readonly source: string }
  /** Some of the fields whose text begins (`starts`) or ends (`ends`) with this text. */
  | { readonly kind: 'starts' | 'ends'; readonly text: string }
  /** The numbers, times or lengths on one side of a bound. A bound of times is the text of a date or a date-time. */
  | {
      readonly kind: 'range'
      readonly of: Measure
      readonly side: 'above' | 'below'
      readonly bound: number | string
      readonly isIncluded: boolean
    }
  /** Some of the fields. Only the operator's own test tells them apart, and a limit may stop it. */
  | { readonly kind: 'tested' }
  /** Fields with a value from a list outside of the condition. The list may change between two events. */
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
  /** The operand is the name of another field, which the test reads. */
  readonly namesField?: true
  compile(operand: Json, kit: OperatorKit): Closable<Test>
  /**
   * Returns the fields that the operator holds for. Absent or `undefined`: a review concludes nothing from a condition with the operator.
   */
  domain?(operand: Json): Domain | undefined
  /**
   * Examples, which are tested: for the operand and the value of the field, whether the operator holds. Without `value` the field is
   * missing.
   */
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}

/** An operator that reads numbers exactly, in its operand and in fields. Those of plugins are made so by their guard. */
export type ExactOperator = Omit<OperatorPart, 'compile'> & {
  compile(operand: ExactJson, kit: OperatorKit): Closable<ExactTest>
  /** Returns the operand as messages may show it: without headers that let in. Absent: as it is. */
  shown?(operand: ExactJson): ExactJson
}

/**
 * An operator of this program, which says in JSON Schema what its operand may be, with the texts that editors show. `x-fits`: the types of
 * fields that it fits. A plugin's operator may have any operand.
 */
export type BuiltinOperator = ExactOperator & { readonly schema: JsonObject & { readonly description: string } }
