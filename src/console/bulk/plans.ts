/** The plans of bulk jobs, from when they are made until they are started or too old. */

import type { SourceCount } from '../../app/events/event-batch.ts'
import type { EventJson, EventStatus } from '../../app/events/event-status.ts'
import type { Clock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'

export type Action = 'replay' | 'retry'

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

/** `left`: the events that were not worked on yet. */
export type Planned = { readonly plan: BulkPlan; left: readonly EventStatus[] }

/** The most events of all plans that wait. */
const maxPlanned = 200_000
/** A plan that is older is not started: the events may stand otherwise by then. */
const planMs = 600_000

export interface Plans {
  add(planned: Planned): void
  /** Returns a plan. Throws a Fault for a plan that is not there (any more). */
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
