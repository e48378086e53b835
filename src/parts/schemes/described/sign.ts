/**
 * Signs a test request as the description of a scheme says: each value is put at the place at which the check of the signature reads it.
 */

import { createHash, createHmac } from 'node:crypto'
import { exactJson } from '../../../core/exact-json.ts'
import { exit, Fault } from '../../../core/fault.ts'
import { type ExactJson, type ExactObject, isObject, parseObject } from '../../../core/json.ts'
import { isNumber } from '../../../expr/equal.ts'
import { partsOf } from '../../../expr/path-parts.ts'
import { renderJson } from '../../../expr/render.ts'
import type { SchemeSignature } from '../../../generated/config.ts'
import { editJsonField } from '../../body/json-field.ts'
import { setField } from '../../body/multipart/set-field.ts'
import { bodyKind, hasFormType } from '../../body/payload.ts'
import { ReadOnceBody } from '../../body/request-body.ts'
import type { Signed, Unsigned } from '../scheme.ts'
import { isHmac, keyTypeOf, makeSignature } from './algorithm.ts'
import type { CompiledDescription } from './description.ts'
import { writtenTime } from './freshness.ts'
import { secretKey } from './keys.ts'
import { requestView, type ValueSource } from './request-view.ts'

/** A request that is being signed: its values are put into it one after the other. */
type RequestDraft = { readonly headers: Map<string, string>; body: string; url: string; readonly isForm: boolean }

const cannotSign = (message: string, hint?: string, code = 'bad_scheme'): Fault =>
  new Fault(code, message, { exitCode: exit.no, ...(hint ? { hint } : {}) })
/** The code of the Fault where only the sender has the key. `webhook trace` then treats the request as signed. */
const onlySender = 'cannot_sign'

/**
 * Signs a test request by the scheme `name`. Throws a Fault where the secret does not fit, the request lacks a value of the signed text, or
 * only the sender has the key.
 */
export const signAs = (name: string, compiled: CompiledDescription, request: Unsigned): Signed => {
  const url = request.url ?? 'http://127.0.0.1/'
  const draft: RequestDraft = {
    headers: new Map(),
    body: request.body,
    url,
    isForm: hasFormType({ 'content-type': request.contentType ?? '' }),
  }
  const labelledParts = putAllButSignature(draft, compiled, request)
  const place = { ...compiled.description.signature, ...compiled.source } as SchemeSignature
  const { header, label, separator = ',', prefix = '' } = place
  const value = `${prefix}${signatureFor(name, compiled, request, draft)}`
  const isToken = compiled.description.algorithm === 'token'
  if (header === undefined || label === undefined) putValue(draft, compiled.source, isToken ? asHeader(value, compiled.source) : value)
  else draft.headers.set(header, [...(labelledParts.get(header.toLowerCase()) ?? []), `${label}=${value}`].join(separator))
  return { headers: Object.fromEntries(draft.headers), body: draft.body, ...(draft.url === url ? {} : { url: draft.url }) }
}

/**
 * Puts the type, the id, the time, the identity and the digest of the body into the request. Returns the labelled parts of a header that
 * the signature may join, by the name of the header in lower case.
 */
