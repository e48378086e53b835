/** Fetches the public keys of senders, with limits for each client, so that no client can use up the fetches of other clients. */

import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import { networkOf } from '../core/network.ts'
import type { Effects } from '../parts/effects.ts'
import type { FetchedKey, KeptKeys, KeyRequest, SenderKeys } from '../parts/sender-keys.ts'

/** The time for which further requests get the result of a fetch, and for which the fetch counts against the limits, in milliseconds. */
const spanMs = 30_000
/** The most fetches within `spanMs` of addresses that requests name: of all clients, and of one client. */
const maxFetches = 64
const maxOfClient = 4
/** The most fetches under way. Addresses that requests name and addresses in the configuration are counted apart. */
const maxFetchesAtOnce = 8
/** The most requests that wait for keys, of all clients and of one client. Each request holds its body in memory meanwhile. */
const maxWaiting = 64
const maxWaitingOfClient = 16

type NoKeyYet = { readonly later: string }

/** A fetch, from its start until it is no longer valid. */
type Fetch = Pick<KeyRequest, 'isNamedByRequest'> & {
  readonly network: string
  /** Monotonic time of its start, in milliseconds. */
  readonly since: number
  readonly result: Promise<FetchedKey | NoKeyYet>
  isUnderWay: boolean
}

type SenderKeysOptions = {
  readonly clock: Clock
  readonly download: Effects['download']
  readonly kept: () => KeptKeys
}

export const createSenderKeys = ({ clock, download, kept }: SenderKeysOptions): SenderKeys => {
  const fetches = createFetches({ clock, download })
  const waiting = createWaitingRoom()
  return {
    // `kept()` is called at each use, because requests may be checked before the gateway has opened its kept keys.
    kept: { get: (address) => kept().get(address), put: (address, key) => kept().put(address, key) },
    async fetchKey(address, request) {
      const known = fetches.validFetch(address)
      if (known && !known.isUnderWay) return { ...(await known.result), isAwaited: false }
      const network = networkOf(request.client)
      if (!waiting.hasRoom(network)) return { later: 'too many requests wait for keys of senders' }
      const why = known ? undefined : fetches.whyNotBegun(request, network)
      if (why !== undefined) return { later: why }
      const { result } = known ?? fetches.begin(address, request, network)
      return { ...(await waiting.hold(network, result)), isAwaited: true }
    },
  }
}

/** Makes and remembers fetches. Their times are monotonic, so that a jump of the system clock ends or prolongs no limit. */
const createFetches = ({ clock, download }: Pick<SenderKeysOptions, 'clock' | 'download'>) => {
  const fetches = new Map<string, Fetch>()
  const isValid = ({ isUnderWay, since }: Fetch): boolean => isUnderWay || clock.monotonic() - since < spanMs

  const validFetch = (address: string): Fetch | undefined => {
    const fetch = fetches.get(address)
    return fetch && isValid(fetch) ? fetch : undefined
  }
  /** Forgets fetches that are no longer valid. Returns the reason why no further fetch may begin; `undefined` where it may. */
  const whyNotBegun = ({ isNamedByRequest }: KeyRequest, network: string): string | undefined => {
    for (const [address, fetch] of fetches) if (!isValid(fetch)) fetches.delete(address)
    const alike = [...fetches.values()].filter((fetch) => fetch.isNamedByRequest === isNamedByRequest)
    if (alike.filter(({ isUnderWay }) => isUnderWay).length >= maxFetchesAtOnce) return 'too many keys are fetched at once'
    // The configuration bounds the number of its addresses.
    if (!isNamedByRequest) return undefined
    if (alike.length >= maxFetches) return 'too many new addresses of keys in half a minute'
    const own = alike.filter((fetch) => fetch.network === network).length
    return own >= maxOfClient ? 'too many new addresses of keys from this client in half a minute' : undefined
  }
  const begin = (address: string, { maxBytes, isNamedByRequest }: KeyRequest, network: string): Fetch => {
    const at = clock.now()
    const load = async (): Promise<FetchedKey | NoKeyYet> => {
      try {
        return { bytes: await download(address, maxBytes), at }
      } catch (error) {
        return { later: `the fetch failed: ${messageOf(error)}` }
      } finally {
        fetch.isUnderWay = false
      }
    }
    // `load` begins a moment later, when `fetch` is set, because `load` writes to `fetch` at its end.
    const fetch: Fetch = { network, isNamedByRequest, since: clock.monotonic(), result: Promise.resolve().then(load), isUnderWay: true }
    fetches.set(address, fetch)
    return fetch
  }
  return { validFetch, whyNotBegun, begin }
}

/** Counts the waiting requests by the networks of their clients. */
const createWaitingRoom = () => {
  const counts = new Map<string, number>()
  let all = 0
  const add = (network: string, more: number): void => {
    all += more
    const count = (counts.get(network) ?? 0) + more
    if (count > 0) counts.set(network, count)
    else counts.delete(network)
  }
  return {
    hasRoom: (network: string): boolean => all < maxWaiting && (counts.get(network) ?? 0) < maxWaitingOfClient,
    async hold<T>(network: string, work: Promise<T>): Promise<T> {
      add(network, 1)
      try {
        return await work
      } finally {
        add(network, -1)
      }
    },
  }
}
