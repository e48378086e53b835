/**
 * Writes findings as annotations for GitHub's runners. GitHub shows at most ten annotations of a kind, so the totals are written in words,
 * too.
 */

import { codeCatalogue, type Diagnostic, shownFile } from '../../core/diagnostic.ts'
import { findingSentence } from './kit/sentence.ts'
import { summaryOf } from './kit/summary.ts'
import type { Render } from './report.ts'

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const

export const github: Render = (report) => `${report.diagnostics.map(annotation).join('')}${summaryOf(report)}\n`

const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (value: string | number): string => escaped(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')

const annotation = (each: Diagnostic): string => {
  const { place, code, severity, stopsStart } = each
  const where = place && {
    file: shownFile(place.file),
    line: place.line,
    endLine: place.endLine,
    col: place.column,
    endColumn: place.endColumn,
  }
  const title = `${code} ${codeCatalogue[code].title}${stopsStart ? ' (stops the start)' : ''}`
  const properties = Object.entries({ ...where, title }).map(([name, value]) => `${name}=${property(value)}`)
  return `::${levels[severity]} ${properties.join(',')}::${escaped(`${findingSentence(each)}\nheadgate explain ${code}`)}\n`
}
