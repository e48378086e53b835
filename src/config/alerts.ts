/** Reads the rules of alerts: which alerts are sent, and to which targets. */

import type { Path, SourceRange } from '../core/diagnostic.ts'
import type { AlertRule, Config as File } from '../generated/config.ts'
import { isBroken } from './shape.ts'
import type { Source } from './yaml/source.ts'

/** A rule as its file has it. `index`: its place in the list. */
type WrittenAlertRule = { readonly index: number; readonly spec: AlertRule }

export type AlertSettings = {
  readonly rules: readonly WrittenAlertRule[]
  /** Finds places in the file; absent without a file. */
  readonly place?: (path: Path) => SourceRange
}

/** Returns the rules whose shape is right. `bad`: the pointers of all mistakes of shapes and secrets (`brokenPointers`). */
export const alertsOf = ({ alerts }: File, source: Source | undefined, bad: ReadonlySet<string>): AlertSettings => {
  const rules = Array.isArray(alerts) ? alerts.map((spec, index) => ({ index, spec })) : []
  return {
    rules: rules.filter(({ index }) => !isBroken(['alerts', index], bad)),
    ...(source ? { place: (path: Path) => source.place(path, 'value') } : {}),
  }
}
