/** What the journal says of each event: one JSON line when it arrived, one for each failed attempt, one when its run ended. */

import type { Json } from '../core/json.ts'

/** A request past its signature, and how it was answered. Times are ISO 8601, UTC, milliseconds. */
export type Received = {
  readonly kind: 'received'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly route: string
  /** Absent where the body could not be read. */
  readonly event_type?: string
  readonly delivery_id?: string
  /** `accepted`, `coalesced`, `delivered`, `ignored`, `duplicate`, or the code of a refusal. */
  readonly outcome: string
  readonly reason?: string
  /** The stage that decided. */
  readonly stage: string
  readonly status: number
  readonly duration_ms: number
  readonly target?: string
  readonly job?: string
  /** The event that opened the group this one was merged into. */
  readonly group?: string
  readonly replay_of?: string
}

/** A run of a schedule, which no request brought. */
export type Started = {
  readonly kind: 'started'
  readonly at: string
  readonly event_id: string
  readonly profile: string
  readonly job: string
  readonly delivery_id: string
}

export type Tried = {
  readonly kind: 'tried'
  readonly at: string
  readonly event_id: string
  readonly attempt: number
  readonly error: string
  readonly next_at: string
}

/** Written before the store forgets the run: a crash between the two leaves one line too many, never one too few. The last one counts. */
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
  /** The agent asked for nothing to be sent. */
  readonly silent?: true
  readonly target?: string
  readonly job?: string
  readonly group?: string
  readonly count?: number
}

/** A dead run was put back by hand. */
export type Revived = { readonly kind: 'revived'; readonly at: string; readonly event_id: string }

export type JournalRecord = Received | Started | Tried | Ended | Revived

/** A request as it came, but for the headers that hold secrets. */
export type RawRequest = { readonly headers: { readonly [name: string]: Json }; readonly body: Buffer }

/** An event as its lines together tell it. */
export type EventView = {
  readonly event_id: string
  /** When it arrived, or where that line is gone, when it ended. */
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
  /** `waiting`: accepted and not ended. `merged`: another event of its group has the run. `final`: answered, no run came of it. */
  readonly state: 'final' | 'waiting' | 'done' | 'dead' | 'merged'
  readonly attempt?: number
  readonly error?: string
  readonly ended_at?: string
  readonly silent?: true
  /** Failed attempts, oldest first. */
  readonly tries: readonly Tried[]
  /** Where the raw request lies; absent when it was not kept. */
  readonly raw?: RawPlace
}

/** Bytes in a segment's raw file: the headers as JSON, then the body. */
export type RawPlace = { readonly segment: string; readonly offset: number; readonly head_bytes: number; readonly body_bytes: number }

export interface Journal {
  /** Adds a line, with its raw request where there is one: best effort, never throws, bounded in memory. */
  add(entry: JournalRecord, raw?: RawRequest): void
  /** Resolves when everything added so far is in the files (or could not be written). Never rejects. */
  flushed(): Promise<void>
  close(): Promise<void>
}
