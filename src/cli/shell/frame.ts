/** Writes Diagnostics for people as code frames: the message, the place, the line of the place with the line before it, and the way out. */

import { type Diagnostic, type SourceRange, shownPlace } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { type MaskedLine, maskLines } from '../../datadir/mask-lines/mask-lines.ts'
import type { Paint } from './paint.ts'

const maxLine = 160
/** How much of a line stands before the place, where the place is past `maxLine`. */
const charsBefore = 60

/**
 * Returns the frames of Diagnostics, below each other. `texts`: the text of each file by its path, empty where none of it is shown. Secrets in the lines are masked, and the
 * text of each file is masked once. `more`: further notes for a Diagnostic.
 */
export const frames = (
  diagnostics: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
  paint: Paint,
  more: (each: Diagnostic) => readonly string[] = () => [],
): string => {
  const masked = new Map<string, readonly MaskedLine[]>()
  const linesOf = (file: string): readonly MaskedLine[] | undefined => {
    const text = texts.get(file)
    if (text === undefined || text === '') return undefined
    const lines = masked.get(file) ?? maskLines(text)
    masked.set(file, lines)
    return lines
  }
  return diagnostics.map((each) => frame(each, each.place && linesOf(each.place.file), more(each), paint)).join('')
}

const frame = (
  { code, severity, message, place, route, help, related = [] }: Diagnostic,
  lines: readonly MaskedLine[] | undefined,
  more: readonly string[],
  paint: Paint,
): string => {
  const head = `${paint[severity](`${severity}[${code}]`)} ${paint.bold(printable(message))}`
  const notes = [
    ...related.map((other) => `   = see     ${printable(shownPlace(other.place))}: ${printable(other.message)}`),
    ...(route === undefined ? [] : [`   = route   ${printable(route)}`]),
    ...(help === undefined ? [] : [`   = help    ${printable(help)}`]),
    ...more.map((note) => `   = ${note}`),
  ]
  if (!place) return [head, ...notes, ''].join('\n')
  const shown = lines ? excerpt(place, lines, paint[severity]) : []
  return [`${head}  ${paint.dim(printable(shownPlace(place)))}`, ...shown, ...notes, ''].join('\n')
}

/**
 * Returns an empty margin, then the line before the place and the line of the place, each with its number, and then carets below the range.
 */
const excerpt = (place: SourceRange, lines: readonly MaskedLine[], mark: (text: string) => string): string[] => {
  const line = lines[place.line - 1]
  if (line === undefined) return []
  const { text, column } = line
  const width = String(place.line).length
  const numbered = (at: number, text: string): string => `${String(at).padStart(width)} | ${printable(text, maxLine)}`
  const end = place.endLine === place.line ? column(place.endColumn) : text.length + 1
  const start = Math.min(column(place.column), text.length + 1)
  const length = Math.max(1, Math.min(end, text.length + 1) - start)
  // Of a line that is longer than what is shown, the part around the place is shown.
  const from = start + Math.min(length, charsBefore) > maxLine ? start - 1 - charsBefore : 0
  const part = from === 0 ? text : `…${text.slice(from)}`
  const indent = ' '.repeat(from === 0 ? start - 1 : charsBefore + 1)
  const carets = `${' '.repeat(width)} | ${indent}${mark('^'.repeat(Math.min(length, maxLine - indent.length)))}`
  const before = place.line > 1 ? [numbered(place.line - 1, lines[place.line - 2]?.text ?? '')] : []
  return [`${' '.repeat(width)} |`, ...before, numbered(place.line, part), carets]
}
