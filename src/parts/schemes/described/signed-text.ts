/** Compiles the text that a sender signs: a template over the values of its request. */

import { crc32 } from 'node:zlib'
import { header } from '../../../core/headers.ts'
import { compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import { isForeignText } from '../../body/foreign-text.ts'
import type { FormValue } from '../../body/form-fields.ts'
import { formJson, isFormBody, readFields } from '../../body/payload.ts'
import type { ReadValue, RequestView } from './request-view.ts'

/** The parts of a description that define its signed text. */
export type TextSource = {
  readonly signed: string
  readonly lines: readonly string[]
  readonly timestamp: ReadValue | undefined
  readonly id: ReadValue | undefined
}

/** Reads the bytes of a piece, perhaps in several parts; `undefined` when the request has no such value. */
export type ReadPiece = (request: RequestView, secret: string) => Buffer | readonly Buffer[] | string | undefined

/**
 * Returns the pieces of the signed text in their order, or the missing value. Texts from headers and the address are latin1, as Node
 * decodes them.
 */
export type SignedText = (request: RequestView, secret: string) => readonly Buffer[] | { readonly lacks: string }

const variableForm = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g

const latin1 = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text, 'latin1'))

/** Variables without a dot. */
const plainVariables: { readonly [name: string]: (source: TextSource) => ReadPiece | undefined } = {
  body: () => (request) => request.body.bytes,
  json: () => signedJson,
  timestamp: ({ timestamp }) => timestamp && ((request) => latin1(timestamp(request))),
  id: ({ id }) => id && ((request) => latin1(id(request))),
  url: () => (request) => latin1(request.head.url()),
  method: () => (request) => latin1(request.head.method),
  path: () => (request) => latin1(pathAndQuery(request.head.url())),
  form: () => signedForm,
  lines: ({ lines }) => (lines.length === 0 ? undefined : (request) => request.body.once(lines, () => signedLines(request, lines))),
  crc32: () => (request) => Buffer.from(String(crc32(request.body.bytes))),
  secret: () => (_request, secret) => Buffer.from(secret),
}

/** Variables with a name after a dot. */
const dottedVariables: { readonly [name: string]: (of: string) => ReadPiece } = {
  header: (of) => {
    const name = of.toLowerCase()
    return (request) => latin1(header(request.head.headers, name))
  },
  query: (of) => (request) => request.query().get(of) ?? undefined,
  payload: (of) => {
    const path = compilePath(of)
    return (request) => scalarText(path(request.payload() ?? null))
  },
}

/** A value without a separator beside it must be a word: otherwise the text of another scheme under the same key could be cut into it. */
const wordForm = /^[\w-]{0,256}$/
const asWord =
  (piece: ReadPiece): ReadPiece =>
  (request, secret) => {
    const value = piece(request, secret)
    return typeof value === 'string' && wordForm.test(value) ? value : undefined
  }

/** Compiles the signed text of a description, or returns its first unknown variable. */
export const compileText = (source: TextSource): SignedText | { readonly unknown: string } => {
  const pieces: { readonly name: string; readonly piece: ReadPiece }[] = []
  let from = 0
  const literal = (text: string): void => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) pieces.push({ name: '', piece: () => bytes })
  }
  for (const match of source.signed.matchAll(variableForm)) {
    literal(source.signed.slice(from, match.index))
    const [whole, name = '', of] = match
    const make =
      of === undefined
        ? Object.hasOwn(plainVariables, name) && plainVariables[name]
        : Object.hasOwn(dottedVariables, name) && dottedVariables[name]
    const piece = make
      ? of === undefined
        ? (make as (typeof plainVariables)[string])(source)
        : (make as (typeof dottedVariables)[string])(of)
      : undefined
    if (!piece) return { unknown: whole }
    const isBare = name === 'payload' && (source.signed[match.index - 1] === '}' || source.signed[match.index + whole.length] === '{')
    pieces.push({ name: whole, piece: isBare ? asWord(piece) : piece })
    from = match.index + whole.length
  }
  literal(source.signed.slice(from))
  return (request, secret) => {
    const bytes: Buffer[] = []
    for (const { name, piece } of pieces) {
      const made = piece(request, secret)
      if (made === undefined) return { lacks: name }
      if (Array.isArray(made)) bytes.push(...made)
      else bytes.push(typeof made === 'string' ? Buffer.from(made) : (made as Buffer))
    }
    return bytes
  }
}

