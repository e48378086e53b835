/** A description of a scheme, made ready: every place compiled to a function that reads it, once for all routes. */

import type { SchemePlace, SignatureScheme } from '../../../../generated/config.ts'
import { isHmac, keyTypeOf } from './algorithm.ts'
import { bytesOf, type Encoding } from './digits.ts'
import type { Unit } from './freshness.ts'
import { isConstant, isOpen } from './handshake.ts'
import { compilePlace, isAtHead, type Place, partsOf, placeName, type Read, type Seen } from './seen.ts'
import { compileText, type SignedText, variablesOf } from './signed-text.ts'

/** Something in a description that cannot work, at a path inside it. */
export type Problem = { readonly path: readonly string[]; readonly message: string; readonly help: string }

/** Reads the texts of all signatures that a request claims; a sentence where it claims none. */
export type ReadClaims = (seen: Seen) => readonly string[] | string

export type Ready = {
  readonly description: SignatureScheme
  readonly place: Place
  readonly name: string
  readonly encoding: Encoding
  readonly claims: ReadClaims
  readonly text: SignedText
  readonly time: Time | undefined
  readonly id: Read | undefined
  readonly within: Read | undefined
  readonly identity: Read | undefined
  readonly certificate: Read | undefined
  readonly digest: Digest | undefined
  /** Whether the signed text has the fields of a form, so that a form needs no digest. */
  readonly coversForm: boolean
}

type Time = {
  readonly read: Read
  readonly name: string
  readonly atHead: boolean
  readonly unit: Unit
  readonly windowSeconds: number
  readonly optional: boolean
}

type Digest = { readonly read: Read | undefined; readonly claim: string | undefined; readonly name: string; readonly encoding: Encoding }

const maxSignatures = 16

/** Where the signature stands when the description does not say. */
export const placeOf = ({ algorithm, signature = {} }: SignatureScheme): Place & { readonly prefix?: string } => {
  const isNamed = signature.header !== undefined || signature.query !== undefined || signature.body !== undefined
  if (isNamed || (algorithm !== 'basic' && algorithm !== 'jwt')) return signature
  return { prefix: algorithm === 'basic' ? 'Basic ' : 'Bearer ', ...signature, header: 'Authorization' }
}

type Say = (path: readonly string[], message: string, help: string) => void

/** What cannot work in a description whose shape is right. */
export const problemsIn = (description: SignatureScheme): Problem[] => {
  const found: Problem[] = []
  const say: Say = (path, message, help) => void found.push({ path, message, help })
  const variables = variablesOf(description.signed ?? '{body}')
  checkPlaces(description, say)
  checkText(description, variables, say)
  checkKeys(description, variables, say)
  for (const [i, handshake] of (description.handshakes ?? []).entries())
    if (handshake.when.body !== undefined && ((handshake.method ?? 'POST') !== 'POST' || (isOpen(handshake) && !isConstant(handshake))))
      say(
        ['handshakes', String(i)],
        'a question that nobody signs is known by its head',
        'name a header or a value of the query; with a POST a field of the body, where "equals" is there and the answer has no variables',
      )
  return found
}

const one = 'name a header, a query or a body, and only one of them'

const checkPlaces = (description: SignatureScheme, say: Say): void => {
  const { timestamp, certificate } = description
  for (const [key, place] of [
    ['signature', placeOf(description)],
    ['timestamp', timestamp],
    ['certificate', certificate],
  ] as const) {
    if (place && !oneOf(place)) say([key], `${key} needs one place`, one)
    if (place && 'label' in place && place.label !== undefined && place.header === undefined)
      say([key], 'a label is a part of a header', 'name the header')
  }
}

const checkText = (
  { algorithm, timestamp, id, lines = [], signed = '{body}', body_digest: digest }: SignatureScheme,
  variables: Variables,
  say: Say,
): void => {
  const text = compileText({ signed, lines, timestamp: timestamp && none, id: id && none })
  if ('unknown' in text) say(['signed'], `${text.unknown} has no meaning in a signed text`, whyUnknown(text.unknown))
  if (isSigning(algorithm) && !coversBody(variables) && !digest)
    say(['signed'], 'the signed text does not cover the body', 'add {body}, or name its digest in body_digest')
  if (digest?.claim !== undefined && algorithm !== 'jwt') say(['body_digest'], 'only a token has claims', 'name a header or a query')
  if (digest && digest.claim === undefined && !isSignedPlace(digest, variables))
    say(['body_digest'], 'the digest itself is not signed', 'the signed text must have {url}, {path}, or the header or query of the digest')
}

const checkKeys = ({ algorithm, jwks_url, certificate, identity }: SignatureScheme, variables: Variables, say: Say): void => {
  if (jwks_url !== undefined && algorithm !== 'jwt') say(['jwks_url'], 'only tokens are checked with it', 'use algorithm: jwt')
  if (!certificate) return
  if (keyTypeOf(algorithm) !== 'rsa') say(['certificate'], 'a certificate goes with RSA', 'use algorithm: rsa_sha256')
  if (!identity && !variables.has('secret'))
    say(
      ['certificate'],
      'everybody with an account at the sender has such a certificate',
      'name in "identity" what must equal the secret of the route',
    )
}

