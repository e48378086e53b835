/** The address that a sender signed, where a proxy in front makes it another one than the request says. */

import type { RequestHead } from '../../../core/request.ts'
import type { Route } from '../../../generated/config.ts'
import type { StageKit } from '../stage.ts'

/** Puts the configured address in the place of the request's, whose query stays; `undefined` where none is configured. */
export const publicHead = ({ public_url }: Route, { path, adapter }: StageKit): ((head: RequestHead) => RequestHead) | undefined => {
  const whole = public_url ?? (adapter.public_url === undefined ? undefined : `${adapter.public_url.replace(/\/+$/, '')}${path}`)
  if (whole === undefined) return undefined
  const [, base = '', ownQuery = ''] = /^([^?]*)(\?.*)?$/.exec(whole) ?? []
  return (head) => ({ ...head, ownQuery, url: () => `${base}${/[?#].*$/.exec(head.url())?.[0] ?? ''}` })
}
