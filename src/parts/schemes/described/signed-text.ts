/** The text that a sender signs, as a template over what is in its request. */

import { crc32 } from 'node:zlib'
import { header } from '../../../core/headers.ts'
import { compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import type { FormValue } from '../../body/form-fields.ts'
import { formJson, isFormBody, readFields } from '../../body/payload.ts'
import type { ReadValue, RequestView } from './request-view.ts'

/** What a description says of its text. */
export type TextSource = {
  readonly signed: string
  readonly lines: readonly string[]
  readonly timestamp: ReadValue | undefined
  readonly id: ReadValue | undefined
}

/** The bytes of one piece, perhaps in several parts; `undefined` when the request has no such value. */
export type ReadPiece = (request: RequestView, secret: string) => Buffer | readonly Buffer[] | string | undefined

/** The pieces of the signed text in their order, or what is missing. Texts from headers and the address are latin1, as Node decodes them. */
export type SignedText = (request: RequestView, secret: string) => readonly Buffer[] | { readonly lacks: string }

const variable = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g

const latin1 = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text, 'latin1'))

/** Variables that stand alone. */
const plain: { readonly [name: string]: (source: TextSource) => ReadPiece | undefined } = {
  body: () => (request) => request.body.bytes,
  json: () => jsonOf,
  timestamp: ({ timestamp }) => timestamp && ((request) => latin1(timestamp(request))),
  id: ({ id }) => id && ((request) => latin1(id(request))),
  url: () => (request) => latin1(request.head.url()),
  method: () => (request) => latin1(request.head.method),
  path: () => (request) => latin1(pathOf(request.head.url())),
  form: () => formOf,
  lines: ({ lines }) => (lines.length === 0 ? undefined : (request) => request.body.once(lines, () => linesOf(request, lines))),
  crc32: () => (request) => Buffer.from(String(crc32(request.body.bytes))),
  secret: () => (_request, secret) => Buffer.from(secret),
}

/** Variables with a name behind a dot. */
const named: { readonly [name: string]: (of: string) => ReadPiece } = {
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

/** What stands in a signed text without a separator is a word: else the text of another scheme under the same key could be cut into it. */
const word = /^[\w-]{0,256}$/
const asWord =
  (piece: ReadPiece): ReadPiece =>
  (request, secret) => {
    const value = piece(request, secret)
    return typeof value === 'string' && word.test(value) ? value : undefined
  }

/** A text of a description over its request, or the first thing in it that has no meaning. */
export const compileText = (source: TextSource): SignedText | { readonly unknown: string } => {
  const pieces: { readonly name: string; readonly piece: ReadPiece }[] = []
  let from = 0
  const literal = (text: string): void => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) pieces.push({ name: '', piece: () => bytes })
  }
  for (const match of source.signed.matchAll(variable)) {
    literal(source.signed.slice(from, match.index))
    const [whole, name = '', of] = match
    const make = of === undefined ? Object.hasOwn(plain, name) && plain[name] : Object.hasOwn(named, name) && named[name]
    const piece = make ? (of === undefined ? (make as (typeof plain)[string])(source) : (make as (typeof named)[string])(of)) : undefined
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

/** What a text with these variables has of the body: the same of any two bodies that one signature covers. */
export const signedBodyOf = (variables: ReadonlySet<string>, lines: readonly string[]): ReadPiece => {
  if (variables.has('json')) return jsonOf
  if (variables.has('lines')) return (request) => linesOf(request, lines)
  return (request) => (variables.has('form') && isForm(request) ? formOf(request) : request.body.bytes)
}

/** Which variables a signed text has: `timestamp`, `header.x-id`, … */
export const variablesOf = (signed: string): ReadonlySet<string> =>
  new Set([...signed.matchAll(variable)].map(([, name = '', of]) => (of === undefined ? name : `${name}.${of.toLowerCase()}`)))

/** The paths of a signed text into the payload. */
export const payloadPaths = (signed: string): string[] =>
  [...signed.matchAll(variable)].flatMap(([, name, of]) => (name === 'payload' && of !== undefined ? [of] : []))

/** The field that a line names, which may be left out where it has a question mark. */
export const fieldOfLine = (line: string): string => line.replace(/\?$/, '')

const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')

/** Whether the body is a form: everything that reads a body asks the same question of the same bytes. */
export const isForm = ({ head, body }: Pick<RequestView, 'head' | 'body'>): boolean => isFormBody(head.headers, body.bytes)

const ofJson = {}
/** The body, or of a form its one field `payload`. */
const jsonOf = (request: RequestView): Buffer | undefined =>
  isForm(request) ? request.body.once(ofJson, () => formJson(readFields(request.body.bytes) ?? [])) : request.body.bytes

const ofForm = {}
const formOf = (request: RequestView): readonly Buffer[] | undefined => {
  const { bytes } = request.body
  if (!isForm(request)) return []
  return request.body.once(ofForm, () => sortedForm(readFields(bytes)))
}

/** More parts than this are copied into one: handing on each costs something, too. */
const maxUncopied = 64

/** A name that could be the end of the address before it. */
const goesOn = /^(?:$|[^\p{L}\p{N}_])/u
/** Sorting longer names takes long, and no sender has any. */
const maxName = 256

/**
 * The fields of a form, sorted by their names, each name followed by its value: what Twilio signs behind the address. Of a field that
 * stands several times each value counts once, in order (twilio-node, `lib/webhooks/webhooks.ts`).
 */
const sortedForm = (form: readonly FormValue[] | undefined): readonly Buffer[] | undefined => {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  if (form?.some(({ name }) => name.length > maxName || goesOn.test(name))) return undefined
  const text = form
    ?.toSorted((a, b) => order(a.name, b.name) || order(a.value.toString(), b.value.toString()))
    .filter(({ name, value }, i, all) => name !== all[i - 1]?.name || !all[i - 1]?.value.equals(value))
    .flatMap(({ name, value }) => [Buffer.from(name), value])
  // Copying a few long parts costs more than handing them on one by one.
  return text && (text.length > maxUncopied ? [Buffer.concat(text)] : text)
}

const newLine = Buffer.from('\n')

/**
 * `undefined` where a field is missing that has no question mark. The text must have one meaning only: were a line feed taken in any value but
 * the first, a value that a stranger chose could hold the rest of the fields, and a signature for one topic could pass for another one's.
 */
const linesOf = (request: RequestView, names: readonly string[]): readonly Buffer[] | undefined => {
  const payload = request.payload() ?? null
  const lines: Buffer[] = []
  for (const [i, written] of names.entries()) {
    const name = fieldOfLine(written)
    const value = compilePath(name)(payload)
    if (value === undefined && name !== written) continue
    // Another type would be signed as its text, or not at all, and handed on as it is.
    if (typeof value !== 'string' || (i > 0 && value.includes('\n'))) return undefined
    lines.push(Buffer.from(`${name}\n`), Buffer.from(value), newLine)
  }
  return lines
}
