/** Watches the traffic of all gateways on a shared store, for a command on a machine where no gateway runs. */

import { systemClock } from '../../core/clock.ts'
import { attachStore } from '../../datadir/attach-store.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { createTails, type TailLines } from '../../serve/tails.ts'
import type { TrafficFilter } from '../../serve/traffic.ts'

/**
 * Begins to watch, and returns the lines of traffic from now on; `undefined` where the store is not shared. `perSecond`: the most requests
 * and attempts a second, if bounded. Throws a Fault where the store cannot be opened.
 */
export const tailStore = async (workspace: Workspace, filter: TrafficFilter, perSecond?: number): Promise<TailLines | undefined> => {
  const store = await attachStore(workspace, 'read')
  if (!store) return undefined
  // The gateways removed the secrets when they wrote the records.
  const tails = createTails({ clock: systemClock, redact: (text) => text, others: store.shared.records })
  const lines = tails.open(filter, perSecond)
  await tails.begun()
  const tail: TailLines = {
    next: () => lines.next(),
    async return() {
      await lines.return?.()
      await store.close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => tail,
  }
  return tail
}
