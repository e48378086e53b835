/** Puts the lines of one event together. The lines come newest first, and the newest line decides. */

import type { JournalLine } from './line.ts'
import type { Ended, EventView, RawPlace, Received, Revived, RunRecord, Started, Tried } from './record.ts'

const maxSteps = 50

export type EventHistory = {
  /** The line of the event's arrival, once it has been read. */
  arrival?: Received | Started
  raw?: RawPlace
  /** The newest end or revival. It decides the state. */
  last?: Ended | Revived
  /** The newest end, even if the run was revived after it. */
  ended?: Ended
  /** The lines about the event's runs, newest first. */
  readonly steps: RunRecord[]
  /** The newest failed attempt of a run that has not ended, or was revived. */
  open?: Tried
}

/** Returns the history of an event, and begins it where there is none. */
export const historyOf = (histories: Map<string, EventHistory>, id: string): EventHistory => {
  const known = histories.get(id)
  if (known) return known
  const history: EventHistory = { steps: [] }
  histories.set(id, history)
  return history
}

export const isArrival = ({ entry }: JournalLine): boolean => entry.kind === 'received' || entry.kind === 'started'

/** Returns the id of the group whose run may stand for this event too. */
export const groupOf = ({ arrival, ended }: EventHistory): string | undefined =>
  arrival?.kind === 'received' ? arrival.group : ended?.group

/** Adds the next older line. */
export const addLine = (history: EventHistory, { entry, raw }: JournalLine): void => {
  if (entry.kind === 'received' || entry.kind === 'started') {
    history.arrival = entry
    if (raw) history.raw = raw
    return
  }
  if (history.steps.length < maxSteps) history.steps.push(raw ? { ...entry, raw } : entry)
  if (entry.kind === 'tried') {
    if (!history.last) history.open ??= entry
    return
  }
  history.last ??= entry
  if (entry.kind === 'ended') history.ended ??= entry
}

/** Returns the view of the event; `undefined` when neither its arrival nor its end was read. `groupEnd`: the end of its group's run. */
export const eventView = (history: EventHistory, groupEnd: Ended | undefined): EventView | undefined => {
  const { arrival, ended, raw } = history
  const first = arrival ?? ended
  if (!first) return undefined
  const { event_id, at, profile } = first
  const route = first.kind === 'started' ? '' : first.route
  // An event without a line of arrival has the end of a run, so it was accepted.
  const outcome = first.kind === 'received' ? first.outcome : first.kind === 'ended' && first.group !== undefined ? 'coalesced' : 'accepted'
  const steps = history.steps.toReversed()
  const view: EventDraft = {
    event_id,
    at,
    profile,
    route,
    outcome,
    ...eventState(history, outcome, groupEnd),
    tries: steps.filter(isTried),
  }
  if (ended) copyMembers(ended, view, ofEnd)
  if (arrival) copyMembers(arrival, view, ofArrival)
  if (raw) view.raw = raw
  if (steps.length > 0) view.steps = steps
  return view
}

const isTried = (step: RunRecord): step is Tried => step.kind === 'tried'

type EventDraft = { -readonly [name in keyof EventView]: EventView[name] }

const ofEnd = ['event_type', 'delivery_id', 'target', 'job', 'group', 'count'] as const
const ofArrival = [...ofEnd, 'answer', 'reason', 'stage', 'status', 'duration_ms', 'replay_of', 'edited', 'unverified'] as const

/** Copies members by name. There may be a million events, and spreads of objects with gaps take ten times as long. */
const copyMembers = (from: Partial<EventView>, to: Partial<Record<string, unknown>>, names: readonly (keyof EventView)[]): void => {
  for (const name of names) if (from[name] !== undefined) to[name] = from[name]
}

type EventState = Pick<EventView, 'state' | 'attempt' | 'error' | 'ended_at' | 'silent'>

const eventState = ({ last, open }: EventHistory, outcome: string, groupEnd: Ended | undefined): EventState => {
  if (outcome !== 'accepted' && outcome !== 'coalesced') return { state: 'final' }
  if (last?.kind === 'ended') {
    const { state, attempt, error, silent, at } = last
    return { state, attempt, ended_at: at, ...(error === undefined ? {} : { error }), ...(silent === true ? { silent } : {}) }
  }
  if (!last && groupEnd) return { state: 'merged', ended_at: groupEnd.at }
  return { state: 'waiting', ...(open ? { attempt: open.attempt, error: open.error } : {}) }
}
