/** Shows a trace as rows: each stage with its result, and how the trace ends. */

import type { TracedStage } from '../../../dryrun/trace/stage-log.ts'
import { cutOrPad } from '../../model/cells.ts'
import { linesFrom } from '../../model/list.ts'
import type { Tone } from '../../model/remark.ts'
import { Row } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import type { TraceScreen } from './trace.ts'
import { type TraceRow, traceRows } from './trace-rows.ts'

/** Shows the trace screen: the rows of the trace, from the row to which it is scrolled. A long prompt is cut. */
export const TraceView = ({ screen, world, room: { width, height } }: ScreenProps<TraceScreen>) => (
  <TraceList rows={linesFrom(traceRows(world, width, true), screen.scroll, height)} />
)

/** How the result of a stage is shown. */
const resultWords: { readonly [result in TracedStage['result']]: readonly [word: string, tone: Tone] } = {
  pass: ['ok', 'ok'],
  stop: ['STOP', 'warn'],
  skip: ['-', 'dim'],
  error: ['ERROR', 'bad'],
}
const tones = { heading: 'strong', note: 'dim', warning: 'warn', text: 'plain' } as const

export const TraceList = ({ rows }: { readonly rows: readonly TraceRow[] }) =>
  rows
    .map((row, at) => ({ row, at }))
    .map(({ row, at }) => (
      <Row key={at}>
        <RowParts row={row} />
      </Row>
    ))

const RowParts = ({ row }: { readonly row: TraceRow }) => {
  switch (row.kind) {
    case 'stage':
      return <StageParts {...row} />
    case 'condition':
      return (
        <>
          {'     '}
          <Span tone={row.holds ? 'ok' : 'warn'}>{cutOrPad(row.holds === undefined ? '' : row.holds ? 'ok' : 'no', 5)}</Span>
          <Span>{row.text}</Span>
        </>
      )
    case 'end':
      return (
        <>
          <Span tone="dim">{row.title}</Span>
          <Span tone="strong">{row.name ?? ''}</Span>
          <Span>{row.text}</Span>
        </>
      )
    default:
      return <Span tone={tones[row.kind]}>{row.text || ' '}</Span>
  }
}

const StageParts = ({ head, text }: Extract<TraceRow, { kind: 'stage' }>) => {
  if (!head) return <Span>{`${' '.repeat(21)}${text}`}</Span>
  const [word, tone] = resultWords[head.result]
  return (
    <>
      <Span tone="dim">{`${String(head.number).padStart(2)} `}</Span>
      <Span>{cutOrPad(head.name, 13)}</Span>
      <Span tone={tone}>{cutOrPad(word, 5)}</Span>
      <Span>{text}</Span>
    </>
  )
}
