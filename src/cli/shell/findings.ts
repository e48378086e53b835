/** Diagnostics as data for programs, as `validate` and `reload` give them. */

import { type Code, catalogue, type Diagnostic, type Place } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { shownFile } from '../../core/shown-place.ts'
import { homepage } from './version.ts'

/** `1 error`, `2 errors` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Where a code is explained. */
export const docsOf = (code: Code): string => `${homepage}/blob/main/docs/codes.md#${code.toLowerCase()}`

const offsetOf = (text: string | undefined, line: number, column: number): number => {
  let at = 0
  for (let left = line - 1; left > 0 && text !== undefined; left--) at = text.indexOf('\n', at) + 1
  return at + column - 1
}

export const itemOf = (each: Diagnostic, texts: ReadonlyMap<string, string>): JsonObject => {
  const { code, severity, stopsStart, message, help, place, pointer, route, suggest, fix, related = [] } = each
  const rangeOf = ({ file, line, column, endLine, endColumn }: Place): { start: JsonObject; end: JsonObject } => {
    const at = (line: number, column: number): JsonObject => ({ line, column, offset: offsetOf(texts.get(file), line, column) })
    return { start: at(line, column), end: at(endLine, endColumn) }
  }
  const edits = fix?.edits.map(({ place, text }) => ({ file: shownFile(place.file), ...rangeOf(place), text }))
  return {
    code,
    name: catalogue[code].title,
    severity,
    stops_startup: stopsStart,
    message,
    help: help ?? null,
    file: place ? shownFile(place.file) : null,
    range: place ? rangeOf(place) : null,
    pointer,
    route: route ?? null,
    suggest: [...(suggest ?? [])],
    fix: fix && edits ? { title: fix.title, safe: fix.safe, edits } : null,
    related: related.map(({ place, message }) => ({ file: shownFile(place.file), range: rangeOf(place), message })),
    docs: docsOf(code),
  }
}
