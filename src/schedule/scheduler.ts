/**
 * Starts scheduled jobs at their times. No time is started twice, and no job while its last run is still open. Of the times that a job has
 * missed, only the last is started, if it is not older than the grace of the job, or than ten seconds. An operator may start a job at any
 * time, unless the job is disabled or running.
 */

import { randomUUID } from 'node:crypto'
import { dayMs } from '../core/clock.ts'
import { messageOf, StoreFault } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import { nextTurn } from '../core/turns/taking-turns.ts'
import type { JobStart } from '../generated/control.ts'
import type { JobBook, ScheduledJob } from '../plan/jobs.ts'
import { isCatchUpKey, type Store } from '../store/ports.ts'
import { lastTime } from './last-time.ts'
import { type JobStarter, type JobTrigger, startJob } from './start-job.ts'

export type SchedulerOptions = JobStarter & {
  readonly store: Pick<Store, 'accept' | 'positions' | 'keepPositions'>
  /** Whether other gateways plan jobs in the same store. Such gateways may have jobs that this gateway does not know. */
  readonly isShared: boolean
  readonly log: Log
  /** The jobs of the present configuration and jobs files. */
  readonly book: () => Pick<JobBook, 'all' | 'complete' | 'find' | 'refresh'>
}

/**
 * How often the scheduler compares the wall clock with the jobs, instead of a timer for each job: so a clock that jumps and a machine that
 * slept are no special cases. No two times of a schedule are closer together.
 */
const tickMs = 1_000
/** A start that is late by no more than this counts as in time, even with a shorter grace: the event loop or the store may be slow. */
const leastGraceMs = 10_000
/**
 * How long a plan may be past before it is forgotten, in milliseconds. The grace of a job is at most a week, so no gateway has the job of
 * an older plan.
 */
const forgottenMs = 8 * dayMs
/** The number of jobs that are started, or planned, together. */
const batch = 100

/** Knows the next time of each job, and starts at each tick the jobs whose time has come. */
export class Scheduler {
  readonly #options: SchedulerOptions
  /**
   * The next time of each job, by plan key; `undefined` when the schedule has no time left. In a sole store, a key may belong to a job that
   * was removed, or that was not read yet.
   */
  readonly #plans = new Map<string, number | undefined>()
  /** The changes of plans that are still to be stored; `undefined` for a plan that is to be forgotten. */
  readonly #unsaved = new Map<string, number | undefined>()
  #jobs: readonly ScheduledJob[] = []
  /** Whether all jobs files could be read at least once. A job that is unknown after that is new. */
  #isBegun = false
  /** The wall time of the last tick. Infinity at first: plans that were stored under a wrong clock are doubted after a start, too. */
  #lastNow = Number.POSITIVE_INFINITY
  #ticking: Repeating | undefined
  /** Whether the last work failed at the store. */
  #failing = false

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  /** Starts jobs whose times were missed while no gateway ran, then follows the clock. Throws a StoreFault. */
  async start(): Promise<void> {
    const { isShared, store, clock } = this.#options
    if (!isShared) for (const [key, at] of await store.positions()) if (!isCatchUpKey(key)) this.#plans.set(key, at)
    const untilFullSecond = (): number => tickMs - (clock.now() % tickMs)
    this.#ticking = repeat(clock, untilFullSecond, () => this.#turn(clock.now()), { failed: (error) => this.#failed(error) })
    await this.#ticking.now()
  }

  /** Starts no more jobs, and waits for starts that are under way. */
  async stop(): Promise<void> {
    await this.#ticking?.stop()
  }

