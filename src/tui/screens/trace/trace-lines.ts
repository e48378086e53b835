/** A trace as lines: each stage with its verdict, then the text that would go out and the answer. */

import type { TraceShown } from '../../../app/editor/desk.ts'
import { type Judged, saidOf } from '../../../app/trace/plan-observer.ts'
import type { TracedStage } from '../../../app/trace/stage-log.ts'
import type { World } from '../../model/screen.ts'
import { cell, type Line, line, type Span, span, wrap } from '../../view/line.ts'

const words: { readonly [result in TracedStage['result']]: Span } = {
  pass: cell('ok', 5, 'ok'),
  stop: cell('STOP', 5, 'warn'),
  skip: cell('-', 5, 'dim'),
  error: cell('ERROR', 5, 'bad'),
}

/** `whole`: every condition has its line, too. */
export const traceLines = ({ preview, payload }: World, width: number, whole = false): readonly Line[] => {
  if (!preview) return [line(span('TRACE  …', 'dim'))]
  const { trace, untraced } = preview
  if (!trace)
    return [
      line(span('TRACE', 'strong')),
      ...wrap(untraced ?? (payload ? '' : 'p chooses a payload'), width).map((text) => line(span(text, 'dim'))),
    ]
  return [
    line(span('TRACE', 'strong')),
    ...trace.stages.flatMap((stage, i) => [
      ...stageLines(stage, i, trace, width),
      ...(whole && stage.stage === trace.conditionsIn ? trace.conditions.flatMap((each) => conditionLines(each, width)) : []),
    ]),
    ...endLines(trace),
    ...textLines(trace, width),
  ]
}

export const stageLines = (
  { stage, result, reason }: TracedStage,
  i: number,
  { conditions, conditionsIn }: TraceShown,
  width: number,
): readonly Line[] => {
  // What a group holds counts with it: below a "not" a condition that fails is right. A list has its conditions by number; a single one has no path.
  const outer = stage === conditionsIn ? conditions.filter(({ path }) => path.length <= 1 && typeof path[0] !== 'string') : []
  const verdict = outer.length > 0 ? `${outer.filter(({ holds }) => holds).length}/${outer.length}` : ''
  const [first = '', ...rest] = wrap(reason ?? verdict, width - 22)
  return [
    line(span(`${String(i + 1).padStart(2)} `, 'dim'), cell(stage, 13), words[result], span(first)),
    ...rest.map((text) => line(span(' '.repeat(21)), span(text))),
  ]
}

const conditionLines = (judged: Judged, width: number): readonly Line[] =>
  wrap(saidOf(judged), width - 10).map((text, i) =>
    line('     ', i > 0 ? cell('', 5) : judged.holds ? cell('ok', 5, 'ok') : cell('no', 5, 'warn'), span(text)),
  )

const endLines = ({ name, reason, answer, starts }: TraceShown): readonly Line[] => [
  line(span('outcome ', 'dim'), span(name, 'strong'), span(reason === undefined ? '' : `: ${reason}`)),
  line(span('answer  ', 'dim'), span(`${answer.status} ${answer.body}`)),
  ...(starts ? [line(span('starts  ', 'dim'), span(`${starts.mode}, then ${starts.target}`))] : []),
]

const textLines = ({ starts, placeholders }: TraceShown, width: number): readonly Line[] => {
  if (!starts) return []
  const missing = placeholders.filter((each) => each.missing).map(({ written }) => written)
  const about = `PROMPT ${starts.prompt.length} chars${missing.length > 0 ? `, ${missing.length} unresolved: ${missing.join(' ')}` : ''}`
  return [
    line(span(about, missing.length > 0 ? 'warn' : 'strong')),
    ...wrap(starts.prompt.slice(0, 4_000), width).map((text) => line(text)),
  ]
}
