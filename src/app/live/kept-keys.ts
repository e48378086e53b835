/** The keys of senders that verified requests, in memory and bounded. */

import type { FetchedKey, KeptKeys } from '../../parts/sender-keys.ts'

const maxKeys = 128
const maxBytes = 4_194_304
/**
 * Equal bytes replace a kept key only when it is older than this. So the kept time may be too early, and at worst the key is fetched once
 * too often.
 */
const sameForMs = 3_600_000

/** Takes each change, in order: a key, or `undefined` for a key that is no longer kept. Never throws. */
export type KeyChange = (address: string, key: FetchedKey | undefined) => void

/** `first`: the keys that are kept already, oldest first. */
export const createKeptKeys = (
  first: Iterable<readonly [address: string, key: FetchedKey]> = [],
  changed: KeyChange = () => {},
): KeptKeys => {
  /** In the order in which they were kept, the latest last. */
  const keys = new Map<string, FetchedKey>()
  let bytes = 0
  const forget = (address: string): void => {
    bytes -= keys.get(address)?.bytes.length ?? 0
    keys.delete(address)
  }
  const keep = (address: string, key: FetchedKey): void => {
    forget(address)
    keys.set(address, key)
    bytes += key.bytes.length
    for (const oldest of keys.keys()) {
      if (keys.size <= maxKeys && bytes <= maxBytes) return
      forget(oldest)
      changed(oldest, undefined)
    }
  }
  for (const [address, key] of first) keep(address, key)
  return {
    get: (address) => keys.get(address),
    put(address, key) {
      const before = keys.get(address)
      const isSame = before?.bytes.equals(key.bytes) === true && Math.abs(key.at - before.at) < sameForMs
      keep(address, isSame ? before : key)
      if (!isSame) changed(address, key)
    },
  }
}
