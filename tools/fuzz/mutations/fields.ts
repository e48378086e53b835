/** Mutations of fields, for senders that sign only some fields of a body, or all fields joined without separators. */

import type { Json } from '../../../src/core/json.ts'
import { formOf, jsonOf, sortedFields } from '../parts.ts'
import { bytesOf, withBody } from '../request.ts'
import { setAt } from '../set-at.ts'
import type { Mutate, Mutation } from './mutation.ts'

const escaped = (text: string): string => encodeURIComponent(text)
/** Writes a text as a part of a form, with only the escapes that keep it one part. So the body may be JSON at the same time. */
const barely = (text: string): string => text.replace(/[%&+=;\r\n]/g, escaped)

/** Returns another form whose sorted fields, joined without separators, are the same text. */
const recut: Mutate = (sent, { random }) => {
  const form = formOf(sent)
  if (!form) return undefined
  const text = sortedFields(form)
  const brace = text.indexOf('}{')
  if (brace >= 0 && random.whole(2) === 0)
    return withBody(sent, bytesOf(`${barely(text.slice(brace + 1))}&${barely(text.slice(0, brace + 1))}`))
  const marks = [...text.matchAll(/payload|~|[A-Z][a-z]/g)].map(({ index }) => index)
  const cuts = marks.filter(() => random.whole(3) > 0 || marks.length < 6)
  const named = [0, ...cuts.filter((at) => at > 0)].map((from, i, all) => text.slice(from, all[i + 1] ?? text.length))
  const fields = named.map((field): [string, string] => {
    const at = /^(?:payload|From|Body)(?=.)/.exec(field)?.[0].length ?? 1 + random.whole(field.length)
    return [field.slice(0, at), field.slice(at)]
  })
  const ordered = fields.reduce<[string, string][]>((made, [name, value]) => {
    const last = made.at(-1)
    // A piece that would be sorted before the field in front of it stays a part of this field.
    if (last && name <= last[0]) last[1] += name + value
    else made.push([name, value])
    return made
  }, [])
  return withBody(sent, ordered.map((each) => each.map(escaped).join('=')).join('&'))
}

const values: readonly Json[] = [{ forged: true }, ['forged'], null, 5, true, '', 'forged', { toString: 'forged' }]

/** Changes a signed field to a value of another type, or adds a signed field that was missing. */
const typed: Mutate = (sent, { random, sender: { description } }) => {
  const payload = jsonOf(sent)
  const names = [...(description.lines ?? []), ...(description.signed ?? '').matchAll(/payload\.([\w.-]+)/g)].map((found) =>
    typeof found === 'string' ? found.replace('?', '') : (found[1] ?? ''),
  )
  if (payload === undefined || names.length === 0) return undefined
  const name = random.pick(names)
  const now = name.split('.').reduce<unknown>((at, key) => (at as { [key: string]: unknown } | undefined)?.[key], payload)
  const alike = typeof now === 'string' ? [Number(now), now === 'true', [now]].filter((value) => !Number.isNaN(value)) : []
  return withBody(sent, bytesOf(JSON.stringify(setAt(payload, name.split('.'), random.pick([...values, ...alike, ...alike])))))
}

/** Changes or adds a field that is not signed. */
const added: Mutate = (sent, { random }) => {
  const payload = jsonOf(sent)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined
  const name = random.pick(['forged', 'Subject', 'SignatureVersion', ...Object.keys(payload)])
  return withBody(sent, bytesOf(JSON.stringify({ ...payload, [name]: random.pick(values) })))
}

export const fields: readonly Mutation[] = [
  { name: 'fields recut', mutate: recut },
  { name: 'a signed field of another type', mutate: typed },
  { name: 'a field added', mutate: added },
]
