/** An operator: what a condition asks of one value. */

import type { Json } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { LooksOutside, Report } from '../report.ts'

/** Decides over a field's value; `undefined` is a missing field. */
export type Test = (value: Json | undefined, event: Event) => boolean | Promise<boolean>

export type OperatorKit = { readonly profileDir: string; readonly report: Report; readonly looksOutside: LooksOutside }

export type OperatorPart = {
  readonly name: string
  /** Stands alone, without `field`. */
  readonly fieldless?: true
  compile(operand: Json, kit: OperatorKit): Test
  readonly examples: readonly { readonly operand: Json; readonly value?: Json; readonly holds: boolean }[]
}
