/** Takes accepted runs, a few at a time, makes an attempt at each, and stores its end: done, to be tried again, or dead. */

import { setMaxListeners } from 'node:events'
import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { EventTraces } from '../core/telemetry/trace-context.ts'
import { Timer } from '../core/turns/timer.ts'
import { within } from '../core/turns/within.ts'
import type { RunningJob } from '../generated/control.ts'
import type { Lease } from '../store/ports.ts'
import { type AttemptOptions, persistRun } from './attempt/attempt.ts'
import { createAttempt, type MakeAttempt } from './attempt/make-attempt.ts'
import { beginTranscript, describeAttempt, runFields } from './attempt/transcript.ts'
import { type ReportOptions, reportingEnds } from './callback.ts'
import { Cancels } from './flow/cancels.ts'
import { HeldRuns } from './flow/held-runs.ts'
import { HeldLeases } from './held-leases.ts'
import { mergedPrompt } from './merged-prompt.ts'

export type WorkerOptions = Omit<AttemptOptions, 'leases' | 'cancels'> &
  ReportOptions & {
    /** Whether several processes work on the store. */
    readonly isShared: boolean
    readonly clock: Clock
    readonly facts: Pick<Facts, 'emit' | 'flushed'>
    readonly maxConcurrent: () => number
    /** Absent while traces are off. */
    readonly traces?: EventTraces | undefined
  }

/** A run in progress. `since`: when the run was taken, in milliseconds since 1970. */
type RunInProgress = { readonly lease: Lease; readonly since: number }

