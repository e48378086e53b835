/** Takes out of an answer the texts that may quote a payload, a reply or a receiver: why a filter stopped an event, or how an agent failed. */

import { isObject, type Json } from '../../core/json.ts'

/**
 * Returns a copy of an answer, with `null` in place of each member at one of these paths. `quotes`: the paths, such as `events.*.reason`, in
 * which `*` stands for each item of a list.
 */
export const withoutQuotes = (answer: unknown, quotes: readonly string[]): Json =>
  quotes.reduce((left, path) => withoutMember(left, path.split('.')), (answer ?? null) as Json)

const withoutMember = (value: Json, [step, ...below]: readonly string[]): Json => {
  if (step === undefined) return null
  if (step === '*') return Array.isArray(value) ? value.map((item) => withoutMember(item, below)) : value
  return isObject(value) && Object.hasOwn(value, step) ? { ...value, [step]: withoutMember(value[step] as Json, below) } : value
}
