/**
 * Masks the secrets in the content of a verified request, so that no record, filter, script or prompt gets them. A replay needs no
 * signature.
 */

import { isUtf8 } from 'node:buffer'
import type { MaskRequest } from '../core/plan.ts'
import type { Headers } from '../core/request.ts'
import { stars } from '../core/secrets/mask.ts'
import { maskJson } from './body/mask-json.ts'
import { isFormBody } from './body/payload.ts'
import type { Path } from './body/walk-json.ts'
import type { Scheme } from './schemes/scheme.ts'

/** The places of a secret in a request. */
export type SecretPlaces = {
  /** Names in lower case. */
  readonly headers: readonly string[]
  readonly fields: readonly Path[]
}

/** Returns the places where any of the schemes expects a secret. */
export const secretPlacesOf = (schemes: readonly Scheme[]): SecretPlaces => ({
  headers: [...new Set(schemes.flatMap(({ secretHeaders = [] }) => secretHeaders))],
  fields: [...new Set(schemes.flatMap(({ secretFields = [] }) => secretFields))].map((path) => path.split('.')),
})

/**
 * Compiles the mask of requests that these schemes decide on; `undefined` where none of them has a place to mask. A request that was
 * verified by a scheme without such a place stays as it is.
 */
export const compileMask = (schemes: readonly Scheme[]): MaskRequest | undefined => {
  const places = secretPlacesOf(schemes)
  if (places.headers.length + places.fields.length === 0) return undefined
  const without = new Set(schemes.filter((scheme) => !scheme.secretHeaders && !scheme.secretFields).map(({ name }) => name))
  return (request) => {
    if (without.has(request.verification.scheme)) return request
    const { read, ...rest } = request
    const masked = maskPlaces(request, places)
    // A changed body is read anew, because the earlier reading holds the secret.
    return { ...rest, ...masked, ...(read && masked.body === request.body ? { read } : {}) }
  }
}

/** The part of a request that is kept. `headers`: by names in lower case. */
type KeptRequest = { readonly headers: Headers; readonly body: Buffer }

/** Masks the values at these places in headers and body. */
export const maskPlaces = ({ headers, body }: KeptRequest, places: SecretPlaces): KeptRequest => ({
  headers: maskHeaders(headers, places.headers),
  body: places.fields.length === 0 ? body : maskBody(headers, body, places.fields),
})

const maskHeaders = (headers: Headers, names: readonly string[]): Headers => {
  const there = names.filter((name) => Object.hasOwn(headers, name))
  return there.length === 0 ? headers : { ...headers, ...Object.fromEntries(there.map((name) => [name, stars])) }
}

const maskBody = (headers: Headers, body: Buffer, fields: readonly Path[]): Buffer => {
  if (!isFormBody(headers, body)) return maskJson(body, fields)
  return isUtf8(body) ? maskForm(body, fields) : body
}

/** Masks a form: its field `payload` as JSON where it has one, else each field. */
const maskForm = (body: Buffer, paths: readonly Path[]): Buffer => {
  const fields = [...new URLSearchParams(body.toString('utf8'))]
  const isJson = fields.some(([name]) => name === 'payload')
  const masked = fields.map(([name, value]): [string, string] => {
    if (isJson) return [name, name === 'payload' ? maskJson(Buffer.from(value), paths).toString() : value]
    return [name, paths.some((path) => path.length === 1 && path[0] === name) ? stars : value]
  })
  return masked.every(([, value], i) => value === fields[i]?.[1]) ? body : Buffer.from(new URLSearchParams(masked).toString())
}
