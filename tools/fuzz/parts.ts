/** What a request's signature is made of, as a stranger who has read the sender's page works it out: the variables and the texts between them. */

import { crc32 } from 'node:zlib'
import type { Json } from '../../src/core/json.ts'
import type { SignatureScheme } from '../../src/generated/config.ts'
import { bytesOf, decodeUtf8, headerIn, type Sent, withBody, withHeader } from './request.ts'
import { setAt } from './set-at.ts'
import { host } from './world.ts'

/** A variable of the signed text with its value, or (`name` is empty) a text that is always the same. */
export type Part = { readonly name: string; readonly of?: string; readonly text: string }

export const formType = 'application/x-www-form-urlencoded'

/** What else a signed text depends on: the secret, and the address as the gateway takes it (`https://…/webhooks/hook?x=1`). */
export type Around = { readonly secret: string; readonly url: string }

const variable = /\{([a-z0-9_]+)(?:\.([^{}]+))?\}/g

export type Piece = { readonly name: string; readonly of?: string } | { readonly literal: string }

/** The template of a signed text, taken apart. */
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

/** `undefined` where the request lacks one of them. */
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
      return formOf(sent)?.get('payload') === undefined ? sent.body : bytesOf(formOf(sent)?.get('payload') ?? '')
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

/** A body of JSON as a value; `undefined` for another. */
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

/** The fields of a form as Twilio signs them: sorted, each name followed by its value, with nothing between. */
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

/** The request with another value of a variable; `undefined` where a request cannot say that value there. */
export const withPart = (sent: Sent, description: SignatureScheme, { name, of, text }: Part): Sent | undefined => {
  switch (name) {
    case 'body':
      return withBody(sent, text)
    case 'json':
      return isForm(sent) ? withBody(sent, `payload=${encodeURIComponent(decodeUtf8(text))}`) : withBody(sent, text)
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

/** The request with this signature, in the words of its scheme. A header with labels has a part with the label already. */
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

/** The request to another address: what follows the host goes into the request line, or with all before its last path into the Host. */
const withAddress = (sent: Sent, url: string): Sent | undefined => {
  const path = /^(?:https?:\/\/[^/?#]*)?(\/webhooks\/[^/?#]*)/.exec(sent.target)?.[1] ?? ''
  const [, origin = '', rest = ''] = new RegExp(`^(https?://${host.replaceAll('.', '\\.')})(.*)$`, 's').exec(url) ?? []
  if (rest.startsWith(`${path}?`) || rest.startsWith(`${path}#`) || rest === path) return { ...sent, target: rest }
  const last = rest.lastIndexOf(path)
  if (last < 0 || origin === '') return undefined
  const name = headerIn(sent, 'X-Forwarded-Host') === undefined ? 'Host' : 'X-Forwarded-Host'
  return { ...withHeader(sent, name, `${host}${rest.slice(0, last)}`), target: rest.slice(last) }
}
