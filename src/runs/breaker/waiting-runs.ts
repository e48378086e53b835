/** The runs that wait for one target's address, and which of them is the next trial. */

import type { GivenBack, Lease, RunId } from '../../store/ports.ts'

type WaitingRun = GivenBack & { readonly acceptedAt: number; readonly hasReply: boolean; trials: number }

/** The most runs that are remembered for one address. Any further run is due by itself after its wait. */
const maxWaiting = 100_000

export class WaitingRuns {
  readonly #runs = new Map<RunId, WaitingRun>()

  get size(): number {
    return this.#runs.size
  }

  /** Adds a run that was given back. A run that waited before keeps the number of its trials. */
  add({ runId, fence, run }: Lease, hasReply: boolean): void {
    const trials = this.#runs.get(runId)?.trials ?? 0
    if (this.#runs.size >= maxWaiting && !this.#runs.has(runId)) return
    this.#runs.set(runId, { runId, fence, acceptedAt: run.acceptedAt, hasReply, trials })
  }

  delete(runId: RunId): void {
    this.#runs.delete(runId)
  }

  /**
   * Returns the run for the next trial. The run with the fewest trials is taken, so that one text that always fails does not keep all
   * others waiting. Of several, a run that has its reply comes first, as its trial asks no agent; then the oldest run.
   */
  nextTrial(): GivenBack | undefined {
    let next: WaitingRun | undefined
    for (const run of this.#runs.values()) if (next === undefined || comesBefore(run, next)) next = run
    if (next) next.trials++
    return next
  }

  /** Forgets all runs, and returns them. */
  takeAll(): readonly GivenBack[] {
    const all = [...this.#runs.values()].map(({ runId, fence }) => ({ runId, fence }))
    this.#runs.clear()
    return all
  }
}

const comesBefore = (a: WaitingRun, b: WaitingRun): boolean => {
  if (a.trials !== b.trials) return a.trials < b.trials
  return a.hasReply === b.hasReply ? a.acceptedAt < b.acceptedAt : a.hasReply
}
