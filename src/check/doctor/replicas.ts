/**
 * Checks whether the replicas of a shared store have the same configuration and version, agree about the time, and send their heartbeats
 * regularly.
 */

import { systemClock } from '../../core/clock.ts'
import { sharedConfig, withShared } from '../../datadir/attach-store.ts'
import { type Check, type CheckInput, ok, warn } from '../../datadir/check.ts'
import { readReplicas } from '../../datadir/replica-view.ts'
import { replicaProblems } from '../../serve/replicas/replica-problems.ts'

const name = 'replicas'

/**
 * Asks the running gateway for the replicas; where no gateway runs, asks the store. A store that does not answer gives no check here,
 * because `checkStore` reports it.
 */
export const checkReplicas = async ({ workspace, status }: CheckInput): Promise<readonly Check[]> => {
  const config = status ? undefined : await sharedConfig(workspace)
  const replicas = config
    ? await withShared(config, 'read', (shared) => readReplicas(shared, systemClock.now())).catch(() => [])
    : status?.replicas
  if (!replicas || replicas.length === 0) return []
  const problems = replicaProblems(replicas, systemClock.now())
  if (problems.length > 0) return problems.map(({ message, fix }) => warn(name, message, fix))
  return [ok(name, replicas.length === 1 ? 'one runs' : `${replicas.length} run, with one configuration`)]
}
