/**
 * Compiles the text that a sender signs. A description gives it as a template, such as `{timestamp}.{body}`, over the values of a request.
 */

import { crc32 } from 'node:zlib'
import { pathAndQueryOf } from '../../../core/address/path-and-query.ts'
import { header } from '../../../core/headers.ts'
import { compileExactPath, compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import { isForeignText } from '../../body/foreign-text.ts'
import type { FormValue } from '../../body/form-fields.ts'
import { formJson, isFormBody, readFields } from '../../body/payload.ts'
import type { ReadValue, RequestView } from './request-view.ts'

/**
 * The parts of a description that define its signed text. `signed`: the template. `lines`: the names of the payload's fields that stand for
 * the variable `{lines}` of the template.
 */
export type TextSource = {
  readonly signed: string
  readonly lines: readonly string[]
  readonly timestamp: ReadValue | undefined
  readonly id: ReadValue | undefined
}

/** Reads the bytes of one piece of the signed text, perhaps in several buffers; `undefined` when the request has no such value. */
export type ReadPiece = (request: RequestView, secret: string) => Buffer | readonly Buffer[] | string | undefined

/**
 * Returns the signed text of a request, as buffers in their order, or the variable whose value the request lacks. Headers and the address
 * are encoded as latin1, as Node decodes them; values of the query and the payload as UTF-8.
 */
export type SignedText = (request: RequestView, secret: string) => readonly Buffer[] | { readonly lacks: string }

/** A variable of the template: `{name}`, or `{name.of}`. */
const variableForm = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g

const latin1 = (text: string | undefined): Buffer | undefined => (text === undefined ? undefined : Buffer.from(text, 'latin1'))

/** The variables without a dot, by their names. `undefined`: the description lacks what the variable needs. */
const plainVariables: { readonly [name: string]: (source: TextSource) => ReadPiece | undefined } = {
  body: () => (request) => request.body.bytes,
  json: () => signedJson,
  timestamp: ({ timestamp }) => timestamp && ((request) => latin1(timestamp(request))),
  id: ({ id }) => id && ((request) => latin1(id(request))),
  url: () => (request) => latin1(request.head.url()),
  method: () => (request) => latin1(request.head.method),
  path: () => (request) => latin1(pathAndQueryOf(request.head.url())),
  form: () => signedForm,
  lines: ({ lines }) => (lines.length === 0 ? undefined : (request) => request.body.once(lines, () => signedLines(request, lines))),
  crc32: () => (request) => Buffer.from(String(crc32(request.body.bytes))),
  secret: () => (_request, secret) => Buffer.from(secret),
}

/** The variables with a dot, by their names. `of`: the text after the dot. */
const dottedVariables: { readonly [name: string]: (of: string) => ReadPiece } = {
  header: (of) => {
    const name = of.toLowerCase()
    return (request) => latin1(header(request.head.headers, name))
  },
  query: (of) => (request) => request.query().get(of) ?? undefined,
  payload: (of) => {
    const read = compileExactPath(of)
    return (request) => {
      const from = request.source()
      return from && scalarText(read(from))
    }
  },
}

/**
 * The form of a payload value that has another variable directly beside it. It must be a word: otherwise a text of another scheme with the
 * same secret could be cut into such values.
 */
const wordForm = /^[\w-]{0,256}$/
/** Makes a piece whose value counts as missing unless it is a word. */
const asWord =
  (piece: ReadPiece): ReadPiece =>
  (request, secret) => {
    const value = piece(request, secret)
    return typeof value === 'string' && wordForm.test(value) ? value : undefined
  }

/** Compiles the signed text of a description, or returns the first variable that has no meaning in it. */
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

/**
 * Makes the function that reads the signed content of a body, for a signed text with these variables. Bodies with the same signature have
 * the same content. But for a text with only single values of the body, or with its CRC-32, the content is the whole body.
 */
export const signedBodyOf = (variables: ReadonlySet<string>, lines: readonly string[]): ReadPiece => {
  if (variables.has('json')) return signedJson
  if (variables.has('lines')) return (request) => signedLines(request, lines)
  return (request) => (variables.has('form') && isForm(request) ? signedForm(request) : request.body.bytes)
}

/** Returns the variables of a template, without braces: `timestamp`, `header.x-id`, … */
export const variablesOf = (signed: string): ReadonlySet<string> =>
  new Set([...signed.matchAll(variableForm)].map(([, name = '', of]) => (of === undefined ? name : `${name}.${of.toLowerCase()}`)))

export const payloadPaths = (signed: string): string[] =>
  [...signed.matchAll(variableForm)].flatMap(([, name, of]) => (name === 'payload' && of !== undefined ? [of] : []))

/** Returns the name of a field in `lines` without its question mark, which says that the field is optional. */
export const fieldOfLine = (line: string): string => line.replace(/\?$/, '')

/** Whether the body of a request is a form. All checks use this function, so that they do not read one body in two ways. */
export const isForm = ({ head, body }: Pick<RequestView, 'head' | 'body'>): boolean => isFormBody(head.headers, body.bytes)

const jsonKey = {}
/**
 * Returns the value of `{json}`: the body, or the JSON field of a form. `undefined` where a form has no such field, or several, or
 * where the field begins like a text that another scheme signs: a body that begins so is refused, too.
 */
const signedJson = (request: RequestView): Buffer | undefined =>
  isForm(request) ? request.body.once(jsonKey, () => ownJson(readFields(request.body.bytes) ?? [])) : request.body.bytes

const ownJson = (fields: readonly FormValue[]): Buffer | undefined => {
  const json = formJson(fields)
  return json && isForeignText(json) ? undefined : json
}

const formKey = {}
/** Returns the value of `{form}`: the fields of a form, or an empty text for any other body. */
const signedForm = (request: RequestView): readonly Buffer[] | undefined => {
  const { bytes } = request.body
  if (!isForm(request)) return []
  return request.body.once(formKey, () => sortedForm(readFields(bytes)))
}

/**
 * The most names and values of a form that stay separate buffers. A form with more is copied into one buffer, because each buffer has a
 * cost of its own.
 */
const maxUncopied = 64

/** A name of a field that could pass for a continuation of the address, which stands before the fields in the signed text. */
const couldContinueAddress = /^(?:$|[^\p{L}\p{N}_])/u
/** The longest name of a field, in UTF-16 units. Sorting longer names would take long, and no sender has them. */
const maxNameUnits = 256

/**
 * Returns the fields of a form, sorted by name, each name followed by its value: Twilio signs the fields in this order after the address.
 * Of several fields with the same name and value, one counts (twilio-node, `lib/webhooks/webhooks.ts`). `undefined` where there are too
 * many fields, or the name of a field is not allowed.
 */
const sortedForm = (form: readonly FormValue[] | undefined): readonly Buffer[] | undefined => {
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  if (form?.some(({ name }) => name.length > maxNameUnits || couldContinueAddress.test(name))) return undefined
  const text = form
    ?.toSorted((a, b) => order(a.name, b.name) || order(a.value.toString(), b.value.toString()))
    .filter(({ name, value }, i, all) => name !== all[i - 1]?.name || !all[i - 1]?.value.equals(value))
    .flatMap(({ name, value }) => [Buffer.from(name), value])
  // A few long parts are not copied, because that would cost more than passing them on one by one.
  return text && (text.length > maxUncopied ? [Buffer.concat(text)] : text)
}

const newLine = Buffer.from('\n')

/**
 * Returns the value of `{lines}`: for each field its name and its value, each with a line feed behind it. An optional field that is missing
 * is left out. `undefined` where a required field is missing, a value is no text, or a value other than the first has a line feed. The
 * signed text must have only one meaning: in a value that a stranger may have chosen, a line feed could imitate further fields, and a
 * signature for one topic could pass for a signature for another.
 */
const signedLines = (request: RequestView, names: readonly string[]): readonly Buffer[] | undefined => {
  const payload = request.payload() ?? null
  const lines: Buffer[] = []
  for (const [i, written] of names.entries()) {
    const name = fieldOfLine(written)
    const value = compilePath(name)(payload)
    if (value === undefined && name !== written) continue
    // A value that is no text is refused, because the sender could sign it in another form than the one in which the event has it.
    if (typeof value !== 'string' || (i > 0 && value.includes('\n'))) return undefined
    lines.push(Buffer.from(`${name}\n`), Buffer.from(value), newLine)
  }
  return lines
}
