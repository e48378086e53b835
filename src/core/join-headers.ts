/** Makes the map of headers from their list, as Node does for a request (https://nodejs.org/api/http.html, message.headers). */

import type { Headers } from './request.ts'

/** Headers of which only the first counts. */
const single = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location
  max-forwards proxy-authorization referer retry-after server user-agent`.split(/\s+/),
)

/** `raw`: names and values by turns, as they came. */
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
