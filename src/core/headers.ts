/** Reads headers of requests, whose names are in lower case. */

import type { Headers } from './request.ts'

const ofConnection = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|keep-alive|te|trailer|upgrade)$/i

/** Whether a header says how the bytes came and not what they are, or is one that every client writes itself. */
export const isOfConnection = (name: string): boolean => ofConnection.test(name)

/**
 * A header's text under the first of these names that is there. Node joins a repeated header with a comma and a blank. What runs for each
 * request reads its headers here: `headers.host` would be compiled for one hidden class of headers, which the next full collection throws away.
 */
export const header = (headers: Headers, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = headers[name]
    // Of its own: a configuration may name any header, and every object inherits a "constructor".
    if (value !== undefined && Object.hasOwn(headers, name)) return typeof value === 'string' ? value : value.join(', ')
  }
  return undefined
}

/** The names, not the values, of headers that look like a signature: what an operator compares with the sender's settings. */
export const signatureHeaders = (headers: Headers): string =>
  Object.keys(headers)
    .filter((name) => /sign|token|hmac|digest|auth/.test(name))
    .slice(0, 8)
    .map((name) => name.slice(0, 64))
    .join(', ') || 'none'
