/** Turns the user's criteria for events into a selection: the part that the journal decides, and the part that needs a running gateway. */

import type { EventView } from '../../journal/record.ts'
import { type Search, type SearchCriteria, searchOf } from './event-search.ts'

/** The states of an event: the words of the journal, and the words that only a running gateway can say of a waiting event. */
export const states = ['final', 'waiting', 'running', 'done', 'dead', 'merged', 'unknown'] as const
export type State = (typeof states)[number]

/** The user's criteria. A member that is left out selects every event. Times are in milliseconds since 1970. */
export type EventCriteria = SearchCriteria & {
  readonly route?: string
  readonly job?: string
  readonly profile?: string
  readonly deliveryId?: string
  /** The outcomes, with or without the stage: `ignored`, `ignored:filters`. */
  readonly outcome?: readonly string[]
  readonly state?: readonly State[]
  readonly since?: number
  readonly until?: number
  readonly limit?: number
  /** The id of the last event of the previous page. */
  readonly cursor?: string
}

/** The states that a running gateway may report for an event that has no end in the journal. */
const live: ReadonlySet<State> = new Set(['waiting', 'running', 'dead', 'unknown'])

export type Selection = {
  /** Whether an event fits by its record in the journal. For a waiting event: whether it may still fit. */
  readonly fits: (event: EventView) => boolean
  /** Whether an event fits by its state, once the state is known. */
  readonly fitsState: (state: State) => boolean
  /** The search that reads more than the lines of the journal; `undefined` where nothing is looked for. */
  readonly search: Search | undefined
  /** `fits` accepts events that `fitsState` may refuse. */
  readonly isLive: boolean
  readonly since: number | undefined
  readonly limit: number
  readonly cursor: string | undefined
}

export const selectionOf = (criteria: EventCriteria, defaultLimit: number): Selection => {
  const { route, job, profile, deliveryId, outcome, state, since, until } = criteria
  const asked = state && new Set(state)
  const mayWait = state?.some((word) => live.has(word)) ?? true
  return {
    fits: (event) =>
      (route === undefined || event.route === route) &&
      (job === undefined || event.job === job) &&
      (profile === undefined || event.profile === profile) &&
      (deliveryId === undefined || event.delivery_id === deliveryId) &&
      (since === undefined || Date.parse(event.at) >= since) &&
      (until === undefined || Date.parse(event.at) < until) &&
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
