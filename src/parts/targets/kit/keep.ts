/** What targets keep from one text to the next: it lives as long as the sender's owner, and is let go with it. */

import type { Adopt, Closable } from '../../../core/owner.ts'
import type { Keep } from '../target.ts'

/** `adopt` closes what it is given when the keep ends. */
export const createKeep = (adopt: Adopt): Keep => {
  const kept = new Map<() => unknown, unknown>()
  return {
    of<T>(make: () => Closable<T>): T {
      if (!kept.has(make)) kept.set(make, adopt(make()))
      return kept.get(make) as T
    },
  }
}
