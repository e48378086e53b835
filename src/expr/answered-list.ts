/**
 * Reads the list in the answer of a server. An answer that is no list is refused as a whole: values made of a page or of the map of an error
 * would let in or keep out by chance.
 */

import { exactOf } from '../core/exact-json.ts'
import type { ExactJson, Json } from '../core/json.ts'
import { parseJson } from '../core/json-error.ts'
import type { InSteps } from './list-file.ts'
import { type FetchedListSpec, listFrom, type NamedList } from './named-lists.ts'
import { compileExactPath, compilePath } from './path.ts'
import { scalarText } from './render.ts'

const maxValues = 200_000
const maxChars = 512

/** Thrown for an answer that is no list. The message quotes nothing of the answer. */
class NoList extends Error {
  override name = 'NoList'
}

/** Reads a JSON list of texts and numbers, or one value a line. `contentType`: as the server says it. Throws an Error for anything else. */
export function* parseAnswer(
  text: string,
  { path, item }: Pick<FetchedListSpec, 'path' | 'item'>,
  contentType = 'application/json',
): InSteps<NamedList> {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  const isJson = path !== undefined || item !== undefined || /^[[{]/.test(trimmed) || /\bjson\b/i.test(contentType)
  const values = isJson ? valuesInJson(trimmed, path, item) : linesOf(trimmed, contentType)
  if (values.length > maxValues) throw new NoList(`the list has more than ${maxValues} values`)
  if (values.some(({ length }) => length > maxChars)) throw new NoList(`a value of the list has more than ${maxChars} characters`)
  return yield* listFrom(values)
}

const linesOf = (text: string, contentType: string): readonly string[] => {
  // A server that fails often answers with nothing, and a list that keeps people out must not be emptied by that.
  if (text === '') throw new NoList('the answer is empty (an empty list is [])')
  if (text.startsWith('<') || /html|xml/i.test(contentType)) throw new NoList('the answer is a page and no list')
  if (/[^\P{Cc}\t\r\n]|\ufffd/u.test(text)) throw new NoList('the answer is no text')
  return text.split(/\r?\n/).flatMap((line) => line.trim() || [])
}

const valuesInJson = (text: string, path: string | undefined, item: string | undefined): readonly string[] => {
  const whole = { text, payload: parsed(text) }
  const list = path === undefined ? exactOf(whole) : compileExactPath(path)(whole)
  if (!Array.isArray(list))
    throw new NoList(path === undefined ? 'the answer is no JSON list: "path" names its place' : `there is no list at "${path}"`)
  const valueAt = item === undefined ? (each: ExactJson) => each : compilePath(item)
  return (list as readonly ExactJson[]).map((each, at) => {
    const value = scalarText(valueAt(each))
    if (value === undefined) throw new NoList(`item ${at} of the list has no text or number${item === undefined ? '' : ` at "${item}"`}`)
    return value
  })
}

const parsed = (text: string): Json => {
  try {
    return parseJson(text)
  } catch {
    throw new NoList('the answer is no JSON')
  }
}
