/** Stops the agents of runs that were cancelled, or whose leases are lost, while the other runs of the worker go on. */

import type { NewRun } from '../../core/new-run.ts'
import type { RunEnd } from '../../core/run-end.ts'
import type { Lease } from '../../store/ports.ts'

export const cancelledError = 'cancelled by hand'

/** Returns the end of a run that was cancelled, by hand or by a later event. */
export const cancelledEnd = ({ endedBy: by }: NewRun): RunEnd =>
  by === undefined ? { kind: 'cancelled', error: cancelledError } : { kind: 'cancelled', error: `ended by the event ${by}`, by }

/** Thrown in place of the agent's reply when its run was stopped. */
export class RunStopped extends Error {
  constructor() {
    super('the run was cancelled, or is not of this worker any more')
  }
}

type AskedRun = { readonly eventId: string; readonly stop: (why: RunStopped) => void }

/** The runs of a worker whose agents are being asked. */
export class Cancels {
  readonly #asked = new Map<Lease, AskedRun>()
  readonly #stopped = new WeakSet<Lease>()

  /** Adds a run whose agent is asked from now on. `stop` stops the agent. Returns the function that removes the run once the agent has ended. */
  asking(lease: Lease, stop: AskedRun['stop']): () => void {
    this.#asked.set(lease, {
      eventId: lease.run.eventId,
      stop: (why) => {
        this.#stopped.add(lease)
        stop(why)
      },
    })
    return () => void this.#asked.delete(lease)
  }

  wasStopped(lease: Lease): boolean {
    return this.#stopped.has(lease)
  }

  /** Stops the agent of a run whose lease is lost. */
  lost(lease: Lease): void {
    this.#asked.get(lease)?.stop(new RunStopped())
  }

  /** Stops the agents of events' runs. */
  cancel(eventIds: readonly string[]): void {
    if (this.#asked.size === 0) return
    const wanted = new Set(eventIds)
    for (const run of this.#asked.values()) if (wanted.has(run.eventId)) run.stop(new RunStopped())
  }
}
