/**
 * Replays or retries many events. What would be done is a plan first, which says how many events of which route are meant. A started plan
 * is a bulk job: it goes on without a browser, one event after the other, and says how far it is.
 */

import { randomUUID } from 'node:crypto'
import { chooseEvents, countBySource, type EventResult, type SourceCount } from '../app/events/event-batch.ts'
import { planReplay } from '../app/events/event-replay.ts'
import { planRetry } from '../app/events/event-retry.ts'
import type { EventCriteria } from '../app/events/event-selection.ts'
import { describeEvent, type EventJson, type EventStatus } from '../app/events/event-status.ts'
import type { GatewayFinder } from '../app/running-gateway.ts'
import type { Workspace } from '../app/workspace.ts'
import type { Clock } from '../core/clock.ts'
import { exit, Fault, messageOf } from '../core/fault.ts'

type Action = 'replay' | 'retry'

/** A plan as the pages show it. `isCut`: older events fit, too, and are not in the plan. `leftOut`: events that cannot be worked on. */
export type BulkPlan = {
  readonly id: string
  readonly action: Action
  readonly count: number
  readonly bySource: readonly SourceCount[]
  /** The first events of the plan, the oldest first. */
  readonly first: readonly EventJson[]
  readonly leftOut: number
  readonly isCut: boolean
}

/** A bulk job as the pages show it. Times are ISO 8601, UTC. */
export type BulkJob = {
  readonly id: string
  readonly action: Action
  readonly count: number
  readonly done: number
  readonly failed: number
  /** The first events that failed, and why. */
  readonly failures: readonly { readonly event_id: string; readonly why: string }[]
  readonly startedAt: string
  readonly endedAt: string | null
  /** Why the job as a whole ended early. */
  readonly error: string | null
}

type Run = (countDone: (done: number) => void) => Promise<readonly EventResult[]>
type Planned = { readonly plan: BulkPlan; readonly at: number; readonly run: Run }

const maxPlans = 16
/** A plan that is older is not started: the events may stand otherwise by then. */
const planMs = 600_000
const maxJobs = 20
const shownEvents = 10
const shownFailures = 100

export interface Bulk {
  /** Throws a Fault without a gateway. */
  plan(action: Action, criteria: EventCriteria): Promise<BulkPlan>
  /**
   * Takes a plan out of those that wait, and notes it as a bulk job that runs. `run` does the work, and resolves when the job has ended.
   * Throws a Fault for a plan that is not there (any more), and while another bulk job runs.
   */
  take(id: string): { readonly plan: BulkPlan; run(): Promise<BulkJob> }
  /** Notes that a bulk job could not begin, and why. */
  fail(id: string, why: string): void
  jobs(): readonly BulkJob[]
}

export const createBulk = (workspace: Workspace, gateway: GatewayFinder, clock: Pick<Clock, 'now' | 'monotonic'>): Bulk => {
  const plans = new Map<string, Planned>()
  let jobs: readonly BulkJob[] = []
  const change = (id: string, more: Partial<BulkJob>): void => {
    jobs = jobs.map((job) => (job.id === id ? { ...job, ...more } : job))
  }
  const now = (): string => new Date(clock.now()).toISOString()
  const work = async ({ id }: BulkPlan, run: Run): Promise<BulkJob> => {
    try {
      const results = await run((done) => change(id, { done }))
      const failed = results.filter(({ ok }) => !ok)
      change(id, { done: results.length, failed: failed.length, failures: failed.slice(0, shownFailures).map(failureOf), endedAt: now() })
    } catch (error) {
      change(id, { error: messageOf(error), endedAt: now() })
    }
    return jobs.find((job) => job.id === id) as BulkJob
  }
  return {
    async plan(action, criteria) {
      const { events, isCut } = await chooseEvents(workspace, gateway, [], criteria)
      const { chosen, leftOut, run } = await planOf(workspace, gateway, action, events)
      const plan: BulkPlan = {
        id: randomUUID(),
        action,
        count: chosen.length,
        bySource: countBySource(chosen),
        first: chosen.slice(0, shownEvents).map(describeEvent),
        leftOut,
        isCut,
      }
      for (const id of plans.keys()) if (plans.size >= maxPlans) plans.delete(id)
      plans.set(plan.id, { plan, at: clock.monotonic(), run })
      return plan
    },
    take(id) {
      const planned = plans.get(id)
      if (!planned || clock.monotonic() - planned.at > planMs)
        throw new Fault('no_plan', 'this plan is too old, or was started already', { exitCode: exit.notFound, hint: 'make the plan again' })
      if (jobs.some(({ endedAt }) => endedAt === null))
        throw new Fault('busy', 'another bulk job runs', { exitCode: exit.no, hint: 'wait until it has ended' })
      plans.delete(id)
      const { plan, run } = planned
      const { action, count } = plan
      const job = { id, action, count, done: 0, failed: 0, failures: [], startedAt: now(), endedAt: null, error: null }
      jobs = [job, ...jobs].slice(0, maxJobs)
      return { plan, run: () => work(plan, run) }
    },
    fail: (id, why) => change(id, { error: why, endedAt: now() }),
    jobs: () => jobs,
  }
}

/** Plans the work on the events. `chosen`: the events that can be worked on. */
const planOf = async (workspace: Workspace, gateway: GatewayFinder, action: Action, events: readonly EventStatus[]) => {
  if (action === 'replay') {
    const { events: chosen, leftOut, run } = await planReplay(gateway, events, true)
    return { chosen, leftOut, run: (countDone: (done: number) => void) => run({}, countDone) }
  }
  const { dead, run } = await planRetry(workspace, gateway, events, true)
  return { chosen: dead, leftOut: events.length - dead.length, run }
}

const failureOf = ({ known, why, replayed }: EventResult): BulkJob['failures'][number] => ({
  event_id: known.event.event_id,
  why: why ?? replayed?.reason ?? replayed?.outcome ?? 'no reason is known',
})
