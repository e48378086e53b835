/** YAML that is safe on a terminal. */

import { type DumpOptions, dump } from 'js-yaml'
import type { Json } from '../core/json.ts'
import { printableLines } from '../core/text.ts'
import { jsonText } from './json-text.ts'

/** Renders a value as YAML; as JSON, which is YAML too and escapes every character, where a terminal could act on a character of it. */
export const yamlText = (value: Json, options: DumpOptions): string => {
  const yaml = dump(value, options)
  return printableLines(yaml) === yaml ? yaml : `${jsonText(value, 2)}\n`
}
