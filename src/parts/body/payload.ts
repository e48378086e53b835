/** Reads the bytes of a body as JSON or as a form. */

import { isUtf8 } from 'node:buffer'
import { header } from '../../core/headers.ts'
import type { Json } from '../../core/json.ts'
import type { Content, FormField, Headers } from '../../core/request.ts'
import { tooManyContainers } from './count-containers.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { type FormValue, formFields } from './form-fields.ts'
import { pickJson } from './pick-json.ts'
import type { Path } from './walk-json.ts'

/**
 * Whether a body is a form. The content type is not signed, and whoever repeats a captured body may change it, so it never chooses between
 * two readings: bytes that can be JSON are never a form, and other bytes are a form only where the content type says so (rules: Bodies 3).
 */
export const isFormBody = (headers: Headers, body: Buffer): boolean => hasFormType(headers) && !canBeJson(body)

/** Reads the content of a body. A body with more than 100,000 lists and maps, or 1,000 fields, is "too many". */
export const readContent = (headers: Headers, body: Buffer): Content => (isFormBody(headers, body) ? readForm(body) : readJson(body))

/** A form percent-encodes these characters, and each map, list or text of JSON has one of them. */
const ofJson = [...'{["'].map((character) => character.charCodeAt(0))
const scalar = /^(?:\xef\xbb\xbf)?[\t\n\r ]*(?:true|false|null|-?\d[\d.eE+-]*)[\t\n\r ]*$/
const longestScalar = 1_024

const canBeJson = (body: Buffer): boolean =>
  ofJson.some((byte) => body.includes(byte)) || (body.length <= longestScalar && scalar.test(body.toString('latin1')))

/** A content type that is a list does not match. */
const formType = /^[\t ]*application\/x-www-form-urlencoded[\t ]*(?:;|$)/i

/** Whether the content type says that the body is a form. */
export const hasFormType = (headers: Headers): boolean => formType.test(header(headers, 'content-type') ?? '')

const notJson: Content = { kind: 'unread', why: 'not JSON' }
const tooMany: Content = { kind: 'unread', why: 'too many' }

const readJson = (body: Buffer): Content => {
  const text = decodeUtf8(body)
  return text === undefined ? notJson : parseJsonText(text)
}

const parseJsonText = (text: string): Content => {
  if (tooManyContainers(text)) return tooMany
  try {
    return { kind: 'json', text, payload: JSON.parse(text) as Json }
  } catch {
    return notJson
  }
}

/** The most fields of a form. A sender's form has some fifty. */
const maxFields = 1_000
const ampersand = 0x26

/** Returns the fields of a form; `undefined` where there are more than 1,000. */
export const readFields = (body: Buffer): readonly FormValue[] | undefined => {
  let at = -1
  for (let count = 1; count <= maxFields; count++) {
    at = body.indexOf(ampersand, at + 1)
    if (at === -1) return formFields(body)
  }
  return undefined
}

/** Returns the JSON in the field `payload` of a form, which some senders sign; `undefined` where there is no such field, or several. */
export const formJson = (fields: readonly FormValue[]): Buffer | undefined => {
  const [payload, another] = fields.filter(({ name }) => name === 'payload')
  return another ? undefined : payload?.value
}

/**
 * Reads a form. Its field `payload`, where there is one, is read as JSON; otherwise all fields are the payload (rules: Bodies 3). A
 * repeated field is a list of its values. Two fields `payload` are not JSON.
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
  const payload = objectOfFields(fields)
  return { kind: 'form', text: JSON.stringify(payload), payload, fields }
}

/**
 * Returns the values at these paths of the payload of a body that nobody vouched for; `undefined` where reading them would take long. The
 * caller must read the whole body afterwards.
 */
export const pickPayload = (headers: Headers, body: Buffer, paths: readonly Path[]): Json | undefined => {
  if (!isFormBody(headers, body)) return pickJson(body, paths)
  const json = formJson(readFields(body) ?? [])
  if (json) return pickJson(json, paths)
  const content = readForm(body)
  return content.kind === 'form' ? content.payload : undefined
}

const objectOfFields = (fields: readonly FormField[]): { [name: string]: Json } => {
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]): [string, Json] => [name, all.length === 1 ? (all[0] as string) : all]))
}
