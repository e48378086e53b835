/** Reads the bytes of a body: as JSON, or as a form. */

import { isUtf8 } from 'node:buffer'
import { header } from '../../core/headers.ts'
import type { Json } from '../../core/json.ts'
import type { Content, FormField, Headers } from '../../core/request.ts'
import { decodeJson } from '../../node-internals/decode-json.ts'
import { tooManyContainers } from './count-containers.ts'
import { type FormValue, formFields } from './form-fields.ts'
import { pickJson } from './pick-json.ts'
import type { Path } from './walk-json.ts'

/**
 * Whether the bytes are a form's. The content type is not signed, and whoever sends a captured body again may change it, so it never chooses
 * between two readings: bytes that can be JSON are no form whatever it says, and all others are a form only where it says so (rules: Bodies 3).
 */
export const isFormBody = (headers: Headers, body: Buffer): boolean => isForm(headers) && !canBeJson(body)

/** What the bytes are. A body of more than 100,000 lists and maps, or 1,000 fields, is "too many". */
export const readContent = (headers: Headers, body: Buffer): Content => (isFormBody(headers, body) ? readForm(body) : readJson(body))

/** A form percent-encodes these characters, and a map, list or text of JSON has one of them. */
const ofJson = [...'{["'].map((character) => character.charCodeAt(0))
const scalar = /^(?:\xef\xbb\xbf)?[\t\n\r ]*(?:true|false|null|-?\d[\d.eE+-]*)[\t\n\r ]*$/
const longestScalar = 1_024

const canBeJson = (body: Buffer): boolean =>
  ofJson.some((byte) => body.includes(byte)) || (body.length <= longestScalar && scalar.test(body.toString('latin1')))

/** A content type that is sent as a list is none. */
const formType = /^[\t ]*application\/x-www-form-urlencoded[\t ]*(?:;|$)/i

/** Whether the content type says that the body is a form. */
export const isForm = (headers: Headers): boolean => formType.test(header(headers, 'content-type') ?? '')

const notJson: Content = { kind: 'unread', why: 'not JSON' }
const tooMany: Content = { kind: 'unread', why: 'too many' }

const readJson = (body: Buffer): Content => {
  const text = decodeJson(body)
  return text === undefined ? notJson : parse(text)
}

const parse = (text: string): Content => {
  if (tooManyContainers(text)) return tooMany
  try {
    return { kind: 'json', text, payload: JSON.parse(text) as Json }
  } catch {
    return notJson
  }
}

/** A sender's form has some fifty fields. */
const maxFields = 1_000
const ampersand = 0x26

/** The fields of a form; `undefined` where there are more than 1,000. */
export const readFields = (body: Buffer): readonly FormValue[] | undefined => {
  let at = -1
  for (let count = 1; count <= maxFields; count++) {
    at = body.indexOf(ampersand, at + 1)
    if (at === -1) return formFields(body)
  }
  return undefined
}

/** The JSON in the field `payload` of a form, which some senders sign; `undefined` where it has none, or several. */
export const formJson = (fields: readonly FormValue[]): Buffer | undefined => {
  const [payload, another] = fields.filter(({ name }) => name === 'payload')
  return another ? undefined : payload?.value
}

/**
 * Parses a form. Its `payload` field, when there is one, is parsed as JSON; otherwise all fields are the payload (rules: Bodies 3). A field
 * that stands several times is a list of its values, and two fields `payload` are no JSON.
 */
const readForm = (body: Buffer): Content => {
  if (!isUtf8(body)) return notJson
  const values = readFields(body)
  if (!values) return tooMany
  const fields = values.map(({ name, value }): FormField => [name, value.toString()])
  if (fields.some(([name]) => name === 'payload')) {
    const json = formJson(values)
    const read = json ? readJson(json) : notJson
    return read.kind === 'json' ? { ...read, kind: 'form', fields } : read
  }
  const payload = mapOf(fields)
  return { kind: 'form', text: JSON.stringify(payload), payload, fields }
}

/**
 * What the payload of a body that nobody vouched for has at these paths, with nothing else that matters; `undefined` where that would take
 * long to read. Whoever takes it must read the whole body afterwards.
 */
export const pickPayload = (headers: Headers, body: Buffer, paths: readonly Path[]): Json | undefined => {
  if (!isFormBody(headers, body)) return pickJson(body, paths)
  const json = formJson(readFields(body) ?? [])
  if (json) return pickJson(json, paths)
  const content = readForm(body)
  return content.kind === 'form' ? content.payload : undefined
}

const mapOf = (fields: readonly FormField[]): { [name: string]: Json } => {
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]): [string, Json] => [name, all.length === 1 ? (all[0] as string) : all]))
}
