/** Writes what fixes change in files as a unified diff. Secrets are stars in the diff, as in every report. */

import type { FixedText } from '../../check/validate/fixes.ts'
import { shownFile } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { type DiffLine, type Hunk, lineDiff } from '../../datadir/line-diff.ts'
import type { Paint } from '../shell/paint.ts'

export const unifiedDiff = (files: readonly FixedText[], paint: Paint): string => files.map((each) => diffOf(each, paint)).join('')

const diffOf = ({ file, before, after }: FixedText, paint: Paint): string => {
  const hunks = lineDiff(before, after).map((hunk) => hunkText(hunk, paint))
  const name = printable(shownFile(file))
  return hunks.length === 0 ? '' : `${paint.bold(`--- a/${name}\n+++ b/${name}`)}\n${hunks.join('')}`
}

export const hunkText = ({ head, lines }: Hunk, paint: Paint): string =>
  `${[paint.dim(head), ...lines.map((line) => lineText(line, paint))].join('\n')}\n`

const lineText = ({ kind, text }: DiffLine, paint: Paint): string => {
  if (kind === 'same') return ` ${text}`
  return kind === 'removed' ? paint.error(`-${text}`) : paint.info(`+${text}`)
}
