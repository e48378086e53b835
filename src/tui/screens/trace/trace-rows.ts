/**
 * A trace as rows: each stage with its verdict, then the outcome, the answer and what the event starts, then its prompt or message. The
 * number of rows must be known before they are drawn, so texts are broken into lines here.
 */

import { type Judged, judgedText, unusedStage } from '../../../dryrun/trace/plan-observer.ts'
import type { TracedStage } from '../../../dryrun/trace/stage-log.ts'
import type { TraceShown } from '../../../edit/shown-trace.ts'
import { wrap } from '../../model/cells.ts'
import type { World } from '../../model/screen.ts'

/**
 * A row of a trace. The text of a stage or condition may be broken into several rows. Of those rows, only the first has the number and name
 * of the stage, or the result of the condition.
 */
export type TraceRow =
  | { readonly kind: 'heading' | 'note' | 'warning' | 'text'; readonly text: string }
  | { readonly kind: 'stage'; readonly text: string; readonly head?: StageHead }
  | { readonly kind: 'condition'; readonly text: string; readonly holds?: boolean }
  | { readonly kind: 'end'; readonly title: string; readonly name?: string; readonly text: string }

type StageHead = { readonly number: number; readonly name: string; readonly result: TracedStage['result'] }

/**
 * Returns the rows of the trace in the latest preview, for a pane of `width` cells. `whole`: also the stages that the route does not use, for
 * which a small pane has no room, and each condition has rows of its own.
 */
export const traceRows = ({ preview, payload }: World, width: number, whole = false): readonly TraceRow[] => {
  if (!preview) return [{ kind: 'note', text: 'TRACE  …' }]
  const { trace, untraced } = preview
  const heading: TraceRow = { kind: 'heading', text: 'TRACE' }
  if (!trace)
    return [heading, ...wrap(untraced ?? (payload ? '' : 'p chooses a payload'), width).map((text) => ({ kind: 'note', text }) as const)]
  return [
    heading,
    ...trace.stages.flatMap((stage, i) => [
      ...(whole || stage.reason !== unusedStage ? stageRows(stage, i, trace, width) : []),
      ...(whole ? trace.conditions.filter((each) => each.stage === stage.stage).flatMap((each) => conditionRows(each, width)) : []),
      ...(whole ? changeRows(stage, width) : []),
    ]),
    ...endRows(trace),
    ...trace.notes.flatMap((note) => wrap(note, width).map((text) => ({ kind: 'note', text }) as const)),
    ...textRows(trace, width),
  ]
}

/** Returns the rows of a stage. `i`: the place of the stage in the trace, from 0. */
export const stageRows = (
  { stage: name, result, reason }: TracedStage,
  i: number,
  { conditions }: TraceShown,
  width: number,
): readonly TraceRow[] => {
  // A stage without a reason shows how many of its conditions hold. Only outer conditions count, and not the members of a group, because
  // below a "not" a condition that fails is right. In a list, the path of an outer condition is its number; a single condition has no path.
  const outer = conditions.filter(({ path, stage }) => stage === name && path.length <= 1 && typeof path[0] !== 'string')
  const verdict = outer.length > 0 ? `${outer.filter(({ holds }) => holds).length}/${outer.length}` : ''
  return wrap(reason ?? verdict, width - 22).map((text, at) => ({
    kind: 'stage',
    text,
    ...(at === 0 ? { head: { number: i + 1, name, result } } : {}),
  }))
}

/** Returns the rows of what a stage made of the payload. */
const changeRows = ({ change }: TracedStage, width: number): readonly TraceRow[] =>
  change
    ? [`before ${change.before}`, `after  ${change.after}`].flatMap((each) =>
        wrap(each, width).map((text) => ({ kind: 'text', text }) as const),
      )
    : []

const conditionRows = (judged: Judged, width: number): readonly TraceRow[] =>
  wrap(judgedText(judged), width - 10).map((text, at) => ({ kind: 'condition', text, ...(at === 0 ? { holds: judged.holds } : {}) }))

const endRows = ({ name, reason, answer, starts }: TraceShown): readonly TraceRow[] => [
  { kind: 'end', title: 'outcome ', name, text: reason === undefined ? '' : `: ${reason}` },
  { kind: 'end', title: 'answer  ', text: `${answer.status} ${answer.body}` },
  ...(starts ? [{ kind: 'end', title: 'starts  ', text: `${starts.mode}, then ${starts.target}` } as const] : []),
]

const textRows = ({ starts, placeholders }: TraceShown, width: number): readonly TraceRow[] => {
  if (!starts) return []
  const missing = placeholders.filter((each) => each.missing).map(({ written }) => written)
  const about = `PROMPT ${starts.prompt.length} chars${missing.length > 0 ? `, ${missing.length} unresolved: ${missing.join(' ')}` : ''}`
  return [
    { kind: missing.length > 0 ? 'warning' : 'heading', text: about },
    ...wrap(starts.prompt.slice(0, 4_000), width).map((text) => ({ kind: 'text', text }) as const),
  ]
}
