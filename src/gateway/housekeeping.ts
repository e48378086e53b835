/**
 * Deletes old dead runs, sessions without new messages, and shared records by the limits of `storage.retention`, and what has ended or
 * expired besides, so that the store does not grow without bound. On a shared store, one of the gateways does that for all of them: the
 * leader.
 */

import type { Retention } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { Shared } from '../store/shared.ts'
import type { OpenStore } from '../store/store-part.ts'

/** The time between two deletions. */
const pruneEveryMs = 60_000
/**
 * How often a gateway on a shared store tries to become the leader, and how long it is the leader then, in milliseconds. When the leader
 * dies, another gateway takes over within a minute.
 */
const leadEveryMs = 15_000
const leadMs = 40_000

type HousekeepingOptions = { readonly store: OpenStore; readonly clock: Clock; readonly log: Log; readonly retention: () => Retention }

/** Deletes what is past the limits, now and each minute, until the returned function is called. */
export const keepHouse = (options: HousekeepingOptions): (() => void) => {
  const { store, clock } = options
  const { shared } = store
  let cancel = (): void => {}
  let pruneAt = clock.monotonic()
  const look = (): void => {
    cancel = clock.after(shared ? leadEveryMs : pruneEveryMs, look)
    if (shared) void pruneAsLeader(shared, clock.monotonic())
    else prune(options)
  }
  const pruneAsLeader = async (gateways: Shared, at: number): Promise<void> => {
    // Where the store does not answer, the next call of `look` tries again.
    const isLeader = await gateways.lead('housekeeping', leadMs).catch(() => false)
    if (!isLeader || at < pruneAt) return
    pruneAt = at + pruneEveryMs
    prune(options)
  }
  look()
  return () => cancel()
}

const prune = ({ store, log, retention }: HousekeepingOptions): void => {
  const limits = retention()
  const { maxAgeMs, maxDeadRuns } = limits
  store.prune(maxAgeMs, maxDeadRuns).then(
    (runs) => runs > 0 && log('warn', { runs }, 'dead runs are past their retention and were forgotten'),
    (error) => log('warn', { reason: messageOf(error) }, 'cannot forget old runs'),
  )
  store.forgetSessions(maxAgeMs).then(
    (sessions) => sessions > 0 && log('info', { sessions }, 'sessions without a message for so long were forgotten'),
    (error) => log('warn', { reason: messageOf(error) }, 'cannot forget old sessions'),
  )
  // The records of a sole store are in a folder, which its journal prunes.
  store.shared?.records.prune(limits).catch((error) => log('warn', { reason: messageOf(error) }, 'cannot forget old records'))
  store.shared?.forgetReplicas().catch((error) => log('warn', { reason: messageOf(error) }, 'cannot forget replicas that are gone'))
}
