/** Reads the headers of requests. The names of headers are in lower case. */

import type { Headers } from './request.ts'

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
