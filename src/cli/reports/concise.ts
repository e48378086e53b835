/** Writes findings as compilers do, one a line. Without findings, the text is empty. */

import type { Diagnostic } from '../../core/diagnostic.ts'
import { shownPlace } from '../../core/shown-place.ts'
import { printable } from '../../core/text.ts'
import type { Render } from './report.ts'

export const concise: Render = ({ diagnostics }) => diagnostics.map(findingLine).join('')

const findingLine = ({ place, code, message, severity, route, stopsStart }: Diagnostic): string => {
  const notes = [...(route === undefined ? [] : [`route ${printable(route)}`]), ...(stopsStart ? ['stops the start'] : [])]
  const where = place ? `${printable(shownPlace(place))}: ` : ''
  return `${where}${code} ${severity}: ${printable(message)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}\n`
}
