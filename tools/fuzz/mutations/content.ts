/**
 * Mutations that keep the signature, and change what it may not cover: the content type, the spelling of the body, the body around what was
 * signed, or the header with the type of the event.
 */

import { formOf, formType, isForm, jsonOf } from '../parts.ts'
import { bytesOf, decodeUtf8, headerIn, type Sent, withBody, withHeader, withLine } from '../request.ts'
import { textPaths } from '../set-at.ts'
import type { Mutate, Mutation, Scene } from './mutation.ts'

const types = [
  formType,
  formType,
  'application/json',
  'text/plain',
  'APPLICATION/X-WWW-FORM-URLENCODED; CHARSET=UTF-8',
  `${formType};a="b"`,
  `${formType}, application/json`,
  `application/json, ${formType}`,
  `application/json; ${formType}`,
  'application/jsonp',
  `${formType}x`,
  'multipart/form-data; boundary=x',
  'application/cloudevents+json; charset=utf-16',
  '',
]

const contentType: Mutate = (sent, { random }) => {
  const type = random.pick(types)
  if (random.whole(4) > 0) return withHeader(sent, 'Content-Type', type)
  if (random.whole(3) === 0) return withHeader(sent, 'Content-Type', undefined)
  return withLine(sent, random.pick(['Content-Type', 'content-type']), type, random.whole(2) === 0)
}

const forged = encodeURIComponent('{"forged":true}')

/** Bodies that contain the captured body, `c`, percent-encoded. */
const wraps: readonly ((c: string) => string)[] = [
  (c) => `{"ref":"FORGED","x":"&payload=${c}&y="}`,
  (c) => ` {"ref":"FORGED","x":"&payload=${c}&y="}`,
  (c) => `\xef\xbb\xbf{"ref":"FORGED","x":"&payload=${c}&y="}`,
  (c) => `["&payload=${c}&y="]`,
  (c) => `"&payload=${c}&y="`,
  (c) => `x=%7B%22forged%22%3Atrue%7D&payload=${c}`,
  (c) => `payload=${c}`,
  (c) => `payload=${c}&payload=${forged}`,
  (c) => `payload=${forged}&payload=${c}`,
  (c) => `payload=${c}&event_type=forged`,
  (c) => `pay%6coad=${forged}&payload=${c}`,
  (c) => `payload[]=${forged}&payload=${c}`,
  (c) => `&&=&payload=${c}`,
]

const wrap: Mutate = (sent, { random }) => {
  const captured = encodeURIComponent(formOf(sent)?.get('payload') ?? decodeUtf8(sent.body))
  return withBody(sent, random.pick(wraps)(captured), random.whole(4) === 0 ? undefined : formType)
}

const insert = (body: string, at: number, text: string): string => body.slice(0, at) + text + body.slice(at)

/** Bodies of JSON that are parsed as another value, or as the same value in another spelling. */
const json: Mutate = (sent, { random }) => {
  const { body } = sent
  const value = jsonOf(sent)
  if (value === undefined) return undefined
  const [start, end] = [body.indexOf('{') + 1, body.lastIndexOf('}')]
  const key = random.pick(textPaths(value).flat().concat('forged'))
  const twice = `${bytesOf(JSON.stringify(key))}:"forged"`
  const changed = random.pick([
    insert(body, start, `${twice},`),
    end > 0 ? insert(body, end, `,${twice}`) : body,
    insert(body, start, '"__proto__":{"forged":true},'),
    ` ${body}`,
    `${body}\n`,
    `\xef\xbb\xbf${body}`,
    `${body}\0`,
    `\0${body}`,
    body.replace(':', ': '),
    body.replace(/"([a-z])/i, (_all, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
    body.replace(/:(\d+)/, ':$1.0'),
    body.replace(/:(\d+)/, ':"$1"'),
    `${body}${body}`,
  ])
  return withBody(sent, changed)
}

/** Spells a form in another way: each field may be written in many ways. */
const form: Mutate = (sent, { random }) => {
  const { body } = sent
  if (!isForm(sent)) return undefined
  const fields = body.split('&')
  const field = random.pick(fields)
  const changed = random.pick([
    body.replaceAll('+', '%20'),
    body.replaceAll('%20', '+'),
    body.replace(/%[0-9a-f]{2}/gi, (code) => (random.whole(2) === 0 ? code.toLowerCase() : code.toUpperCase())),
    body.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    body.replace('=', '[]='),
    body.replace('=', '[0]='),
    body.replace('&', ';'),
    body.replace('&', '&&'),
    `${body}&x=forged`,
    `${body}&${field}`,
    `${field.split('=')[0]}=forged&${body}`,
    `${body}&${field.split('=')[0]}=forged`,
    `${body}&x`,
    random.shuffle([...fields]).join('&'),
    `?${body}`,
    `${body}\r\n`,
  ])
  return withBody(sent, changed)
}

/** Sets or removes a header in which a sender names the type of an event. */
const eventHeader: Mutate = (sent, { random, other }) => {
  const name = random.pick(['X-GitHub-Event', 'X-Gitlab-Event', ...(other.scheme.eventTypeHeaders ?? [])])
  return withHeader(sent, name, headerIn(sent, name) === undefined ? 'forged' : random.pick(['forged', undefined]))
}

export const content: readonly Mutation[] = [
  { name: 'content type', mutate: contentType },
  { name: 'wrapped', mutate: wrap },
  { name: 'JSON', mutate: json },
  { name: 'form', mutate: form },
  { name: 'event header', mutate: eventHeader },
]

/** Gives most requests another content type. A body that was cut is no longer JSON, but any text can be read as a form. */
export const asAnything = (sent: Sent, { random }: Pick<Scene, 'random'>): Sent =>
  random.whole(3) === 0 ? sent : withHeader(sent, 'Content-Type', random.pick([formType, formType, 'text/plain', 'application/json']))