/** Takes runs from the store and makes attempts at them. Holds the runs in progress, and the timer for the next run that becomes due. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #active = new Map<Promise<void>, RunInProgress>()
  readonly #abort = new AbortController()
  readonly #leases: HeldLeases
  readonly #cancels = new Cancels()
  readonly #held = new HeldRuns()
  readonly #attempt: MakeAttempt
  #stopped = false
  /** Settles when the taking of runs from the store has ended; `undefined` while no run is being taken. */
  #taking: Promise<void> | undefined
  /** Whether the store is to be asked once more, because there may be further work. */
  #again = false
  /**
   * After a start, runs are taken one by one until a run comes that the death of a process has not interrupted, or none is due. A run that
   * kills the process each time then uses up its own attempts, and not those of the runs beside it.
   */
  #careful = true
  /**
   * Whether the run in progress may have killed the process at each earlier attempt, and has its last attempt. Then no other run is taken.
   */
  #alone = false
  /** Whether the store failed and does not work again yet. Until then no run is taken, and a `wake` logs no further failure. */
  #failing = false
  readonly #timer: Timer

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#timer = new Timer(options.clock, () => this.wake())
    // Each run listens to the signal, and Node would warn of more than ten listeners.
    setMaxListeners(0, this.#abort.signal)
    const cancels = this.#cancels
    this.#leases = new HeldLeases({ ...options, lost: (lease) => cancels.lost(lease) })
    const attempt = createAttempt({ ...options, leases: this.#leases, cancels }, this.#abort.signal)
    this.#attempt = reportingEnds(attempt, options, this.#abort.signal)
  }

  /**
   * Wakes the worker, because there may be work. The worker polls for work now, and again after each run. `ended`: the events whose runs the
   * store has cancelled; their agents are stopped.
   */
  wake(ended?: readonly string[]): void {
    if (ended) this.#cancels.cancel(ended)
    if (this.#taking) this.#again = true
    else if (this.#room() > 0) this.#taking = this.#takeAll()
  }

  /** Returns the number of runs of a route that wait because the route is paused, as far as this process knows. */
  heldRuns(route: string): number {
    return this.#held.count(route)
  }

  /** Lets the runs begin whose routes are not paused any more. */
  release(isHeld: (route: string) => boolean): void {
    for (const runs of this.#held.release(isHeld)) {
      // Where the store fails, the runs are due by themselves after their wait.
      this.#options.store.makeDue(runs).then(
        () => this.wake(),
        (error) => this.#options.log('error', { reason: messageOf(error) }, 'runs of a resumed route wait on'),
      )
    }
  }

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
   * Stops the worker: it takes no further runs, except for the groups that wait in a sole store (rules: Coalescing 7), lets runs finish for
   * `ms` milliseconds, and then aborts them. Runs that are left go on at the next start. `answered` resolves when all requests have their
   * answers: from then on no event can join a group. `'kept'`: requests still come, and groups go on at the next start too.
   */
  async stop(ms: number, answered: Promise<unknown> | 'kept' = Promise.resolve()): Promise<void> {
    this.#stopped = true
    this.#timer.stop()
    const { clock } = this.#options
    // The last requests may open groups, so groups are taken once more when all requests are answered.
    const dispatch = (): Promise<void> => this.#dispatchGroups(this.#options.isShared || answered === 'kept')
    const groups = Promise.all([dispatch(), answered]).then(dispatch)
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

  /** Takes all groups that wait, due or not, and starts their runs as soon as other runs end. `areLeft`: others will take the groups. */
  async #dispatchGroups(areLeft: boolean): Promise<void> {
    const { store, log, clock, maxConcurrent } = this.#options
    await this.#taking
    try {
      // The groups of a shared store do not belong to this process: the other gateways take them when they are due. The call puts back the
      // runs that the store has taken for this process and that this process has not begun.
      if (areLeft) return void (await store.take(0, this.#leases.leaseMs))
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
        areLeft ? 'runs wait for the end of their leases' : 'waiting groups stay for the next start',
      )
    }
  }

  #room(): number {
    if (this.#stopped || this.#failing || (this.#alone && this.#active.size > 0)) return 0
    const free = this.#options.maxConcurrent() - this.#active.size
    return this.#careful ? Math.min(1, free) : free
  }

  /** Takes runs as long as there may be more of them, and more runs may be in progress. */
  async #takeAll(): Promise<void> {
    do {
      this.#again = false
      await this.#take(this.#room())
    } while (this.#again && this.#room() > 0)
    this.#taking = undefined
  }

  /** Takes up to `max` runs and starts them. Where fewer runs are due, the timer waits for the next run that becomes due. */
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

  /**
   * Decides after a run that was taken alone whether the next run is taken alone too. `lease`: the lease of the run; `undefined` where no
   * run was due.
   */
  oneAtATimeAfterCrash(lease: Lease | undefined): void {
    this.#careful = lease?.interrupted === true
    this.#alone = this.#careful && lease !== undefined && lease.attempt === this.#options.policy(lease.run).retry.maxAttempts
    // The store was asked for one run only, and may have more.
    if (lease) this.#again = true
  }

  #sleep(ms: number | undefined): void {
    if (ms === undefined || this.#stopped) this.#timer.stop()
    else this.#timer.start(ms)
  }

  #start(taken: Lease, takenAt: number): void {
    const lease = withText(taken)
    this.#leases.add(lease, takenAt)
    this.#held.delete(lease.runId)
    const running = this.#run(lease)
      .catch((error) =>
        this.#options.log('error', { ...runFields(lease), reason: messageOf(error) }, 'run left for later: the store failed'),
      )
      .finally(() => {
        this.#active.delete(running)
        this.#leases.delete(lease)
        this.#options.outages?.ended(lease)
        this.wake()
      })
    this.#active.set(running, { lease, since: this.#options.clock.now() })
  }

  /**
   * Makes an attempt at a run, emits the end of the attempt as a fact, unless nothing was begun, and stores it. Rejects when the end cannot
   * be stored before the worker stops.
   */
  async #run(lease: Lease): Promise<void> {
    const { store, facts, clock, traces } = this.#options
    const transcript = beginTranscript(lease, clock, traces)
    const end = await this.#attempt(lease, transcript)
    if (end === 'lost') return this.#takenOver(lease)
    const unbegun = end.kind === 'again' ? end.unbegun : undefined
    const run = unbegun ? undefined : describeAttempt(lease, end, clock, transcript)
    if (run) facts.emit({ kind: 'attempt_ended', run })
    // The record is written before the store deletes the run: a crash in between leaves a second record of the same end, but never a run
    // without a record of its end.
    if (end.kind !== 'again') await facts.flushed()
    let calls = 0
    const finish = (): Promise<boolean> => {
      calls++
      return store.finish(lease, end)
    }
    const kept = await persistRun(lease, finish, this.#options, this.#abort.signal)
    // Where `finish` was called more than once, `false` need not mean that another worker has the run: a call that seemed to fail may have
    // been committed.
    if (!kept && calls === 1) return this.#takenOver(lease)
    if (run) facts.emit({ kind: 'attempt_committed', run })
    if (unbegun === 'paused') this.#held.add(lease)
  }

  #takenOver(lease: Lease): void {
    if (this.#cancels.wasStopped(lease))
      this.#options.log('info', runFields(lease), 'the agent of a run was stopped: the run is cancelled, or was taken again')
    else this.#options.log('warn', runFields(lease), 'a run that took too long was taken over by another')
  }
}

/** Returns the lease of a run without an agent with its text as the reply, so that only the delivery is left to do; any other as it is. */
const withText = (lease: Lease): Lease => {
  const { direct, callback } = lease.run
  return (direct || callback) && lease.reply === undefined ? { ...lease, reply: mergedPrompt(lease.run).text } : lease
}
