/** What differs between two texts, line by line, as it may be shown: secrets are stars, and control characters are written out. */

import { type StructuredPatchHunk, structuredPatch } from 'diff'
import { printable } from '../core/text.ts'
import { maskLines } from './mask-lines/mask-lines.ts'

export type DiffLine = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/** Changes that stand close to each other, with the lines around them. `head`: `@@ -6,8 +6,9 @@`. */
export type Hunk = { readonly head: string; readonly lines: readonly DiffLine[] }

const context = 3
/** Texts that differ by more lines are shown as replaced. Finding the fewest changes takes time in proportion to its square. */
const maxChanges = 1_000

export const lineDiff = (before: string, after: string): readonly Hunk[] => {
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength: maxChanges })
  const [old, next] = [shownLines(before), shownLines(after)]
  return patch ? patch.hunks.map((hunk) => hunkOf(hunk, old, next)) : [replaced(old, next)]
}

/** The lines of the hunk in the texts as they may be shown. Marks that a text has no line feed at its end stand with the line before. */
const hunkOf = (
  { oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk,
  old: readonly string[],
  next: readonly string[],
): Hunk => {
  const [from, from2] = [oldStart - 1, newStart - 1]
  let [at, at2] = [from, from2]
  const shownOf = (mark: string | undefined): DiffLine[] => {
    if (mark === '+') return [{ kind: 'added', text: next[at2++] ?? '' }]
    if (mark === '-') return [{ kind: 'removed', text: old[at++] ?? '' }]
    if (mark !== ' ') return []
    at2++
    return [{ kind: 'same', text: old[at++] ?? '' }]
  }
  return { head: headOf(from, from + oldLines, from2, from2 + newLines), lines: lines.flatMap(([mark]) => shownOf(mark)) }
}

const replaced = (old: readonly string[], next: readonly string[]): Hunk => ({
  head: headOf(0, old.length, 0, next.length),
  lines: [...old.map((text): DiffLine => ({ kind: 'removed', text })), ...next.map((text): DiffLine => ({ kind: 'added', text }))],
})

const noEnd = '\n\\ No newline at end of file'

/** The last one with what diffs say of a text that does not end in a line feed. */
const shownLines = (text: string): readonly string[] => {
  const lines = maskLines(text).map((line) => shown(line.text))
  const last = lines.pop() ?? ''
  return text === '' || text.endsWith('\n') ? lines : [...lines, last + noEnd]
}

/** Safe on a terminal, and tabs stay tabs. */
const shown = (line: string): string =>
  line
    .split('\t')
    .map((part) => printable(part, Number.POSITIVE_INFINITY))
    .join('\t')

/** Lines from `from` up to, not including, `to` of both texts, 0-based. */
const headOf = (from: number, to: number, from2: number, to2: number): string => `@@ -${rangeOf(from, to)} +${rangeOf(from2, to2)} @@`

const rangeOf = (from: number, to: number): string => (to - from === 1 ? `${from + 1}` : `${to > from ? from + 1 : from},${to - from}`)
