/** Makes fillers: texts of up to a megabyte with which a stranger fills a body, each costly for something that reads it. */

import { megabytes } from '../megabytes.ts'

/** The largest body that a gateway takes by default. */
export const maxBytes = 1_048_576
/** The room behind a filler, for the fields of a sender that signs in the body. */
const restBytes = 4_096
const room = maxBytes - restBytes

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'

/** A filler. `text` has a character for each byte. */
export type Filler = { readonly type: typeof json | typeof form; readonly text: string }

const filled = (part: string, rest = 0): string => part.repeat(Math.floor((room - rest) / part.length))
/** Characters that are not ASCII, as bytes. */
const wide = Buffer.from('\u{1f600}\u00e9').toString('latin1')
const broken = '\xff\xc3'
const names = (count: number, name: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => name(i))
/** Returns distinct names that come in no order, so that whoever sorts them has work. */
const shuffled = (i: number): string => ((i * 7_919) % 200_003).toString(36).padStart(4, '0')

const texts: { readonly [what: string]: string } = {
  ...Object.fromEntries(Object.entries(megabytes).map(([what, text]) => [what, Buffer.from(text).toString('latin1')])),
  '100,000 keys': `{${names(100_000, (i) => `"${shuffled(i)}":0`).join()}}`,
  'keys that are numbers': `{${names(75_000, (i) => `"${i * 9_973}":0`).join()}}`,
  'one key again and again': `{${names(170_000, () => '"v":0').join()}}`,
  'brackets 50,000 deep': '['.repeat(50_000),
  'objects 99,000 deep': `${'{"v":'.repeat(99_000)}1${'}'.repeat(99_000)}`,
  'as many maps as are taken': `[${names(99_999, () => '{}').join()}]`,
  'a string of escapes': `{"v":"${filled('\\u0041', 16)}"}`,
  'not UTF-8': `{"v":"${filled(broken, 16)}"}`,
}

const forms: { readonly [what: string]: string } = {
  'a form of "a&"': filled('a&'),
  'a form of 200,000 names': names(200_000, shuffled).join('&'),
  'a form of long names': names(1_000, (i) => `${'n'.repeat(1_000)}${shuffled(i)}`).join('&'),
  'a form of percent escapes': `a=${filled('%41', 8)}`,
  'a form of names in percent escapes': filled('%41%42&'),
  'a form of plus signs': `a=${filled('+', 8)}`,
  'a form that is not ASCII': filled(`${wide}&`),
  'a form that is not UTF-8': filled(`${broken}&`),
  'an escaped payload in a form': `payload=${filled('%41', 8)}`,
  'many payloads in a form': filled('payload&'),
}

export const fillers: { readonly [what: string]: Filler } = Object.fromEntries([
  ...Object.entries(texts).map(([what, text]) => [what, { type: json, text }]),
  ...Object.entries(forms).map(([what, text]) => [what, { type: form, text }]),
])

/** The filler of requests whose cost lies in the head. */
export const plain: Filler = { type: json, text: `{"v":"${filled('a', 16)}"}` }
export const nothing: Filler = { type: json, text: '{}' }

/**
 * Returns a filler with these members of JSON behind it: in the same map, or in a map around the filler; in a form as the field `payload`.
 */
export const withMembers = ({ type, text }: Filler, members: object): Filler => {
  const inner = JSON.stringify(members)
  if (type === form) return { type, text: `${text}&payload=${encodeURIComponent(inner)}` }
  return { type, text: text.startsWith('{"') ? `${text.slice(0, -1)},${inner.slice(1)}` : `{"v":${text},${inner.slice(1)}` }
}
