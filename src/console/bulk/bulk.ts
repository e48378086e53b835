/**
 * Replays or retries many events. First comes a plan, which says how many events of which route are meant. A started plan is a bulk job.
 * The job goes on without a browser, works on one event after the other, and counts the events that it has worked on. A job that was
 * stopped can go on with the events that are left, so that no event is started twice.
 */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { type EventResult, notTried, type SourceCount } from '../../operate/events/event-batch.ts'
import { planReplay } from '../../operate/events/event-replay.ts'
import { planRetry } from '../../operate/events/event-retry.ts'
import type { EventCriteria } from '../../operate/events/event-selection.ts'
import { describeEvent, type EventStatus } from '../../operate/events/event-status.ts'
import { chooseMany } from './choose-many.ts'
import { type Action, type BulkPlan, createPlans, type Planned } from './plans.ts'

/** A bulk job as the pages show it. Times are ISO 8601, UTC. */
export type BulkJob = {
  readonly id: string
  readonly action: Action
  readonly count: number
  /** The number of events that were worked on, including the events that failed. */
  readonly done: number
  readonly failed: number
  /** The first events that failed, and why. */
  readonly failures: readonly { readonly event_id: string; readonly why: string }[]
  readonly startedAt: string
  /** `null` while the job runs. */
  readonly endedAt: string | null
  /** Whether a user has stopped the job. */
  readonly isStopped: boolean
  /** Why the job as a whole ended early; `null` where it did not. */
  readonly error: string | null
  /** Whether the job ended before its last event, and can go on with the events that are left. */
  readonly canResume: boolean
}

const maxJobs = 20
const shownEvents = 10
const shownFailures = 100
/** The number of events that are planned again at a time while a job runs: their states may have changed since the plan was made. */
const chunkSize = 50

/** The work of a bulk job that may begin. `run` resolves when the job has ended, was stopped or failed. */
export type BulkWork = { readonly job: BulkJob; readonly bySource: readonly SourceCount[]; run(): Promise<BulkJob> }

export interface Bulk {
  /** Makes a plan, which waits to be started. Rejects with a Fault without a gateway, unless the plan is a retry on a shared store. */
  plan(action: Action, criteria: EventCriteria): Promise<BulkPlan>
  /**
   * Makes a running bulk job of a waiting plan. Throws a Fault where the plan is too old or was started already, and while another bulk job
   * runs.
   */
  take(id: string): BulkWork
  /** Stops the job when the present event is done. Throws a Fault where the job does not run. */
  stop(id: string): BulkJob
  /**
   * Notes that the latest job, which ended early, runs again. Throws a Fault where the job cannot go on, and while another bulk job runs.
   */
  resume(id: string): BulkWork
  /** Notes that a bulk job could not begin, and why. */
  fail(id: string, why: string): void
  jobs(): readonly BulkJob[]
}

const notBegun = { done: 0, failed: 0, failures: [], endedAt: null, isStopped: false, error: null, canResume: false }

