/** Reads the headers of requests. Their names are in lower case. */

import type { Headers } from './request.ts'

const ofConnection = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|te|trailer|upgrade)$/i

/** Whether a header is about the transport of the bytes, or is a header that every client sets itself. */
export const isOfConnection = (name: string): boolean => ofConnection.test(name)

/**
 * Returns the first of these headers that is present; `undefined` where none is. Node joins a repeated header with a comma and a blank. The
 * code of the hot path reads headers through this function: V8 would compile `headers.host` for one hidden class of headers, and throw that
 * code away at the next full collection.
 */
export const header = (headers: Headers, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = headers[name]
    // Only own properties count: a configuration may name any header, and every object inherits a "constructor".
    if (value !== undefined && Object.hasOwn(headers, name)) return typeof value === 'string' ? value : value.join(', ')
  }
  return undefined
}

/** Returns the names of headers that look like a signature, without their values. An operator compares them with the sender's settings. */
export const signatureHeaders = (headers: Headers): string =>
  Object.keys(headers)
    .filter((name) => /sign|token|hmac|digest|auth/.test(name))
    .slice(0, 8)
    .map((name) => name.slice(0, 64))
    .join(', ') || 'none'
