/** What differs between two texts, line by line, as it may be shown: secrets are stars, and control characters are written out. */

import { printable } from '../core/text.ts'
import { maskLines } from './mask-lines/mask-lines.ts'

export type DiffLine = { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }

/** Changes that stand close to each other, with the lines around them. `head`: `@@ -6,8 +6,9 @@`. */
export type Hunk = { readonly head: string; readonly lines: readonly DiffLine[] }

/** Lines `from` up to, not including, `to` of the text before, in whose place stand `from2` to `to2` of the text after. 0-based. */
type Change = { readonly from: number; readonly to: number; readonly from2: number; readonly to2: number }

const context = 3
/** Texts that differ by more lines are shown as replaced from the first difference to the last. */
const maxDistance = 1_000

export const lineDiff = (before: string, after: string): readonly Hunk[] => {
  const [raw, raw2] = [rawLines(before), rawLines(after)]
  const changes = changesOf(raw, raw2)
  if (changes.length === 0) return []
  const [shown, shown2] = [shownLines(before, raw), shownLines(after, raw2)]
  return inHunks(changes).map((each) => hunkOf(each, shown, shown2))
}

const noEnd = '\n\\ No newline at end of file'

/** The last one with what diffs say of a text that does not end in a line feed. */
const rawLines = (text: string): readonly string[] => {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, last + noEnd]
}

const shownLines = (text: string, raw: readonly string[]): readonly string[] => {
  const masked = maskLines(text)
  return raw.map((line, i) => shown(masked[i]?.text ?? '') + (line.endsWith(noEnd) ? noEnd : ''))
}

/** Safe on a terminal, and tabs stay tabs. */
const shown = (line: string): string =>
  line
    .split('\t')
    .map((part) => printable(part, Number.POSITIVE_INFINITY))
    .join('\t')

/** In order. Those that touch are one. */
const changesOf = (a: readonly string[], b: readonly string[]): readonly Change[] => {
  const least = Math.min(a.length, b.length)
  let head = 0
  while (head < least && a[head] === b[head]) head++
  let tail = 0
  while (tail < least - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const [from, to, to2] = [head, a.length - tail, b.length - tail]
  if (from === to && from === to2) return []
  const inside = shortest(a.slice(from, to), b.slice(from, to2))
  return (inside ?? [{ from: 0, to: to - from, from2: 0, to2: to2 - from }]).map((each) => ({
    from: each.from + head,
    to: each.to + head,
    from2: each.from2 + head,
    to2: each.to2 + head,
  }))
}

/** The fewest changes, by Myers' greedy search; `undefined` where they are too many. */
const shortest = (a: readonly string[], b: readonly string[]): readonly Change[] | undefined => {
  const limit = Math.min(maxDistance, a.length + b.length)
  const zero = limit + 1
  /** How far each diagonal reaches in `a`; a copy of it for each distance. */
  const reach = new Int32Array(2 * limit + 3)
  const rounds: Int32Array[] = []
  for (let distance = 0; distance <= limit; distance++) {
    rounds.push(reach.slice())
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const at = zero + diagonal
      let x = (isAdded(reach, at, distance, diagonal) ? reach[at + 1] : (reach[at - 1] ?? 0) + 1) ?? 0
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      reach[at] = x
      if (x >= a.length && x - diagonal >= b.length) return pathBack(rounds, zero, a.length, b.length)
    }
  }
  return undefined
}

/** Whether a path comes to a diagonal by a line that was added, from the one above it; else by one that was removed. */
const isAdded = (reach: Int32Array, at: number, distance: number, diagonal: number): boolean =>
  diagonal === -distance || (diagonal !== distance && (reach[at - 1] ?? 0) < (reach[at + 1] ?? 0))

const pathBack = (rounds: readonly Int32Array[], zero: number, endX: number, endY: number): readonly Change[] => {
  const changes: Change[] = []
  let [x, y] = [endX, endY]
  for (let distance = rounds.length - 1; distance > 0; distance--) {
    const reach = rounds[distance] as Int32Array
    const diagonal = x - y
    const at = zero + diagonal
    const added = isAdded(reach, at, distance, diagonal)
    const to = added ? (reach[at + 1] ?? 0) : (reach[at - 1] ?? 0) + 1
    const to2 = to - diagonal
    const one = { from: added ? to : to - 1, to, from2: added ? to2 - 1 : to2, to2 }
    const next = changes[0]
    if (next && next.from === one.to && next.from2 === one.to2) changes[0] = { ...next, from: one.from, from2: one.from2 }
    else changes.unshift(one)
    x = one.from
    y = one.from2
  }
  return changes
}

/** Changes whose context meets share a hunk. */
const inHunks = (changes: readonly Change[]): readonly (readonly Change[])[] => {
  const hunks: Change[][] = []
  for (const change of changes) {
    const open = hunks.at(-1)
    if (open && change.from - (open.at(-1)?.to ?? 0) <= 2 * context) open.push(change)
    else hunks.push([change])
  }
  return hunks
}

const hunkOf = (changes: readonly Change[], before: readonly string[], after: readonly string[]): Hunk => {
  const [first, last] = [changes[0] as Change, changes.at(-1) as Change]
  const from = Math.max(0, first.from - context)
  const to = Math.min(before.length, last.to + context)
  const from2 = first.from2 - (first.from - from)
  const to2 = last.to2 + (to - last.to)
  const lines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }))
  return {
    head: `@@ -${rangeOf(from, to)} +${rangeOf(from2, to2)} @@`,
    lines: [
      ...changes.flatMap((change, i) => [
        ...lines('same', before.slice(i === 0 ? from : (changes[i - 1] as Change).to, change.from)),
        ...lines('removed', before.slice(change.from, change.to)),
        ...lines('added', after.slice(change.from2, change.to2)),
      ]),
      ...lines('same', before.slice(last.to, to)),
    ],
  }
}

const rangeOf = (from: number, to: number): string => (to - from === 1 ? `${from + 1}` : `${to > from ? from + 1 : from},${to - from}`)
