/** The records of the journal: an event arrived, a job started, an attempt failed, a run ended or was revived. */

import type { Json } from '../core/json.ts'

/**
 * A request whose signature holds, or one of the few refusals that are recorded, with its outcome. Times are ISO 8601 in UTC, with
 * milliseconds.
 */
export type Received = {
  readonly kind: 'received'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly route: string
  /** Absent where the body could not be parsed. */
  readonly event_type?: string
  readonly delivery_id?: string
  /** `accepted`, `coalesced`, `delivered`, `ignored`, `duplicate`, or the code of a refusal. */
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
  readonly replay_of?: string
  /** A replay with another body than the event that it repeats. */
  readonly edited?: true
  /** The targets' answers to a text that was delivered directly. */
  readonly answer?: string
  /** Where the record stands for further refused signatures of the same minute: their number. */
  readonly count?: number
  /** The signature was refused, but the raw request is kept: nobody vouches for it until it is verified again. */
  readonly unverified?: Unverified
}

/** The facts that a second check of a signature needs beside the raw request. */
export type Unverified = { readonly address: string; readonly proxied: boolean }

/** The start of a job, by its schedule or by hand, without a request. */
export type Started = {
  readonly kind: 'started'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly job: string
  readonly delivery_id: string
}

/** The usage of an agent in one attempt. */
export type RecordedUsage = {
  /** Calls of a model. */
  readonly steps: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** In the operator's currency; absent where a price is not known. */
  readonly cost?: number
  /** How often each tool was called. */
  readonly tools: { readonly [name: string]: number }
}

/** A failed attempt that another attempt will follow. */
export type Tried = {
  readonly kind: 'tried'
  readonly at: string
  readonly event_id: string
  readonly attempt: number
  readonly error: string
  readonly next_at: string
  /** The route and the event of the attempt, for a reader who has this line alone. */
  readonly profile?: string
  readonly route?: string
  readonly event_type?: string
  readonly delivery_id?: string
  readonly target?: string
  readonly job?: string
  /** The answers of the targets that have the text. */
  readonly answer?: string
  readonly usage?: RecordedUsage
}

/**
 * The end of a run: done or dead. The line is written before the store deletes the run: a crash in between leaves a line too many, never
 * one too few. The last line of a run counts.
 */
export type Ended = {
  readonly kind: 'ended'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly route: string
  readonly event_type: string
  readonly delivery_id: string
  readonly state: 'done' | 'dead'
  readonly attempt: number
  readonly error?: string
  /** The agent asked that nothing be sent. */
  readonly silent?: true
  readonly target?: string
  readonly job?: string
  readonly group?: string
  readonly count?: number
  /** The answers of the targets that have the text. */
  readonly answer?: string
  readonly usage?: RecordedUsage
}

/** The revival of a dead run by hand. */
export type Revived = { readonly kind: 'revived'; readonly at: string; readonly event_id: string }

export type JournalRecord = Received | Started | Tried | Ended | Revived

type WithGaps<R> = { readonly [K in keyof R]: object extends Pick<R, K> ? R[K] | undefined : R[K] }

/** A record before it is written. Optional members may also be `undefined`, which JSON leaves out. */
export type NewRecord = WithGaps<JournalRecord>

/** A request as it came. The write queue masks secret headers, except those that `signedIn` names. */
export type RawRequest = {
  readonly headers: { readonly [name: string]: Json }
  readonly body: Buffer
  readonly signedIn?: readonly string[]
}

/** A line about a run. `raw`: the place of its prompt and its reply, as JSON: `prompt`, and `reply` where there was one. */
export type RunRecord = (Tried | Ended | Revived) & { readonly raw?: RawPlace }

/** An event, put together from its lines. */
export type EventView = {
  readonly event_id: string
  /** When the event arrived; where the line of its arrival was deleted, when its run ended. */
  readonly at: string
  readonly profile: string
  readonly route: string
  readonly event_type?: string
  readonly delivery_id?: string
  readonly outcome: string
  readonly reason?: string
  readonly stage?: string
  readonly status?: number
  readonly duration_ms?: number
  readonly target?: string
  readonly job?: string
  readonly group?: string
  readonly count?: number
  readonly replay_of?: string
  readonly edited?: true
  readonly unverified?: Unverified
  /** `waiting`: accepted, and the run has not ended. `merged`: another event of the group has the run. `final`: answered without a run. */
  readonly state: 'final' | 'waiting' | 'done' | 'dead' | 'merged'
  readonly attempt?: number
  readonly error?: string
  readonly ended_at?: string
  readonly silent?: true
  readonly answer?: string
  /** The failed attempts that another attempt follows, oldest first. */
  readonly tries: readonly Tried[]
  /** All lines about the event's runs, oldest first, including runs before a retry by hand. */
  readonly steps?: readonly RunRecord[]
  /** The place of the raw request; absent when the request was not kept. */
  readonly raw?: RawPlace
}

/**
 * The place of a raw request: the headers as JSON, then the body. `segment`: the segment whose raw file has the request; in a shared
 * database, the batch that has the request. Lengths and offset in bytes.
 */
export type RawPlace = { readonly segment: string; readonly offset: number; readonly head_bytes: number; readonly body_bytes: number }

export interface Journal {
  /** Adds a record, with its raw request where there is one. Never throws. Past the bounds on memory, records are dropped. */
  add(entry: NewRecord, raw?: RawRequest): void
  /** Resolves when every record added so far is in the files or was dropped. Never rejects. */
  flushed(): Promise<void>
  close(): Promise<void>
}
