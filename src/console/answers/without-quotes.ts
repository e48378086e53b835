/**
 * Takes out of answers the texts that may quote a payload, a reply or a receiver: why a filter stopped an event, or how an agent failed.
 * Every answer to a user who may not see payloads passes through `withoutQuotes`, so that no single answer can forget to leave them out.
 */

import { isObject, type Json } from '../../core/json.ts'

/** Members that mark an object as an event, an attempt, an alert or a target that is down. */
const subjects = ['event_id', 'outcome', 'attempt', 'told', 'opened_at']
/** Members of such objects that may quote a sender, an agent or a receiver. */
const quotes: ReadonlySet<string> = new Set(['reason', 'error', 'why', 'answer', 'detail'])

/** Returns a copy of a JSON value, with `null` in place of each member that may quote. */
export const withoutQuotes = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(withoutQuotes)
  if (!isObject(value)) return (value ?? null) as Json
  const isAbout = subjects.some((name) => Object.hasOwn(value, name))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isAbout && quotes.has(name) ? null : withoutQuotes(member)]),
  )
}
