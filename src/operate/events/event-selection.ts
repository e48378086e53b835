/**
 * Turns the user's criteria for events into a selection: conditions that the journal can decide, and conditions that need a running
 * gateway, a shared store, or what was stored of requests and attempts.
 */

import { type EventSummary, recordedTime } from '../../journal/record.ts'
import { type EventSearch, type SearchCriteria, searchOf } from './event-search.ts'

/**
 * The states of an event. `final`: answered without a run. `merged`: another event of its group has the run. `waiting`, `running`, `done`,
 * `dead`, `cancelled`, `expired`, `stale`: the state of its run. `unknown`: neither the journal nor the store has what became of its run. The
 * journal has an event that is `running` or `unknown` as `waiting`, and until the run of its group has ended also one that is `merged`.
 */
export const states = ['final', 'waiting', 'running', 'done', 'dead', 'cancelled', 'expired', 'stale', 'merged', 'unknown'] as const
export type EventState = (typeof states)[number]

/** The user's criteria. A member that is left out selects every event. Times are in milliseconds since 1970. */
export type EventCriteria = SearchCriteria & {
  readonly route?: string
  readonly job?: string
  readonly profile?: string
  readonly deliveryId?: string
  /** The outcomes, with or without the stage: `ignored`, `ignored:filters`. */
  readonly outcome?: readonly string[]
  readonly state?: readonly EventState[]
  readonly since?: number
  readonly until?: number
  readonly limit?: number
  /** The id after which the page begins, as the previous page gave it. */
  readonly cursor?: string
}

/** The states that an event may have while the journal says `waiting`. A gateway or a shared store is asked for the true state. */
const liveStates: ReadonlySet<EventState> = new Set(['waiting', 'running', 'dead', 'merged', 'unknown'])

export type Selection = {
  /**
   * Whether an event fits by its record in the journal. Of an event that waits in the journal: whether it may fit once its state is known.
   */
  readonly fits: (event: EventSummary) => boolean
  /** Whether an event fits by its state, once the state is known. */
  readonly fitsState: (state: EventState) => boolean
  /** The search in stored requests and attempts; `undefined` where the criteria ask for none. */
  readonly search: EventSearch | undefined
  /** Whether `fits` accepts waiting events that `fitsState` may refuse, so that more events must be read than a page has. */
  readonly isLive: boolean
  readonly since: number | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

/** Makes the selection. `defaultLimit`: the most events where the criteria give no limit. */
export const selectionOf = (criteria: EventCriteria, defaultLimit: number): Selection => {
  const { route, job, profile, deliveryId, outcome, state, since, until } = criteria
  const asked = state && new Set(state)
  const [from, before] = [since, until].map((ms) => ms !== undefined && recordedTime(ms))
  const mayWait = state?.some((word) => liveStates.has(word)) ?? true
  return {
    fits: (event) =>
      (route === undefined || event.route === route) &&
      (job === undefined || event.job === job) &&
      (profile === undefined || event.profile === profile) &&
      (deliveryId === undefined || event.delivery_id === deliveryId) &&
      (!from || event.at >= from) &&
      (!before || event.at < before) &&
      (outcome === undefined || outcome.some((word) => word === event.outcome || word === `${event.outcome}:${event.stage}`)) &&
      (asked === undefined || asked.has(event.state) || (event.state === 'waiting' && mayWait)),
    isLive: asked !== undefined && mayWait,
    fitsState: (found) => asked === undefined || asked.has(found),
    search: searchOf(criteria),
    since,
    limit: criteria.limit ?? defaultLimit,
    cursor: criteria.cursor,
  }
}
