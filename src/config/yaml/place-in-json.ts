/** Finds the place of a mistake in a JSON file beside the configuration. */

import type { SourceRange } from '../../core/diagnostic.ts'
import { isJson } from '../../core/json.ts'
import { jsonErrorPlace } from '../../core/json-error.ts'
import { readSource } from './source.ts'

/**
 * Returns the place of the value at a JSON pointer (RFC 6901), or where the text stops being JSON; `undefined` where the file cannot be
 * read.
 */
export const placeInJson = (file: string, pointer: string): SourceRange | undefined => {
  const { source, text } = readSource(file)
  if (text === undefined) return undefined
  if (!source || !isJson(text)) {
    const { line, column } = jsonErrorPlace(text)
    return { file, line, column, endLine: line, endColumn: column }
  }
  const parts = pointer.split('/').slice(1)
  return source.place(parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')))
}
