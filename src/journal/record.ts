/**
 * The records of the journal: an event arrived, a job started, an attempt failed, a run ended or was revived. Each record is one line of
 * JSON. `EventView` is one event, put together from all its records.
 */

import type { Json } from '../core/json.ts'

/** Returns the line as JSON, without a line end. `at`: when the run was revived, in milliseconds since 1970. */
export const revivedLine = (eventId: string, at: number): Buffer => {
  const record: Revived = { kind: 'revived', at: new Date(at).toISOString(), event_id: eventId }
  return Buffer.from(JSON.stringify(record))
}

/**
 * A request with its outcome: a request whose signature holds, or one of the few refused requests that are recorded. In all records, times
 * are ISO 8601 in UTC, with milliseconds.
 */
export type Received = {
  readonly kind: 'received'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly route: string
  /**
   * `event_type` and `delivery_id` are absent where the body was not parsed: the body is malformed, or the request ended before (a refused
   * signature, a rate limit, a handshake).
   */
  readonly event_type?: string
  readonly delivery_id?: string
  /** `accepted`, `coalesced`, `delivered`, `closing`, `ignored`, `duplicate`, `handshake`, or the code of a refusal. */
  readonly outcome: string
  readonly reason?: string
  /** The stage that ended the request. */
  readonly stage: string
  readonly status: number
  readonly duration_ms: number
  readonly target?: string
  readonly job?: string
  /** The id of the event that opened the group of this event. */
  readonly group?: string
  /**
   * For one of several events of a request: the event id of the request, and the place of the event's item in it, from 0. Its request has
   * the body.
   */
  readonly batch_of?: string
  readonly batch_index?: number
  /** The route that received the request and dispatched the event to `route`. */
  readonly dispatched_by?: string
  readonly replay_of?: string
  /** The request is a replay, and its body differs from the body of the event that it repeats. */
  readonly edited?: true
  /** The targets' answers to a text that was delivered directly. */
  readonly answer?: string
  /** The event ended the work of earlier events: their number, and the ids of the first hundred. */
  readonly ends?: EndedEvents
  /** In a record that stands for several refused signatures of one minute: their number. */
  readonly count?: number
  /** Present where the signature was refused, but the raw request is kept: a later check of the signature may still accept it. */
  readonly unverified?: Unverified
  /** The event has a trace. Absent while traces are off. */
  readonly traced?: true
  /** The id of the event's trace, where it does not follow from the event's id: the trace is that of a trusted caller. */
  readonly trace_id?: string
}

type EndedEvents = { readonly count: number; readonly events: readonly string[] }

/**
 * The facts that a later check of a signature needs besides the raw request. `address`: the address that the sender posted to; empty where
 * the signature does not cover it. `proxied`: a trusted proxy handed the request on.
 */
export type Unverified = { readonly address: string; readonly proxied: boolean }

/** The start of a job, by its schedule or by hand, without a request. */
export type Started = {
  readonly kind: 'started'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly job: string
  readonly delivery_id: string
  readonly trace_id?: string
}

/** The usage of an agent in one attempt. */
export type RecordedUsage = {
  /** The number of calls of a model. */
  readonly steps: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** In the operator's currency; absent where a price is not known. */
  readonly cost?: number
  /** The cost, or a part of it, is what the agent itself said, in its own currency. */
  readonly cost_told?: true
  /** How often each tool was called. */
  readonly tools: { readonly [name: string]: number }
  /** The id of the session that the agent keeps itself. */
  readonly session?: string
  /** The names of the tools that were refused to the agent by its own rules. */
  readonly refused?: string[]
}

/** An attempt that did not end its run: it failed, or waits for a target, or a stop aborted it, and another attempt will follow. */
export type Tried = {
  readonly kind: 'tried'
  readonly at: string
  readonly event_id: string
  readonly attempt: number
  readonly error: string
  readonly next_at: string
  /** The length of the attempt in milliseconds; absent in lines of older versions. */
  readonly duration_ms?: number
  /** `profile`, `route`, `event_type` and `delivery_id` describe the event, for a reader who has only this line. */
  readonly profile?: string
  readonly route?: string
  readonly event_type?: string
  readonly delivery_id?: string
  /** The name of the run's agent; absent for the default agent. */
  readonly agent?: string
  readonly target?: string
  readonly job?: string
  /** The answers of the targets that have the text. */
  readonly answer?: string
  readonly usage?: RecordedUsage
}

/** How a run ends. */
export const runEndStates = ['done', 'dead', 'cancelled', 'expired', 'stale'] as const
type RunEndState = (typeof runEndStates)[number]

/**
 * The end of a run: done, dead, cancelled by hand or by a later event, expired before it began, or stale before its delivery. The line is written before the store has the end. A crash in
 * between causes a second end of the same run, but never an ended run without a line. The newest line of a run counts.
 */
export type RunEndedRecord = {
  readonly kind: 'ended'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly route: string
  readonly event_type: string
  readonly delivery_id: string
  readonly state: RunEndState
  readonly attempt: number
  /** As in `Tried`. */
  readonly duration_ms?: number
  readonly error?: string
  /** As in `Tried`. */
  readonly agent?: string
  /** The id of the event that ended the run, where it was cancelled by a later event. */
  readonly ended_by?: string
  /** The agent asked that nothing be sent. */
  readonly silent?: true
  readonly target?: string
  readonly job?: string
  /** Where the run belongs to a group: the id of the event that opened the group, and in `count` the number of its events. */
  readonly group?: string
  readonly count?: number
  /** The answers of the targets that have the text. */
  readonly answer?: string
  readonly usage?: RecordedUsage
  readonly trace_id?: string
}

