/** Finds the first row of a list whose condition `when` holds for an event, as `dispatch` and `agent` of a route have them. */

import type { Json } from '../core/json.ts'
import { listUnavailable, type Refused } from '../core/outcome.ts'
import type { MaybePromise } from '../core/plan.ts'
import type { Event } from '../core/request.ts'
import { withDigits } from '../core/written-digits.ts'
import { compileConditions } from '../expr/condition.ts'
import type { StageKit } from './stages/stage.ts'

type Row = { readonly when?: unknown }

/**
 * Compiles the rows below the key `key` of a route. A row without `when` always holds. The function returns the index of the row, -1 where none
 * holds, or a refusal where a list that a condition needs is not there. It returns a promise only where a condition has to wait.
 */
export const compileFirstRow = (key: string, rows: readonly Row[], kit: StageKit): ((event: Event) => MaybePromise<number | Refused>) => {
  const compiled = rows.map(({ when }, row) =>
    when === undefined
      ? undefined
      : compileConditions(withDigits(when as Json), {
          ...kit,
          root: `${key}[${row}].when`,
          report: (code, path, message, help) => kit.report(code, [key, row, 'when', ...path], message, help),
        }),
  )
  const from = (event: Event, first: number): MaybePromise<number | Refused> => {
    for (let row = first; row < compiled.length; row++) {
      const verdict = compiled[row]?.(event) ?? { pass: true }
      if (verdict instanceof Promise)
        return verdict.then((settled) => {
          if (settled.pass) return row
          return settled.isLater ? listUnavailable(settled.rule()) : from(event, row + 1)
        })
      if (verdict.pass) return row
      if (verdict.isLater) return listUnavailable(verdict.rule())
    }
    return -1
  }
  return (event) => from(event, 0)
}
