/** Writes findings one a line, as compilers do or as JSON objects. Without findings, the text is empty. */

import { type Diagnostic, shownPlace } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { findingItems } from '../shell/findings.ts'
import type { Render } from './report.ts'

/** Writes findings as JSON objects, one a line. Without findings, the text is empty. */
export const jsonl: Render = ({ diagnostics, texts }) =>
  findingItems(diagnostics, texts)
    .map((item) => `${jsonText(item)}\n`)
    .join('')

export const concise: Render = ({ diagnostics }) => diagnostics.map(findingLine).join('')

const findingLine = ({ place, code, message, severity, route, stopsStart }: Diagnostic): string => {
  const notes = [...(route === undefined ? [] : [`route ${printable(route)}`]), ...(stopsStart ? ['stops the start'] : [])]
  const where = place ? `${printable(shownPlace(place))}: ` : ''
  return `${where}${code} ${severity}: ${printable(message)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}\n`
}
