/**
 * Looks a host up so that a request reaches nothing but the public net: all IP addresses of the host are checked, and the connection goes to
 * a checked one, even if the name leads elsewhere by then.
 */

import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { unlessAborted } from '../../core/turns/unless-aborted.ts'
import type { WebAccess } from './web-access.ts'

/**
 * Resolves to a stand-in for Node's resolver, which gives the IP addresses of the host that were checked; `undefined` where one of them is
 * not public, or there is none. Rejects where the name cannot be looked up, or with the reason of `signal`.
 */
export const publicLookup = async (hostname: string, access: WebAccess, signal: AbortSignal): Promise<LookupFunction | undefined> => {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await unlessAborted(access.resolve(host), signal) : [host]
  return addresses.length > 0 && addresses.every((ip) => access.isPublic(ip)) ? pinnedTo(addresses) : undefined
}

const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, { all }, done) => {
    const [first] = found
    if (all || !first) done(null, found)
    else done(null, first.address, first.family)
  }
}
