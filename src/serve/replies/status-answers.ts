/** Answers the holder of a status address: the state of one run, and its reply where the route allows it. */

import type { Reply } from '../../core/outcome.ts'
import { createSlots } from '../../core/turns/slots.ts'
import { readReply } from '../../datadir/records/event-attempts.ts'
import type { Route } from '../../generated/config.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { Store } from '../../store/ports.ts'
import type { AwaitedReplies } from './awaited-replies.ts'

type StatusAnswersOptions = {
  readonly replies: Pick<AwaitedReplies, 'eventOf'>
  readonly store: Pick<Store, 'standings'>
  readonly records: EventRecords
  readonly route: (name: string) => Route | undefined
}

/**
 * The state of a run. `unknown`: its record is gone, or a run that was in memory only was lost. `reply`: present where it is done, not
 * silent, and kept.
 */
type RunState = {
  readonly status: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled' | 'expired' | 'stale' | 'unknown'
  readonly reply?: string
}

/** Answers the request for the state of a run. Never rejects but for a bug. */
export type StatusAnswer = (token: string) => Promise<Reply>

/** The most searches in the records at once, and the most that wait for their turn: a search may read many files. */
const maxSearches = 2
const maxWaiting = 50
const retryAfter = { 'Retry-After': '2' }
const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

const jsonReply = (status: number, body: object, more: Reply['headers'] = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  type: 'application/json; charset=utf-8',
  headers: { ...headers, ...more },
})

/** Forged, expired and mistyped tokens get the same answer as any address that is not there. */
const notFound = jsonReply(404, { error: 'Not found' })
const busy = jsonReply(503, { error: 'Status is unavailable' }, retryAfter)

export const createStatusAnswers = (options: StatusAnswersOptions): StatusAnswer => {
  const searches = createSlots(() => maxSearches, maxWaiting)
  return async (token) => {
    const eventId = options.replies.eventOf(token)
    if (eventId === undefined) return notFound
    try {
      const state = await stateOf(eventId, options, searches.run)
      if (!state) return busy
      const isOpen = state.status === 'waiting' || state.status === 'running'
      return jsonReply(200, state, isOpen ? retryAfter : {})
    } catch {
      // The store or the records cannot be read now. The log of the gateway says why, and the sender learns nothing of it.
      return busy
    }
  }
}

/**
 * Returns the state of an event's run; `undefined` where too many searches wait. The store is asked first: a run that is no longer in the
 * store has a record.
 */
const stateOf = async (
  eventId: string,
  { store, records, route }: StatusAnswersOptions,
  search: ReturnType<typeof createSlots>['run'],
): Promise<RunState | undefined> => {
  const [standing] = await store.standings([eventId])
  if (standing) return { status: standing.state }
  return search(async () => {
    const found = await records.event(eventId)
    if (found.kind !== 'found') return { status: 'unknown' }
    const { state } = found.event
    if (state === 'final' || state === 'waiting' || state === 'merged') return { status: 'unknown' }
    const isShown = state === 'done' && route(found.event.route)?.respond?.status_body === true
    const reply = isShown && !found.event.silent ? await readReply(records, found.event.steps?.at(-1)?.raw) : null
    return { status: state, ...(reply === null ? {} : { reply }) }
  })
}
