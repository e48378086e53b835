/** The runs that wait for one receiver: which of them makes the next trial, and when it is made due. */

import type { Clock } from '../../core/clock.ts'
import { Timer } from '../../core/turns/timer.ts'
import type { GivenBack, Lease, RunId } from '../../store/ports.ts'
import type { Breaker } from './breaker.ts'

type WaitingRun = GivenBack & { readonly owner: string; readonly acceptedAt: number; readonly hasReply: boolean; trials: number }

/** The most runs that are remembered for one receiver. Any further run is due by itself after its wait. */
const maxWaiting = 100_000
const runsPerStep = 1_000
/** How long a run that was made due for a trial has time to begin, before the next run is made due. */
const trialBeginMs = 30_000

export type WaitingRunsOptions = {
  readonly clock: Clock
  readonly breaker: Pick<Breaker, 'state' | 'retryAt'>
  /** Makes runs due that wait in the store since an attempt gave them back. Never rejects. */
  readonly makeDue: (runs: readonly GivenBack[]) => Promise<void>
}

/** The runs that wait for one receiver, and the timer that makes one of them due for the next trial. */
export class OutageRuns {
  readonly #options: WaitingRunsOptions
  readonly #runs = new Map<RunId, WaitingRun>()
  /** The trials of each route or job, in this outage. */
  readonly #trialsOf = new Map<string, number>()
  /** The run that was let begin, to make the reply of the next trial. */
  #starter: RunId | undefined
  readonly #timer: Timer

  constructor(options: WaitingRunsOptions) {
    this.#options = options
    this.#timer = new Timer(options.clock, () => this.#makeTrialDue())
  }

  get size(): number {
    return this.#runs.size
  }

  /** Lets a run without a reply begin, where no other run makes the reply of the next trial. Returns whether the run may begin. */
  letBegin(runId: RunId): boolean {
    this.#starter ??= runId
    return this.#starter === runId
  }

  /** Adds a run that was given back. A run that waited before keeps the number of its trials. */
  add({ runId, fence, run }: Lease, hasReply: boolean): void {
    const trials = this.#runs.get(runId)?.trials ?? 0
    const owner = JSON.stringify([run.profile, run.route, run.job])
    if (this.#runs.size < maxWaiting || this.#runs.has(runId))
      this.#runs.set(runId, { runId, fence, owner, acceptedAt: run.acceptedAt, hasReply, trials })
    this.#ended(runId)
    this.setTimer()
  }

  /** Notes that an attempt at a run has ended, and that the run does not wait for this receiver. */
  delete(runId: RunId): void {
    this.#runs.delete(runId)
    this.#ended(runId)
  }

  /** Sets the timer that makes the run of the next trial due. Call this after each change of the breaker. */
  setTimer(leastMs = 0): void {
    this.#timer.stop()
    const { clock, breaker } = this.#options
    if (breaker.state !== 'open' || this.#runs.size === 0) return
    this.#timer.start(Math.max(leastMs, breaker.retryAt - clock.monotonic()))
  }

  /** Forgets all runs, and makes them due. */
  async release(): Promise<void> {
    this.close()
    this.#starter = undefined
    this.#trialsOf.clear()
    const all = [...this.#runs.values()].map(({ runId, fence }) => ({ runId, fence }))
    this.#runs.clear()
    for (let from = 0; from < all.length; from += runsPerStep) await this.#options.makeDue(all.slice(from, from + runsPerStep))
  }

  close(): void {
    this.#timer.stop()
  }

  #ended(runId: RunId): void {
    if (this.#starter === runId) this.#starter = undefined
  }

  #makeTrialDue(): void {
    const { clock, breaker, makeDue } = this.#options
    const isDue = breaker.state === 'open' && breaker.retryAt <= clock.monotonic() && this.#starter === undefined
    const next = isDue ? this.#nextTrial() : undefined
    if (next) void makeDue([next])
    // The run may have ended meanwhile, or may not begin because too many runs are in progress. Then the timer makes the next run due.
    this.setTimer(trialBeginMs)
  }

  /**
   * Returns the run for the next trial. The routes take turns, and in a route the run with the fewest trials is taken, so that texts that
   * always fail, of which a stranger may send many, do not keep all others waiting. Of several, a run that has its reply comes first, as
   * its trial asks no agent; then the oldest run.
   */
  #nextTrial(): GivenBack | undefined {
    let next: WaitingRun | undefined
    for (const run of this.#runs.values()) if (next === undefined || this.#comesBefore(run, next)) next = run
    if (next === undefined) return undefined
    next.trials++
    this.#trialsOf.set(next.owner, this.#trialsIn(next) + 1)
    return next
  }

  #trialsIn({ owner }: WaitingRun): number {
    return this.#trialsOf.get(owner) ?? 0
  }

  #comesBefore(a: WaitingRun, b: WaitingRun): boolean {
    const [inA, inB] = [this.#trialsIn(a), this.#trialsIn(b)]
    if (inA !== inB) return inA < inB
    if (a.trials !== b.trials) return a.trials < b.trials
    return a.hasReply === b.hasReply ? a.acceptedAt < b.acceptedAt : a.hasReply
  }
}