/** Returns the reading of what a text with these variables signs of the body: equal for any two bodies that one signature covers. */
export const signedBodyOf = (variables: ReadonlySet<string>, lines: readonly string[]): ReadPiece => {
  if (variables.has('json')) return signedJson
  if (variables.has('lines')) return (request) => signedLines(request, lines)
  return (request) => (variables.has('form') && isForm(request) ? signedForm(request) : request.body.bytes)
}

/** Returns the variables of a signed text: `timestamp`, `header.x-id`, … */
export const variablesOf = (signed: string): ReadonlySet<string> =>
  new Set([...signed.matchAll(variableForm)].map(([, name = '', of]) => (of === undefined ? name : `${name}.${of.toLowerCase()}`)))

/** Returns the paths of a signed text into the payload. */
export const payloadPaths = (signed: string): string[] =>
  [...signed.matchAll(variableForm)].flatMap(([, name, of]) => (name === 'payload' && of !== undefined ? [of] : []))

/** Returns the field of a line. A question mark says that the field is optional. */
export const fieldOfLine = (line: string): string => line.replace(/\?$/, '')

const pathAndQuery = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')

/** Whether the body is a form. Everything that reads a body decides it by this function. */
export const isForm = ({ head, body }: Pick<RequestView, 'head' | 'body'>): boolean => isFormBody(head.headers, body.bytes)

const jsonKey = {}
/** Returns the body, or the field `payload` of a form. A field that begins as a text of another scheme is refused, as such a body is. */
const signedJson = (request: RequestView): Buffer | undefined =>
  isForm(request) ? request.body.once(jsonKey, () => ownJson(readFields(request.body.bytes) ?? [])) : request.body.bytes

const ownJson = (fields: readonly FormValue[]): Buffer | undefined => {
  const json = formJson(fields)
  return json && isForeignText(json) ? undefined : json
}

const formKey = {}
const signedForm = (request: RequestView): readonly Buffer[] | undefined => {
  const { bytes } = request.body
  if (!isForm(request)) return []
  return request.body.once(formKey, () => sortedForm(readFields(bytes)))
}

/** More parts are copied into one buffer, because each part costs time too. */
const maxUncopied = 64

/** A name that could continue the address before it. */
const continuesAddress = /^(?:$|[^\p{L}\p{N}_])/u
/** The longest name of a field. Sorting longer names would take long, and no sender has them. */
const maxName = 256

/**
 * Returns the fields of a form, sorted by name, each name followed by its value: Twilio signs them after the address. Of a repeated field,
 * each value counts once, in order (twilio-node, `lib/webhooks/webhooks.ts`).
 */
const sortedForm = (form: readonly FormValue[] | undefined): readonly Buffer[] | undefined => {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  if (form?.some(({ name }) => name.length > maxName || continuesAddress.test(name))) return undefined
  const text = form
    ?.toSorted((a, b) => order(a.name, b.name) || order(a.value.toString(), b.value.toString()))
    .filter(({ name, value }, i, all) => name !== all[i - 1]?.name || !all[i - 1]?.value.equals(value))
    .flatMap(({ name, value }) => [Buffer.from(name), value])
  // Copying a few long parts would cost more than passing them on one by one.
  return text && (text.length > maxUncopied ? [Buffer.concat(text)] : text)
}

const newLine = Buffer.from('\n')

/**
 * Returns the lines; `undefined` where a required field is missing. The text must have only one meaning, so a line feed is allowed only in
 * the first value. In another value, chosen by a stranger, it could imitate further fields, and a signature for one topic could pass for a
 * signature for another.
 */
const signedLines = (request: RequestView, names: readonly string[]): readonly Buffer[] | undefined => {
  const payload = request.payload() ?? null
  const lines: Buffer[] = []
  for (const [i, written] of names.entries()) {
    const name = fieldOfLine(written)
    const value = compilePath(name)(payload)
    if (value === undefined && name !== written) continue
    // A value of another type could be signed as its text, or not at all, but is passed on as it is.
    if (typeof value !== 'string' || (i > 0 && value.includes('\n'))) return undefined
    lines.push(Buffer.from(`${name}\n`), Buffer.from(value), newLine)
  }
  return lines
}
