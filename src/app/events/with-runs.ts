/** Gives access to dead runs, to start them again: through the running gateway, or through a shared store. */

import { revivedLine } from '../../journal/shared/revived-line.ts'
import { standingsOfStore } from '../open-records.ts'
import type { GatewayFinder, RunningGateway } from '../running-gateway.ts'
import { attachStore } from '../shared-store/attach-store.ts'
import type { Workspace } from '../workspace.ts'

export type DeadRuns = Pick<RunningGateway, 'standings' | 'retry'>

/**
 * Lets `use` work with the running gateway; where no gateway runs here, with the shared store. Throws a Fault (exit 4) where there is no
 * gateway and no shared store.
 */
export const withRuns = async <T>(workspace: Workspace, finder: GatewayFinder, use: (runs: DeadRuns) => Promise<T>): Promise<T> => {
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
    })
  } finally {
    await store.close()
  }
}
