/** The keys of a JWKS (RFC 7517, 5) by their ids. */

import type { KeyObject } from 'node:crypto'
import { isObject, parseObject } from '../../../core/json.ts'
import type { FetchedKey, SenderKeys } from '../../sender-keys.ts'
import { jwkKey } from './keys.ts'
import type { RemoteKeys } from './remote-keys.ts'
import { jwksAddress } from './sender-address.ts'

const hourMs = 3_600_000
/** How long the last keys are used while newer keys cannot be fetched: a key that the sender has withdrawn must not be valid for ever. */
const longestMs = 7 * 24 * hourMs
const maxKeys = 64
const maxBytes = 262_144

type Keys = ReadonlyMap<string, KeyObject>

/** `url`: the configured address of the keys. */
export const createJwks = (url: string, { fetch, kept }: SenderKeys): RemoteKeys => {
  const address = jwksAddress(url)
  let latest: { readonly keys: Keys; readonly from: FetchedKey } | undefined
  let isKept = false

  /** Replaces the known keys with those of an answer, unless the answer has no usable key. */
  const take = (from: FetchedKey): void => {
    // One fetch answers all requests for a while.
    if (latest?.from.bytes === from.bytes) return
    const keys = keysInJwks(from.bytes.toString('utf8'))
    if (keys.size === 0) return
    latest = { keys, from }
    // A key that the sender has withdrawn must not be valid after a restart.
    if (isKept) kept.put(address, from)
  }
  const takeKept = (): void => {
    const from = kept.get(address)
    if (from) take(from)
    isKept = latest !== undefined
  }
  const keyWithin = (ms: number, kid: string, at: number): KeyObject | undefined =>
    latest && Math.abs(at - latest.from.at) < ms ? latest.keys.get(kid) : undefined

  return {
    find(kid, { at, remote }) {
      if (!latest) takeKept()
      const key = keyWithin(hourMs, kid, at)
      if (key) return key
      return fetch(address, { client: remote(), maxBytes, isNamedByRequest: false }).then((answer) => {
        if ('bytes' in answer) take(answer)
        // While keys cannot be fetched, the last keys still verify their sender.
        const last = keyWithin(longestMs, kid, at)
        if (last) return last
        if ('later' in answer) return { later: `the keys of ${url} cannot be had now: ${answer.later}` }
        if (latest?.from.bytes !== answer.bytes) return { later: `${url} has no keys that can be used` }
        if (answer.isAwaited) return `${url} has no key with the id that the token names`
        return {
          later: `${url} was asked a moment ago and had no key with the id that the token names: it may have one when it is asked again`,
        }
      })
    },
    hasVerified() {
      if (isKept || !latest) return
      isKept = true
      kept.put(address, latest.from)
    },
  }
}

const keysInJwks = (text: string): Keys => {
  const listed = parseObject(text)?.keys
  const keys = new Map<string, KeyObject>()
  for (const jwk of Array.isArray(listed) ? listed.slice(0, maxKeys) : []) {
    if (!isObject(jwk) || (jwk.use !== undefined && jwk.use !== 'sig')) continue
    const key = jwkKey(jwk)
    if (key && key.type === 'public') keys.set(typeof jwk.kid === 'string' ? jwk.kid : '', key)
  }
  return keys
}
