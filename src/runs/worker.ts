/** Takes accepted runs, a few at a time, makes an attempt at each, and stores its end: done, to be tried again, or dead. */

import { setMaxListeners } from 'node:events'
import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/fact.ts'
import { messageOf } from '../core/fault.ts'
import { within } from '../core/turns/within.ts'
import type { RunningJob } from '../generated/control.ts'
import type { Lease } from '../store/ports.ts'
import { type AttemptOptions, createAttempt, type MakeAttempt, persistRun } from './attempt.ts'
import { HeldLeases } from './held-leases.ts'
import { describeAttempt, type Transcript } from './run-attempt.ts'
import { runFields } from './run-fields.ts'

export type WorkerOptions = Omit<AttemptOptions, 'leases'> & {
  /** Several processes work on the store. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly facts: Pick<Facts, 'tell' | 'flushed'>
  readonly maxConcurrent: () => number
  /** Removes known secrets from a text before it is stored. */
  readonly redact: (text: string) => string
}

/** A run in progress. `since`: wall time in milliseconds. */
type RunInProgress = { readonly lease: Lease; readonly since: number }

/** Owns the runs in progress and the timer for the next one that is due. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #active = new Map<Promise<void>, RunInProgress>()
  readonly #abort = new AbortController()
  readonly #leases: HeldLeases
  readonly #attempt: MakeAttempt
  #stopped = false
  #taking: Promise<void> | undefined
  #again = false
  /** After a start, runs are taken one by one until a run comes that was not interrupted by the death of a process. */
  #careful = true
  /** The run in progress may have killed the process at each attempt, and this is its last attempt. No other run is taken beside it. */
  #alone = false
  /** The store failed, and no run is taken before it works again. The failure is logged once, not at each wake. */
  #failing = false
  #cancelTimer: () => void = () => {}

  constructor(options: WorkerOptions) {
    this.#options = options
    // Each run listens to the signal.
    setMaxListeners(0, this.#abort.signal)
    this.#leases = new HeldLeases(options)
    this.#attempt = createAttempt({ ...options, leases: this.#leases }, this.#abort.signal)
  }

  /** Tells the worker that there may be work. The worker looks at once, and again after each run. */
  wake(): void {
    if (this.#taking) this.#again = true
    else if (this.#room() > 0) this.#taking = this.#takeAll()
  }

  /** The number of runs in progress. */
  get inProgress(): number {
    return this.#active.size
  }

  /** Returns the runs of scheduled jobs that are in progress. */
  runningJobs(): readonly RunningJob[] {
    return [...this.#active.values()].flatMap(({ lease: { run }, since }) =>
      run.job === undefined ? [] : [{ profile: run.profile, job: run.job, event_id: run.eventId, since: new Date(since).toISOString() }],
    )
  }

  /**
   * Takes the groups that wait (rules: Coalescing 7) and no other runs, lets runs finish for `ms`, then aborts them. Runs that are left go
   * on at the next start. `answered` resolves when all requests have their answers, so that no further event joins a group.
   */
  async stop(ms: number, answered: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#stopped = true
    this.#cancelTimer()
    const { clock } = this.#options
    // The last requests may open groups, so groups are taken once more when all requests are answered.
    const groups = Promise.all([this.#dispatchGroups(), answered]).then(() => this.#dispatchGroups())
    const done = groups.then(() => this.idle())
    if ((await within(done, ms, clock, () => 'late' as const)) !== 'late') return
    this.#abort.abort()
    await done
  }

  /** Resolves when no run is in progress and none is being taken. */
  async idle(): Promise<void> {
    while (this.#taking || this.#active.size > 0) {
      await this.#taking
      await Promise.all(this.#active.keys())
    }
  }

  async #dispatchGroups(): Promise<void> {
    const { store, log, clock, maxConcurrent, isShared } = this.#options
    await this.#taking
    try {
      // In a shared store the groups are everybody's, and those that go on working take them when they are due. So are runs that the store
      // has taken for this process and not given to it.
      if (isShared) return void (await store.take(0, this.#leases.leaseMs))
      while (!this.#abort.signal.aborted) {
        const free = this.#alone && this.#active.size > 0 ? 0 : maxConcurrent() - this.#active.size
        const takenAt = clock.monotonic()
        const leases = free > 0 ? await store.take(free, this.#leases.leaseMs, 'groups') : []
        if (free > 0 && leases.length === 0) return
        for (const lease of leases) this.#start(lease, takenAt)
        await Promise.race(this.#active.keys())
      }
    } catch (error) {
      log(
        'error',
        { reason: messageOf(error) },
        isShared ? 'runs wait for the end of their leases' : 'waiting groups stay for the next start',
      )
    }
  }

  /** Returns the number of runs that may begin now. */
  #room(): number {
    if (this.#stopped || this.#failing || (this.#alone && this.#active.size > 0)) return 0
    const free = this.#options.maxConcurrent() - this.#active.size
    return this.#careful ? Math.min(1, free) : free
  }

  async #takeAll(): Promise<void> {
    do {
      this.#again = false
      await this.#take(this.#room())
    } while (this.#again && this.#room() > 0)
    this.#taking = undefined
  }

  async #take(max: number): Promise<void> {
    const { store, log, clock } = this.#options
    try {
      await this.#leases.renewIfLate()
      const takenAt = clock.monotonic()
      const leases = await store.take(max, this.#leases.leaseMs)
      if (this.#careful) this.oneAtATimeAfterCrash(leases[0])
      for (const lease of leases) this.#start(lease, takenAt)
      if (leases.length < max) this.#sleep(await store.dueInMs())
    } catch (error) {
      log('error', { reason: messageOf(error) }, 'cannot take work')
      this.#failing = true
      void store.recovered().then(() => {
        this.#failing = false
        this.wake()
      })
    }
  }

  oneAtATimeAfterCrash(lease: Lease | undefined): void {
    this.#careful = lease?.interrupted === true
    this.#alone = this.#careful && lease !== undefined && lease.attempt === this.#options.policy(lease.run).retry.maxAttempts
    // Only one run was asked for, and there may be more.
    if (lease) this.#again = true
  }

  #sleep(ms: number | undefined): void {
    this.#cancelTimer()
    if (ms === undefined || this.#stopped) return
    this.#cancelTimer = this.#options.clock.after(ms, () => this.wake())
  }

  #start(lease: Lease, takenAt: number): void {
    this.#leases.add(lease, takenAt)
    const running = this.#run(lease)
      .catch((error) =>
        this.#options.log('error', { ...runFields(lease), reason: messageOf(error) }, 'run left for later: the store failed'),
      )
      .finally(() => {
        this.#active.delete(running)
        this.#leases.delete(lease)
        this.wake()
      })
    this.#active.set(running, { lease, since: this.#options.clock.now() })
  }

  async #run(lease: Lease): Promise<void> {
    const { store, facts, clock } = this.#options
    const words: Transcript = { answers: [] }
    const ended = await this.#attempt(lease, words)
    if (ended === 'lost') return this.#takenOver(lease)
    if (ended === 'given back') return
    const end = ended.kind === 'done' ? ended : { ...ended, error: this.#options.redact(ended.error) }
    const run = describeAttempt(lease, end, clock, words)
    facts.tell({ kind: 'attempt_ended', at: clock.now(), run })
    // The record is written before the store deletes the run: a crash in between leaves a record too many, never one too few.
    if (end.kind !== 'again') await facts.flushed()
    let calls = 0
    const tell = (): Promise<boolean> => {
      calls++
      return store.finish(lease, end)
    }
    const kept = await persistRun(lease, tell, this.#options, this.#abort.signal)
    // After a call that seemed to fail, `false` means that the failed call was committed after all.
    if (!kept && calls === 1) this.#takenOver(lease)
    else facts.tell({ kind: 'attempt_committed', run })
  }

  #takenOver(lease: Lease): void {
    this.#options.log('warn', runFields(lease), 'a run that took too long was taken over by another')
  }
}
