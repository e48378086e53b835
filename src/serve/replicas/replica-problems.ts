/**
 * Finds the problems of replicas that an operator should know: different configurations or versions, a wrong clock, and missing heartbeats
 * (the reports that each replica sends every five seconds).
 */

import { someOf } from '../../core/text.ts'
import type { Replica } from '../../generated/control.ts'

/** How long replicas may have different configurations, because replicas do not all reload at the same moment. */
const mostSplitSeconds = 15
const mostClockSeconds = 5
/** How long ago the last heartbeat of a replica may be. A replica has one every five seconds. */
const mostUnseenSeconds = 15

/** `fix`: how the operator can solve the problem. */
export type ReplicaProblem = { readonly message: string; readonly fix: string }

/** Returns the problems of the replicas. `now`: wall time in milliseconds, by the same clock as the times of the replicas. */
export const replicaProblems = (replicas: readonly Replica[], now: number): readonly ReplicaProblem[] => {
  const isUnseen = ({ seen_seconds }: Replica): boolean => seen_seconds > mostUnseenSeconds
  const living = replicas.filter((replica) => !isUnseen(replica) && !replica.stopping)
  const hasSettled = ({ digest_since }: Replica): boolean => now - Date.parse(digest_since) > mostSplitSeconds * 1000
  return [
    ...differenceIn(
      living.filter(hasSettled),
      'digest',
      'configurations',
      'bring the same files and environment variables to all, then: headgate gateway reload --all',
    ),
    ...differenceIn(living, 'version', 'versions', 'finish the upgrade'),
    ...living
      .filter(({ clock_ahead_seconds }) => Math.abs(clock_ahead_seconds) > mostClockSeconds)
      .map((replica) => ({
        message: `the clock of ${replicaName(replica)} is ${clockText(replica)} that of the database`,
        fix: 'let all machines take their time from one source: signatures are checked by the clock of the replica',
      })),
    ...replicas.filter(isUnseen).map((replica) => ({
      message: `${replicaName(replica)} was last seen ${replica.seen_seconds} s ago`,
      fix: 'see whether it still runs: what it had in hand goes to the others',
    })),
  ]
}

const replicaName = ({ host, pid }: Replica): string => `${host} (process ${pid})`

const clockText = ({ clock_ahead_seconds: ahead }: Replica): string => `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'}`

/** Returns a problem where the replicas have different values under the key. `what`: the plural noun for these values. */
const differenceIn = (replicas: readonly Replica[], key: 'digest' | 'version', what: string, fix: string): readonly ReplicaProblem[] => {
  const values = [...new Set(replicas.map((replica) => replica[key]))].sort()
  if (values.length < 2) return []
  const holders = values.map((value) => `${value} on ${someOf(replicas.filter((replica) => replica[key] === value).map(replicaName))}`)
  return [{ message: `the replicas run ${values.length} ${what}: ${holders.join('; ')}`, fix }]
}
