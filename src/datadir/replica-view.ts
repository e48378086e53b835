/**
 * Describes the replicas of a shared store, for the status of a gateway, `doctor` and `gateway reload --all`. All times are by the clock of
 * this machine, because the clocks of other machines may differ.
 */

import type { Replica as ReplicaView } from '../generated/control.ts'
import type { Replica, Shared } from '../store/shared.ts'

/** Names a replica by its machine and process. */
export const replicaName = ({ host, pid }: Pick<ReplicaView, 'host' | 'pid'>): string => `${host} ${pid}`

/**
 * Returns the replicas that were seen within a minute. `now`: wall time, in milliseconds. `self`: the id of this replica, if this process
 * is one. Throws a StoreFault where the store does not answer.
 */
export const readReplicas = async (shared: Shared, now: number, self?: string): Promise<readonly ReplicaView[]> =>
  (await shared.replicas()).map((replica) => replicaView(replica, now, self))

const replicaView = ({ id, seenMs, clockAheadMs, state, asked }: Replica, now: number, self?: string): ReplicaView => ({
  id,
  self: id === self,
  host: state.host,
  pid: state.pid,
  url: state.url,
  version: state.version,
  digest: state.digest,
  digest_since: timeBefore(now, seenMs + state.digestMs),
  started_at: timeBefore(now, seenMs + state.uptimeMs),
  seen_seconds: Math.round(seenMs / 1000),
  clock_ahead_seconds: Math.round(clockAheadMs / 1000),
  runs: state.runs,
  requests: state.requests,
  stopping: state.isStopping,
  not_ready: state.notReady ?? null,
  reload: reloadView(state.reload, asked),
})

const timeBefore = (now: number, ms: number): string => new Date(now - ms).toISOString()

/**
 * Returns how the reload that the replica was asked for last has ended: `ok: null` while it goes on, and `null` where it was never asked.
 */
const reloadView = (ended: Replica['state']['reload'], asked: Replica['asked']): ReplicaView['reload'] => {
  if (asked === undefined) return null
  return asked.request === ended?.request ? ended : { request: asked.request, ok: null }
}
