/** Renders values as YAML that is safe on a terminal. */

import { type DumpOptions, dump } from 'js-yaml'
import { carryDigits, writeCarriedNumbers } from '../core/carried-numbers.ts'
import type { Json } from '../core/json.ts'
import { printableLines } from '../core/text.ts'
import { jsonText } from './json-text.ts'

/** Renders a value as YAML, with its numbers as they are written in the file that it came from. */
export const dumpWritten = (value: Json, options: DumpOptions): string => writeCarriedNumbers(dump(carryDigits(value), options))

/**
 * Renders a value as `dumpWritten` does. Where the YAML would have a character on which a terminal could act, the value is rendered as JSON instead: JSON
 * is YAML too, and `jsonText` writes such a character as an escape.
 */
export const yamlText = (value: Json, options: DumpOptions): string => {
  const yaml = dumpWritten(value, options)
  return printableLines(yaml) === yaml ? yaml : `${jsonText(carryDigits(value), 2)}\n`
}
