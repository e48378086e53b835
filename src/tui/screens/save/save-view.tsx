/** Shows the save screen: a status that says what the keys do, the findings, and the diff. */

import { wrap } from '../../model/cells.ts'
import type { SaveScreen } from '../../model/overlays.ts'
import { markedRemark, type Remark, remarksHeight, type Tone } from '../../model/remark.ts'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { isLookOnly, type SaveRow, saveRows } from './save.ts'

export const SaveView = ({ screen, world, room: { width, height } }: ScreenProps<SaveScreen>) => {
  const { plan, isBusy, cursor } = screen
  if (!plan) return <Rows of={[isBusy ? 'checking what would be written …' : 'there is nothing to show: esc goes back']} tone="dim" />
  const rows = saveRows(plan)
  const lines = rows.flatMap((row) => rowLines(row, width))
  const status = statusOf(screen, isLookOnly(screen, world))
  const room = height - remarksHeight([status], width) - 1
  const start = Math.max(0, Math.min(cursor, lines.length - room))
  return (
    <>
      <Remarks of={[status]} />
      <Gap />
      {rows.length === 0 ? <Rows of={['nothing is different']} tone="dim" /> : <DiffLines lines={lines.slice(start, start + room)} />}
    </>
  )
}

const statusOf = ({ plan, isBusy, then }: SaveScreen, isLookOnly: boolean): Remark => {
  const said = (text: string): Remark => ({ text, tone: 'dim' })
  if (!plan) return said('')
  const { file, stops, conflict, refused, findings } = plan
  if (refused !== undefined) return markedRemark(`it cannot be put into ${file}: ${refused}`, 'bad')
  if (conflict) return markedRemark(`${file} was changed since it was opened`, 'bad')
  if (stops) return markedRemark('a gateway would not serve this: it is not written before these errors are mended', 'bad')
  if (isLookOnly) return said(file)
  if (isBusy) return said(`writing ${file} …`)
  const after = `${then === 'quit' ? ' and quits' : ''}; esc goes back`
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  return hasErrors ? markedRemark(`it has errors: W writes ${file} in spite of them${after}`, 'dim') : said(`enter writes ${file}${after}`)
}

const marks: { readonly [kind in SaveRow['kind']]: readonly [mark: string, tone: Tone] } = {
  title: ['', 'strong'],
  head: ['', 'accent'],
  same: ['  ', 'dim'],
  added: ['+ ', 'ok'],
  removed: ['- ', 'bad'],
  error: ['! ', 'bad'],
  warning: ['! ', 'warn'],
  info: ['  ', 'dim'],
}

const isFinding = ({ kind }: SaveRow): boolean => kind === 'error' || kind === 'warning' || kind === 'info'

type DiffLine = { readonly text: string; readonly tone: Tone }

/** Returns the lines of a row. A line of the diff is cut, because its start is enough to recognise it. A finding is shown in full. */
const rowLines = (row: SaveRow, width: number): readonly DiffLine[] => {
  const [mark, tone] = marks[row.kind]
  const text = `${mark}${row.text.replaceAll('\t', '  ')}`
  return isFinding(row) ? wrap(text, width).map((each, i) => ({ text: i === 0 ? each : `  ${each}`, tone })) : [{ text, tone }]
}

const DiffLines = ({ lines }: { readonly lines: readonly DiffLine[] }) =>
  lines
    .map((line, at) => ({ ...line, at }))
    .map(({ text, tone, at }) => (
      <Row key={at}>
        <Span tone={tone}>{text || ' '}</Span>
      </Row>
    ))
