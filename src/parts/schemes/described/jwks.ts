/** Fetches and remembers the keys that a sender publishes as a JWKS (RFC 7517, 5), and finds a key by its id. */

import type { KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../../core/json.ts'
import type { FetchedKey, SenderKeys } from '../../sender-keys.ts'
import { jwkKey } from './keys.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { jwksAddress } from './sender-address.ts'

/** The time for which fetched keys are used without asking again, in milliseconds: an hour. */
const freshMs = 3_600_000
/**
 * The longest time for which the keys that were fetched last are used while newer keys cannot be fetched, in milliseconds: a week. A key
 * that the sender has withdrawn must not be valid for ever.
 */
const maxAgeMs = 7 * 24 * freshMs
const maxKeys = 64
const maxBytes = 262_144

type Keys = ReadonlyMap<string, KeyObject>

/** Makes the keys of one JWKS, for one route. `url`: the configured address of the keys. */
export const createJwks = (url: string, { fetchKey, kept }: SenderKeys): RemoteKeys => {
  const address = jwksAddress(url)
  let latest: { readonly keys: Keys; readonly fetched: FetchedKey } | undefined
  /** Whether the present keys are kept over restarts. */
  let isKept = false

  /** Replaces the present keys by the keys that were fetched, unless there is no usable key among the fetched ones. */
  const take = (fetched: FetchedKey): void => {
    // Several requests may share one fetch, so its bytes may be known already.
    if (latest?.fetched.bytes === fetched.bytes) return
    const keys = keysInJwks(fetched.bytes.toString('utf8'))
    if (keys.size === 0) return
    latest = { keys, fetched }
    // Kept keys are replaced, too: a key that the sender has withdrawn must not be valid after a restart.
    if (isKept) kept.put(address, fetched)
  }
  const takeKept = (): void => {
    const fetched = kept.get(address)
    if (fetched) take(fetched)
    isKept = latest !== undefined
  }
  /** Returns the key with this id, where the latest keys were fetched less than `ms` milliseconds before or after the time `at`. */
  const keyWithin = (ms: number, kid: string, at: number): KeyObject | undefined =>
    latest && Math.abs(at - latest.fetched.at) < ms ? latest.keys.get(kid) : undefined

  return {
    find(kid, { at, remote }) {
      if (!latest) takeKept()
      const key = keyWithin(freshMs, kid, at)
      if (key) return key
      return fetchKey(address, { client: remote(), maxBytes, isNamedByRequest: false }).then((answer) => {
        if ('bytes' in answer) take(answer)
        // While no newer keys can be fetched, the keys that were fetched last are used, for at most a week.
        const last = keyWithin(maxAgeMs, kid, at)
        if (last) return last
        if ('later' in answer) return { later: `the keys of ${url} cannot be had now: ${answer.later}` }
        if (latest?.fetched.bytes !== answer.bytes) return { later: `${url} has no keys that can be used` }
        if (answer.isAwaited) return `${url} has no key with the id that the token names`
        return {
          later: `${url} was asked a moment ago and had no key with the id that the token names: it may have one when it is asked again`,
        }
      })
    },
    noteVerified() {
      if (isKept || !latest) return
      isKept = true
      kept.put(address, latest.fetched)
    },
  }
}

/** Parses a JWKS to its public keys by their ids. A key that cannot be used is left out. */
const keysInJwks = (text: string): Keys => {
  const listed = parseObject(text)?.keys
  const keys = new Map<string, KeyObject>()
  for (const jwk of Array.isArray(listed) ? listed.slice(0, maxKeys) : []) {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) continue
    const key = jwkKey(jwk)
    if (key) keys.set(typeof jwk.kid === 'string' ? jwk.kid : '', key)
  }
  return keys
}
