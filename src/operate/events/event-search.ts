/**
 * Searches an event for a text, in its record, its request, and the errors, answers, prompts and replies of its attempts; or for values of
 * fields, in its request. Commands and the console search so where they choose events by criteria.
 */

import { isUtf8 } from 'node:buffer'
import { numberKey, numberKeyOfText } from '../../core/exact-number.ts'
import type { ExactJson, Json } from '../../core/json.ts'
import type { Headers } from '../../core/request.ts'
import { readAttempts } from '../../datadir/records/event-attempts.ts'
import { isNumber } from '../../expr/equal.ts'
import { compileField } from '../../expr/path.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView } from '../../journal/record.ts'
import { payloadOf } from './event-payload.ts'
import { eventReader, type RequestContent } from './event-reader.ts'

/** The path of a field as in conditions (`payload.x`, `headers.Name`), and the text of the value that the field must have. */
export type FieldCriterion = { readonly path: string; readonly value: string }

export type SearchCriteria = {
  /** A text that occurs in the record, the request or an attempt; upper and lower case count as equal. */
  readonly text?: string
  /** Values of fields. The event must have all these values. An event whose request was not kept, or cannot be read, has none. */
  readonly field?: readonly FieldCriterion[]
}

/** Resolves to whether an event fits the criteria of a search. */
export type EventSearch = (records: EventRecords, view: EventView) => Promise<boolean>

/** Returns the search for the criteria; `undefined` where the criteria have neither a text nor a field. */
export const searchOf = ({ text, field = [] }: SearchCriteria): EventSearch | undefined => {
  if (text === undefined && field.length === 0) return undefined
  const searchWords = text === undefined ? undefined : wordsSearch(text)
  const fields = field.map(({ path, value }) => ({ get: compileField(path), value }))
  return async (records, view) => {
    const payload = await payloadOf(records, view)
    const request = typeof payload === 'string' ? undefined : { ...payload, headers: payload.headers as Headers }
    if (fields.length > 0) {
      const event = request && readEvent(request)
      if (!event) return false
      const typed = { ...event, eventType: view.event_type ?? event.eventType }
      if (!fields.every(({ get, value }) => equalsText(get(typed), value))) return false
    }
    return searchWords === undefined || searchWords(records, view, request)
  }
}

/** Makes the event of a request without its route, which may have been removed. */
const readEvent = eventReader(undefined, [])

/**
 * Whether a value of the event equals the text that the user wrote: `--field payload.id=7`. Numbers are equal by their decimal value. No
 * list or map equals a text.
 */
export const equalsText = (found: ExactJson | undefined, value: string): boolean => {
  if (isNumber(found)) return numberKey(found) === numberKeyOfText(value.trim())
  return typeof found === 'string' ? found === value : (typeof found === 'boolean' || found === null) && String(found) === value
}

type WordsSearch = (records: EventRecords, view: EventView, request: RequestContent | undefined) => Promise<boolean>

const wordsSearch = (words: string): WordsSearch => {
  const needle = words.toLowerCase()
  const isIn = (text: unknown): boolean => typeof text === 'string' && text.toLowerCase().includes(needle)
  const isInRequest = (request: RequestContent): boolean => {
    if (Object.entries(request.headers).some(([name, value]) => [value].flat().some((each) => isIn(`${name}: ${each}`)))) return true
    if (isUtf8(request.body) && isIn(request.body.toString('utf8'))) return true
    // In the body, characters of the words may be escaped (`\u00e9`, `%C3%A9`). The payload has them unescaped.
    const event = readEvent(request)
    return event !== undefined && hasText(event.payload, isIn)
  }
  return async (records, view, request) => {
    // The request is in memory already. Attempts are read from the journal only now, so they are searched last.
    if (Object.values(view).some(isIn) || (request && isInRequest(request))) return true
    const attempts = await readAttempts(records, view)
    return attempts.some(({ error, answer, prompt, reply, tool_calls }) =>
      [error, answer, prompt, reply, ...tool_calls.flatMap(({ input, result }) => [input, result])].some(isIn),
    )
  }
}

/** Whether `holds` is true of a text anywhere inside the value. There is no recursion, because a stranger chose the depth of the value. */
const hasText = (value: Json, holds: (text: string) => boolean): boolean => {
  const unsearched: Json[] = [value]
  for (let at = unsearched.pop(); at !== undefined; at = unsearched.pop()) {
    if (typeof at === 'string' && holds(at)) return true
    if (typeof at === 'object' && at !== null) for (const inner of Object.values(at)) unsearched.push(inner)
  }
  return false
}
