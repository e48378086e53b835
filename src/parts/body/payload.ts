/** Reads a body as its sender means it: JSON, or a form. */

import { isUtf8 } from 'node:buffer'
import type { Json } from '../../core/json.ts'
import { header } from '../../core/names.ts'
import type { Headers } from '../../core/request.ts'
import { tooManyContainers } from './count-containers.ts'
import { decodeJson } from './decode-json.ts'

/** `text`: the JSON behind the payload, where long numbers keep their digits. */
export type Read = { readonly text: string; readonly payload: Json }

export type Unread = 'not JSON' | 'too many'

/**
 * A content type is not signed, and whoever sends a captured body again may change it. So a body that begins as a map or list in JSON is
 * read as JSON, whatever the content type says; in a form these characters are percent-encoded (rules: Bodies 3).
 */
export const readPayload = (headers: Headers, body: Buffer): Read | Unread =>
  isForm(headers) && !opensJson(body) ? readForm(body) : readJson(body)

const mapOrList = /^(?:\xef\xbb\xbf)?[\t\n\r ]*[[{]/

const opensJson = (body: Buffer): boolean => mapOrList.test(body.toString('latin1'))

export const isForm = (headers: Headers): boolean => /^application\/x-www-form-urlencoded\b/i.test(header(headers, 'content-type') ?? '')

const parse = (text: string): Read | Unread => {
  if (tooManyContainers(text)) return 'too many'
  try {
    return { text, payload: JSON.parse(text) as Json }
  } catch {
    return 'not JSON'
  }
}

const readJson = (body: Buffer): Read | Unread => {
  const text = decodeJson(body)
  return text === undefined ? 'not JSON' : parse(text)
}

/** Parses a form. Its `payload` field, when there is one, is parsed as JSON; otherwise all fields are the payload (rules: Bodies 3). */
const readForm = (body: Buffer): Read | Unread => {
  if (!isUtf8(body)) return 'not JSON'
  const fields = new URLSearchParams(body.toString('utf8'))
  const payload = fields.get('payload')
  if (payload !== null) return parse(payload)
  const entries = Object.fromEntries(fields)
  return { text: JSON.stringify(entries), payload: entries }
}
