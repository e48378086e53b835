/** Starts scheduled jobs at their times: no time twice, and none while the job still runs. A missed time is made up once, within its grace. */

import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf, StoreFault } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { JobBook, ScheduledJob } from '../plan/jobs.ts'
import type { Store } from '../store/ports.ts'
import { lastTime } from './last-time.ts'
import { type JobCause, type JobStart, type JobStarter, startJob } from './start-job.ts'

export type SchedulerOptions = JobStarter & {
  readonly store: Pick<Store, 'accept' | 'plan' | 'plans'>
  readonly log: Log
  /** As the configuration and the jobs files have them now. */
  readonly book: () => Pick<JobBook, 'all' | 'complete' | 'find' | 'refresh'>
}

/** Schedules have no times closer together. */
const tickMs = 1_000
/** A start that a busy loop or a slow store delays so long still counts as in time, whatever the grace. */
const leastGraceMs = 10_000
const dayMs = 86_400_000
/** Starts that are committed side by side. */
const batch = 100

/** Owns the timer, and the next time of each job. */
export class Scheduler {
  readonly #options: SchedulerOptions
  /** The next time by plan key; `undefined` when no time is left. Keys from the store may have no job, or none yet. */
  readonly #plans = new Map<string, number | undefined>()
  readonly #unsaved = new Map<string, number | undefined>()
  #jobs: readonly ScheduledJob[] = []
  #lastNow = Number.POSITIVE_INFINITY
  #working: Promise<void> | undefined
  #failing = false
  #cancelTimer: () => void = () => {}

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  /** Starts what was missed while nobody ran, then follows the clock. Throws StoreFault. */
  async start(): Promise<void> {
    for (const [key, at] of await this.#options.store.plans()) this.#plans.set(key, at)
    this.#arm()
    this.#tick()
    await this.#working
  }

  /** Starts nothing more; waits for what is being started. */
  async stop(): Promise<void> {
    this.#cancelTimer()
    await this.#working
  }

  /** Starts a job now, whatever its schedule: a paused one too, a disabled or running one not. Throws StoreFault. */
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

  #arm(): void {
    const { clock } = this.#options
    this.#cancelTimer = clock.after(tickMs - (clock.now() % tickMs), () => {
      this.#arm()
      this.#tick()
    })
  }

  #tick(): void {
    this.#working ??= this.#turn(this.#options.clock.now())
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#working = undefined
      })
  }

  async #turn(now: number): Promise<void> {
    await this.#look(now)
    const due = this.#jobs.filter(({ planKey }) => (this.#plans.get(planKey) ?? Number.POSITIVE_INFINITY) <= now)
    if (due.length > 0 || this.#unsaved.size > 0) await this.#work(due, now)
  }

  /** Plans the jobs that are new, forgets those that are gone. */
  async #look(now: number): Promise<void> {
    const book = this.#options.book()
    book.refresh()
    const jobs = book.all()
    if (jobs !== this.#jobs) await this.#plan(jobs, now, book.complete)
    this.#jobs = jobs
    if (now < this.#lastNow - dayMs) this.#doubt(now)
    this.#lastNow = now
  }

  async #plan(jobs: readonly ScheduledJob[], now: number, complete: boolean): Promise<void> {
    let planned = 0
    for (const { planKey, schedule, id, profile } of jobs) {
      if (this.#plans.has(planKey)) continue
      // Planning one job takes a tenth of a millisecond: thousands at once would hold up the requests.
      if (++planned % batch === 0) await nextTurn()
      // From now: a new job never runs for the past.
      this.#set(planKey, schedule.next(now))
      if (this.#plans.get(planKey) === undefined) this.#options.log('info', { job: id, profile }, 'the time of this job is past')
    }
    // While a jobs file could not be read yet, a job that is not known may stand in it: no plan is forgotten.
    if (!complete) return
    const known = new Set(jobs.map(({ planKey }) => planKey))
    for (const key of this.#plans.keys()) {
      if (known.has(key)) continue
      this.#plans.delete(key)
      this.#unsaved.set(key, undefined)
    }
  }

  /**
   * When the wall clock is set back, planned times stay: planned anew, a time could come twice. But if the clock was more than a day ahead,
   * its plans would hold their jobs up for long. Those are planned anew; a time that was started is still refused, for its claim holds a day.
   */
  #doubt(now: number): void {
    for (const { planKey, schedule } of this.#jobs) {
      const at = this.#plans.get(planKey)
      if (at === undefined || at <= now + dayMs) continue
      if (at > (schedule.next(now + dayMs) ?? Number.POSITIVE_INFINITY)) this.#set(planKey, schedule.next(now))
    }
  }

  #set(key: string, at: number | undefined): void {
    this.#plans.set(key, at)
    this.#unsaved.set(key, at)
  }

  async #work(due: readonly ScheduledJob[], now: number): Promise<void> {
    try {
      for (let i = 0; i < due.length; i += batch) await allOf(due.slice(i, i + batch).map((job) => this.#due(job, now)))
    } finally {
      // Stored also when the store refused some of the starts: those jobs keep their time, and are tried at the next tick.
      await this.#options.store.plan(new Map(this.#unsaved))
      this.#unsaved.clear()
    }
    this.#failing = false
  }

  async #due(job: ScheduledJob, now: number): Promise<void> {
    const planned = this.#plans.get(job.planKey) ?? now
    if (job.state === 'active' && !(await this.#startLast(job, planned, now))) return
    this.#set(job.planKey, job.schedule.next(now))
  }

  /** Starts the last time that is due: earlier ones that were missed do not count. `false`: it is still to be started. */
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
    // The claim is made of job and time: when a crash comes before the next time is planned, this one is not started twice.
    const cause: JobCause = { eventId: randomUUID(), event: 'schedule', deliveryId: `${job.id}@${time}` }
    const accepted = await startJob(job, cause, this.#options)
    if (accepted !== 'busy') return true
    // After a start, the run that holds the job up may be one that died with the process, and ends as dead any moment: a missed time waits for that.
    if (now - at > leastGraceMs) return false
    log('info', { ...about, planned: time }, 'the job is still running: this time is skipped')
    return true
  }

  /** A store that fails is logged once, not at every tick. */
  #failed(error: unknown): void {
    if (error instanceof StoreFault && this.#failing) return
    this.#failing = error instanceof StoreFault
    this.#options.log('error', { reason: messageOf(error) }, 'cannot start scheduled jobs, trying again')
  }
}

/** Waits for all of them, also when one fails. */
const allOf = async (works: readonly Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}
