/** Compiles the description of a scheme: a place becomes a function that reads the value there. Also finds mistakes in a description. */

import { type JsonObject, valueAt } from '../../../core/json.ts'
import type { KeyPath } from '../../../core/walk-json.ts'
import { partsOf } from '../../../expr/path-parts.ts'
import { scalarKey } from '../../../expr/render.ts'
import type { SchemePlace, SignatureScheme } from '../../../generated/config.ts'
import { isHmac, keyTypeOf } from './algorithm.ts'
import type { Encoding } from './digits.ts'
import type { TimeFormat } from './freshness.ts'
import { hasConstantAnswer, isOpenQuestion } from './handshake.ts'
import { compileSource, isAtHead, type ReadValue, sourceName, type ValueSource } from './request-view.ts'
import { type ReadSignatures, signaturesReader } from './sent-signatures.ts'
import { compileText, fieldOfLine, payloadPaths, type ReadPiece, type SignedText, signedBodyOf, variablesOf } from './signed-text.ts'

/** A mistake in a description, at a path inside it. WH313: the scheme cannot work, or protects nothing. WH210: a key that nothing reads. */
type DescriptionProblem = {
  readonly code: 'WH313' | 'WH210'
  readonly path: readonly string[]
  readonly message: string
  readonly help: string
}

export type CompiledDescription = {
  readonly description: SignatureScheme
  /** The place of the signature or credential. */
  readonly source: ValueSource
  /** The name of the place of the signature or credential, for sentences. */
  readonly name: string
  readonly encoding: Encoding
  /** Reads the signatures or the credential of a request, as texts. */
  readonly signatures: ReadSignatures
  /** Makes the text that is signed. */
  readonly text: SignedText
  readonly time: CompiledTime | undefined
  /** Reads the delivery id of the sender. */
  readonly id: ReadValue | undefined
  /** Reads the value in whose scope the delivery id is unique. */
  readonly within: ReadValue | undefined
  /** Reads the value that must equal the secret, where the signature alone does not show which customer of the sender a request is for. */
  readonly identity: ReadValue | undefined
  /** Reads the address of the sender's certificate. */
  readonly certificate: ReadValue | undefined
  readonly digest: CompiledDigest | undefined
  /** The paths in the body of the values that are needed to check its signature; empty where the head has all of them. */
  readonly signerPaths: readonly KeyPath[]
  /** Whether the signed text has the fields of a form, so that a form needs no digest. */
  readonly coversForm: boolean
  /** Whether the signed text has the address or its path. */
  readonly signsAddress: boolean
  readonly signsSecret: boolean
  /** Whether a signature fits other bodies, too: it covers only parts of a body, fields without separators, or a CRC-32. */
  readonly signsParts: boolean
  /** Whether the signature covers the body, or parts or a digest of it. */
  readonly signsBody: boolean
  /** Reads the content of a body whose digest can be the delivery id: the content that the signature covers, or else the whole body. */
  readonly signedBody: ReadPiece
}

/** The time of a request: its form and its place. `optional`: a request without a time passes. */
type CompiledTime = TimeFormat & { readonly read: ReadValue; readonly atHead: boolean; readonly optional: boolean }

/** `read`: reads the digest; `undefined` for a digest in a claim of a token. `claim`: the name of the claim. `name`: for sentences. */
type CompiledDigest = {
  readonly read: ReadValue | undefined
  readonly claim: string | undefined
  readonly name: string
  readonly encoding: Encoding
}

/**
 * Returns the place of the signature. `basic` and `jwt` stand in the header `Authorization` where the description names no place, and have
 * the prefix there that HTTP gives them (RFC 7617, RFC 6750), because no sender leaves it out.
 */
export const signatureSourceOf = ({ algorithm, signature = {} }: SignatureScheme): ValueSource & { readonly prefix?: string } => {
  if (algorithm !== 'basic' && algorithm !== 'jwt') return signature
  const isNamed = signature.header !== undefined || signature.query !== undefined || signature.body !== undefined
  if (isNamed && String(signature.header).toLowerCase() !== 'authorization') return signature
  return { header: 'Authorization', prefix: algorithm === 'basic' ? 'Basic ' : 'Bearer ', ...signature }
}

