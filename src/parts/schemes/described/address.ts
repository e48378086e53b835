/**
 * Checks the address in a signed text. It must be the configured address: otherwise a captured text could be cut into another address and
 * another body.
 */

import type { RequestHead } from '../../../core/request.ts'
import type { SignatureScheme } from '../../../generated/config.ts'
import type { Why } from '../scheme.ts'

/** Returns the names in the query that a description reads. The sender adds them to the configured address. */
export const queryNames = ({ signature, timestamp, body_digest }: SignatureScheme): ReadonlySet<string> =>
  new Set([signature?.query, timestamp?.query, body_digest?.query].filter((name) => name !== undefined))

/** No sender's address has a query of more parts. */
const maxQueryParts = 64

/** Removes the sender's own values from a query, which begins with its question mark; `undefined` for a long query. */
const restOf = (query: string, addedNames: ReadonlySet<string>): string | undefined => {
  if (addedNames.size === 0 || query === '') return query
  const parts = query.slice(1).split('&', maxQueryParts + 1)
  if (parts.length > maxQueryParts) return undefined
  const rest = parts.filter((part) => !addedNames.has(part.split('=', 1)[0] as string))
  return rest.length === 0 ? '' : `?${rest.join('&')}`
}

/**
 * Returns the reason why the query of a request is not that of the configured address, besides the values that the sender adds, or why the
 * address has a fragment. No more is compared, because the configured address stands before the query already.
 */
export const whyOtherAddress = (head: RequestHead, addedNames: ReadonlySet<string>): Why | undefined => {
  const url = head.url()
  if (url.includes('#')) return 'its address has a fragment'
  const at = url.indexOf('?')
  return restOf(at === -1 ? '' : url.slice(at), addedNames) === (head.configuredQuery ?? '')
    ? undefined
    : 'its address has another query than the configured one: where the sender was given an address with a query, say it in "public_url"'
}

/**
 * Returns an address without its port, and with its port or the standard port. Some senders sign it with a port, some without (twilio-node,
 * `lib/webhooks/webhooks.ts`).
 */
export const withAndWithoutPort = (url: string): readonly string[] => {
  const [, protocol = '', host = '', port, rest = ''] = /^(https?):\/\/([^/?#]*?)(:\d+)?([/?#].*|)$/.exec(url) ?? []
  if (protocol === '') return [url]
  return [`${protocol}://${host}${rest}`, `${protocol}://${host}${port ?? (protocol === 'https' ? ':443' : ':80')}${rest}`]
}
