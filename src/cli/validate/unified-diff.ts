/** What fixes change, as a unified diff. Secrets are stars in it, as in every other report. */

import type { FixedText } from '../../app/validate/fixes.ts'
import { shownFile } from '../../core/shown-place.ts'
import { printable } from '../../core/text.ts'
import { maskLines } from '../shell/mask-lines.ts'
import type { Paint } from '../shell/paint.ts'

const context = 3

/** Lines `from` up to, not including, `to` of the text before, in whose place stand as many as `from2` to `to2` of the text after. 0-based. */
type Change = { readonly from: number; readonly to: number; readonly from2: number; readonly to2: number }

export const unifiedDiff = (files: readonly FixedText[], paint: Paint): string => files.map((each) => diffOf(each, paint)).join('')

const diffOf = (fixed: FixedText, paint: Paint): string => {
  const before = linesOf(fixed.before)
  const after = linesOf(fixed.after)
  const hunks = inHunks(changesOf(fixed)).map((changes) => hunkOf(changes, before, after, paint))
  const name = printable(shownFile(fixed.file))
  return hunks.length === 0 ? '' : `${paint.bold(`--- a/${name}\n+++ b/${name}`)}\n${hunks.join('')}`
}

/** A text's lines as they may be shown, the last with what diffs say of one that does not end in a line feed. */
const linesOf = (text: string): readonly string[] => {
  const lines = maskLines(text).map((line) => shown(line.text))
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

/** Safe on a terminal, and tabs stay tabs. */
const shown = (line: string): string =>
  line
    .split('\t')
    .map((part) => printable(part, Number.POSITIVE_INFINITY))
    .join('\t')

const lineFeeds = (text: string): number => text.split('\n').length - 1

/** The changed lines, in order; changes that touch are one. */
const changesOf = ({ before, splices }: FixedText): readonly Change[] => {
  const changes: Change[] = []
  let shift = 0
  let counted = 0
  let first = 0
  for (const { from, to, text } of splices) {
    first += lineFeeds(before.slice(counted, from))
    counted = from
    const last = first + lineFeeds(before.slice(from, to))
    const more = lineFeeds(text) - (last - first)
    const open = changes.at(-1)
    if (open && first < open.to) changes[changes.length - 1] = { ...open, to: last + 1, to2: last + 1 + shift + more }
    else changes.push({ from: first, to: last + 1, from2: first + shift, to2: last + 1 + shift + more })
    shift += more
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

const hunkOf = (changes: readonly Change[], before: readonly string[], after: readonly string[], paint: Paint): string => {
  const [first, last] = [changes[0] as Change, changes.at(-1) as Change]
  const from = Math.max(0, first.from - context)
  const to = Math.min(before.length, last.to + context)
  const from2 = first.from2 - (first.from - from)
  const to2 = Math.min(after.length, last.to2 + context)
  const same = (start: number, end: number): string[] => before.slice(start, end).map((line) => ` ${line}`)
  const lines = changes.flatMap((change, i) => [
    ...same(i === 0 ? from : (changes[i - 1] as Change).to, change.from),
    ...before.slice(change.from, change.to).map((line) => paint.error(`-${line}`)),
    ...after.slice(change.from2, change.to2).map((line) => paint.info(`+${line}`)),
  ])
  const head = `@@ -${rangeOf(from, to)} +${rangeOf(from2, to2)} @@`
  return `${paint.dim(head)}\n${[...lines, ...same(last.to, to)].join('\n')}\n`
}

const rangeOf = (from: number, to: number): string => (to - from === 1 ? `${from + 1}` : `${to > from ? from + 1 : from},${to - from}`)
