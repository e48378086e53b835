/**
 * Says whether a file is of the kind for which it is named. A configuration may name another file by mistake, or through a link of a
 * stranger: a key, a `.env`. Findings name such a file and show nothing of it.
 */

import { type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { nearest } from '../core/text.ts'
import type { Check } from '../generated/validators.js'
import type { Source, SourceReading } from './yaml/source.ts'

/** A kind of data, with its name in a sentence and its schema. `others`: keys that the schema does not name. */
export type KindOfData = { readonly called: string; readonly schema: JsonObject; readonly others?: readonly string[] }

/**
 * A kind of file: its name in a sentence, its schema with the validator, and the form of pointers into a route, whose first group is the
 * name of the route. `hasContent`: whether what stands below the known keys is of the kind, too.
 */
export type FileKind = KindOfData & {
  readonly check: Check
  readonly routePointer: RegExp
  readonly hasContent?: (data: JsonObject) => boolean
}

const knownKeys = ({ schema, others = [] }: KindOfData): readonly string[] => [
  ...(isObject(schema.properties) ? Object.keys(schema.properties) : []),
  ...others,
]
/** Keys that begin with `x-` are free for notes in any file. */
const keysOf = (data: JsonObject): readonly string[] => Object.keys(data).filter((key) => !key.startsWith('x-'))

/** Whether a key is a slip of a known key, or a word of other programs to which the schema has an answer. */
const isSlip = ({ schema }: KindOfData, key: string, known: readonly string[]): boolean =>
  nearest(key, known).length > 0 || (isObject(schema['x-meant']) && Object.hasOwn(schema['x-meant'], key))

/** Whether the data belong to such a file: a map that is empty, or has a known key, or has only slips of known keys. */
export const isOfKind = (kind: KindOfData & Pick<FileKind, 'hasContent'>, data: Json): data is JsonObject => {
  if (!isObject(data)) return false
  const known = knownKeys(kind)
  const keys = keysOf(data)
  return keys.some((key) => known.includes(key)) ? (kind.hasContent?.(data) ?? true) : keys.every((key) => isSlip(kind, key, known))
}

/** Returns WH013 for a file that is of another kind, with the place of its beginning. */
export const otherKind = (kind: FileKind, { file, data, place }: Source): Diagnostic | undefined => {
  if (isOfKind(kind, data)) return undefined
  const { line, column } = place([])
  return diagnostic('WH013', `the file is no ${kind.called}: nothing of it is shown`, {
    place: { file, line, column, endLine: line, endColumn: column },
    help: `at its top it may have: ${knownKeys(kind).join(', ')}`,
  })
}

/**
 * Returns the text of a file for code frames; empty where the file may be of another kind. A text with a mistake of syntax is taken for one
 * of its kind where a line begins with a known key.
 */
export const textToShow = (kind: FileKind, { source, text = '' }: SourceReading): string => {
  const isShown = source ? isOfKind(kind, source.data) && keysOf(source.data).length > 0 : hasKnownLine(kind, text)
  return isShown ? text : ''
}

/**
 * Returns the findings of the syntax of a file. For a file that may be of another kind, returns only the first finding, without its
 * pointer, because the pointer names keys of the file.
 */
export const toldOf = (kind: FileKind, reading: SourceReading): readonly Diagnostic[] =>
  reading.source || textToShow(kind, reading) !== ''
    ? reading.diagnostics
    : reading.diagnostics.slice(0, 1).map((each) => ({ ...each, pointer: '' }))

const hasKnownLine = (kind: FileKind, text: string): boolean =>
  new RegExp(`^(?:\\{\\s*)?["']?(?:${knownKeys(kind).join('|')})["']?\\s*:`, 'm').test(text)
