/** Keys of senders that verified requests, in memory, and bounded. */

import type { FetchedKey, KeptKeys } from '../../parts/sender-keys.ts'

const maxKeys = 128
const maxBytes = 4_194_304
/** The same bytes are kept anew only when so much time has passed: whoever judges their age may have them fetched once too often. */
const sameForMs = 3_600_000

/** Is told what changes, in its order: a key, or `undefined` for one that is kept no more. It never throws. */
export type KeyChange = (address: string, key: FetchedKey | undefined) => void

/** `first`: what is kept already, the oldest first. */
export const createKeptKeys = (
  first: Iterable<readonly [address: string, key: FetchedKey]> = [],
  changed: KeyChange = () => {},
): KeptKeys => {
  /** The one that was kept last stands last. */
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
