/** Keeps the plans of bulk jobs until they are started or too old. */

import type { Clock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { SourceCount } from '../../operate/events/event-batch.ts'
import type { EventJson, EventStatus } from '../../operate/events/event-status.ts'

export type Action = 'replay' | 'retry'

/**
 * A plan as the pages show it. `isCut`: further, older events may fit the criteria, and are not in the plan. `leftOut`: the number of
 * events that fit and cannot be worked on.
 */
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

/** A plan, and in `left` the events that were not worked on yet. */
export type Planned = { readonly plan: BulkPlan; left: readonly EventStatus[] }

/** The most events of all waiting plans together. The oldest plans make room for a new plan. */
const maxPlanned = 200_000
/** The age past which a plan is not started, in milliseconds, because the states of its events may have changed. */
const planMs = 600_000

export interface Plans {
  add(planned: Planned): void
  /** Returns a waiting plan. Throws a Fault where the plan is too old, or was started already. */
  get(id: string): Planned
  remove(id: string): void
}

export const createPlans = (clock: Pick<Clock, 'monotonic'>): Plans => {
  const plans = new Map<string, Planned & { readonly at: number }>()
  return {
    add(planned) {
      plans.set(planned.plan.id, { ...planned, at: clock.monotonic() })
      let sum = [...plans.values()].reduce((count, { left }) => count + left.length, 0)
      for (const [id, { left }] of plans) {
        if (sum <= maxPlanned) return
        plans.delete(id)
        sum -= left.length
      }
    },
    get(id) {
      const planned = plans.get(id)
      if (planned && clock.monotonic() - planned.at <= planMs) return planned
      throw new Fault('no_plan', 'this plan is too old, or was started already', { exitCode: exit.notFound, hint: 'make the plan again' })
    },
    remove: (id) => void plans.delete(id),
  }
}