/** The error in the end of a run that waited when its event was erased. */
export const erasedError = 'erased: its data were deleted by hand'

/** The revival of a dead run by hand. */
export type Revived = { readonly kind: 'revived'; readonly at: string; readonly event_id: string }

export type JournalRecord = Received | Started | Tried | RunEndedRecord | Revived

type WithGaps<R> = { readonly [K in keyof R]: object extends Pick<R, K> ? R[K] | undefined : R[K] }

/** A record before it is written. Optional members may also be `undefined`, which JSON leaves out. */
export type NewRecord = WithGaps<JournalRecord>

/**
 * A request as it came; or, with the headers `{}`, the prompt, the reply and the calls of tools of an attempt as JSON. Secret headers and
 * parameters of the query are masked when the request is stored, except the headers whose names are in `signedIn`. `pathAndQuery`: absent
 * for a request that was not received over HTTP, or was stored by an older version.
 */
export type RawRequest = {
  /** Absent for a POST. */
  readonly method?: string | undefined
  readonly pathAndQuery?: string | undefined
  readonly headers: { readonly [name: string]: Json }
  readonly body: Buffer
  readonly signedIn?: readonly string[]
}

/**
 * A record about a run. `raw`: the place of a JSON object with the `prompt` of the attempt, and `reply` and `tool_calls` where there were
 * some.
 */
export type RunRecord = (Tried | RunEndedRecord | Revived) & { readonly raw?: RawPlace }

/** The members of an event's view that come from the line of a run's end, where the line has them. */
export const membersOfEnd = ['event_type', 'delivery_id', 'agent', 'target', 'job', 'group', 'count', 'ended_by', 'trace_id'] as const

/** The members of an event's view that come from the line of its arrival, where the line has them. */
export const membersOfArrival = [
  'event_type',
  'delivery_id',
  'target',
  'job',
  'group',
  'count',
  'trace_id',
  'answer',
  'reason',
  'stage',
  'status',
  'duration_ms',
  'batch_of',
  'batch_index',
  'dispatched_by',
  'replay_of',
  'ends',
  'edited',
  'unverified',
  'traced',
] as const satisfies readonly (keyof Received)[]

type Copied = Partial<Pick<Received, (typeof membersOfArrival)[number]> & Pick<RunEndedRecord, (typeof membersOfEnd)[number]>>

/** An event, put together from its lines. A member that is copied from a line is declared with the line. */
export type EventView = Copied & {
  readonly event_id: string
  /** When the event arrived; where the line of its arrival was deleted, when its run ended. */
  readonly at: string
  readonly profile: string
  readonly route: string
  readonly outcome: string
  /** `waiting`: accepted, and the run has not ended. `merged`: another event of the group has the run. `final`: answered without a run. */
  readonly state: 'final' | 'waiting' | RunEndState | 'merged'
  readonly attempt?: number
  readonly error?: string
  readonly ended_at?: string
  readonly silent?: true
  /** What is known of the time and the cost of the attempts in `steps`; absent where nothing is. */
  readonly work?: EventWork
  /** The attempts in `steps` that did not end the run, oldest first. */
  readonly tries: readonly Tried[]
  /**
   * The lines about the event's runs, oldest first, including runs before a retry by hand. Of more than fifty lines, only the newest fifty.
   */
  readonly steps?: readonly RunRecord[]
  /** The place of the raw request; absent when the request was not kept. */
  readonly raw?: RawPlace
}

const latestMs = Date.UTC(9999, 11, 31)

/** Returns a time in milliseconds since 1970 as records have it. Times of records, as texts, are in the order of time. */
export const recordedTime = (ms: number): string => new Date(Math.min(Math.max(ms, 0), latestMs)).toISOString()

/** The times and costs of the attempts at an event's run. A member without a value was not recorded. */
export type EventWork = {
  /** Milliseconds from the arrival of the event to the begin of its first attempt. */
  readonly waited_ms?: number
  /** The lengths of all attempts together, in milliseconds. */
  readonly ran_ms?: number
  /** In the operator's currency. */
  readonly cost?: number
  /** The tokens that models read and wrote. */
  readonly tokens?: number
}

/** The members of an event by which a selection chooses. Of `raw` and `unverified`, only their presence counts. */
export type EventSummary = Pick<
  EventView,
  | 'event_id'
  | 'at'
  | 'profile'
  | 'route'
  | 'event_type'
  | 'delivery_id'
  | 'outcome'
  | 'stage'
  | 'job'
  | 'group'
  | 'batch_of'
  | 'state'
  | 'work'
> & { readonly raw?: unknown; readonly unverified?: unknown }

/**
 * The place of a raw request: the headers as JSON, then the body. `segment`: the segment whose raw file has the request; in a shared
 * database, the batch that has the request. Lengths and offset in bytes.
 */
export type RawPlace = { readonly segment: string; readonly offset: number; readonly head_bytes: number; readonly body_bytes: number }

/** Writes records. Opened by `openJournal` (in a folder) or `openSharedJournal` (in a shared database). */
export interface Journal {
  /**
   * Adds a record, with its raw request where there is one. Never throws. A record is dropped when too many records wait, when it is too
   * long, and after `close`.
   */
  add(entry: NewRecord, raw?: RawRequest): void
  /** Resolves when every record added so far is stored or was dropped. Never rejects. */
  flushed(): Promise<void>
  close(): Promise<void>
}
