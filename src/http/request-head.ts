/** Makes the RequestHead of a request, the form in which plans see a request before its body is read. */

import type { IncomingMessage } from 'node:http'
import { pathAndQueryOf } from '../core/address/path-and-query.ts'
import { joinHeaders, withoutOwnHeaders } from '../core/headers.ts'
import type { RequestHead } from '../core/request.ts'
import { clientAddress, isListedProxy } from './client.ts'
import { clientCertificate, isEncrypted } from './client-certificate.ts'

/** Drops the headers that only this program sets from a request, before anything reads its headers. */
export const dropOwnHeaders = (request: IncomingMessage): void => {
  const kept = withoutOwnHeaders(request.rawHeaders)
  if (kept === request.rawHeaders) return
  request.rawHeaders = [...kept]
  request.headers = joinHeaders(kept)
}

/**
 * Makes the head. `trust`: which proxies are trusted (`clientAddress` in client.ts). `at`: when the request came, in milliseconds since
 * 1970. Members that are costly are functions, and are worked out only when a stage calls them.
 */
export const requestHead = (request: IncomingMessage, trust: boolean | readonly string[], at: number): RequestHead => ({
  method: request.method ?? 'POST',
  url: () => senderUrl(request, trust),
  pathAndQuery: pathAndQueryOf(request.url ?? '/'),
  headers: request.headers,
  rawHeaders: request.rawHeaders,
  remote: () => clientAddress(request, trust),
  certificate: isEncrypted(request) ? () => clientCertificate(request) : noCertificate,
  isProxied: () => isListedProxy(request, trust),
  at,
})

const noCertificate = (): undefined => undefined

/** The form of a host with an optional port. A text with blanks, commas or a path does not fit. */
const hostForm = /^[\w.:[\]-]{1,255}$/

/**
 * Returns the URL that the sender posted to, for signatures that cover the URL: scheme, host and path of the request. Behind a trusted
 * proxy, `X-Forwarded-Proto` and `X-Forwarded-Host` decide scheme and host. Where a proxy rewrites the path, the URL is wrong, and
 * the operator must set `public_url`.
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
  const protocol = (forwarded('x-forwarded-proto') ?? (isEncrypted(request) ? 'https' : 'http')) === 'https' ? 'https' : 'http'
  const own = headers.host ?? ''
  const host = forwarded('x-forwarded-host') ?? (hostForm.test(own) ? own : '')
  return `${protocol}://${host}${pathAndQueryOf(url)}`
}
