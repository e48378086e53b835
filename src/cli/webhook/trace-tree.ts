/**
 * Writes a trace for people: a line for each stage of the route, and below the filters a line for each condition. Then come the outcome,
 * the answer, and the run that would start with its text.
 */

import { isObject, type Json } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { shownExtra } from '../../dryrun/trace/describe-trace.ts'
import { type Judged, judgedText } from '../../dryrun/trace/plan-observer.ts'
import type { TracedStage } from '../../dryrun/trace/stage-log.ts'
import type { Trace } from '../../dryrun/trace/trace.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import { lookup } from '../../parts/stages/lookup.ts'
import type { Paint } from '../shell/paint.ts'
import type { PayloadSource } from './payload.ts'

const maxLines = 40

/** Returns the lines, and a last line that says how many lines are left out. */
export const quotedLines = (text: string): readonly string[] => {
  const lines = text.split('\n')
  const shown = lines.slice(0, maxLines).map((line) => `  | ${printable(line)}`)
  return lines.length > maxLines ? [...shown, `  | … ${lines.length - maxLines} more lines: --json has all`] : shown
}

/** The most UTF-16 units of a payload before and after a stage; `--json` has more. */
const maxChangeUnits = 300

const resultWords: { readonly [result in TracedStage['result']]: string } = { pass: 'ok', stop: 'STOP', skip: '-', error: 'ERROR' }

const payloadSources: { readonly [from in PayloadSource['from']]: string } = {
  given: 'as given',
  file: 'file',
  stdin: 'standard input',
  sample: 'sample',
  event: 'event',
  'made up': 'made up: give --payload, --sample or --event-id for another',
}

/** Returns the text. The second argument says where the payload is from. */
export const traceText = (traced: Trace, { from, name: of }: PayloadSource, paint: Paint): string => {
  const { route, event, stages, conditions, lookups, starts, notes, name, reason, answer } = traced
  const about = event ? `  event ${printable(event.eventType)}` : ''
  const lines = [
    `${paint.bold(printable(route))}${about}`,
    `payload  ${payloadSources[from]}${of === undefined ? '' : ` ${printable(of)}`}`,
    ...stages.flatMap((each, i) => [
      stageLine(each, i),
      ...(each.stage === lookup.name ? answerLines(lookups) : []),
      ...conditions.filter(({ stage }) => stage === each.stage).map(conditionLine),
      ...changeLines(each),
    ]),
    `outcome  ${paint.bold(name)}${reason === undefined ? '' : `: ${printable(reason)}`}`,
    `answer   ${answer.status} ${printable(answer.body, 512)}`,
    ...(starts ? startLines(traced, starts) : []),
    ...placeholderNotes(traced).map((text) => `${paint.warning('note')}     ${text}`),
    ...notes.map((text) => `${paint.warning('note')}     ${printable(text)}`),
  ]
  return `${lines.join('\n')}\n`
}

const stageLine = ({ stage, result, reason }: TracedStage, i: number): string =>
  `${String(i + 1).padStart(2)} ${stage.padEnd(14)} ${resultWords[result].padEnd(5)}${reason === undefined ? '' : ` ${printable(reason)}`}`.trimEnd()

const changeLines = ({ change }: TracedStage): string[] =>
  change ? [`     before  ${printable(change.before, maxChangeUnits)}`, `     after   ${printable(change.after, maxChangeUnits)}`] : []

/** The most characters of an answer to a lookup. */
const maxAnswerChars = 300

const answerLines = (answers: Json | undefined): readonly string[] =>
  isObject(answers)
    ? Object.entries(answers).map(([name, value]) => `     ${printable(`${name} = ${jsonText(value)}`, maxAnswerChars)}`)
    : []

const conditionLine = (judged: Judged): string => {
  const indent = '  '.repeat(judged.path.filter((part) => typeof part === 'string').length)
  return `     ${indent}${judged.holds ? 'ok' : 'no'}  ${printable(judgedText(judged))}`
}

const startLines = ({ placeholders }: Trace, starts: NonNullable<Trace['starts']>): string[] => {
  const { mode, agent = defaultAgent, prompt, target } = starts
  const named = agent === defaultAgent ? mode : `${mode} ${agent}`
  const extra = shownExtra(starts)
  const missing = placeholders.filter((each) => each.missing).length
  const settings = typeof extra === 'object' && Object.keys(extra ?? {}).length > 0 ? ` ${printable(jsonText(extra))}` : ''
  return [
    `starts   ${named}, then ${printable(target)}${settings}`,
    `text     ${prompt.length} characters${missing > 0 ? `, ${missing} unresolved` : ''}`,
    ...quotedLines(prompt),
  ]
}

/** Says which placeholders have no value in the payload, and which values are cut. */
const placeholderNotes = ({ placeholders }: Trace): string[] =>
  placeholders.flatMap(({ where, written, missing, failed, cut }) => [
    ...(missing ? [`${where}: nothing for ${printable(written)}${failed === undefined ? '' : `: ${printable(failed)}`}`] : []),
    ...(cut ? [`${where}: ${printable(written)} is cut, ${cut.from} → ${cut.to} characters`] : []),
  ])
