/** Reads the state of the running gateway, and of all replicas of a shared store. */

import { systemClock } from '../../core/clock.ts'
import { sharedConfig, withShared } from '../../datadir/attach-store.ts'
import { readReplicas } from '../../datadir/replica-view.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Replica, Status } from '../../generated/control.ts'
import { type ReplicaProblem, replicaProblems } from '../../serve/replicas/replica-problems.ts'

/**
 * The state of a gateway. `status`: absent where no gateway runs on the data directory. `replicas`: absent for a store of one gateway,
 * `null` where the store does not answer. `problems`: what is wrong with the replicas.
 */
export type GatewayStatus = {
  readonly status?: Status
  readonly replicas?: readonly Replica[] | null
  readonly problems: readonly ReplicaProblem[]
}

/**
 * Asks the gateway of the data directory; where no gateway runs there, asks the shared store for its replicas. Throws a Fault (exit 4)
 * where there is neither a gateway nor a replica.
 */
export const readStatus = async (finder: GatewayFinder, workspace: Workspace): Promise<GatewayStatus> => {
  const status = await (await finder.find())?.status()
  if (status) return { status, ...withProblems(status.replicas) }
  const config = await sharedConfig(workspace)
  const replicas = config && (await withShared(config, 'read', (shared) => readReplicas(shared, systemClock.now())))
  if (replicas && replicas.length > 0) return withProblems(replicas)
  return { status: await (await finder.need()).status(), problems: [] }
}

const withProblems = (replicas: GatewayStatus['replicas']): Omit<GatewayStatus, 'status'> => ({
  ...(replicas === undefined ? {} : { replicas }),
  problems: replicas ? replicaProblems(replicas, systemClock.now()) : [],
})
