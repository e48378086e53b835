/**
 * Reads and checks the address of a request where the signed text has the address. The query of the request, without the values that the
 * sender adds, must equal the query of the configured address: otherwise a stranger could cut a captured signed text at another place, into
 * another address and another body.
 */

import { maxQueryParts } from '../../../core/address/path-and-query.ts'
import type { RequestHead } from '../../../core/request.ts'
import type { SignatureScheme } from '../../../generated/config.ts'
import type { RefusalReason } from '../scheme.ts'
import type { RequestView } from './request-view.ts'

/** Returns the names of the query's values that a description reads. The sender adds these values to the configured address. */
export const addedQueryNames = ({ signature, timestamp, body_digest }: SignatureScheme): ReadonlySet<string> =>
  new Set([signature?.query, timestamp?.query, body_digest?.query].filter((name) => name !== undefined))

/** Returns a query, with its question mark, without the parts that the sender adds; `undefined` for a query of too many parts. */
const queryWithout = (query: string, addedNames: ReadonlySet<string>): string | undefined => {
  if (addedNames.size === 0 || query === '') return query
  const parts = query.slice(1).split('&', maxQueryParts + 1)
  if (parts.length > maxQueryParts) return undefined
  const rest = parts.filter((part) => !addedNames.has(part.split('=', 1)[0] as string))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}

/**
 * Returns the reason why the address of a request is refused: it has a fragment, or its query, without the values that the sender adds, is
 * not the query of the configured address. `undefined` where the address passes. The part before the query is not compared: `head.url()`
 * takes it from the configured address, or it ends with the path of the route.
 */
export const whyOtherAddress = (head: RequestHead, addedNames: ReadonlySet<string>): RefusalReason | undefined => {
  const url = head.url()
  if (url.includes('#')) return 'its address has a fragment'
  const at = url.indexOf('?')
  return queryWithout(at === -1 ? '' : url.slice(at), addedNames) === (head.configuredQuery ?? '')
    ? undefined
    : 'its address has another query than the configured one: where the sender was given an address with a query, say it in "public_url"'
}

/**
 * Returns two spellings of an address: without its port, and with its port or the standard port. Some senders sign the address with a port,
 * some without (twilio-node, `lib/webhooks/webhooks.ts`).
 */
const withAndWithoutPort = (url: string): readonly string[] => {
  const [, protocol = '', host = '', port, rest = ''] = /^(https?):\/\/([^/?#]*?)(:\d+)?([/?#].*|)$/.exec(url) ?? []
  if (protocol === '') return [url]
  return [`${protocol}://${host}${rest}`, `${protocol}://${host}${port ?? (protocol === 'https' ? ':443' : ':80')}${rest}`]
}

/** The most bytes of a body for which two addresses are tried. Senders that spell their address in several ways sign no longer body. */
const maxRewritten = 65_536

/** Returns views of a request, one for each address that the sender may have signed: with `port: either` there are two. */
export const withEachAddress = ({ port }: SignatureScheme, request: RequestView): readonly RequestView[] =>
  port === 'either' && request.body.bytes.length <= maxRewritten
    ? withAndWithoutPort(request.head.url()).map((url) => ({ ...request, head: { ...request.head, url: () => url } }))
    : [request]
