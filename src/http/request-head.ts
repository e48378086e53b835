/** Makes the RequestHead of a request, before its body is read. */

import type { IncomingMessage } from 'node:http'
import type { RequestHead } from '../core/request.ts'
import { clientAddress, isListedProxy } from './client.ts'

/** Makes the head. `at`: wall time, milliseconds. Members that are costly are worked out only when they are asked for. */
export const requestHead = (request: IncomingMessage, trust: boolean | readonly string[], at: number): RequestHead => ({
  method: request.method ?? 'POST',
  url: () => senderUrl(request, trust),
  headers: request.headers,
  rawHeaders: request.rawHeaders,
  remote: () => clientAddress(request, trust),
  isProxied: () => isListedProxy(request, trust),
  at,
})

/** A host with an optional port: no blanks, no second address, no path. */
const hostForm = /^[\w.:[\]-]{1,255}$/

/**
 * Returns the address as the sender sees it, for signatures that cover it: host and path of the request, over http. Behind a trusted proxy,
 * `X-Forwarded-Proto` and `X-Forwarded-Host` count. Where a proxy rewrites the path, `public_url` is necessary.
 */
const senderUrl = (request: IncomingMessage, trust: boolean | readonly string[]): string => {
  const { headers, url = '/' } = request
  const isTrusted = trust === true || isListedProxy(request, trust)
  const forwarded = (name: string): string | undefined => {
    const last = isTrusted
      ? String(headers[name] ?? '')
          .split(',')
          .at(-1)
          ?.trim()
      : undefined
    return last !== undefined && hostForm.test(last) ? last : undefined
  }
  const protocol = forwarded('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const own = headers.host ?? ''
  const host = forwarded('x-forwarded-host') ?? (hostForm.test(own) ? own : '')
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url
  return `${protocol}://${host}${path}`
}
