/**
 * Decides which requests with a refused signature are kept (`keep_refused`), to verify them again later, and bounds their bytes.
 */

import { type Clock, hourMs } from '../core/clock.ts'
import type { KeptRefusal, RequestEnded } from '../core/facts/fact.ts'
import { inDecidingOrder } from '../parts/deciding-order.ts'
import { checkedWith } from '../plan/route-schemes.ts'
import { servedAs } from '../plan/table.ts'
import type { LiveConfig } from './live-config.ts'

/** The most bytes in an hour, over all routes: posts with a wrong signature must not push other records out. */
const maxBytes = 4 * 1024 * 1024

/** The bytes that refused requests may still take in this hour. */
export interface KeptBudget {
  /** Takes `bytes` bytes from the budget. `false`: fewer are left, and nothing is taken. */
  take(bytes: number): boolean
}

export const createKeptBudget = (clock: Pick<Clock, 'monotonic'>): KeptBudget => {
  let from = clock.monotonic()
  let left = maxBytes
  return {
    take(bytes) {
      if (clock.monotonic() - from >= hourMs) {
        from = clock.monotonic()
        left = maxBytes
      }
      if (bytes > left) return false
      left -= bytes
      return true
    },
  }
}

/**
 * Returns the part of a refused request that is kept; `undefined` where its route keeps no refused requests, its body was not read, the
 * budget has too few bytes left, no scheme of the route recognises its headers, or the scheme forbids keeping, because its requests may
 * hold a secret or are signed only in part.
 */
export const refusalToKeep = (
  { route, ended: { unverified } }: Pick<RequestEnded, 'route' | 'ended'>,
  { table, catalogue }: LiveConfig,
  budget: KeptBudget,
): KeptRefusal | undefined => {
  const source = route && servedAs(table, route.name)?.source
  if (source?.spec.keep_refused !== 'signature' || unverified?.body === undefined) return undefined
  const { pathAndQuery = '', headers, body } = unverified
  const decided = inDecidingOrder(checkedWith(source, catalogue)).find(({ shows }) => shows(headers))
  if (!decided?.signatureIn) return undefined
  const address = decided.signatureIn.address ? unverified.url() : ''
  if (!budget.take(body.length + address.length + pathAndQuery.length + JSON.stringify(headers).length)) return undefined
  return { body, signedIn: decided.signatureIn.headers, address, isProxied: unverified.isProxied() }
}
