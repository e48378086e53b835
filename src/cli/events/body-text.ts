/** Writes the body of a request for people. */

import { isUtf8 } from 'node:buffer'
import { isJson } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { prettyJson } from '../../datadir/json-text.ts'
import { printableStart } from './view.ts'

const maxShown = 65_536
const maxLines = 2_000
const maxLine = 4_096

/**
 * Returns a body as text that is safe on a terminal and bounded. Where the body is cut or is not UTF-8, the text says so and names
 * `rawCommand`, which writes all bytes.
 */
export const bodyText = (body: Buffer, rawCommand: string): string => {
  if (body.length === 0) return '(empty)\n'
  if (!isUtf8(body)) return `(${body.length} bytes, not UTF-8: ${printable(rawCommand)} > file)\n`
  const text = body.toString('utf8')
  const whole = isJson(text) ? prettyJson(text, maxShown + 1) : text
  const lines = whole.slice(0, maxShown).split('\n')
  const isCut = whole.length > maxShown || lines.length > maxLines || lines.some((line) => line.length > maxLine)
  const shown = lines.slice(0, maxLines).map((line) => `${printableStart(line, maxLine)}\n`)
  return `${shown.join('')}${isCut ? `(cut here; all ${body.length} bytes: ${printable(rawCommand)})\n` : ''}`
}