const putAllButSignature = (
  draft: RequestDraft,
  { description, digest, coversForm }: CompiledDescription,
  request: Unsigned,
): ReadonlyMap<string, readonly string[]> => {
  const { id, timestamp, event, identity, body_digest = {}, signature = {} } = description
  if (request.event !== undefined) putValue(draft, event ?? { header: 'X-GitHub-Event' }, request.event)
  // A description that takes the digest of the body as the id has no place for an id, unless it names a field of the body, too.
  if (id?.digest !== true || id.body !== undefined) putValue(draft, id ?? { header: 'X-Request-ID' }, request.id)
  if (identity) putValue(draft, identity, request.secret)
  const time = timestamp && writtenTime(request.at, timestamp.unit ?? 'seconds')
  if (timestamp && time !== undefined && timestamp.label === undefined) putValue(draft, timestamp, time)
  if (digest?.read && !(coversForm && draft.isForm)) putValue(draft, body_digest, sha256(draft.body).toString(digest.encoding))
  if (timestamp?.label === undefined || timestamp.header === undefined) return new Map()
  const parts = [`${timestamp.label}=${time}`]
  // The signed text is made of this draft, so the header must have the time already.
  draft.headers.set(timestamp.header, parts.join(signature.separator ?? ','))
  return new Map([[timestamp.header.toLowerCase(), parts]])
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns the signature as text; for a credential the secret, for a JSON Web Token the token. */
const signatureFor = (name: string, compiled: CompiledDescription, request: Unsigned, draft: RequestDraft): string => {
  const { algorithm } = compiled.description
  if (algorithm === 'token') return request.secret
  if (algorithm === 'basic') return Buffer.from(request.secret).toString('base64')
  return algorithm === 'jwt' ? makeToken(name, compiled, request, draft) : signatureText(name, compiled, request, draft)
}

/**
 * Returns a text in the form in which Node must get it as the value of a header. Node encodes headers as latin1, so each byte of the text's
 * UTF-8 becomes one character. A text for another place stays as it is.
 */
const asHeader = (text: string, { header }: ValueSource): string =>
  header === undefined ? text : Buffer.from(text, 'utf8').toString('latin1')

const signatureText = (name: string, compiled: CompiledDescription, request: Unsigned, draft: RequestDraft): string => {
  const { algorithm, key, certificate } = compiled.description
  const head = {
    method: request.method ?? 'POST',
    url: () => draft.url,
    headers: { 'content-type': request.contentType ?? 'application/json', ...lowerCased(draft.headers) },
    remote: () => '127.0.0.1',
    isProxied: () => false,
    at: request.at,
  }
  const pieces = compiled.text(requestView(head, new ReadOnceBody(head.headers, Buffer.from(draft.body))), request.secret)
  if ('lacks' in pieces) throw cannotSign(`${name} signs ${pieces.lacks}, and the request has none`, 'take a sample of this sender')
  if (isHmac(algorithm)) {
    const bytes = secretKey(request.secret, key)
    if (!bytes) throw cannotSign(`the secret is no key of ${name}: it is not ${key?.encoding ?? 'text'}`)
    return (makeSignature(algorithm, bytes, pieces) as Buffer).toString(compiled.encoding)
  }
  if (certificate)
    throw cannotSign(
      `${name} signs with a key that only the sender has`,
      'webhook trace shows what the route makes of an event without a signature',
      onlySender,
    )
  const signature = request.privateKey === undefined ? undefined : makeSignature(algorithm, request.privateKey, pieces)
  if (signature) return signature.toString(compiled.encoding)
  const wants = `a private key (${keyTypeOf(algorithm)}) in PEM`
  throw cannotSign(
    `${name} signs with a private key that only the sender has`,
    `for a test put a public key of your own in "public_key", and give ${wants} with --private-key FILE`,
    onlySender,
  )
}

/** Makes a JSON Web Token, signed with HS256. Its claims are the issuer, the audience, the time and the digest of the body. */
const makeToken = (name: string, compiled: CompiledDescription, { secret, at }: Unsigned, { body }: RequestDraft): string => {
  const { issuer, audience, jwks_url, key: keyFormat } = compiled.description
  const key = jwks_url === undefined ? secretKey(secret, keyFormat) : undefined
  if (!key) throw cannotSign(`${name} signs with a key that only the sender has`, undefined, onlySender)
  const seconds = Math.floor(at / 1000)
  const digest = compiled.digest?.claim !== undefined && {
    [compiled.digest.claim]: sha256(body).toString(compiled.digest.encoding),
  }
  const claims = {
    ...(issuer === undefined ? {} : { iss: issuer }),
    ...(audience === undefined ? {} : { aud: audience }),
    iat: seconds,
    ...digest,
  }
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const lowerCased = (headers: ReadonlyMap<string, string>): { [name: string]: string } =>
  Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]))

/** Puts a value at a place: the header, else the query, else the first path in the body. */
const putValue = (draft: RequestDraft, { header, query, body }: ValueSource, value: string): void => {
  if (header !== undefined) draft.headers.set(header, value)
  else if (query !== undefined) draft.url = withQuery(draft.url, query, value)
  else if (body !== undefined) draft.body = withField(draft, [body].flat()[0] as string, value)
}

const withQuery = (url: string, name: string, value: string): string => {
  const changed = new URL(url)
  changed.searchParams.set(name, value)
  return changed.href
}

/** Returns the body with a value at a path. XML, and a body that cannot be read, stay as they are. */
const withField = ({ body, isForm }: RequestDraft, path: string, value: string): string => {
  if (bodyKind({}, Buffer.from(body)) === 'multipart') return setField(body, path, value)
  const inJson = (text: string): string => {
    const payload = bodyJson(text)
    return payload === undefined ? text : renderJson(setAt(payload, partsOf(path), value), Number.POSITIVE_INFINITY, 0)
  }
  if (!isForm) return inJson(body)
  const edited = editJsonField(body, inJson)
  if (edited !== undefined) return edited
  const fields = new URLSearchParams(body)
  fields.set(path, value)
  return fields.toString()
}

const bodyJson = (text: string): ExactJson | undefined => {
  try {
    return exactJson(text)
  } catch {
    return parseObject(text)
  }
}

/**
 * Returns JSON with a value at a path. In place of a number, digits become a number. At a missing key, 13 digits become a number, too: they
 * are a time in milliseconds, which senders write as a number.
 */
const setAt = (at: ExactJson, [key, ...rest]: readonly string[], value: string): ExactJson => {
  if (key === undefined) return isNumber(at) && /^\d+$/.test(value) ? Number(value) : value
  if (Array.isArray(at)) return at.map((item, i) => (key === '*' || String(i) === key ? setAt(item, rest, value) : item))
  if (!isObject(at)) return at
  const below = Object.hasOwn(at, key) ? (at[key] as ExactJson) : rest.length > 0 ? {} : /^\d{13}$/.test(value) ? 0 : ''
  const made: ExactObject = Object.fromEntries([...Object.entries(at), [key, setAt(below, rest, value)]])
  return made
}