type Variables = ReadonlySet<string>
const none: Read = () => undefined
const oneOf = ({ header, query, body }: Place): boolean => [header, query, body].filter((each) => each !== undefined).length === 1
const isSigning = (algorithm: SignatureScheme['algorithm']): boolean => isHmac(algorithm) || keyTypeOf(algorithm) !== undefined
const coversBody = (variables: ReadonlySet<string>): boolean =>
  ['body', 'json', 'lines', 'crc32'].some((name) => variables.has(name)) || [...variables].some((name) => name.startsWith('payload.'))
const isSignedPlace = ({ header, query }: Place, variables: ReadonlySet<string>): boolean =>
  query !== undefined
    ? ['url', 'path', `query.${query.toLowerCase()}`].some((name) => variables.has(name))
    : variables.has(`header.${header?.toLowerCase()}`)
const whyUnknown = (unknown: string): string =>
  unknown === '{timestamp}' || unknown === '{id}' || unknown === '{lines}'
    ? `say under "${unknown.slice(1, -1)}" where it stands`
    : 'use {body} {json} {timestamp} {id} {url} {method} {path} {form} {lines} {crc32} {secret} {header.X} {query.X} {payload.a.b}'

/** Whether the time that a description reads is part of what is signed. */
export const signsTime = ({ signed = '{body}', timestamp, algorithm, body_digest }: SignatureScheme): boolean => {
  if (!timestamp || algorithm === 'jwt') return true
  const variables = variablesOf(signed)
  if (variables.has('timestamp') || (timestamp.query !== undefined && (variables.has('url') || variables.has('path')))) return true
  if (timestamp.header !== undefined) return timestamp.label === undefined && variables.has(`header.${timestamp.header.toLowerCase()}`)
  const bodyIsSigned = variables.has('body') || variables.has('json') || variables.has('crc32') || body_digest !== undefined
  const fields = [timestamp.body ?? []].flat()
  return bodyIsSigned || variables.has('lines') || fields.some((field) => variables.has(`payload.${field.toLowerCase()}`))
}

/** Makes a description ready that has no problem. */
export const readyOf = (description: SignatureScheme): Ready => {
  const { timestamp, id, lines = [], signed = '{body}', identity, certificate, body_digest } = description
  const place = placeOf(description)
  const time = timestamp && timeOf(timestamp, description.signature?.separator)
  const readId = id && (id.header !== undefined || id.body !== undefined) ? compilePlace(placeIn(id)) : undefined
  const text = compileText({ signed, lines, timestamp: time?.read, id: readId })
  return {
    description,
    place,
    name: placeName(place),
    encoding: description.signature?.encoding ?? 'hex',
    claims: claimsOf(place),
    text: 'unknown' in text ? () => ({ lacks: text.unknown }) : text,
    time,
    id: readId,
    within: id?.within && compilePlace(id.within),
    identity: identity && compilePlace(identity),
    certificate: certificate && compilePlace(certificate),
    digest: body_digest && {
      read: body_digest.claim === undefined ? compilePlace(body_digest) : undefined,
      claim: body_digest.claim,
      name: body_digest.claim ?? placeName(body_digest),
      encoding: body_digest.encoding ?? 'hex',
    },
    coversForm: variablesOf(signed).has('form'),
  }
}

const placeIn = ({ header, body }: SchemePlace): Place => ({
  ...(header === undefined ? {} : { header }),
  ...(body === undefined ? {} : { body }),
})

/** A header with labels has one separator, which the signature names. */
const timeOf = (timestamp: NonNullable<SignatureScheme['timestamp']>, separator: string | undefined): Time => ({
  read: compilePlace(separator === undefined ? timestamp : { ...timestamp, separator }),
  name: placeName(timestamp),
  atHead: isAtHead(timestamp),
  unit: timestamp.unit ?? 'seconds',
  windowSeconds: timestamp.window_seconds ?? 300,
  optional: timestamp.optional === true,
})

/** The texts of the signatures: all parts with the label, or what stands between separators; each without its prefix. */
const claimsOf = ({ prefix, label, separator, ...place }: Place & { readonly prefix?: string }): ReadClaims => {
  const read = compilePlace(place)
  const name = placeName({ ...place, ...(label === undefined ? {} : { label }) })
  return (seen) => {
    const text = read(seen)
    if (text === undefined || text === '') return `${name} is missing`
    const parts =
      label !== undefined ? partsOf(text, label, separator) : separator !== undefined ? text.split(separator, maxSignatures) : [text]
    const claimed = parts.slice(0, maxSignatures).flatMap((part) => {
      if (prefix === undefined) return [part]
      // The names of schemes in an Authorization header are known in any letter case (RFC 9110, 11.1).
      const starts = prefix.endsWith(' ') ? part.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase() : part.startsWith(prefix)
      return starts ? [part.slice(prefix.length)] : []
    })
    return claimed.length > 0 ? claimed : `${name} does not begin with "${prefix ?? `${label}=`}"`
  }
}

/** The bytes of the claimed signatures; a sentence where none is written as it should be. */
export const signaturesIn = ({ claims, encoding, name }: Ready, seen: Seen): readonly Buffer[] | string => {
  const texts = claims(seen)
  if (typeof texts === 'string') return texts
  const signatures = texts.flatMap((text) => bytesOf(text, encoding) ?? [])
  return signatures.length > 0 ? signatures : `${name} is not ${encoding}`
}