type Say = (path: readonly string[], message: string, help: string, code?: DescriptionProblem['code']) => void

/** Whether a description has a mistake with which its scheme must refuse every request. */
export const isBrokenDescription = (description: SignatureScheme): boolean => problemsIn(description).some(({ code }) => code === 'WH313')

/** Finds the mistakes in a description that the schema cannot find. */
export const problemsIn = (description: SignatureScheme): DescriptionProblem[] => {
  const found: DescriptionProblem[] = []
  const say: Say = (path, message, help, code = 'WH313') => void found.push({ code, path, message, help })
  const variables = variablesOf(description.signed ?? '{body}')
  checkPlaces(description, say)
  checkText(description, variables, say)
  checkKeys(description, variables, say)
  checkHandshakes(description, say)
  checkIdle(description, variables, say)
  return found
}

/**
 * Reports the keys that the algorithm does not read, or that the signed text lacks. A key that would protect something is an error: whoever
 * writes it relies on it.
 */
const checkIdle = (description: SignatureScheme, variables: Variables, say: Say): void => {
  const { algorithm, signature, jwks_url: jwks, timestamp = {}, handshakes = [] } = description
  const isSigned = isSigning(algorithm)
  const protects = (key: 'issuer' | 'audience' | 'identity' | 'body_digest', isRead: boolean, why: string): void => {
    if (description[key] !== undefined && !isRead) say([key], `"${key}" protects nothing: ${why}`, 'remove it, or use another algorithm')
  }
  const idle = (path: readonly string[], isRead: boolean, why: string): void => {
    if (valueAt(description as unknown as JsonObject, path) === undefined || isRead) return
    say(path, `"${path.at(-1)}" has no effect ${why}`, 'remove it', 'WH210')
  }
  const other = `with the algorithm ${algorithm}`
  protects('issuer', algorithm === 'jwt', 'only the claims of a token are compared with it')
  protects('audience', algorithm === 'jwt', 'only the claims of a token are compared with it')
  protects('identity', isSigned, 'it is compared only beside a signature')
  protects('body_digest', isSigned || algorithm === 'jwt', 'nothing signs the digest')
  idle(['signed'], isSigned, other)
  idle(['lines'], isSigned && variables.has('lines'), 'without {lines} in "signed"')
  idle(['port'], isSigned && variables.has('url'), 'without {url} in "signed"')
  idle(['key'], isHmac(algorithm) || (algorithm === 'jwt' && jwks === undefined), jwks === undefined ? other : 'beside "jwks_url"')
  if (signature) idle(['signature', 'encoding'], isSigned, other)
  for (const key of Object.keys(timestamp).filter((each) => each !== 'window_seconds'))
    idle(['timestamp', key], algorithm !== 'jwt', 'with the algorithm jwt: its times are claims of the token')
  for (const [i, { answer }] of handshakes.entries()) {
    const at = ['handshakes', String(i), 'answer']
    idle([...at, 'text'], answer?.json === undefined || answer.text === undefined, 'beside "json"')
    for (const key of ['text', 'json']) idle([...at, key], answer?.status !== 204, 'where "status" is 204: such an answer has no body')
  }
}

const checkHandshakes = (description: SignatureScheme, say: Say): void => {
  const showsCredential = ['token', 'basic'].includes(description.algorithm) && signatureSourceOf(description).body === undefined
  for (const [i, handshake] of (description.handshakes ?? []).entries()) {
    const at = ['handshakes', String(i)]
    const isPost = (handshake.method ?? 'POST') === 'POST'
    if (handshake.when.body !== undefined && (!isPost || (isOpenQuestion(handshake) && !hasConstantAnswer(handshake))))
      say(
        at,
        'a question that nobody signs is known by its head',
        'name a header or a value of the query; with a POST a field of the body, where "equals" is there and the answer has no variables',
      )
    if (!isPost && handshake.signed && !showsCredential)
      say(
        at,
        'a question without a body has no signature',
        'only a token or basic credential in the head can be checked: leave out "signed"',
      )
  }
}

