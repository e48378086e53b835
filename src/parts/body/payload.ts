/** Reads the bytes of a body as JSON or as a form, and decides which of the two the body is. */

import { isUtf8 } from 'node:buffer'
import { mapOfNamed } from '../../core/address/path-and-query.ts'
import { header } from '../../core/headers.ts'
import type { Json } from '../../core/json.ts'
import type { Content, FormField, Headers } from '../../core/request.ts'
import { tooManyContainers } from './count-containers.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { type FormValue, formFields } from './form-fields.ts'
import { pickJson } from './pick-json.ts'
import type { Path } from './walk-json.ts'

/**
 * Whether a body is a form. A signature does not cover the content type, and whoever sends a captured body again may change it. So the
 * content type never chooses between two readings: bytes that can be JSON are never a form, and other bytes are a form only where the
 * content type says so (rules: Bodies 3).
 */
export const isFormBody = (headers: Headers, body: Buffer): boolean => hasFormType(headers) && !canBeJson(body)

/**
 * Reads the content of a body. The content is unread, with the reason "not JSON", where the body is neither JSON nor a form, and with the
 * reason "too many" where the body has more than 100,000 lists and maps, or more than 1,000 fields.
 */
export const readContent = (headers: Headers, body: Buffer): Content => (isFormBody(headers, body) ? readForm(body) : readJson(body))

/** The bytes of `{`, `[` and `"`. Each map, list or text of JSON has one of them, and a form has them only as escapes. */
const jsonMarks = [...'{["'].map((character) => character.charCodeAt(0))
/** The bytes, as Latin-1, of a body that is a single number, boolean or null of JSON. */
const scalarForm = /^(?:\xef\xbb\xbf)?[\t\n\r ]*(?:true|false|null|-?\d[\d.eE+-]*)[\t\n\r ]*$/
/** The most bytes of a body that is compared with `scalarForm`. No sender sends a single number, boolean or null that is longer. */
const maxScalarBytes = 1_024

/** Whether a parser could take the bytes for JSON. */
const canBeJson = (body: Buffer): boolean =>
  jsonMarks.some((byte) => body.includes(byte)) || (body.length <= maxScalarBytes && scalarForm.test(body.toString('latin1')))

/**
 * The content type of a form, alone or with parameters behind it. It does not match where another content type stands before it or directly
 * behind it.
 */
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

/** Returns the fields of a form in their order; `undefined` where there are more than 1,000. */
export const readFields = (body: Buffer): readonly FormValue[] | undefined => {
  let at = -1
  for (let count = 1; count <= maxFields; count++) {
    at = body.indexOf(ampersand, at + 1)
    if (at === -1) return formFields(body)
  }
  return undefined
}

/**
 * Returns the JSON in the field `payload` of a form, the only field that Gitea signs; `undefined` where there is no such field, or several.
 */
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
  const payload = mapOfNamed(fields)
  return { kind: 'form', text: JSON.stringify(payload), payload, fields }
}

/**
 * Returns the payload of a body whose signature is not checked yet, with the values at these paths only. All fields of a form without a
 * field `payload` are read. `undefined` where the reading would take long, or the form is malformed. A result does not show that the body
 * is valid, so the caller must read the whole body afterwards.
 */
export const pickPayload = (headers: Headers, body: Buffer, paths: readonly Path[]): Json | undefined => {
  if (!isFormBody(headers, body)) return pickJson(body, paths)
  const json = formJson(readFields(body) ?? [])
  if (json) return pickJson(json, paths)
  const content = readForm(body)
  return content.kind === 'form' ? content.payload : undefined
}
