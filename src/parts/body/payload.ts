/** Reads the bytes of a body as JSON, a form, XML or multipart, and decides which of these the body is (decision 0100). */

import { isUtf8 } from 'node:buffer'
import { mapOfNamed } from '../../core/address/path-and-query.ts'
import { exactOf } from '../../core/exact-json.ts'
import { header } from '../../core/headers.ts'
import type { ExactJson, Json } from '../../core/json.ts'
import { jsonErrorPlace } from '../../core/json-error.ts'
import type { BodyContent, FormEntry, Headers } from '../../core/request.ts'
import type { KeyPath } from '../../core/walk-json.ts'
import { tooManyContainers } from './count-containers.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { type FormValue, parseFormFields } from './form-fields.ts'
import { isJsonField } from './json-field.ts'
import { readMultipart } from './multipart/read-multipart.ts'
import { pickJson } from './pick-json.ts'
import { readXml } from './xml/read-xml.ts'

/**
 * Returns what a body is, or would have to be. A signature does not cover the content type, and whoever sends a captured body again may
 * change it. So the content type never chooses between two readings: bytes that begin with `<` are XML, bytes that begin with `--` are
 * multipart, bytes that can be JSON are never a form, and other bytes are a form only where the content type says so (rules: Bodies 3).
 */
export const bodyKind = (headers: Headers, body: Buffer): 'json' | 'form' | 'xml' | 'multipart' => {
  const start = firstMark(body)
  if (body[start] === less) return 'xml'
  if (body[start] === dash && body[start + 1] === dash) return 'multipart'
  return hasFormType(headers) && !canBeJson(body) ? 'form' : 'json'
}

/** Whether a body is a form of `application/x-www-form-urlencoded`. */
export const isFormBody = (headers: Headers, body: Buffer): boolean => bodyKind(headers, body) === 'form'

const [less, dash] = [0x3c, 0x2d]

/** Returns the index of the first byte that is neither a blank nor of a byte order mark. */
const firstMark = (body: Buffer): number => {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  return at
}

/**
 * Reads the content of a body. The content is unread, with the reason "not JSON", where the body is malformed, and with the reason "too
 * many" where the body has more than 100,000 lists and maps, 1,000 fields and files, or 20,000 elements and attributes.
 */
export const readContent = (headers: Headers, body: Buffer): BodyContent => {
  switch (bodyKind(headers, body)) {
    case 'xml':
      return readXml(body)
    case 'multipart':
      return readFormData(headers, body)
    case 'form':
      return readForm(body)
    case 'json':
      return readJson(body)
  }
}

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

export const hasFormType = (headers: Headers): boolean => formType.test(header(headers, 'content-type') ?? '')

const notJson: BodyContent = { kind: 'unread', why: 'not JSON' }
const tooMany: BodyContent = { kind: 'unread', why: 'too many' }

const readJson = (body: Buffer): BodyContent => {
  const text = decodeUtf8(body)
  return text === undefined ? notJson : parseJsonText(text)
}

const parseJsonText = (text: string): BodyContent => {
  if (tooManyContainers(text)) return tooMany
  try {
    return { kind: 'json', text, payload: JSON.parse(text) as Json }
  } catch {
    return notJson
  }
}

/** The longest body in which the place of a mistake is searched for: to find it, the body is parsed up to 16 times. */
const maxSearchedBytes = 65_536

/**
 * Says where a body stops being JSON, without quoting it; `undefined` for a body of another kind, a long one, and one that is no UTF-8. Only
 * for a verified request: it costs more than the parsing.
 */
export const whyNotJson = (headers: Headers, body: Buffer): string | undefined => {
  if (body.length > maxSearchedBytes || bodyKind(headers, body) !== 'json') return undefined
  const text = decodeUtf8(body)
  if (text === undefined) return 'no UTF-8'
  if (text.trim() === '') return 'the body is empty'
  const { line, column } = jsonErrorPlace(text)
  return `no JSON at line ${line}, column ${column}`
}

/** The most fields of a form. A sender's form has some fifty. */
const maxFields = 1_000
const ampersand = 0x26

/** Returns the fields of a form in their order; `undefined` where there are more than 1,000. */
export const readFields = (body: Buffer): readonly FormValue[] | undefined => {
  let at = -1
  for (let count = 1; count <= maxFields; count++) {
    at = body.indexOf(ampersand, at + 1)
    if (at === -1) return parseFormFields(body)
  }
  return undefined
}

/**
 * Returns the text of a form's JSON field, the only field that Gitea and Mandrill sign; `undefined` where there is no such field, or several.
 */
export const formJson = (fields: readonly FormValue[]): Buffer | undefined => {
  const [json, another] = fields.filter(({ name }) => isJsonField(name))
  return another ? undefined : json?.value
}

/**
 * Reads a form. Its JSON field, where there is one, is the payload; otherwise all fields are (rules: Bodies 3). A repeated field is a list
 * of its values. Two JSON fields are not JSON.
 */
const readForm = (body: Buffer): BodyContent => {
  if (!isUtf8(body)) return notJson
  const values = readFields(body)
  if (!values) return tooMany
  const fields = values.map(({ name, value }): FormEntry => [name, value.toString()])
  const read = readFormFields(values, fields)
  return read.kind === 'json' ? { ...read, kind: 'form', fields } : read
}

const readFormFields = (values: readonly FormValue[], fields: readonly FormEntry[]): BodyContent => {
  if (fields.some(([name]) => isJsonField(name))) {
    const json = formJson(values)
    return json ? readJson(json) : notJson
  }
  const payload = mapOfNamed(fields)
  return { kind: 'json', text: JSON.stringify(payload), payload }
}

const readFormData = (headers: Headers, body: Buffer): BodyContent => {
  const read = readMultipart(headers['content-type'], body)
  if ('why' in read) return { kind: 'unread', why: read.tooMany ? 'too many' : 'not JSON', detail: `multipart: ${read.why}` }
  const content = readFormFields(
    read.fields,
    read.fields.map(({ name, text }): FormEntry => [name, text]),
  )
  return content.kind === 'json' ? { ...content, kind: 'multipart', files: read.files } : content
}

/**
 * Returns the payload of a body whose signature is not checked yet, with the values at these paths only. Of a form, multipart or not, all
 * fields are read where it has no JSON field; of XML nothing is. `undefined` where the reading would take long, or the body is
 * malformed. Numbers are read exactly. A result does not show that the body is valid, so the caller must read the whole body afterwards.
 */
export const pickPayload = (headers: Headers, body: Buffer, paths: readonly KeyPath[]): ExactJson | undefined => {
  switch (bodyKind(headers, body)) {
    case 'xml':
      return undefined
    case 'json':
      return pickJson(body, paths)
    case 'form':
      return pickField(readFields(body) ?? [], paths, () => readForm(body))
    case 'multipart': {
      const read = readMultipart(headers['content-type'], body)
      return 'why' in read ? undefined : pickField(read.fields, paths, () => readFormData(headers, body))
    }
  }
}

/** Reads the paths in the JSON field of a form, or the whole form where it has no such field. */
const pickField = (fields: readonly FormValue[], paths: readonly KeyPath[], readWhole: () => BodyContent): ExactJson | undefined => {
  const json = formJson(fields)
  if (json) return pickJson(json, paths)
  const content = readWhole()
  return content.kind === 'unread' ? undefined : exactOf(content)
}
