/**
 * Takes the signed text of a request apart into variables and the fixed texts between them, as a stranger can who has read the description
 * of the scheme.
 */

import { crc32 } from 'node:zlib'
import type { Json } from '../../src/core/json.ts'
import type { SignatureScheme } from '../../src/generated/config.ts'
import { bytesOf, decodeUtf8, headerIn, type Sent, withBody, withHeader } from './request.ts'
import { setAt } from './set-at.ts'
import { host } from './world.ts'

/** A variable of the signed text with its value, or (`name` is empty) a text that is always the same. */
export type Part = { readonly name: string; readonly of?: string; readonly text: string }

export const formType = 'application/x-www-form-urlencoded'

/**
 * The values that a signed text depends on besides the request: the secret, and the URL as the gateway sees it
 * (`https://…/webhooks/hook?x=1`).
 */
export type Around = { readonly secret: string; readonly url: string }

const variable = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g

export type Piece = { readonly name: string; readonly of?: string } | { readonly literal: string }

/** Takes the template of a signed text apart into its variables and fixed texts. */
export const signedPieces = ({ signed = '{body}' }: Pick<SignatureScheme, 'signed'>): readonly Piece[] => {
  const pieces: Piece[] = []
  let from = 0
  const literal = (text: string): void => {
    if (text !== '') pieces.push({ literal: text })
  }
  for (const match of signed.matchAll(variable)) {
    literal(signed.slice(from, match.index))
    const [whole, name = '', of] = match
    pieces.push(of === undefined ? { name } : { name, of })
    from = match.index + whole.length
  }
  literal(signed.slice(from))
  return pieces
}

/** Returns the parts of the signed text of a request; `undefined` where the request lacks one of the variables. */
export const partsOf = (sent: Sent, description: SignatureScheme, around: Around): readonly Part[] | undefined => {
  const parts = signedPieces(description).map((piece): Part | undefined => {
    if ('literal' in piece) return { name: '', text: piece.literal }
    const text = readVariable(sent, description, around, piece.name, piece.of)
    return text === undefined ? undefined : { ...piece, text }
  })
  return parts.every((part) => part !== undefined) ? parts : undefined
}

export const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join('')

type Place = { readonly header?: string; readonly label?: string; readonly body?: string | string[] }

const readVariable = (sent: Sent, description: SignatureScheme, { secret, url }: Around, name: string, of = ''): string | undefined => {
  const { timestamp, id, lines = [] } = description
  const at = (place: Place | undefined): string | undefined => place && readAt(sent, place)
  switch (name) {
    case 'body':
      return sent.body
    case 'json':
      return jsonOfForm(formOf(sent)) ?? sent.body
    case 'timestamp':
      return at(timestamp as Place | undefined)
    case 'id':
      return at(id as Place | undefined)
    case 'url':
      return url
    case 'method':
      return 'POST'
    case 'form':
      return sortedForm(sent)
    case 'lines':
      return signedLines(sent, lines)
    case 'crc32':
      return String(crc32(Buffer.from(sent.body, 'latin1')))
    case 'secret':
      return secret
    case 'header':
      return headerIn(sent, of)
    case 'payload':
      return at({ body: of })
    default:
      return undefined
  }
}

const readAt = (sent: Sent, { header, label, body }: Place): string | undefined => {
  if (header !== undefined && label !== undefined) return labelForm(label).exec(headerIn(sent, header) ?? '')?.[1]
  if (header !== undefined) return headerIn(sent, header)
  const [path] = [body ?? []].flat()
  const value = path === undefined ? undefined : valueAtPath(jsonOf(sent), path.split('.'))
  return typeof value === 'string' || typeof value === 'number' ? bytesOf(String(value)) : undefined
}

const labelForm = (label: string): RegExp => new RegExp(`(?<![^,\\s])${label}=([^,]*)`)

export const isForm = (sent: Pick<Sent, 'lines'>): boolean => /x-www-form-urlencoded/i.test(headerIn(sent, 'content-type') ?? '')
export const formOf = (sent: Sent): URLSearchParams | undefined => (isForm(sent) ? new URLSearchParams(decodeUtf8(sent.body)) : undefined)

/** Returns the name of the field that has the payload of a form as JSON; `undefined` where the form has no such field. */
export const jsonFieldOf = (form: URLSearchParams | undefined): string | undefined =>
  ['payload', 'mandrill_events'].find((name) => form?.has(name))
