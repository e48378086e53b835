/** Writes Diagnostics (the findings in the operator's files) as JSON for programs, and numbers with their nouns for people. */

import { Offsets } from '../../config/yaml/offsets.ts'
import { codeCatalogue, type Diagnostic, type SourceRange, shownFile } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { docsOf } from './output.ts'

/** Returns a number with its noun: `1 error`, `2 errors`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/**
 * Returns findings as JSON objects. Lines and columns count from 1, offsets from 0. `texts`: the text of each file by its path, which the
 * offsets are reckoned from.
 */
export const findingItems = (found: readonly Diagnostic[], texts: ReadonlyMap<string, string>): JsonObject[] => {
  const offsets = new Offsets(texts)
  return found.map((each) => findingItem(each, offsets))
}

const findingItem = (each: Diagnostic, offsets: Offsets): JsonObject => {
  const { code, severity, stopsStart, message, help, place, pointer, route, suggest, fix, related = [] } = each
  const rangeOf = ({ file, line, column, endLine, endColumn }: SourceRange): { start: JsonObject; end: JsonObject } => {
    const at = (line: number, column: number): JsonObject => ({ line, column, offset: offsets.at(file, line, column) ?? null })
    return { start: at(line, column), end: at(endLine, endColumn) }
  }
  const edits = fix?.edits.map(({ place, text }) => ({ file: shownFile(place.file), ...rangeOf(place), text }))
  return {
    code,
    name: codeCatalogue[code].title,
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
