/** Writes findings for people: each with the lines of its file, the way out, and where to read more. */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { frames } from '../shell/frame.ts'
import { stopsStart } from './kit/sentence.ts'
import { summaryOf } from './kit/summary.ts'
import type { Render } from './report.ts'

export const pretty: Render = (report) => {
  const { diagnostics, texts, paint, call } = report
  const notesOf = ({ code, fix, stopsStart: stops }: Diagnostic): string[] => [
    ...(stops ? [`start   ${stopsStart}`] : []),
    ...(fix ? [`fix     ${printable(fix.title)}: ${call} --fix${fix.safe ? '' : `=${code}`}`] : []),
    `docs    headgate explain ${code}`,
  ]
  const shown = frames(diagnostics, texts, paint, notesOf)
  return `${shown === '' ? '' : `${shown}\n`}${summaryOf(report)}\n`
}
