/** Checks whether the replicas of a shared store are alike. */

import { systemClock } from '../../core/clock.ts'
import { replicaProblems } from '../replicas/replica-problems.ts'
import { readReplicas } from '../replicas/replica-view.ts'
import { withShared } from '../replicas/with-shared.ts'
import { type Check, ok, type Patient, warn } from './check.ts'

const name = 'replicas'

/** Asks the running gateway; without one, the store. What keeps the store from answering is a finding of its own check. */
export const checkReplicas = async ({ workspace, status }: Patient): Promise<readonly Check[]> => {
  const replicas = status
    ? status.replicas
    : await withShared(workspace, (shared) => readReplicas(shared, systemClock.now())).catch(() => [])
  if (!replicas || replicas.length === 0) return []
  const problems = replicaProblems(replicas, systemClock.now())
  if (problems.length > 0) return problems.map(({ message, fix }) => warn(name, message, fix))
  return [ok(name, replicas.length === 1 ? 'one runs' : `${replicas.length} run, with one configuration`)]
}
