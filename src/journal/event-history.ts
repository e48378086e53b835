/**
 * Makes one view of an event from its lines in the journal. The lines are added newest first, and where two lines disagree, the newer line
 * counts.
 */

import { roundMoney } from '../core/money.ts'
import type { JournalLine } from './line.ts'
import {
  type EventView,
  type EventWork,
  membersOfArrival,
  membersOfEnd,
  type RawPlace,
  type Received,
  type Revived,
  type RunEndedRecord,
  type RunRecord,
  type Started,
  type Tried,
} from './record.ts'

/** The most lines about the runs of an event that its view shows. */
const maxSteps = 50

/** The lines of one event that were read so far. */
export type EventHistory = {
  /** The line of the event's arrival, once it has been read. */
  arrival?: Received | Started
  /** The place of the raw request, which the line of arrival names. */
  raw?: RawPlace
  /** The newest end or revival of a run. It decides the state of the event. */
  last?: RunEndedRecord | Revived
  /** The newest end, even if the run was revived after it. */
  ended?: RunEndedRecord
  /** The lines about the event's runs, newest first: at most `maxSteps`. */
  readonly steps: RunRecord[]
  /** The newest attempt after the newest end or revival. It did not end its run, which still waits. */
  open?: Tried
}

/** Returns the history of the event `id` in `histories`. Where there is none, an empty history is added. */
export const historyOf = (histories: Map<string, EventHistory>, id: string): EventHistory => {
  const known = histories.get(id)
  if (known) return known
  const history: EventHistory = { steps: [] }
  histories.set(id, history)
  return history
}

/** Whether a line says that an event arrived: a request was received, or a job started. */
export const isArrival = ({ entry }: JournalLine): boolean => entry.kind === 'received' || entry.kind === 'started'

/**
 * Returns the id of the group (`coalesce`) that the event belongs to: the id of the event that opened the group. The run of a group is the
 * run of all its events. `undefined` for an event without a group.
 */
export const groupOf = ({ arrival, ended }: EventHistory): string | undefined =>
  arrival?.kind === 'received' ? arrival.group : ended?.group

/** Adds the next older line of the event to its history. */
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

/**
 * Returns the view of an event; `undefined` when neither its arrival nor the end of its run was read. `groupEnd`: the end of the run of its
 * group.
 */
export const eventView = (history: EventHistory, groupEnd: RunEndedRecord | undefined): EventView | undefined => {
  const { arrival, ended, raw } = history
  const first = arrival ?? ended
  if (!first) return undefined
  const { event_id, at, profile } = first
  const route = first.kind === 'started' ? '' : first.route
  // The line of arrival of an event may be deleted. Then `first` is the end of its run, so the event was accepted.
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
  if (ended) copyMembers(ended, view, membersOfEnd)
  if (arrival) copyMembers(arrival, view, membersOfArrival)
  if (raw) view.raw = raw
  if (steps.length > 0) {
    view.steps = steps
    const work = workOf(steps, arrival?.at)
    if (work) view.work = work
  }
  return view
}

/** Adds up the times and costs of attempts, oldest first. `arrivedAt`: absent where the line of arrival was deleted. */
const workOf = (steps: readonly RunRecord[], arrivedAt: string | undefined): EventWork | undefined => {
  const work: { -readonly [name in keyof EventWork]: EventWork[name] } = {}
  for (const step of steps) {
    if (step.kind === 'revived') continue
    const { duration_ms, usage } = step
    if (duration_ms !== undefined) work.ran_ms = (work.ran_ms ?? 0) + duration_ms
    if (usage) work.tokens = (work.tokens ?? 0) + usage.input_tokens + usage.output_tokens
    if (usage?.cost !== undefined) work.cost = roundMoney((work.cost ?? 0) + usage.cost)
  }
  const [first] = steps
  // Of a run with more than fifty attempts, the earliest are not read, so its first attempt is not known.
  if (arrivedAt !== undefined && first && first.kind !== 'revived' && first.attempt === 1 && first.duration_ms !== undefined)
    work.waited_ms = Math.max(0, Date.parse(first.at) - first.duration_ms - Date.parse(arrivedAt))
  return Object.keys(work).length > 0 ? work : undefined
}

const isTried = (step: RunRecord): step is Tried => step.kind === 'tried'

type EventDraft = { -readonly [name in keyof EventView]: EventView[name] }

/** Copies the named members that have a value. There may be a million events, and spreads of conditional objects take ten times as long. */
const copyMembers = (from: Partial<EventView>, to: Partial<Record<string, unknown>>, names: readonly (keyof EventView)[]): void => {
  for (const name of names) if (from[name] !== undefined) to[name] = from[name]
}

/** The members of a view that say how far the event's run has come. */
type EventState = Pick<EventView, 'state' | 'attempt' | 'error' | 'ended_at' | 'silent'>

const eventState = ({ last, open }: EventHistory, outcome: string, groupEnd: RunEndedRecord | undefined): EventState => {
  // A sender may have been told to try again although the work of its event was committed: the answer of the store was lost. So any outcome may
  // have a run.
  if (!last && !open && outcome !== 'accepted' && outcome !== 'coalesced') return { state: 'final' }
  if (last?.kind === 'ended') {
    const { state, attempt, error, silent, at } = last
    return { state, attempt, ended_at: at, ...(error === undefined ? {} : { error }), ...(silent === true ? { silent } : {}) }
  }
  if (!last && groupEnd) return { state: 'merged', ended_at: groupEnd.at }
  return { state: 'waiting', ...(open ? { attempt: open.attempt, error: open.error } : {}) }
}
