/**
 * Finds in the latest preview whether a condition holds for the payload, for how many samples it holds, and the findings about it. Verdicts
 * of a preview of an older draft are not used.
 */

import { type Diagnostic, pointerOf } from '../../../core/diagnostic.ts'
import type { Judged } from '../../../dryrun/trace/plan-observer.ts'
import type { ConditionRow } from '../../../edit/conditions.ts'
import type { ConditionTally } from '../../../edit/service.ts'
import type { World } from '../../model/screen.ts'

export type ConditionVerdict = {
  /** The draft or the payload has changed since the preview, and the next preview is awaited. */
  readonly isOld: boolean
  readonly judged?: Judged | undefined
  readonly tally?: ConditionTally | undefined
}

/** Returns the verdict on a condition. Without a payload, or where the condition was not reached, `judged` is `undefined`. */
export const verdictOf = ({ name }: Pick<ConditionRow, 'name'>, { preview, revision }: World): ConditionVerdict => {
  if (preview?.revision !== revision) return { isOld: preview !== undefined || revision > 0 }
  return { isOld: false, judged: preview.trace?.conditions.find((each) => each.name === name), tally: preview.tallies[name] }
}

/** Returns the number of samples that reach the filters, and the number of samples that were not tried. */
export const sampleCounts = ({ preview }: World): { readonly counted: number; readonly untried: number } => ({
  counted: Math.max(0, ...Object.values(preview?.tallies ?? {}).map(({ of }) => of)),
  untried: preview?.untallied ?? 0,
})

/**
 * Says why there are no verdicts, or that the verdicts do not matter because a stage before the filters stops the event; `undefined` if
 * neither is so.
 */
export const whyNoVerdicts = ({ preview, payload }: World): string | undefined => {
  if (!preview) return undefined
  const { trace, untraced } = preview
  if (!trace) return payload ? untraced : 'p chooses a payload to try the conditions on'
  const place = (stage: string): number => trace.stages.findIndex((each) => each.stage === stage)
  if (place(trace.stage) >= place('filters')) return undefined
  const why = trace.reason === undefined ? '' : ` (${trace.reason})`
  const verdicts = trace.conditions.length > 0 ? '; the verdicts say what the filters would' : ''
  return `this event does not get here: ${trace.stage} stops it${why}${verdicts}`
}

/** Returns the findings about a condition or group itself, without the findings about members of the group. */
export const findingsOfRow = (row: ConditionRow, rows: readonly ConditionRow[], { preview }: World): readonly Diagnostic[] =>
  (preview?.findings ?? []).filter(({ pointer }) => deepestRowIn(pointer, rows) === row)

/** Returns the deepest condition whose path is in the pointer of a finding. */
const deepestRowIn = (pointer: string, rows: readonly ConditionRow[]): ConditionRow | undefined =>
  rows.filter(({ path }) => `${pointer}/`.includes(`${pointerOf(path)}/`)).reduce<ConditionRow | undefined>(deeper, undefined)

const deeper = (best: ConditionRow | undefined, row: ConditionRow): ConditionRow =>
  best && best.path.length > row.path.length ? best : row
