/** Keeps what targets need from one text to the next, for as long as the owner behind `adopt` lives. */

import type { Adopt, Closable } from '../../core/owner.ts'
import type { Keep } from '../targets/target.ts'

/** Makes a keep. `adopt` closes everything that was kept, when its owner is closed. */
export const createKeep = (adopt: Adopt): Keep => {
  const kept = new Map<() => unknown, unknown>()
  return {
    of<T>(make: () => Closable<T>): T {
      if (!kept.has(make)) kept.set(make, adopt(make()))
      return kept.get(make) as T
    },
  }
}
