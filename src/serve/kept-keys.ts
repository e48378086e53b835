/** Keeps the public keys of senders in memory, up to a bound. Each kept key has verified a request of its sender. */

import type { FetchedKey, KeptKeys } from '../parts/sender-keys.ts'

const maxKeys = 128
/** The most bytes of all kept keys together. */
const maxBytes = 4_194_304
/**
 * A key that is fetched again within this time, in milliseconds, with equal bytes counts as the same key, so that no change is reported. It
 * keeps its earlier time. At worst it then expires too early, and is fetched once too often.
 */
const sameForMs = 3_600_000

/**
 * Called for each change of the kept keys, in order. `key`: the new key of the address; `undefined`: the key of the address was dropped.
 * Must not throw.
 */
export type KeyChange = (address: string, key: FetchedKey | undefined) => void

/**
 * Creates the kept keys. `first`: the keys to begin with, oldest first. `changed`: called for each change, and for each key of `first` that
 * is dropped.
 */
export const createKeptKeys = (
  first: Iterable<readonly [address: string, key: FetchedKey]> = [],
  changed: KeyChange = () => {},
): KeptKeys => {
  /** The key of each address, in the order in which the keys were put, the latest last. */
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
