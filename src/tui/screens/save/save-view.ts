/** The diff with its findings, and what the keys do. */

import type { SaveScreen } from '../../model/overlays.ts'
import { type Line, line, type Span, span, type Tone, wrap } from '../../view/line.ts'
import { screenView } from '../../view/screen-view.ts'
import { isLookOnly, rowsOf, type SaveRow } from './save.ts'

export const saveView = screenView<SaveScreen>((screen, world, { width, height }) => {
  const { plan, isBusy, cursor } = screen
  if (!plan) return [line(span(isBusy ? 'checking what would be written …' : 'there is nothing to show: esc goes back', 'dim'))]
  const rows = rowsOf(plan)
  const lines = rows.length === 0 ? [line(span('nothing is different', 'dim'))] : rows.flatMap((row) => rowLines(row, width))
  const head = [...wrap(statusOf(screen, isLookOnly(screen, world)), width).map((text) => line(span(text, toneOf(screen)))), []]
  const room = height - head.length
  const start = Math.max(0, Math.min(cursor, lines.length - room))
  return [...head, ...lines.slice(start, start + room)]
})

const toneOf = ({ plan }: SaveScreen): Tone => (plan && (plan.stops || plan.conflict || plan.refused !== undefined) ? 'bad' : 'dim')

const statusOf = ({ plan, isBusy, then }: SaveScreen, isLookOnly: boolean): string => {
  if (!plan) return ''
  const { file, stops, conflict, refused, findings } = plan
  if (refused !== undefined) return `! it cannot be put into ${file}: ${refused}`
  if (conflict) return `! ${file} was changed since it was opened`
  if (stops) return '! a gateway would not serve this: it is not written before these errors are mended'
  if (isLookOnly) return file
  if (isBusy) return `writing ${file} …`
  const hasErrors = findings.some(({ severity }) => severity === 'error')
  return `${hasErrors ? '! it has errors: W writes' : 'enter writes'} ${file}${hasErrors ? ' in spite of them' : ''}${then === 'quit' ? ' and quits' : ''}; esc goes back`
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

/** A line of the diff is cut, for its start says which it is; a finding is read to its end. */
const rowLines = (row: SaveRow, width: number): readonly Line[] => {
  const [mark, tone] = marks[row.kind]
  const shown = (text: string): Span => span(text.replaceAll('\t', '  '), tone)
  if (!isFinding(row)) return [line(shown(`${mark}${row.text}`))]
  return wrap(`${mark}${row.text}`, width).map((text, i) => line(shown(i === 0 ? text : `  ${text}`)))
}
