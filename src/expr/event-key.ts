/** What an event is about, as a text: its coalesce group, its lane. Events of different things never share a key. */

import { createHash } from 'node:crypto'
import type { Json } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { digitsOf } from './digits.ts'
import { compileField } from './path.ts'
import { placeholders } from './placeholder.ts'
import { compileName, showName, type TemplateKit } from './template.ts'

type Key = string | undefined

/** Longer keys name nothing real. It is below the length at which templates are cut, so no two keys become one by a cut. */
const maxKeyUnits = 100_000

/**
 * Reads a key: a dotted field name, or a template when it holds a placeholder (rules: Coalescing 1). It is unresolved, `undefined`, when
 * something it asks for is missing, null, a list or a map, when an expression fails, or when it is empty or longer than 100,000 characters.
 */
export const compileKey = (text: string, kit: TemplateKit): ((event: Event) => Key | Promise<Key>) => {
  const read = placeholders(text).length > 0 ? compileName(text, kit) : compileFieldName(text, kit.report)
  return (event) => {
    const key = read(event)
    return key instanceof Promise ? key.then(usable) : usable(key)
  }
}

const usable = (key: Key): Key => (key === undefined || key === '' || key.length > maxKeyUnits ? undefined : key)

const compileFieldName = (field: string, report: (message: string) => void): ((event: Event) => Key) => {
  if (/[{}]/.test(field)) report(`no placeholder in ${JSON.stringify(field)}: write {a.b}, without blanks or quotes inside the braces`)
  const get = compileField(field)
  const place = field.split('.')
  // `payload.` stands for the root where the payload has no such map.
  const places = place[0] === 'payload' ? [place, place.slice(1)] : [place]
  return (event) => {
    const value: Json | undefined = get(event)
    const digits = (long: number) => places.map((at) => digitsOf(event, at, long)).find((found) => found !== undefined)
    return value === undefined ? undefined : showName(value, (_, long) => digits(long))
  }
}

/**
 * What the store calls one key of one route; without a key, the route itself. It is short, whatever text a sender chose.
 * Profile and route names have no `/` in them.
 */
export const keyName = (kind: 'group' | 'lane', { profile, route }: Event, key?: string): string => {
  const name = `${kind}/${profile}/${route}`
  return key === undefined ? name : `${name}/${createHash('sha256').update(key, 'utf16le').digest('base64url')}`
}
