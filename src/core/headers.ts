/** Reads the headers of requests. The names of headers are in lower case. */

import type { Headers } from './request.ts'

/**
 * The headers in which this program notes what it knows of an event. Filters and records read them as they read others, so no request may
 * bring any: each door drops them before anything is read (decision 0188).
 */
const ownHeader = /^x-headgate-/i

/** Returns names and values by turns without the headers that only this program sets: the list itself where it has none of them. */
export const withoutOwnHeaders = (raw: readonly string[]): readonly string[] =>
  raw.some((each, at) => at % 2 === 0 && ownHeader.test(each)) ? raw.filter((_, at) => !ownHeader.test(raw[at - (at % 2)] as string)) : raw

/** Whether this program alone may set the header. */
export const isOwnHeader = (name: string): boolean => ownHeader.test(name)

/** The header that says how an event came that no sender posted: `pulled`. */
export const originHeader = 'x-headgate-origin'
export const pulled = 'pulled'
/** The header with the type of an event that was pulled, as the API of its sender gave it. */
export const pulledTypeHeader = 'x-headgate-event-type'

const connectionHeaders = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|te|trailer|upgrade)$/i

/**
 * Whether a header belongs to one connection or client (`host`, `content-length`), and not to the event. Whoever sends a kept request again
 * leaves such headers out, because the new client sets them itself.
 */
export const isOfConnection = (name: string): boolean => connectionHeaders.test(name)

/**
 * Returns the value of the first of these headers that is present; `undefined` where none is present. The values of a repeated header are
 * joined with a comma and a blank. Code that runs for each request reads headers through this function: V8 would compile `headers.host` for
 * one hidden class of headers, and throw the compiled code away at the next full garbage collection.
 */
export const header = (headers: Headers, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = headers[name]
    // Only own properties count: a configuration may name any header, and every object inherits a "constructor".
    if (value !== undefined && Object.hasOwn(headers, name)) return typeof value === 'string' ? value : value.join(', ')
  }
  return undefined
}

/** Whether a browser or another program says that it only looks at the address, before or without a person who opens it. */
export const isPrefetch = (headers: Headers): boolean =>
  /prefetch|prerender|preview/i.test(header(headers, 'sec-purpose', 'purpose', 'x-purpose', 'x-moz') ?? '')

/**
 * Returns the names of the headers that look like a signature, joined by commas, or `none`: the first eight names, each cut at 64 UTF-16
 * units. The text has no values of headers. An operator compares the names with the sender's settings.
 */
export const signatureHeaders = (headers: Headers): string =>
  Object.keys(headers)
    .filter((name) => /sign|token|hmac|digest|auth/.test(name))
    .slice(0, 8)
    .map((name) => name.slice(0, 64))
    .join(', ') || 'none'

/** Headers of which only the first counts. */
const single = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location
  max-forwards proxy-authorization referer retry-after server user-agent`.split(/\s+/),
)

/**
 * Makes the map of headers from their list, as Node does for a request (https://nodejs.org/api/http.html, message.headers). `raw`: names and
 * values by turns, as they came.
 */
export const joinHeaders = (raw: readonly string[]): Headers => {
  const headers: { [name: string]: string | string[] } = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    const value = raw[at + 1] as string
    const before = headers[name]
    if (name === 'set-cookie') headers[name] = [...(Array.isArray(before) ? before : []), value]
    else if (before === undefined) headers[name] = value
    else if (!single.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return { ...headers }
}