const onePlaceHelp = 'name a header, a query or a body, and only one of them'

const checkPlaces = (description: SignatureScheme, say: Say): void => {
  const { timestamp, certificate } = description
  for (const [key, place] of [
    ['signature', signatureSourceOf(description)],
    // The times of a JSON Web Token stand in its claims, so the description needs no place for them.
    ['timestamp', description.algorithm === 'jwt' ? undefined : timestamp],
    ['certificate', certificate],
  ] as const) {
    if (place && !hasOnePlace(place)) say([key], `${key} needs one place`, onePlaceHelp)
    if (place?.body !== undefined && description.algorithm === 'jwt')
      say([key], 'a token is checked before the body is read', 'name a header or a query')
    if (place && 'label' in place && place.label !== undefined && place.header === undefined)
      say([key], 'a label is a part of a header', 'name the header')
  }
}

const checkText = (
  { algorithm, timestamp, id, lines = [], signed = '{body}', body_digest: digest }: SignatureScheme,
  variables: Variables,
  say: Say,
): void => {
  const text = compileText({ signed, lines, timestamp: timestamp && readNothing, id: id && readNothing })
  if ('unknown' in text) say(['signed'], `${text.unknown} has no meaning in a signed text`, helpForUnknown(text.unknown))
  if (isSigning(algorithm) && !coversBody(variables) && !digest)
    say(['signed'], 'the signed text does not cover the body', 'add {body}, or name its digest in body_digest')
  if (digest?.claim !== undefined && algorithm !== 'jwt') say(['body_digest'], 'only a token has claims', 'name a header or a query')
  if (digest && digest.claim === undefined && (isSigning(algorithm) || algorithm === 'jwt') && !isSignedPlace(digest, variables))
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
const readNothing: ReadValue = () => undefined
const hasOnePlace = ({ header, query, body }: ValueSource): boolean =>
  [header, query, body].filter((each) => each !== undefined).length === 1
const isSigning = (algorithm: SignatureScheme['algorithm']): boolean => isHmac(algorithm) || keyTypeOf(algorithm) !== undefined
const coversBody = (variables: ReadonlySet<string>): boolean =>
  ['body', 'json', 'lines', 'crc32'].some((name) => variables.has(name)) || [...variables].some((name) => name.startsWith('payload.'))
const isSignedPlace = ({ header, query }: ValueSource, variables: ReadonlySet<string>): boolean =>
  query !== undefined
    ? ['url', 'path', `query.${query.toLowerCase()}`].some((name) => variables.has(name))
    : variables.has(`header.${header?.toLowerCase()}`)
const helpForUnknown = (unknown: string): string =>
  unknown === '{timestamp}' || unknown === '{id}' || unknown === '{lines}'
    ? `say under "${unknown.slice(1, -1)}" where it stands`
    : 'use {body} {json} {timestamp} {id} {url} {method} {path} {form} {lines} {crc32} {secret} {header.X} {query.X} {payload.a.b}'

/** Whether the time that a description reads is signed; `true` also where it reads none, and for a JSON Web Token. */
export const signsTime = ({ signed = '{body}', timestamp, algorithm, body_digest }: SignatureScheme): boolean => {
  if (!timestamp || algorithm === 'jwt') return true
  const variables = variablesOf(signed)
  if (variables.has('timestamp') || (timestamp.query !== undefined && (variables.has('url') || variables.has('path')))) return true
  if (timestamp.header !== undefined) return timestamp.label === undefined && variables.has(`header.${timestamp.header.toLowerCase()}`)
  const bodyIsSigned = variables.has('body') || variables.has('json') || variables.has('crc32') || body_digest !== undefined
  const fields = [timestamp.body ?? []].flat()
  return bodyIsSigned || variables.has('lines') || fields.some((field) => variables.has(`payload.${field.toLowerCase()}`))
}

/** Compiles a description. The result for a description with mistakes must not be used for checks. */
export const compileDescription = (description: SignatureScheme): CompiledDescription => {
  const { timestamp, id, lines = [], signed = '{body}', identity, certificate, body_digest } = description
  const source = signatureSourceOf(description)
  const time = timestamp && compileTime(timestamp, description.signature?.separator, signed)
  const place = id && (id.header !== undefined || id.body !== undefined) ? idPlace(id) : undefined
  const text = compileText({ signed, lines, timestamp: time?.read, id: place && compileSource(place) })
  const variables = variablesOf(signed)
  return {
    description,
    source,
    name: sourceName(source),
    encoding: description.signature?.encoding ?? 'hex',
    signatures: signaturesReader(source),
    text: 'unknown' in text ? () => ({ lacks: text.unknown }) : text,
    time,
    id: place && compileSource(place, scalarKey),
    within: id?.within && compileSource(id.within, scalarKey),
    identity: identity && compileSource(identity),
    certificate: certificate && compileSource(certificate),
    digest: body_digest && {
      read: body_digest.claim === undefined ? compileSource(body_digest) : undefined,
      claim: body_digest.claim,
      name: body_digest.claim ?? sourceName(body_digest),
      encoding: body_digest.encoding ?? 'hex',
    },
    signerPaths: signerPathsOf(description, source),
    coversForm: variables.has('form'),
    signsAddress: variables.has('url') || variables.has('path'),
    signsSecret: variables.has('secret'),
    signsParts:
      isSigning(description.algorithm) && ['body', 'json'].every((name) => !variables.has(name)) && (!body_digest || variables.has('form')),
    signsBody: isSigning(description.algorithm) || body_digest !== undefined,
    signedBody: signedBodyOf(variables, lines),
  }
}

/** Returns the paths in the body of all values that are needed to check the signature. `body`: the path of the signature itself. */
const signerPathsOf = (
  { certificate, timestamp, id, lines = [], signed = '{body}', identity }: SignatureScheme,
  { body }: ValueSource,
): KeyPath[] => {
  const variables = variablesOf(signed)
  const fieldsOf = (name: 'timestamp' | 'id', place?: SchemePlace) => (variables.has(name) ? [place?.body ?? []].flat() : [])
  const needed = [
    ...[body ?? []].flat(),
    ...[certificate?.body ?? []].flat(),
    ...fieldsOf('timestamp', timestamp),
    ...fieldsOf('id', id),
    ...(variables.has('lines') ? lines.map(fieldOfLine) : []),
    ...payloadPaths(signed),
  ]
  const all = needed.length === 0 ? [] : [...needed, ...[timestamp?.body ?? []].flat(), ...[identity?.body ?? []].flat()]
  return [...new Set(all)].map(partsOf)
}

const idPlace = ({ header, body }: SchemePlace): ValueSource => ({
  ...(header === undefined ? {} : { header }),
  ...(body === undefined ? {} : { body }),
})

/**
 * Compiles the place and the form of the time. In a header with labels, `signature` of the description names the separator for the time,
 * too.
 */
const compileTime = (
  timestamp: NonNullable<SignatureScheme['timestamp']>,
  separator: string | undefined,
  signed: string,
): CompiledTime => ({
  read: compileSource(separator === undefined ? timestamp : { ...timestamp, separator }),
  name: sourceName(timestamp),
  atHead: isAtHead(timestamp),
  unit: timestamp.unit ?? 'seconds',
  windowSeconds: timestamp.window_seconds ?? 300,
  optional: timestamp.optional === true,
  isBare: /\}\{timestamp\}|\{timestamp\}\{/.test(signed),
  isDotted: /\.\{timestamp\}|\{timestamp\}\./.test(signed),
})
