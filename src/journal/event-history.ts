/** What the lines of one event tell together; they are told newest first, because the newest decide. */

import type { Line } from './line.ts'
import type { Ended, EventView, RawPlace, Received, Revived, Started, Tried } from './record.ts'

const maxTries = 50

export type EventHistory = {
  /** The line of its arrival, where it was met. */
  arrival?: Received | Started
  raw?: RawPlace
  /** What decides over the state. */
  last?: Ended | Revived
  /** How it ended last, whatever came after. */
  ended?: Ended
  /** Newest first. */
  readonly tries: Tried[]
  /** The last failure of a run that has not ended, or was put back. */
  open?: Tried
}

/** The story of an event, begun when it is not known yet. */
export const historyOf = (stories: Map<string, EventHistory>, id: string): EventHistory => {
  const known = stories.get(id)
  if (known) return known
  const story: EventHistory = { tries: [] }
  stories.set(id, story)
  return story
}

export const isArrival = ({ entry }: Line): boolean => entry.kind === 'received' || entry.kind === 'started'

/** The group whose run may have taken the event along. */
export const groupOf = ({ arrival, ended }: EventHistory): string | undefined =>
  arrival?.kind === 'received' ? arrival.group : ended?.group

/** Adds the next older line. */
export const addLine = (story: EventHistory, { entry, raw }: Line): void => {
  if (entry.kind === 'tried') {
    if (!story.last) story.open ??= entry
    if (story.tries.length < maxTries) story.tries.push(entry)
  } else if (entry.kind === 'ended' || entry.kind === 'revived') {
    story.last ??= entry
    if (entry.kind === 'ended') story.ended ??= entry
  } else {
    story.arrival = entry
    if (raw) story.raw = raw
  }
}

/** The event's view; `undefined` when neither its arrival nor its end was met. `groupEnd`: how the run of its group ended. */
export const viewOf = (story: EventHistory, groupEnd: Ended | undefined): EventView | undefined => {
  const { arrival, ended, raw, tries } = story
  const told = arrival ?? ended
  if (!told) return undefined
  const { event_id, at, profile } = told
  const route = told.kind === 'started' ? '' : told.route
  // The line of its arrival is gone. A run ended, so the event was accepted.
  const outcome = told.kind === 'received' ? told.outcome : told.kind === 'ended' && told.group !== undefined ? 'coalesced' : 'accepted'
  const view: Draft = { event_id, at, profile, route, outcome, ...standing(story, outcome, groupEnd), tries: tries.toReversed() }
  if (ended) copy(ended, view, ofEnd)
  if (arrival) copy(arrival, view, ofArrival)
  if (raw) view.raw = raw
  return view
}

type Draft = { -readonly [name in keyof EventView]: EventView[name] }

const ofEnd = ['event_type', 'delivery_id', 'target', 'job', 'group', 'count'] as const
const ofArrival = [...ofEnd, 'reason', 'stage', 'status', 'duration_ms', 'replay_of'] as const

/** By name, because there may be a million of them: copying all but a few members is ten times as slow. */
const copy = (from: Partial<EventView>, to: Partial<Record<string, unknown>>, names: readonly (keyof EventView)[]): void => {
  for (const name of names) if (from[name] !== undefined) to[name] = from[name]
}

type State = Pick<EventView, 'state' | 'attempt' | 'error' | 'ended_at' | 'silent'>

const standing = ({ last, open }: EventHistory, outcome: string, groupEnd: Ended | undefined): State => {
  if (outcome !== 'accepted' && outcome !== 'coalesced') return { state: 'final' }
  if (last?.kind === 'ended') {
    const { state, attempt, error, silent, at } = last
    return { state, attempt, ended_at: at, ...(error === undefined ? {} : { error }), ...(silent === true ? { silent } : {}) }
  }
  if (!last && groupEnd) return { state: 'merged', ended_at: groupEnd.at }
  return { state: 'waiting', ...(open ? { attempt: open.attempt, error: open.error } : {}) }
}