  /**
   * Starts a job now, whatever its schedule. `reference`: the id or the name of the job. A paused job is started too, a disabled or running
   * job is not. Throws a StoreFault.
   */
  async startByHand(profile: string, reference: string): Promise<JobStart> {
    const jobs = this.#options.book().find(profile, reference)
    const [job] = jobs
    if (!job) return { started: false, reason: 'job_missing' }
    if (jobs.length > 1) return { started: false, reason: 'job_ambiguous', jobs: jobs.map(({ id }) => id) }
    if (job.state === 'disabled') return { started: false, reason: 'job_disabled' }
    const eventId = randomUUID()
    const accepted = await startJob(job, { eventId, event: 'manual', deliveryId: randomUUID() }, this.#options)
    return accepted === 'accepted' ? { started: true, event_id: eventId, job: job.id } : { started: false, reason: 'job_running' }
  }

  async #turn(now: number): Promise<void> {
    await this.#readJobs(now)
    const due = this.#jobs.filter(({ planKey }) => (this.#plans.get(planKey) ?? Number.POSITIVE_INFINITY) <= now)
    if (due.length > 0 || this.#unsaved.size > 0) await this.#work(due, now)
  }

  /** Reads the jobs, plans new jobs, and forgets the plans of removed jobs. */
  async #readJobs(now: number): Promise<void> {
    const book = this.#options.book()
    book.refresh()
    const jobs = book.all()
    const areNew = jobs !== this.#jobs
    if (areNew && this.#options.isShared) await this.#adopt(jobs, now)
    if (areNew) await this.#plan(jobs, now, book.complete)
    this.#jobs = jobs
    if (now < this.#lastNow - dayMs || (areNew && this.#options.isShared)) this.#doubt(now)
    this.#lastNow = now
  }

  /**
   * Takes over the plans of other gateways, so that gateways whose clocks differ plan the same times. For a job that is new to this
   * gateway, a plan in the past is not taken over. Forgets the plans of jobs that no gateway has.
   */
  async #adopt(jobs: readonly ScheduledJob[], now: number): Promise<void> {
    const known = new Set(jobs.map(({ planKey }) => planKey))
    for (const [key, at] of await this.#options.store.positions()) {
      if (isCatchUpKey(key)) continue
      if (!known.has(key)) {
        if (at < now - forgottenMs) this.#unsaved.set(key, undefined)
      } else if (!this.#plans.has(key) && (at > now || !this.#isBegun)) this.#plans.set(key, at)
    }
  }

  /** Gives each job without a plan its next time, and forgets the plans of jobs that are gone. `complete`: all jobs files could be read. */
  async #plan(jobs: readonly ScheduledJob[], now: number, complete: boolean): Promise<void> {
    let planned = 0
    for (const { planKey, schedule, id, profile } of jobs) {
      if (this.#plans.has(planKey)) continue
      // Planning one job takes a tenth of a millisecond, so thousands at once would delay requests.
      if (++planned % batch === 0) await nextTurn()
      // The first time is after now, because a new job never makes up for the past.
      this.#set(planKey, schedule.next(now))
      if (this.#plans.get(planKey) === undefined) this.#options.log('info', { job: id, profile }, 'the time of this job is past')
    }
    // A plan without a job may belong to a job of a file that could not be read, so no plan is forgotten.
    if (!complete) return
    this.#isBegun = true
    const known = new Set(jobs.map(({ planKey }) => planKey))
    for (const key of this.#plans.keys()) {
      if (known.has(key)) continue
      this.#plans.delete(key)
      // Another gateway may still have the job.
      if (!this.#options.isShared) this.#unsaved.set(key, undefined)
    }
  }

  /**
   * Plans jobs again whose plan is too far ahead. Called after the wall clock was set back by more than a day, and after plans of other
   * gateways were taken over: a plan that was made under a wrong clock would delay its job for long. A time that was started is not started
   * again, because its claim lasts more than a day. After a smaller step of the clock the plans stay, because otherwise a time could come
   * twice.
   */
  #doubt(now: number): void {
    for (const { planKey, schedule } of this.#jobs) {
      const at = this.#plans.get(planKey)
      if (at === undefined || at <= now + dayMs) continue
      if (at > (schedule.next(now + dayMs) ?? Number.POSITIVE_INFINITY)) this.#set(planKey, schedule.next(now))
    }
  }

  /** Sets a plan, and notes that it is to be stored. */
  #set(key: string, at: number | undefined): void {
    this.#plans.set(key, at)
    this.#unsaved.set(key, at)
  }

  async #work(due: readonly ScheduledJob[], now: number): Promise<void> {
    try {
      for (let i = 0; i < due.length; i += batch) await settleAll(due.slice(i, i + batch).map((job) => this.#due(job, now)))
    } finally {
      // The new plans are stored even when the starts of some jobs have failed: these jobs keep their time, and the next tick tries again.
      await this.#options.store.keepPositions(new Map(this.#unsaved))
      this.#unsaved.clear()
    }
    this.#failing = false
  }

  /** Starts a job that is due, unless it is paused, and plans its next time. */
  async #due(job: ScheduledJob, now: number): Promise<void> {
    const planned = this.#plans.get(job.planKey) ?? now
    if (job.state === 'active' && !(await this.#startLast(job, planned, now))) return
    this.#set(job.planKey, job.schedule.next(now))
  }

  /** Starts a job for the last of its times that are due; earlier missed times are left out. `false`: the next tick must try again. */
  async #startLast(job: ScheduledJob, planned: number, now: number): Promise<boolean> {
    const { log } = this.#options
    const about = { job: job.id, profile: job.profile }
    const from = Math.max(planned, now - Math.max(job.graceMs, leastGraceMs))
    const at = lastTime(job.schedule, from, now)
    if (at === undefined) {
      log('warn', { ...about, planned: new Date(planned).toISOString() }, 'a scheduled time was missed, too long ago to start it now')
      return true
    }
    const time = new Date(at).toISOString()
    // The claim names job and time, so after a crash before the next time is planned, this time is not started twice.
    const cause: JobTrigger = { eventId: randomUUID(), event: 'schedule', deliveryId: `${job.id}@${time}` }
    const accepted = await startJob(job, cause, this.#options)
    if (accepted !== 'busy') return true
    // `busy`: a run of the job is still open. After a restart it may be an interrupted run that is about to end as dead, so the start of a
    // missed time waits for this end.
    if (now - at > leastGraceMs) return false
    log('info', { ...about, planned: time }, 'the job is still running: this time is skipped')
    return true
  }

  /** Logs a failing store once, not at every tick. */
  #failed(error: unknown): void {
    if (error instanceof StoreFault && this.#failing) return
    this.#failing = error instanceof StoreFault
    this.#options.log('error', { reason: messageOf(error) }, 'cannot start scheduled jobs, trying again')
  }
}

/** Waits for all works, then throws the first failure. */
const settleAll = async (works: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
