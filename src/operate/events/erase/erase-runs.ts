/** Erases events from a store, and tells the ends of the runs that waited. */

import type { Clock } from '../../../core/clock.ts'
import type { Facts } from '../../../core/facts/facts.ts'
import type { RunningGateway } from '../../../datadir/running-gateway.ts'
import type { OpenStore } from '../../../store/store-part.ts'

/** Makes the operation that erases runs. It resolves when the ends of the runs are recorded. */
export const createEraseRuns =
  (store: Pick<OpenStore, 'erase'>, facts: Pick<Facts, 'emit' | 'flushed'>, clock: Clock): RunningGateway['eraseRuns'] =>
  async ({ ids, groups }) => {
    const erased = await store.erase({ ids, groups })
    let ended = 0
    for (const { eventId, profile, route, event, ended: attempts } of erased.runs) {
      if (attempts === undefined) continue
      ended++
      facts.emit({ kind: 'run_erased', at: clock.now(), run: { eventId, profile, route, eventType: event, attempts } })
    }
    await facts.flushed()
    return { events: erased.runs.map(({ eventId }) => eventId), ended, running: [...erased.running] }
  }
