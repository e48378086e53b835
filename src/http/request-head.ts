/** A request as plans see it before its body is read. */

import type { IncomingMessage } from 'node:http'
import type { RequestHead } from '../core/request.ts'
import { clientAddress, isListedProxy } from './client.ts'

/** `at`: wall time, milliseconds. What costs more than a look is worked out when it is asked for. */
export const requestHead = (request: IncomingMessage, trust: boolean | readonly string[], at: number): RequestHead => ({
  method: request.method ?? 'POST',
  url: () => senderUrl(request, trust),
  headers: request.headers,
  rawHeaders: request.rawHeaders,
  remote: () => clientAddress(request, trust),
  isProxied: () => isListedProxy(request, trust),
  at,
})

/** What may stand for where it was asked: no blanks, no further address, no part of a path or body. */
const hostForm = /^[\w.:[\]-]{1,255}$/

/**
 * The address as the sender sees it, for signatures that cover it: host and path of the request, over http; behind a trusted proxy what `X-Forwarded-Proto` and `X-Forwarded-Host` say. A proxy that
 * rewrites the path makes `public_url` necessary.
 */
const senderUrl = (request: IncomingMessage, trust: boolean | readonly string[]): string => {
  const { headers, url = '/' } = request
  const isTrusted = trust === true || isListedProxy(request, trust)
  const said = (name: string): string | undefined => {
    const last = isTrusted
      ? String(headers[name] ?? '')
          .split(',')
          .at(-1)
          ?.trim()
      : undefined
    return last !== undefined && hostForm.test(last) ? last : undefined
  }
  const protocol = said('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const own = headers.host ?? ''
  const host = said('x-forwarded-host') ?? (hostForm.test(own) ? own : '')
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1] ?? url
  return `${protocol}://${host}${path}`
}
