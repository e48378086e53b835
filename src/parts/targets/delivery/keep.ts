/** Keeps the values that a target uses for more than one text, for example access tokens and connections. */

import type { Adopt, Closable } from '../../../core/scope.ts'
import type { Keep } from '../target.ts'

/** Makes the `keep` of a target's kit. `adopt` hands a kept value to a scope, which closes the value at its own end. */
export const createKeep = (adopt: Adopt): Keep => {
  const kept = new Map<() => unknown, unknown>()
  return {
    of<T>(make: () => Closable<T>): T {
      if (!kept.has(make)) kept.set(make, adopt(make()))
      return kept.get(make) as T
    },
  }
}
