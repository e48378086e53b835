/** Compares two texts line by line, for people to read: secrets are replaced by stars, and control characters are written as escapes. */

import { type StructuredPatchHunk, structuredPatch } from 'diff'
import { printable } from '../core/text.ts'
import { maskLines } from './mask-lines/mask-lines.ts'

export type DiffLine = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/**
 * A hunk: changes that stand close to each other, with the lines around them. `head`: the line numbers in both texts, as `@@ -6,8 +6,9 @@`.
 */
export type Hunk = { readonly head: string; readonly lines: readonly DiffLine[] }

const contextLines = 3
/**
 * Two texts that differ by more lines than this become a single hunk, which removes all old lines and adds all new lines. The time of a
 * comparison grows with the square of this number.
 */
const maxChanges = 1_000

/** Returns the hunks, in the order of the lines; none for equal texts. */
export const lineDiff = (before: string, after: string): readonly Hunk[] => {
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: contextLines, maxEditLength: maxChanges })
  const [old, next] = [shownLines(before), shownLines(after)]
  return patch ? patch.hunks.map((hunk) => hunkOf(hunk, old, next)) : [replacedHunk(old, next)]
}

/**
 * Returns a hunk of the compared texts with its lines taken from `old` and `next`, which are safe to show. The comparison gives the mark of
 * a missing line feed a line of its own. That line is left out, because the last line of `old` or `next` has the mark already.
 */
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
  return { head: hunkHead(from, from + oldLines, from2, from2 + newLines), lines: lines.flatMap(([mark]) => shownOf(mark)) }
}

const replacedHunk = (old: readonly string[], next: readonly string[]): Hunk => ({
  head: hunkHead(0, old.length, 0, next.length),
  lines: [...old.map((text): DiffLine => ({ kind: 'removed', text })), ...next.map((text): DiffLine => ({ kind: 'added', text }))],
})

const noEndMark = '\n\\ No newline at end of file'

/**
 * Returns the lines of a text as they may be shown. Where the text does not end with a line feed, its last line is followed by the mark
 * that diffs have for this.
 */
const shownLines = (text: string): readonly string[] => {
  const lines = maskLines(text).map((line) => showLine(line.text))
  const last = lines.pop() ?? ''
  return text === '' || text.endsWith('\n') ? lines : [...lines, last + noEndMark]
}

/** Makes a line safe on a terminal. Tabs stay tabs. */
const showLine = (line: string): string =>
  line
    .split('\t')
    .map((part) => printable(part, Number.POSITIVE_INFINITY))
    .join('\t')

/**
 * Returns the head of a hunk that covers the lines `from` to `to` of the old text and `from2` to `to2` of the new text. Lines count from 0,
 * and the end is not included.
 */
const hunkHead = (from: number, to: number, from2: number, to2: number): string => `@@ -${hunkRange(from, to)} +${hunkRange(from2, to2)} @@`

const hunkRange = (from: number, to: number): string => (to - from === 1 ? `${from + 1}` : `${to > from ? from + 1 : from},${to - from}`)
