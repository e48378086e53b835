/** Diagnostics as data for programs, as `validate` and `reload` give them. */

import { catalogue, type Diagnostic } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { shownFile } from '../../core/shown-place.ts'

/** `1 error`, `2 errors` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const offsetOf = (text: string | undefined, line: number, column: number): number => {
  let at = 0
  for (let left = line - 1; left > 0 && text !== undefined; left--) at = text.indexOf('\n', at) + 1
  return at + column - 1
}

export const itemOf = (each: Diagnostic, texts: ReadonlyMap<string, string>): JsonObject => {
  const { code, severity, stopsStart, message, help, place, pointer, route, suggest } = each
  const text = place && texts.get(place.file)
  const at = (line: number, column: number): JsonObject => ({ line, column, offset: offsetOf(text, line, column) })
  return {
    code,
    name: catalogue[code].title,
    severity,
    stops_startup: stopsStart,
    message,
    help: help ?? null,
    file: place ? shownFile(place.file) : null,
    range: place ? { start: at(place.line, place.column), end: at(place.endLine, place.endColumn) } : null,
    pointer,
    route: route ?? null,
    suggest: [...(suggest ?? [])],
  }
}
