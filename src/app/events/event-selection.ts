/** Which events somebody means, and what that asks of the journal and of a running gateway. */

import type { EventView } from '../../journal/record.ts'
import { type Search, type SearchCriteria, searchOf } from './event-search.ts'

/** The journal's words, and what only a running gateway can tell of one that waits. */
export const states = ['final', 'waiting', 'running', 'done', 'dead', 'merged', 'unknown'] as const
export type State = (typeof states)[number]

/** What is left out does not count. Times are in milliseconds since 1970. */
export type EventCriteria = SearchCriteria & {
  readonly route?: string
  readonly job?: string
  readonly profile?: string
  readonly deliveryId?: string
  /** How it was answered, with or without the stage: `ignored`, `ignored:filters`. */
  readonly outcome?: readonly string[]
  readonly state?: readonly State[]
  readonly since?: number
  readonly until?: number
  readonly limit?: number
  /** The event where the page before ended. */
  readonly cursor?: string
}

/** What a running gateway may say of an event that has no end in the journal. */
const live: ReadonlySet<State> = new Set(['waiting', 'running', 'dead', 'unknown'])

export type Selection = {
  /** By what the journal says; of events that wait, all that may turn out to fit. */
  readonly fits: (event: EventView) => boolean
  /** By the state, once it is known. */
  readonly fitsState: (state: State) => boolean
  /** What takes reading more than the journal's lines; `undefined` where nothing is looked for. */
  readonly search: Search | undefined
  /** `fits` lets through what `fitsState` may refuse. */
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
