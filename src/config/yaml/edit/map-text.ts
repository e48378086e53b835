/**
 * The text of a map as a person edits it: the lines of its members from column 0, with their comments and blank lines. A map in braces is
 * edited as it stands.
 */

import { diffArrays } from 'diff'
import type { Path } from '../../../core/diagnostic.ts'
import type { ParsedYaml } from '../source.ts'
import { spliced } from '../splice.ts'
import { tailOf } from './extent.ts'
import { Outline } from './outline.ts'
import { indented } from './render.ts'
import { styleOf } from './style.ts'
import { walkPath, type YamlCursor } from './walk.ts'
import { isRefused, type RefusedEdit } from './yaml-edit.ts'

/** Where the text of a map begins in its file: the line, from 1, and the number of columns that were taken off its lines. */
export type TextStart = { readonly line: number; readonly indent: number }

export type MapText = TextStart & {
  /** The lines with `\n` between them and without a line end at the end; empty for a map without members. */
  readonly text: string
}

/**
 * The lines of a map in a file. `from` and `to`: their offsets. `below`: the file does not have the lines yet. The value from `from` to
 * `to` is taken out, and the lines are put below the line of this value.
 */
type Lines = { readonly from: number; readonly to: number; readonly indent: number; readonly below?: true }

/** Returns the text of the map at a path, or why the map cannot be edited as a text. The text of the empty path is the whole file. */
export const mapTextAt = (parsed: ParsedYaml, path: Path): MapText | RefusedEdit => {
  const outline = new Outline(parsed.text, parsed.events)
  const lines = linesOf(outline, parsed, path)
  return isRefused(lines) ? lines : { ...startOf(outline, lines), text: shownLines(outline, lines).join('\n') }
}

const startOf = (outline: Outline, { from, to, indent, below }: Lines): TextStart => {
  const start = below ? outline.nextLine(to) : from
  return { line: outline.text.slice(0, start).split('\n').length, indent }
}

/**
 * Puts another text in the place of the text of a map. Lines that both texts have stay exactly as the file has them. The result has not
 * been parsed: `text` may be no YAML. Returns the whole file, and where the text begins in it.
 */
export const withMapText = (
  parsed: ParsedYaml,
  path: Path,
  text: string,
): { readonly text: string; readonly start: TextStart } | RefusedEdit => {
  const outline = new Outline(parsed.text, parsed.events)
  const old = linesOf(outline, parsed, path)
  if (isRefused(old)) return old
  const isBraced = old.indent === 0 && path.length > 0 && !old.below
  const lines = isBraced && !/^\s*\{/.test(text) ? belowKey(outline, parsed, path) : old
  if (isRefused(lines)) return lines
  const written = withoutAddedEnd(text, shownLines(outline, lines).join('\n')).split('\n')
  const start = startOf(outline, lines)
  if (!lines.below) {
    const kept = keptLines(outline, lines, written).join(outline.eol)
    return { text: spliced(outline.text, [{ from: lines.from, to: lines.to, text: kept }]), start }
  }
  const end = outline.lineEnd(lines.to)
  const added = indented(written, lines.indent).map((line) => outline.eol + line)
  return {
    text: spliced(outline.text, [
      { from: lines.from, to: lines.to, text: '' },
      { from: end, to: end, text: added.join('') },
    ]),
    start,
  }
}

const blankEnd = (text: string): string => text.slice(text.trimEnd().length)

/**
 * Returns a text without the blank lines that it has at its end and `old` has not, because editors add a line end. Those that both have stay:
 * in a text with `|+` they belong to the value.
 */
const withoutAddedEnd = (text: string, old: string): string => {
  const [end, oldEnd] = [blankEnd(text), blankEnd(old)]
  let same = 0
  while (same < end.length && end[same] === oldEnd[same]) same++
  return text.slice(0, text.length - end.length + same)
}

/** The most lines by which two texts may differ, so that their equal lines are looked for: the time grows with the square. */
const maxChanges = 2_000

/** Returns the lines of the new text as the file gets them. A line that the old text has, too, stays as the file has it. */
const keptLines = (outline: Outline, lines: Lines, written: readonly string[]): readonly string[] => {
  const raw = rawLines(outline, lines)
  const all = [{ value: [...written], count: written.length, added: true, removed: false }]
  let at = 0
  return (diffArrays(shownLines(outline, lines), [...written], { maxEditLength: maxChanges }) ?? all).flatMap(
    ({ value, count, added, removed }) => {
      if (added) return indented(value, lines.indent)
      const same = raw.slice(at, at + count)
      at += count
      return removed ? [] : same
    },
  )
}

const rawLines = ({ text }: Outline, { from, to, below }: Lines): readonly string[] =>
  below || from === to ? [] : text.slice(from, to).split(/\r?\n/)

/** Returns the lines from column 0. A comment may stand further to the left than the members. */
const shownLines = (outline: Outline, lines: Lines): string[] =>
  rawLines(outline, lines).map((line) => line.slice(Math.min(lines.indent, line.search(/[^ ]|$/))))

const linesOf = (outline: Outline, parsed: ParsedYaml, path: Path): Lines | RefusedEdit => {
  const { text } = outline
  if (path.length === 0) return { from: 0, to: text.length - (/\r?\n$/.exec(text)?.[0].length ?? 0), indent: 0 }
  const spot = spotAt(outline, parsed, path)
  if (isRefused(spot)) return spot
  const { entry } = spot
  const { tree } = outline
  if (outline.isAlias(entry.value)) return { why: 'it is what an alias (*) names, and stands in another place' }
  if (!tree.isMap(entry.value)) return outline.start(entry.value) === undefined ? belowKey(outline, parsed, path) : { why: 'it is no map' }
  if (tree.members(entry.value).length === 0) return belowKey(outline, parsed, path)
  const [content = 0] = tree.range(entry.value) ?? []
  if (outline.isFlow(entry.value)) return { from: content, to: entry.to, indent: 0 }
  const from = outline.nextLine(outline.propsEnd(entry.value, entry.after ?? entry.from))
  return from > content
    ? { why: 'it does not begin on a line of its own' }
    : { from, to: tailOf(outline, entry), indent: outline.columnAt(content) }
}

/** Returns the lines for a map that has no lines below its key yet, and gets its members there. */
const belowKey = (outline: Outline, parsed: ParsedYaml, path: Path): Lines | RefusedEdit => {
  const spot = spotAt(outline, parsed, path)
  if (isRefused(spot)) return spot
  const { entry, holder } = spot
  if (outline.isFlow(holder)) return { why: 'the file has it in braces, so it must be written in braces' }
  const indent = outline.columnAt(entry.from) + styleOf(outline).step
  const after = outline.propsEnd(entry.value, entry.after ?? entry.to)
  return { from: after, to: Math.max(entry.to, after), indent, below: true }
}

const spotAt = (outline: Outline, { data = null }: ParsedYaml, path: Path): YamlCursor | RefusedEdit => {
  const walked = walkPath(outline, data, path)
  if (isRefused(walked)) return walked
  const spot = walked.spots.at(-1)
  return spot && walked.missing.length === 0 ? spot : { why: 'it is not in the file' }
}
