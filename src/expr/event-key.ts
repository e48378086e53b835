/** Reads from an event the key of its coalesce group, of its lane or of its session. Different values never give equal keys. */

import { createHash } from 'node:crypto'
import type { Event } from '../core/request.ts'
import { compileField } from './path.ts'
import { parseTemplate, placeholders } from './placeholder.ts'
import { scalarKey } from './render.ts'
import { compileKeyPart, type TemplateKit, thenAll } from './template.ts'

type Key = string | undefined

/**
 * The longest key, in UTF-16 units. A longer key counts as missing: a value in a template is cut at twice this length, and two keys that
 * differ only behind the cut would be equal.
 */
const maxKeyUnits = 100_000

/**
 * Compiles a key: a dotted field name, or a template when `text` has a placeholder (rules: Coalescing 1). The key of an event is
 * `undefined` when a value is missing, null, a list or a map, when an expression fails, or when the key is empty or too long.
 */
export const compileKey = (text: string, kit: TemplateKit): ((event: Event) => Key | Promise<Key>) => {
  const read = placeholders(text).length > 0 ? compileTemplateKey(text, kit) : compileFieldName(text)
  return (event) => {
    const key = read(event)
    return key instanceof Promise ? key.then(usableKey) : usableKey(key)
  }
}

const usableKey = (key: Key): Key => (key === undefined || key === '' || key.length > maxKeyUnits ? undefined : key)

/**
 * The text that is put behind a value where the template has no text there, or a text that begins with a percent sign. The comma is then
 * the character that is encoded in the value.
 */
const comma = ','

/**
 * Compiles a key with placeholders. In `{org}-{user}` a hyphen of a sender's value must not be taken for the hyphen between the two values.
 * So in each value but the last, the first character of the text behind it is encoded: `acme` and `ops-bob` give `acme-ops-bob`, but
 * `acme-ops` and `bob` give `acme%2Dops-bob`.
 */
const compileTemplateKey = (text: string, kit: TemplateKit): ((event: Event) => Key | Promise<Key>) => {
  const values: ((event: Event) => Key | Promise<Key>)[] = []
  // The texts around the values: one more than there are values.
  const texts = ['']
  for (const piece of parseTemplate(text, kit.report)) {
    if (piece.kind === 'text') texts.push(`${texts.pop()}${piece.text}`)
    else {
      values.push(compileKeyPart(piece.kind === 'raw' ? '{__raw__}' : piece.written, kit))
      texts.push('')
    }
  }
  const [first = '', ...others] = texts
  const afters = others.map((after, i) => (i < values.length - 1 && /^%|^$/.test(after) ? `${comma}${after}` : after))
  const join = (settled: readonly Key[]): Key => {
    let key = first
    for (const [i, value] of settled.entries()) {
      if (value === undefined) return undefined
      const after = afters[i] as string
      key += (i < settled.length - 1 ? withoutStartOf(after, value) : value) + after
    }
    return key
  }
  return (event) =>
    thenAll(
      values.map((value) => value(event)),
      join,
    )
}

/**
 * Percent-encodes in a value, wherever it occurs, the first character of `after`, the text behind the value. This character is no percent
 * sign. Percent signs of the value itself are encoded, too.
 */
const withoutStartOf = (after: string, value: string): string => {
  const [mark = ''] = after
  const encoded = [...Buffer.from(mark)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
  return value
    .split('%')
    .map((part) => part.replaceAll(mark, encoded))
    .join('%25')
}

const compileFieldName = (field: string): ((event: Event) => Key) => {
  const get = compileField(field)
  return (event) => scalarKey(get(event))
}

/**
 * Returns the store's name for a key of a route, or for the route itself. The key is hashed, so that the name is short whatever a sender
 * wrote. Names of profiles and routes have no `/`, so no two routes share a name. A kind with `@` is that of a claim, and no claim of a delivery
 * id is equal to it, because that begins with the name of a profile.
 */
export const keyName = (
  kind: 'group' | 'lane' | 'rate' | 'session' | 'end' | '@repeat' | '@cooldown',
  { profile, route }: Pick<Event, 'profile' | 'route'>,
  key?: string,
): string => {
  const name = `${kind}/${profile}/${route}`
  return key === undefined ? name : `${name}/${createHash('sha256').update(key, 'utf16le').digest('base64url')}`
}
