/**
 * Deletes old dead runs, sessions without new messages, and shared records by the limits of `storage.retention`, and what has ended or
 * expired besides, so that the store does not grow without bound. On a shared store, one of the gateways does that for all of them: the
 * leader.
 */

import type { Retention } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { Scope } from '../core/scope.ts'
import { repeat } from '../core/turns/repeat.ts'
import { asLeader, type Lead } from '../store/as-leader.ts'
import type { OpenStore } from '../store/store-part.ts'

const pruneEveryMs = 60_000
/**
 * How often a gateway tries to become the leader, and how long it is the leader then, in milliseconds. When the leader's
 * process ends, another gateway takes over within a minute.
 */
const leadEveryMs = 15_000
const leadMs = 40_000

type HousekeepingOptions = {
  readonly store: OpenStore
  readonly lead: Lead
  readonly clock: Clock
  readonly log: Log
  readonly scope: Scope
  readonly retention: () => Retention
}

/** Deletes what is past the limits, now and each minute, until the end of the scope, which waits for the deletions in progress. */
export const startRetention = (options: HousekeepingOptions): void => {
  const { clock, lead, scope } = options
  let pruneAt = clock.monotonic()
  const pruneWhenDue = async (): Promise<void> => {
    const now = clock.monotonic()
    if (now < pruneAt) return
    pruneAt = now + pruneEveryMs
    await prune(options)
  }
  repeat(clock, leadEveryMs, () => asLeader(lead, 'housekeeping', leadMs, pruneWhenDue), { first: 'now', scope })
}

/** Never rejects: what fails is logged, and is tried again with the next deletion. */
const prune = async ({ store, log, retention }: HousekeepingOptions): Promise<void> => {
  const limits = retention()
  const { maxAgeMs, maxDeadRuns } = limits
  const failed = (text: string) => (error: unknown) => log('warn', { reason: messageOf(error) }, text)
  await Promise.all([
    store
      .prune(maxAgeMs, maxDeadRuns)
      .then((runs) => runs > 0 && log('warn', { runs }, 'dead runs are past their retention and were forgotten'))
      .catch(failed('cannot forget old runs')),
    store
      .forgetSessions(maxAgeMs)
      .then((sessions) => sessions > 0 && log('info', { sessions }, 'sessions without a message for so long were forgotten'))
      .catch(failed('cannot forget old sessions')),
    // The records of a sole store are in a folder, which its journal prunes.
    store.shared?.records.prune(limits).catch(failed('cannot forget old records')),
    store.shared?.forgetReplicas().catch(failed('cannot forget replicas that are gone')),
  ])
}
