/** Reads the signatures of a request, which are not checked yet, from the places that a description names. */

import { header } from '../../../core/headers.ts'
import type { Headers } from '../../../core/request.ts'
import { bytesOf, type Encoding } from './digits.ts'
import { compileSource, labelledParts, type RequestView, sourceName, type ValueSource } from './request-view.ts'

/** Reads the texts of all signatures of a request, or returns a sentence on why there is none. */
export type ReadSignatures = (request: RequestView) => readonly string[] | string

const maxSignatures = 16

/** Compiles the reading of signatures: all parts with the label, or all parts between separators, each without its prefix. */
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

/** The names of schemes in an Authorization header match in any letter case (RFC 9110, 11.1). */
const beginsWith = (text: string, prefix: string): boolean =>
  prefix.endsWith(' ') ? text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase() : text.startsWith(prefix)

/**
 * Whether the headers show the scheme: the header of its signature is present, and begins as described. A scheme without such a header
 * always shows.
 */
export const showsIn = ({
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

/** Returns headers that show the scheme; none where it always shows. */
export const shownBy = ({ header: name, prefix = '' }: ValueSource & { readonly prefix?: string }): Headers =>
  name === undefined ? {} : { [name.toLowerCase()]: `${prefix}x` }

type SignaturePlace = { readonly signatures: ReadSignatures; readonly encoding: Encoding; readonly name: string }

/** Returns the bytes of the signatures that are well-formed, or a sentence where none is. */
export const signaturesIn = ({ signatures: read, encoding, name }: SignaturePlace, request: RequestView): readonly Buffer[] | string => {
  const texts = read(request)
  if (typeof texts === 'string') return texts
  const wellFormed = texts.flatMap((text) => bytesOf(text, encoding) ?? [])
  return wellFormed.length > 0 ? wellFormed : `${name} is not ${encoding}`
}
