/** What a gateway does to the runs of its store by hand: it starts dead runs again, and cancels runs. */

import type { Clock } from '../../core/clock.ts'
import type { Facts } from '../../core/facts/facts.ts'
import type { RunningGateway } from '../../datadir/running-gateway.ts'
import type { Worker } from '../../runs/worker.ts'
import type { Store } from '../../store/ports.ts'

type RunOperationsOptions = {
  readonly store: Pick<Store, 'revive' | 'cancel'>
  readonly worker: Pick<Worker, 'wake'>
  readonly facts: Pick<Facts, 'emit'>
  readonly clock: Pick<Clock, 'now'>
}

/** The worker looks for work after a failure, too, because the store may have committed the change all the same. */
export const createRunOperations = ({ store, worker, facts, clock }: RunOperationsOptions): Pick<RunningGateway, 'retry' | 'cancel'> => ({
  async retry({ id }) {
    try {
      const retried = await store.revive(id)
      if (retried) facts.emit({ kind: 'run_revived', at: clock.now(), eventId: id })
      return { retried }
    } finally {
      worker.wake()
    }
  },
  async cancel({ id }) {
    let result: Awaited<ReturnType<Store['cancel']>> | undefined
    try {
      result = await store.cancel(id)
      return { result }
    } finally {
      // Where the reply is being delivered, the run goes on.
      worker.wake(result === 'cancelled' ? [id] : [])
    }
  },
})
