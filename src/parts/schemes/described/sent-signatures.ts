/** Reads the signatures in a request from the place that a description names. The signatures are not checked here. */

import { header } from '../../../core/headers.ts'
import type { Headers } from '../../../core/request.ts'
import { type Encoding, strictBytes } from './digits.ts'
import { compileSource, labelledParts, type RequestView, sourceName, type ValueSource } from './request-view.ts'

/** Reads the texts of all signatures in a request, without their prefix, or returns a sentence on why there is none. */
export type ReadSignatures = (request: RequestView) => readonly string[] | string

const maxSignatures = 16

/** Makes the function that reads signatures: the parts of a header with the label, the parts between separators, or the whole value. */
export const signaturesReader = ({ prefix, label, separator, ...place }: ValueSource & { readonly prefix?: string }): ReadSignatures => {
  const read = compileSource(place)
  const name = sourceName({ ...place, ...(label === undefined ? {} : { label }) })
  return (request) => {
    const text = read(request)
    if (text === undefined || text === '') return `${name} is missing`
    const parts =
      label !== undefined ? labelledParts(text, label, separator) : separator !== undefined ? text.split(separator, maxSignatures) : [text]
    const signatures = parts
      .slice(0, maxSignatures)
      .flatMap((part) => (prefix === undefined ? [part] : beginsWith(part, prefix) ? [part.slice(prefix.length)] : []))
    return signatures.length > 0 ? signatures : `${name} does not begin with "${prefix ?? `${label}=`}"`
  }
}

/**
 * Whether a text begins with a prefix. A prefix with a blank at its end, such as `Bearer `, names a scheme of HTTP authentication and
 * matches in any letter case (RFC 9110, 11.1).
 */
const beginsWith = (text: string, prefix: string): boolean =>
  prefix.endsWith(' ') ? text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase() : text.startsWith(prefix)

/**
 * Makes the function that tests whether the headers of a request show the scheme: the header of the signature is there, and begins with the
 * prefix. Of a header with labels or separators, the prefix is not tested. A scheme whose signature is not in a header shows in every
 * request.
 */
export const compileShows = ({
  header: name,
  label,
  separator,
  prefix,
}: ValueSource & { readonly prefix?: string }): ((headers: Headers) => boolean) => {
  if (name === undefined) return () => true
  const lower = name.toLowerCase()
  if (prefix === undefined || label !== undefined || separator !== undefined) return (headers) => header(headers, lower) !== undefined
  return (headers) => {
    const value = header(headers, lower)
    return value !== undefined && beginsWith(value, prefix)
  }
}

/** Returns headers that show the scheme; no header where the scheme shows in every request. */
export const showingHeaders = ({ header: name, prefix = '' }: ValueSource & { readonly prefix?: string }): Headers =>
  name === undefined ? {} : { [name.toLowerCase()]: `${prefix}x` }

type SignaturePlace = { readonly signatures: ReadSignatures; readonly encoding: Encoding; readonly name: string }

/** Returns the bytes of the well-formed signatures in a request, or a sentence where none is well-formed. */
export const signaturesIn = ({ signatures: read, encoding, name }: SignaturePlace, request: RequestView): readonly Buffer[] | string => {
  const texts = read(request)
  if (typeof texts === 'string') return texts
  const wellFormed = texts.flatMap((text) => strictBytes(text, encoding) ?? [])
  return wellFormed.length > 0 ? wellFormed : `${name} is not ${encoding}`
}
