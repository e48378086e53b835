/** Gives a request the address that its sender signed, where a proxy in front of the gateway hands the request on to another address. */

import type { RequestHead } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import type { StageKit } from '../stage.ts'

/**
 * Makes the function that replaces a request's address by the configured address (`public_url` of the route, else of the adapter with the
 * path of the route). The query of the request stays in the address, and the configured query goes to `configuredQuery`. `undefined` where
 * no address is configured.
 */
export const publicHead = ({ public_url }: Route, { path, adapter }: StageKit): ((head: RequestHead) => RequestHead) | undefined => {
  const whole = public_url ?? (adapter.public_url === undefined ? undefined : `${adapter.public_url.replace(/\/+$/, '')}${path}`)
  if (whole === undefined) return undefined
  const [, base = '', configuredQuery = ''] = /^([^?]*)(\?.*)?$/.exec(whole) ?? []
  return (head) => ({ ...head, configuredQuery, url: () => `${base}${/[?#].*$/.exec(head.url())?.[0] ?? ''}` })
}
