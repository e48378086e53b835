/**
 * Reads a body of `multipart/form-data` (RFC 7578): its fields as texts, its files as bytes. The whole body is in memory already, and the
 * check of a signature may need a field at once, so it is read in one turn, and not as a stream.
 */

import { own, parseObject } from '../../../core/json.ts'
import type { UploadedFile } from '../../../core/request.ts'
import type { FormValue } from '../form-fields.ts'
import { decodeExtended, readHeaderValue } from './header-value.ts'
import { type BodyPart, maxParts, splitParts } from './split-parts.ts'

/** A field: its bytes, and the text that they are in their encoding. */
type MultipartField = FormValue & { readonly text: string }

/** The content of a multipart body, with fields and files in their order. */
export type MultipartBody = { readonly fields: readonly MultipartField[]; readonly files: readonly UploadedFile[] }

/** Why a body cannot be read. The sentence quotes nothing of the body. */
export type MultipartFault = { readonly why: string; readonly tooMany?: true }

/** The longest field `charsets` that is read. SendGrid has five names in it. */
const maxCharsets = 4_096
/** The longest boundary (RFC 2046 5.1.1). */
const maxBoundary = 70
const octets = 'application/octet-stream'

/**
 * Reads a body whose first line is a boundary. The content type must name the same boundary: the content type is not signed, so a
 * stranger must not be able to change by it how the body is read.
 */
export const readMultipart = (contentType: string | undefined, body: Buffer): MultipartBody | MultipartFault => {
  const { word, parameters } = readHeaderValue(contentType ?? '') ?? {}
  const boundary = parameters?.get('boundary') ?? ''
  if (word !== 'multipart/form-data') return { why: 'its content type is not multipart/form-data' }
  if (boundary === '' || boundary.length > maxBoundary) return { why: `its content type has no boundary of 1 to ${maxBoundary} characters` }
  const parts = splitParts(body, boundary)
  if (parts === 'malformed') return { why: 'it does not keep to the boundary of its content type, or is cut off' }
  if (parts === 'too many') return { why: `more than ${maxParts} parts`, tooMany: true }
  const fields: NamedContent[] = []
  const files: UploadedFile[] = []
  for (const part of parts) {
    const read = readPart(part)
    if (typeof read === 'string') return { why: read }
    // A browser sends a part without name and content for a file that was not chosen.
    if (read.file === undefined) fields.push(read)
    else if (read.file !== '' || read.content.length > 0)
      files.push({ field: read.name, name: read.file, type: read.type, bytes: read.content })
  }
  return { fields: decodedFields(fields), files }
}

/** A part that was read. `file`: the name of a file; absent for a field. `charset`: the encoding of a field, where the part names one. */
type NamedContent = {
  readonly name: string
  readonly file?: string
  readonly type: string
  readonly charset: string | undefined
  readonly content: Buffer
}

/** Reads the head of a part. Returns a sentence where the head cannot be read. */
const readPart = ({ head, content }: BodyPart): NamedContent | string => {
  const lines = new Map<string, string>()
  for (const line of head.split('\r\n')) {
    const [, written = '', value = ''] = /^([^\s:]+):[ \t]*(.*)$/s.exec(line) ?? []
    const name = written.toLowerCase()
    if (name === '' || lines.has(name)) return 'a header of a part is malformed, or stands twice'
    lines.set(name, value)
  }
  const { word, parameters } = readHeaderValue(lines.get('content-disposition') ?? '') ?? {}
  const name = parameters?.get('name')
  if (word !== 'form-data' || name === undefined) return 'a part is not form-data with a name'
  if (!/^(?:7bit|8bit|binary)?$/i.test(lines.get('content-transfer-encoding') ?? ''))
    return 'a part has another transfer encoding than binary'
  const { word: type = 'text/plain', parameters: ofType } = readHeaderValue(lines.get('content-type') ?? '') ?? {}
  const file = decodeExtended(parameters?.get('filename*') ?? '') ?? parameters?.get('filename') ?? (type === octets ? '' : undefined)
  const about = { name: unquoted(name), type: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : octets, charset: ofType?.get('charset'), content }
  return file === undefined ? about : { ...about, file: unquoted(file) }
}

/** Decodes what browsers escape in the names of fields and files (https://html.spec.whatwg.org/#multipart-form-data). */
const unquoted = (name: string): string =>
  name.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/**
 * Decodes fields: in the encoding that the part names, or that the field `charsets` names for it, a JSON object of SendGrid; else as UTF-8.
 * Bytes that the encoding does not have become U+FFFD: a mail in a wrong encoding must not be refused.
 */
const decodedFields = (fields: readonly NamedContent[]): readonly MultipartField[] => {
  const named = fields.find(({ name, content }) => name === 'charsets' && content.length <= maxCharsets)
  const charsets = parseObject(named?.content.toString() ?? '') ?? {}
  return fields.map(({ name, charset, content }) => {
    const encoding = charset ?? own(charsets, name)
    return { name, value: content, text: textIn(content, typeof encoding === 'string' ? encoding : 'utf-8') }
  })
}

const textIn = (bytes: Buffer, encoding: string): string => {
  if (/^utf-?8$/i.test(encoding)) return bytes.toString()
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString()
  }
}
