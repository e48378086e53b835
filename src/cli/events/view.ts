/** One event as the commands show it: to programs and to people. */

import type { State } from '../../app/event-selection.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import type { EventView } from '../../journal/record.ts'

export type Seen = {
  readonly event: EventView
  /** `unknown`: the gateway has no run of it any more, and its end is not in the journal. */
  readonly state: State
  readonly attempt: number
  /** When it is tried again. */
  readonly nextAt?: string
  readonly error?: string
}

/** An event for programs: every member is there, `null` where it says nothing. */
export const describeEvent = ({ event, state, attempt, nextAt, error }: Seen): JsonObject => ({
  event_id: event.event_id,
  at: event.at,
  profile: event.profile,
  route: event.route,
  event_type: event.event_type ?? null,
  delivery_id: event.delivery_id ?? null,
  outcome: event.outcome,
  reason: event.reason ?? null,
  stage: event.stage ?? null,
  status: event.status ?? null,
  duration_ms: event.duration_ms ?? null,
  target: event.target ?? null,
  job: event.job ?? null,
  group: event.group ?? null,
  count: event.count ?? null,
  replay_of: event.replay_of ?? null,
  state,
  attempt,
  error: error ?? null,
  next_at: nextAt ?? null,
  ended_at: event.ended_at ?? null,
  silent: event.silent ?? false,
  payload_kept: event.raw !== undefined,
})

const shortestId = 8

/** The beginnings of ids that tell these events apart. */
export const shortIds = (ids: readonly string[]): ((id: string) => string) => {
  let length = shortestId
  const all = new Set(ids)
  while (length < 36 && new Set([...all].map((id) => id.slice(0, length))).size < all.size) length++
  return (id) => printable(id, length)
}

/** One cell of a table: a line, never empty. */
export const cell = (value: string | number | undefined, limit = 64): string => excerpt(String(value ?? ''), limit) || '-'

/** The beginning of a text as one line; that it goes on is shown. */
export const excerpt = (text: string, limit: number): string => `${printable(text, limit)}${text.length > limit ? ' …' : ''}`

/** A time to the second. */
export const shownTime = (iso: string): string => printable(iso.replace(/\.\d+Z$/, 'Z'), 32)

/** What brought the event: its route, or the job of a schedule. */
export const sourceOf = ({ route, job }: EventView): string => (route === '' && job !== undefined ? `job:${job}` : route)

/** How it was answered; for one that was ignored, which stage said no: `ignored:filters`. */
export const outcomeOf = ({ outcome, stage }: Pick<EventView, 'outcome' | 'stage'>): string =>
  outcome === 'ignored' && stage !== undefined ? `${outcome}:${stage}` : outcome
