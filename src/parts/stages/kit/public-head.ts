/** The address that a sender signed, where a proxy in front of the gateway gives the request another address. */

import type { RequestHead } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import type { StageKit } from '../stage.ts'

/** Replaces the request's address with the configured address, and keeps the query. `undefined` where no address is configured. */
export const publicHead = ({ public_url }: Route, { path, adapter }: StageKit): ((head: RequestHead) => RequestHead) | undefined => {
  const whole = public_url ?? (adapter.public_url === undefined ? undefined : `${adapter.public_url.replace(/\/+$/, '')}${path}`)
  if (whole === undefined) return undefined
  const [, base = '', configuredQuery = ''] = /^([^?]*)(\?.*)?$/.exec(whole) ?? []
  return (head) => ({ ...head, configuredQuery, url: () => `${base}${/[?#].*$/.exec(head.url())?.[0] ?? ''}` })
}