const jsonOfForm = (form: URLSearchParams | undefined): string | undefined => {
  const name = jsonFieldOf(form)
  return name === undefined ? undefined : bytesOf(form?.get(name) ?? '')
}

/** Parses a body of JSON; `undefined` for any other body. */
export const jsonOf = ({ body }: Pick<Sent, 'body'>): Json | undefined => {
  try {
    return JSON.parse(decodeUtf8(body)) as Json
  } catch {
    return undefined
  }
}

export const valueAtPath = (value: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as { [key: string]: Json })[key] : undefined),
    value,
  )

/** Returns the fields of a form as Twilio signs them: sorted, each name followed by its value, joined without separators. */
export const sortedFields = (fields: Iterable<readonly [string, string]>): string =>
  [...fields]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map((each) => each.join(''))
    .join('')

const sortedForm = (sent: Sent): string => bytesOf(sortedFields(formOf(sent) ?? []))

const signedLines = (sent: Sent, names: readonly string[]): string | undefined => {
  const payload = jsonOf(sent)
  const lines = names.map((name) => {
    const value = valueAtPath(payload, [name.replace('?', '')])
    return value === undefined ? '' : `${name.replace('?', '')}\n${String(value)}\n`
  })
  return payload === undefined ? undefined : bytesOf(lines.join(''))
}

/** Returns the request with another value of a variable; `undefined` where the place of the variable cannot hold the value. */
export const withPart = (sent: Sent, description: SignatureScheme, { name, of, text }: Part): Sent | undefined => {
  switch (name) {
    case 'body':
      return withBody(sent, text)
    case 'json':
      return withBody(sent, isForm(sent) ? `${jsonFieldOf(formOf(sent)) ?? 'payload'}=${encodeURIComponent(decodeUtf8(text))}` : text)
    case 'timestamp':
      return writeAt(sent, description.timestamp as Place, text)
    case 'id':
      return writeAt(sent, description.id as Place, text)
    case 'payload':
      return writeAt(sent, { body: of ?? '' }, text)
    case 'header':
      return withHeader(sent, of ?? '', text)
    case 'url':
      return withAddress(sent, text)
    case 'form':
      return withBody(sent, encodeURIComponent(decodeUtf8(text)), formType)
    default:
      return undefined
  }
}

/**
 * Returns the request with this signature, in the form of its scheme. A signature header with labels must already have a part with the
 * label of the signature.
 */
export const withSignature = (sent: Sent, { signature = {} }: SignatureScheme, digest: Buffer): Sent | undefined => {
  const { prefix = '', encoding = 'hex', label } = signature
  const text = digest.toString(encoding)
  return writeAt(sent, signature as Place, label === undefined ? `${prefix}${text}` : text)
}

const writeAt = (sent: Sent, { header, label, body }: Place, text: string): Sent | undefined => {
  if (header !== undefined && label !== undefined)
    return withHeader(
      sent,
      header,
      (headerIn(sent, header) ?? '').replace(labelForm(label), () => `${label}=${text}`),
    )
  if (header !== undefined) return withHeader(sent, header, text)
  const [path] = [body ?? []].flat()
  const payload = jsonOf(sent)
  if (path === undefined || payload === undefined) return undefined
  return withBody(sent, bytesOf(JSON.stringify(setAt(payload, path.split('.'), decodeUtf8(text)))))
}

/**
 * Returns the request with another URL. Where the text after the host begins with the path of the route, that text goes into the request
 * line. Otherwise, the text in front of the last such path goes into the header with the host, and what follows into the request line.
 */
const withAddress = (sent: Sent, url: string): Sent | undefined => {
  const path = /^(?:https?:\/\/[^/?#]*)?(\/webhooks\/[^/?#]*)/.exec(sent.target)?.[1] ?? ''
  const [, origin = '', rest = ''] = new RegExp(`^(https?://${host.replaceAll('.', '\\.')})(.*)$`, 's').exec(url) ?? []
  if (rest.startsWith(`${path}?`) || rest.startsWith(`${path}#`) || rest === path) return { ...sent, target: rest }
  const last = rest.lastIndexOf(path)
  if (last < 0 || origin === '') return undefined
  const name = headerIn(sent, 'X-Forwarded-Host') === undefined ? 'Host' : 'X-Forwarded-Host'
  return { ...withHeader(sent, name, `${host}${rest.slice(0, last)}`), target: rest.slice(last) }
}
