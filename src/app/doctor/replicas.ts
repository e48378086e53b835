/** Checks whether the replicas of a shared store are alike. */

import { systemClock } from '../../core/clock.ts'
import { replicaProblems } from '../replicas/replica-problems.ts'
import { readReplicas } from '../replicas/replica-view.ts'
import { sharedConfig, withShared } from '../shared-store/attach-store.ts'
import { type Check, ok, type Patient, warn } from './check.ts'

const name = 'replicas'

/**
 * Asks the running gateway for the replicas; where no gateway runs, asks the store. The check of the store reports a store that does not
 * answer.
 */
export const checkReplicas = async ({ workspace, status }: Patient): Promise<readonly Check[]> => {
  const config = status ? undefined : sharedConfig(workspace)
  const replicas = config
    ? await withShared(config, 'read', (shared) => readReplicas(shared, systemClock.now())).catch(() => [])
    : status?.replicas
  if (!replicas || replicas.length === 0) return []
  const problems = replicaProblems(replicas, systemClock.now())
  if (problems.length > 0) return problems.map(({ message, fix }) => warn(name, message, fix))
  return [ok(name, replicas.length === 1 ? 'one runs' : `${replicas.length} run, with one configuration`)]
}
