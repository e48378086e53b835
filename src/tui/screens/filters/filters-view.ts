/** The tree of conditions with verdict, value and tally of each, and below it what is to be said of the one under the cursor. */

import type { ConditionRow } from '../../../app/editor/conditions.ts'
import { describeOperator } from '../../../app/editor/operators.ts'
import type { World } from '../../model/screen.ts'
import { cell, fit, type Line, line, type Span, span, type Tone, wrap } from '../../view/line.ts'
import { listView } from '../../view/list-view.ts'
import { screenView } from '../../view/screen-view.ts'
import { conditionText, groupMeaning, operandText } from './condition-text.ts'
import { rowsOf } from './filters.ts'
import type { FiltersScreen } from './filters-screen.ts'
import { findingsOf, hindrance, knownOf, samplesOf } from './verdicts.ts'

/** From this width on a tally is explained. */
const wide = 90

/** Each row is: condition, verdict, value, tally. */
type Columns = { readonly condition: number; readonly verdict: number; readonly seen: number; readonly tally: number }

export const filtersView = screenView<FiltersScreen>(({ cursor }, world, { width, height }) => {
  const rows = rowsOf(world)
  const columns = columnsOf(width - 2)
  const head = headLines(world, columns, width)
  const below = detailLines(rows[cursor], rows, world, width).slice(0, Math.max(1, Math.floor(height / 3)))
  const tree = [...rows.map((row) => rowLine(row, rows, world, columns)), line(span(placeForMore(rows, world), 'dim'))]
  const room = Math.max(1, height - head.length - below.length - 1)
  const list = listView(tree, Math.min(cursor, rows.length), { width, height: room })
  const gap = Array.from({ length: Math.max(0, room - list.length) + 1 }, (): Line => [])
  return [...head, ...list, ...gap, ...below]
})

const columnsOf = (width: number): Columns => {
  const [verdict, tally] = [5, width >= wide ? 24 : 7]
  const rest = width - verdict - tally - 3
  const condition = Math.floor(rest * (width >= wide ? 0.62 : 0.7))
  return { condition, verdict, seen: rest - condition, tally }
}

const placeForMore = (rows: readonly ConditionRow[], { options }: World): string => {
  const empty = rows.length === 0 ? 'no conditions: every event passes' : ''
  return options.readOnly ? empty : [empty, 'a adds a condition'].filter(Boolean).join('; ')
}

const headLines = (world: World, { condition, verdict, seen, tally }: Columns, width: number): readonly Line[] => {
  const { counted, untried } = samplesOf(world)
  const whole = Array.isArray(world.draft?.spec.filters) ? 'filters (all must hold)' : 'filters'
  const samples = tally > 7 ? `samples ${counted}${untried > 0 ? ` (${untried} not tried)` : ''}` : `of ${counted}`.padStart(6)
  const why = hindrance(world)
  return [
    line(cell(`  ${whole}`, condition + 3, 'strong'), cell('this payload', verdict + seen + 2, 'dim'), span(samples, 'dim')),
    ...(why === undefined ? [] : wrap(`! ${why}`, width).map((text) => line(span(text, 'warn')))),
  ]
}

const rowLine = (row: ConditionRow, rows: readonly ConditionRow[], world: World, columns: Columns): Line => {
  const { isOld, judged, tally } = knownOf(row, world)
  const seen = judged?.seen === 'missing' ? '(missing)' : (judged?.seen ?? '')
  const verdict = judged ? (judged.holds ? 'pass' : 'fail') : isOld ? '…' : ''
  const tone = judged ? (judged.holds ? 'ok' : 'bad') : 'dim'
  return [
    ...fit([...markOf(row, rows, world), ...conditionSpans(row)], columns.condition),
    span(' '),
    cell(verdict, columns.verdict, tone),
    span(' '),
    cell(seen, columns.seen, seen === '(missing)' ? 'dim' : 'plain'),
    span(' '),
    ...fit(tally ? tallySpans(tally, columns.tally) : [], columns.tally),
  ]
}

const tallySpans = ({ holds, of }: { readonly holds: number; readonly of: number }, width: number): readonly Span[] => {
  const count = cell(`${holds}/${of}`.padStart(6), 7, holds === 0 && of > 0 ? 'warn' : 'plain')
  return holds === 0 && of > 0 && width > 7 ? [count, span(' never true here', 'warn')] : [count]
}

const conditionSpans = (row: ConditionRow): readonly Span[] => {
  const { kind, depth, field, operator } = row
  const lead = span('| '.repeat(depth), 'dim')
  if (kind === 'odd') return [lead, span(conditionText(row), 'bad')]
  if (kind === 'group') return [lead, span(operator, 'accent'), span(` ${groupMeaning(operator)}`, 'dim')]
  return [lead, ...(field === undefined ? [] : [span(`${field} `)]), span(operator, 'accent'), span(` ${operandText(row)}`, 'strong')]
}

const markOf = (row: ConditionRow, rows: readonly ConditionRow[], world: World): readonly Span[] => {
  const [finding] = findingsOf(row, rows, world)
  return finding ? [span('! ', toneOf(finding.severity))] : []
}

const toneOf = (severity: string): Tone => (severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : 'dim')

/** The condition in full, why it does not hold, what is wrong with it, and what its operator means. */
const detailLines = (row: ConditionRow | undefined, rows: readonly ConditionRow[], world: World, width: number): readonly Line[] => {
  const told = (text: string, tone: Tone): readonly Line[] => wrap(text, width).map((each) => line(span(each, tone)))
  const { preview } = world
  const refused = preview?.refused === undefined ? [] : told(`! this cannot be changed here: ${preview.refused}`, 'bad')
  if (!row) return refused
  const { judged } = knownOf(row, world)
  return [
    ...refused,
    ...told(conditionText(row), 'strong'),
    ...findingsOf(row, rows, world).flatMap(({ code, severity, message, help }) =>
      told(`! ${code} ${message}${help === undefined ? '' : ` - ${help}`}`, toneOf(severity)),
    ),
    ...(judged?.why === undefined ? [] : told(`fails: ${judged.why}`, 'plain')),
    ...(row.kind === 'test' ? told(describeOperator(row.operator), 'dim') : []),
  ]
}
