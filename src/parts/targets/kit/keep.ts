/** What targets keep from one text to the next: it lives as long as the sender's owner, and is let go with it. */

import type { Keep } from '../target.ts'

export const createKeep = (): Keep => {
  const kept = new Map<() => unknown, unknown>()
  return {
    of<T>(make: () => T): T {
      if (!kept.has(make)) kept.set(make, make())
      return kept.get(make) as T
    },
  }
}
