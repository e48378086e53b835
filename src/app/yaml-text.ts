/** YAML that is safe on a terminal. */

import { type DumpOptions, dump } from 'js-yaml'
import type { Json } from '../core/json.ts'
import { printableLines } from '../core/text.ts'
import { jsonText } from './json-text.ts'

/** The YAML of a value; where it would hold a character that a terminal could act on, JSON, which is YAML too and can escape every character. */
export const yamlText = (value: Json, options: DumpOptions): string => {
  const yaml = dump(value, options)
  return printableLines(yaml) === yaml ? yaml : `${jsonText(value, 2)}\n`
}