export const createBulk = (workspace: Workspace, gateway: GatewayFinder, clock: Pick<Clock, 'now' | 'monotonic'>): Bulk => {
  const plans = createPlans(clock)
  let jobs: readonly BulkJob[] = []
  /** The plan of the latest job, while events of the plan are left, and the controller that stops the job. */
  let latest: { readonly planned: Planned; readonly stop: AbortController } | undefined
  const now = (): string => new Date(clock.now()).toISOString()
  const jobOf = (id: string): BulkJob | undefined => jobs.find((job) => job.id === id)
  const change = (id: string, more: Partial<BulkJob>): void => {
    jobs = jobs.map((job) => (job.id === id ? { ...job, ...more } : job))
  }
  const addResults: AddResults = (id, results) => {
    const { done = 0, failed = 0, failures = [] } = jobOf(id) ?? {}
    const bad = results.filter(({ ok }) => !ok)
    change(id, {
      done: done + results.length,
      failed: failed + bad.length,
      failures: [...failures, ...bad.map(failureOf)].slice(0, shownFailures),
    })
  }
  const runOf = (planned: Planned): BulkWork => {
    const { plan } = planned
    const stop = new AbortController()
    latest = { planned, stop }
    const run = async (): Promise<BulkJob> => {
      const error = await workThrough(planned, stop.signal, { workspace, gateway }, addResults).then(() => null, messageOf)
      const canResume = planned.left.length > 0
      change(plan.id, { error, endedAt: now(), isStopped: stop.signal.aborted, canResume })
      if (!canResume) latest = undefined
      return jobOf(plan.id) as BulkJob
    }
    return { job: jobOf(plan.id) as BulkJob, bySource: plan.bySource, run }
  }
  const needNoOther = (): void => {
    if (jobs.some(({ endedAt }) => endedAt === null))
      throw new Fault('busy', 'another bulk job runs', { exitCode: exit.no, hint: 'wait until it has ended, or stop it' })
  }
  return {
    async plan(action, criteria) {
      const planned = await makePlan({ workspace, gateway }, action, criteria)
      plans.add(planned)
      return planned.plan
    },
    take(id) {
      const planned = plans.get(id)
      needNoOther()
      plans.remove(id)
      const { action, count } = planned.plan
      // Only the latest job can go on: the events that earlier jobs have left are not kept.
      jobs = [{ id, action, count, ...notBegun, startedAt: now() }, ...jobs.map((job) => ({ ...job, canResume: false }))].slice(0, maxJobs)
      return runOf(planned)
    },
    stop(id) {
      const job = jobOf(id)
      if (!job || job.endedAt !== null || latest?.planned.plan.id !== id)
        throw new Fault('not_running', 'this bulk job does not run', { exitCode: exit.no })
      latest.stop.abort()
      return job
    },
    resume(id) {
      needNoOther()
      if (!jobOf(id)?.canResume || latest?.planned.plan.id !== id)
        throw new Fault('no_plan', 'nothing is left of this bulk job, or another was started since', {
          exitCode: exit.no,
          hint: 'make a plan',
        })
      change(id, { endedAt: null, isStopped: false, error: null, canResume: false })
      return runOf(latest.planned)
    },
    fail: (id, why) => change(id, { error: why, endedAt: now() }),
    jobs: () => jobs,
  }
}

type Around = { readonly workspace: Workspace; readonly gateway: GatewayFinder }
type AddResults = (id: string, results: readonly EventResult[]) => void

/** Returns those events of a page that can be worked on. */
const workable = async ({ workspace, gateway }: Around, action: Action, page: readonly EventStatus[]): Promise<readonly EventStatus[]> =>
  action === 'replay' ? (await planReplay(gateway, page, true)).events : (await planRetry(workspace, gateway, page, true)).events

const makePlan = async (around: Around, action: Action, criteria: EventCriteria): Promise<Planned> => {
  const { workspace, gateway } = around
  const chosen = await chooseMany(workspace, gateway, criteria, (page) => workable(around, action, page), shownEvents)
  const { events, first, ...rest } = chosen
  return { plan: { id: randomUUID(), action, count: events.length, first: first.map(describeEvent), ...rest }, left: events }
}

/** Works on the events that are left of a plan. Rejects where the gateway is gone; the events that were not tried then stay in `left`. */
const workThrough = async (planned: Planned, signal: AbortSignal, around: Around, addResults: AddResults): Promise<void> => {
  const { id, action } = planned.plan
  while (planned.left.length > 0 && !signal.aborted) {
    const chunk = planned.left.slice(0, chunkSize)
    const results = await workOn(around, action, chunk, signal)
    const tried = results.filter(({ why }) => why !== notTried)
    const worked = new Set(tried.map(({ known }) => known))
    planned.left = [...chunk.filter((known) => !worked.has(known)), ...planned.left.slice(chunkSize)]
    addResults(id, tried)
    if (tried.length < results.length) throw new Error(tried.at(-1)?.why ?? 'the gateway is gone')
  }
}

/** Works on a few events of a job. An event that cannot be worked on any more counts as failed. */
const workOn = async (
  { workspace, gateway }: Around,
  action: Action,
  events: readonly EventStatus[],
  signal: AbortSignal,
): Promise<readonly EventResult[]> => {
  const ignore = (): void => {}
  if (action === 'replay') return (await planReplay(gateway, events, false)).run({}, ignore, signal)
  const { others, run } = await planRetry(workspace, gateway, events, false)
  return [...others, ...(await run(ignore, signal))]
}

const failureOf = ({ known, why, replayed }: EventResult): BulkJob['failures'][number] => ({
  event_id: known.event.event_id,
  why: why ?? replayed?.reason ?? replayed?.outcome ?? 'no reason is known',
})
