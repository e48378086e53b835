/** Deletes old runs and sessions by the limits of `storage.retention`, so that the store does not grow without bound. */

import type { Retention } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { Store } from '../store/ports.ts'

const everyMs = 60_000

type HousekeepingOptions = { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly retention: () => Retention }

/** Prunes the store now and each minute, until the returned function is called. */
export const keepHouse = ({ store, clock, log, retention }: HousekeepingOptions): (() => void) => {
  let cancel = (): void => {}
  const look = (): void => {
    const { maxAgeMs, maxDeadRuns } = retention()
    store.prune(maxAgeMs, maxDeadRuns).then(
      (runs) => runs > 0 && log('warn', { runs }, 'dead runs are past their retention and were forgotten'),
      (error) => log('warn', { reason: messageOf(error) }, 'cannot forget old runs'),
    )
    store.forgetSessions(maxAgeMs).then(
      (sessions) => sessions > 0 && log('info', { sessions }, 'sessions without a message for so long were forgotten'),
      (error) => log('warn', { reason: messageOf(error) }, 'cannot forget old sessions'),
    )
    cancel = clock.after(everyMs, look)
  }
  look()
  return () => cancel()
}
