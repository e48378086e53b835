/**
 * Shows a row of the tree of conditions: the condition, its verdict (whether it holds for the payload), the value of its field in the
 * payload, and its tally (for how many samples it holds).
 */

import type { ConditionRow } from '../../../edit/conditions.ts'
import type { ConditionTally } from '../../../edit/service.ts'
import { cutOrPad, cutOrPadTogether } from '../../model/cells.ts'
import { type Tone, toneOf } from '../../model/remark.ts'
import type { World } from '../../model/screen.ts'
import { Span } from '../../view/span.tsx'
import { conditionText, groupMeaning, operandText } from './condition-text.ts'
import { findingsOfRow, verdictOf } from './verdicts.ts'

/** The widths of the columns, in cells. `seen`: the column of the payload's value. */
export type ConditionColumns = { readonly condition: number; readonly verdict: number; readonly seen: number; readonly tally: number }

type Props = {
  readonly row: ConditionRow
  readonly rows: readonly ConditionRow[]
  readonly world: World
  readonly columns: ConditionColumns
}

export const ConditionRowView = ({ row, rows, world, columns }: Props) => {
  const { isOld, judged, tally } = verdictOf(row, world)
  const seen = judged?.seen === 'missing' ? '(missing)' : (judged?.seen ?? '')
  const verdict = judged ? (judged.holds ? 'pass' : 'fail') : isOld ? '…' : ''
  const [finding] = findingsOfRow(row, rows, world)
  return (
    <>
      <Condition row={row} mark={finding && toneOf(finding.severity)} width={columns.condition} />
      <Span tone={judged ? (judged.holds ? 'ok' : 'bad') : 'dim'}>{` ${cutOrPad(verdict, columns.verdict)}`}</Span>
      <Span tone={seen === '(missing)' ? 'dim' : 'plain'}>{` ${cutOrPad(seen, columns.seen)} `}</Span>
      {tally && <TallyParts tally={tally} width={columns.tally} />}
    </>
  )
}

/** `mark`: the tone of the condition's finding; `undefined` if it has no finding. */
type ConditionProps = { readonly row: ConditionRow; readonly mark: Tone | undefined; readonly width: number }

const Condition = ({ row, mark = 'plain', width }: ConditionProps) => {
  const parts = [
    { text: mark === 'plain' ? '' : '! ', tone: mark },
    { text: '| '.repeat(row.depth), tone: 'dim' as const },
    ...partsOf(row),
  ]
  const texts = cutOrPadTogether(
    parts.map(({ text }) => text),
    width,
  )
  return parts
    .map(({ tone }, at) => ({ tone, at }))
    .map(({ tone, at }) => (
      <Span key={at} tone={tone}>
        {texts[at] ?? ''}
      </Span>
    ))
}

type Part = { readonly text: string; readonly tone: Tone }

const partsOf = (row: ConditionRow): readonly Part[] => {
  const { kind, field, operator } = row
  if (kind === 'odd') return [{ text: conditionText(row), tone: 'bad' }]
  const name: Part = { text: operator, tone: 'accent' }
  if (kind === 'group') return [name, { text: ` ${groupMeaning(operator)}`, tone: 'dim' }]
  return [{ text: field === undefined ? '' : `${field} `, tone: 'plain' }, name, { text: ` ${operandText(row)}`, tone: 'strong' }]
}

const TallyParts = ({ tally: { holds, of }, width }: { readonly tally: ConditionTally; readonly width: number }) => {
  const isNever = holds === 0 && of > 0
  return (
    <>
      <Span tone={isNever ? 'warn' : 'plain'}>{cutOrPad(`${holds}/${of}`.padStart(6), 7)}</Span>
      {isNever && width > 7 && <Span tone="warn"> never true here</Span>}
    </>
  )
}
