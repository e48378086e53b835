/** Gives a command access to runs, to start dead runs again or to cancel runs: through the running gateway, or through a shared store. */

import { attachStore } from '../../../datadir/attach-store.ts'
import { standingsOfStore } from '../../../datadir/records/open-records.ts'
import type { GatewayFinder, RunningGateway } from '../../../datadir/running-gateway.ts'
import type { Workspace } from '../../../datadir/workspace.ts'
import { revivedLine } from '../../../journal/record.ts'

/** The operations that look for runs, start dead runs again, and cancel runs. */
export type RunOperations = Pick<RunningGateway, 'standings' | 'retry' | 'cancel'>

/**
 * Calls `use` with the operations of the running gateway; where no gateway runs on the data directory, with those of the shared store.
 * Throws a Fault (exit 4) where there is neither.
 */
export const withRuns = async <T>(workspace: Workspace, finder: GatewayFinder, use: (runs: RunOperations) => Promise<T>): Promise<T> => {
  const gateway = await finder.find()
  const store = gateway ? undefined : await attachStore(workspace, 'change')
  if (!store) return use(gateway ?? (await finder.need()))
  try {
    return await use({
      standings: standingsOfStore(store),
      async retry({ id }) {
        const retried = await store.revive(id)
        if (retried) await store.shared.records.add(revivedLine(id, Date.now()), 1, Buffer.alloc(0))
        return { retried }
      },
      // A gateway that takes the run records its end.
      cancel: async ({ id }) => ({ result: await store.cancel(id) }),
    })
  } finally {
    await store.close()
  }
}
