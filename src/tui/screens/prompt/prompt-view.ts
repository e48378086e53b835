/** The template, and its expansion on the payload: unresolved placeholders are underlined and tagged. */

import type { PayloadValue, Preview } from '../../../app/editor/desk.ts'
import type { World } from '../../model/screen.ts'
import { linesView } from '../../view/field-view.ts'
import { beside, cell, type Line, line, type Span, span, wrap } from '../../view/line.ts'
import { longListView } from '../../view/list-view.ts'
import { type Room, screenView } from '../../view/screen-view.ts'
import type { PromptScreen } from './prompt.ts'

const wide = 90
/** Rows of paths that are offered at a time. */
const offered = 8

export const promptView = screenView<PromptScreen>((screen, world, { width, height }) => {
  const isWide = width >= wide
  const left = isWide ? Math.floor(width / 2) - 2 : width
  const above = isWide ? height : Math.ceil(height / 2)
  const text = editor(screen, world, { width: left, height: above })
  const expansion = expanded(world.preview, { width: isWide ? width - left - 3 : width, height: isWide ? height : height - above - 1 })
  return isWide ? beside(text, expansion, width, left) : [...text, [], ...expansion]
})

const editor = (screen: PromptScreen, world: World, { width, height }: Room): readonly Line[] => {
  const rows = screen.completion?.rows ?? []
  const shown = Math.min(rows.length, offered, Math.max(0, height - 4))
  const rowLine = ({ path, shown: value }: PayloadValue) => line(cell(path, Math.floor(width * 0.55)), ' ', span(value, 'dim'))
  const text = linesView(screen.field, { width, height: height - shown }, (each) => marked(each, world.preview))
  return [...text, ...(shown > 0 ? longListView(rows, rowLine, screen.cursor, { width, height: shown }) : [])]
}

const marked = (text: string, preview: Preview | undefined): readonly Span[] => {
  const unresolved = new Set(preview?.prompt?.unresolved)
  return text
    .split(/(\{[^{}\n]*\})/)
    .flatMap((part) =>
      unresolved.has(part) ? [span(part, 'warn', { underline: true }), span('[?]', 'warn')] : part === '' ? [] : [span(part)],
    )
}

const expanded = (preview: Preview | undefined, { width, height }: Room): readonly Line[] => {
  if (!preview) return [line(span('…', 'dim'))]
  const { prompt, untraced = 'no payload is chosen' } = preview
  if (!prompt) return [line(span(untraced, 'dim'))]
  const { unresolved, cuts, text } = prompt
  const about = `${text.length} chars · ${unresolved.length} unresolved · ${cuts.length} cut${cuts.length > 0 ? `: ${cuts.join(', ')}` : ''}`
  return [
    line(span(about, unresolved.length + cuts.length > 0 ? 'warn' : 'dim')),
    ...wrap(text.slice(0, 8_000), width).map((each) => line(each)),
  ].slice(0, height)
}
