/** Asks all replicas of a shared store for a reload. Each replica sees the request with its next beat. */

import { randomUUID } from 'node:crypto'
import type { Shared } from '../../store/shared.ts'

/** Returns the ids of the replicas that were asked. Rejects with a StoreFault where the store does not answer. */
export const askReload = (shared: Shared, { force = false }: { readonly force?: boolean } = {}): Promise<readonly string[]> =>
  shared.askReload({ request: randomUUID(), force })
