/**
 * Masks the secrets in the query, the headers and the body of a verified request, so that no record, filter, script or prompt gets them. A
 * request that becomes a sample is masked, too. A masked request can still be replayed, because the replay of a verified request checks no
 * signature.
 */

import { isUtf8 } from 'node:buffer'
import type { MaskRequest } from '../core/plan.ts'
import type { Headers } from '../core/request.ts'
import type { KeyPath } from '../core/walk-json.ts'
import { partsOf } from '../expr/path-parts.ts'
import { maskQuery } from '../secrets/mask.ts'
import { type Mask, maskJsonBytes, starMask } from '../secrets/mask-bytes.ts'
import { editJsonField } from './body/json-field.ts'
import { listFiles } from './body/multipart/attachments.ts'
import { bodyKind, readContent } from './body/payload.ts'
import type { Scheme } from './schemes/scheme.ts'

export type SecretPlaces = {
  /** Names in lower case. */
  readonly headers: readonly string[]
  /** Names of parameters of the query. */
  readonly query: readonly string[]
  /** Paths in the body: of JSON, or of the fields of a form. */
  readonly fields: readonly KeyPath[]
}

export const secretPlacesOf = (schemes: readonly Scheme[]): SecretPlaces => ({
  headers: [...new Set(schemes.flatMap(({ secretHeaders = [] }) => secretHeaders))],
  query: [...new Set(schemes.flatMap(({ secretQuery = [] }) => secretQuery))],
  fields: [...new Set(schemes.flatMap(({ secretFields = [] }) => secretFields))].map(partsOf),
})

/**
 * Makes the function that masks the requests which these schemes verify; `undefined` where no scheme expects a secret in a request. A
 * request that was verified by a scheme without such a secret stays as it is.
 */
export const compileMask = (schemes: readonly Scheme[]): MaskRequest | undefined => {
  const places = secretPlacesOf(schemes)
  if (places.headers.length + places.query.length + places.fields.length === 0) return undefined
  const unmasked = new Set(
    schemes.filter((scheme) => !scheme.secretHeaders && !scheme.secretQuery && !scheme.secretFields).map(({ name }) => name),
  )
  return (request) => {
    if (unmasked.has(request.verification.scheme)) return request
    const { read, ...rest } = request
    const masked = maskPlaces(request, places)
    // The parsed body (`read`) is left out where the body was changed, because the parsed body still has the secret.
    return { ...rest, ...masked, ...(read && masked.body === request.body ? { read } : {}) }
  }
}

/** The parts of a request in which values are masked. The names of `headers` are in lower case. */
type MaskableParts = { readonly pathAndQuery?: string | undefined; readonly headers: Headers; readonly body: Buffer }

export const maskPlaces = ({ pathAndQuery, headers, body }: MaskableParts, places: SecretPlaces, mask = starMask): MaskableParts => ({
  pathAndQuery: pathAndQuery && maskParameters(pathAndQuery, places.query, mask),
  headers: maskNamedHeaders(headers, places.headers, mask),
  body: places.fields.length === 0 ? body : maskBody(headers, body, places.fields, mask),
})

export const maskNamedHeaders = (headers: Headers, names: readonly string[], { shown }: Mask = starMask): Headers => {
  const present = names.filter((name) => Object.hasOwn(headers, name))
  return present.length === 0 ? headers : { ...headers, ...Object.fromEntries(present.map((name) => [name, shown])) }
}

export const maskParameters = (pathAndQuery: string, names: readonly string[], { shown }: Mask): string =>
  names.length === 0 ? pathAndQuery : maskQuery(pathAndQuery, (name) => names.includes(name), shown)

const maskBody = (headers: Headers, body: Buffer, fields: readonly KeyPath[], mask: Mask): Buffer => {
  const kind = bodyKind(headers, body)
  if (kind === 'json') return maskJsonBytes(body, fields, mask)
  if (kind === 'form') return isUtf8(body) ? maskForm(body, fields, mask) : body
  // XML or multipart in which a value is masked becomes the JSON of its payload, which a replay reads as the same payload. What cannot be
  // read could not be masked, so no part of it is kept.
  const content = readContent(headers, body)
  if (content.kind === 'unread') return Buffer.alloc(0)
  const text = Buffer.from(content.kind === 'multipart' ? listFiles(content).text : content.text)
  const masked = maskJsonBytes(text, fields, mask)
  return masked === text ? body : masked
}

/** Masks a form. Where it has a JSON field, the paths lead into the JSON of that field; otherwise a path of one key names a field. */
const maskForm = (body: Buffer, paths: readonly KeyPath[], mask: Mask): Buffer => {
  const form = body.toString('utf8')
  const inJson = editJsonField(form, (json) => maskJsonBytes(Buffer.from(json), paths, mask).toString())
  if (inJson !== undefined) return inJson === form ? body : Buffer.from(inJson)
  const fields = [...new URLSearchParams(form)]
  // Of a field, `*` stands for its single value.
  const names = new Set(
    paths.map((path) => path.filter((step) => step !== '*')).flatMap(([name, ...rest]) => (rest.length === 0 ? (name ?? []) : [])),
  )
  const masked = fields.map(([name, value]): [string, string] => [name, names.has(name) ? mask.shown : value])
  return masked.every(([, value], i) => value === fields[i]?.[1]) ? body : Buffer.from(new URLSearchParams(masked).toString())
}
