/**
 * Takes out of answers what may quote a payload, a reply or a receiver: why a filter stopped an event, what an agent said as it failed. Every
 * answer to a user who may not see payloads passes through here, so that no question has to remember it.
 */

import { isObject, type Json } from '../../core/json.ts'

/** Members of which each shows that an object is about an event, an attempt, an alert or a target that is down. */
const subjects = ['event_id', 'outcome', 'attempt', 'told', 'opened_at']
/** Members of such objects that say something in the words of others. */
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
