/**
 * The content of a store as rows, in the form in which it is moved to another kind of store. Times are durations in milliseconds, because
 * the two stores have different clocks; only the times of positions are times of day. A key is the first 120 bits of the SHA-256 of an id, in
 * hexadecimal. Columns that are JSON are moved as texts.
 */

import type { Shared } from './shared.ts'
import type { SharedRecords } from './shared-records.ts'

/** A settled claim. `leftMs`: how long it still lasts. Where a store has only 60 bits of the claim's key, the remaining bits are 0. */
export type MovedClaim = { readonly key: string; readonly leftMs: number }

/**
 * A run. `dueInMs`: the time until its next attempt; `null` for a parked run and for a dead run. `deadForMs`: how long it has been dead;
 * `null` for a run that is not dead. `error`, `reply` and `run` are JSON.
 */
export type MovedRun = {
  readonly fence: number
  readonly attempt: number
  readonly isLeased: boolean
  readonly isParked: boolean
  readonly dueInMs: number | null
  readonly deadForMs: number | null
  readonly lane: string | null
  readonly laneLimit: number | null
  readonly error: string | null
  readonly reply: string | null
  readonly run: string
}

/**
 * A group. `opener`: the id of the event that opened the group. `opener`, `run` and the prompts are JSON. `lengths`: the number of
 * characters of each prompt.
 */
export type MovedGroup = {
  readonly key: string
  readonly opener: string
  readonly events: number
  readonly keep: string
  readonly openForMs: number
  readonly dueInMs: number
  readonly lane: string | null
  readonly laneLimit: number | null
  readonly run: string
  readonly prompts: readonly string[]
  readonly lengths: readonly number[]
}

/** The next time of a schedule. `name`: the key of the schedule, as JSON. `at`: milliseconds since 1970. */
export type MovedPosition = { readonly name: string; readonly at: number }

/**
 * A session. `about` (its name) and `place` (its chat) are JSON. `placeKey`: the key of the chat. `idleMs`: the time since the last
 * message.
 */
export type MovedSession = {
  readonly key: string
  readonly about: string
  readonly place: string | null
  readonly placeKey: string | null
  readonly madeForMs: number
  readonly idleMs: number
}

/** A message of a session. `session` and `turn` are keys. `chars`: the number of characters of the message's text. `message`: JSON. */
export type MovedMessage = { readonly session: string; readonly turn: string | null; readonly chars: number; readonly message: string }

/** The usage of a window (`spend`). `leftMs`: how long the window still lasts. */
export type MovedSum = { readonly key: string; readonly leftMs: number; readonly tokens: number; readonly cost: number }

/** The rows of each kind. A store gives the kinds in this order; the other store must take sessions before their messages. */
export type MovedRows = {
  readonly claims: readonly MovedClaim[]
  readonly runs: readonly MovedRun[]
  readonly groups: readonly MovedGroup[]
  readonly positions: readonly MovedPosition[]
  readonly sessions: readonly MovedSession[]
  readonly messages: readonly MovedMessage[]
  readonly sums: readonly MovedSum[]
}

export type MovedKind = keyof MovedRows

/** A bounded number of rows of one kind. */
export type MovedPage = { readonly [K in MovedKind]: { readonly kind: K; readonly rows: MovedRows[K] } }[MovedKind]

/**
 * The state of a store that a move can find. `serving`: gateways may use the store; `isEmpty`: the store has no content. (The next times of
 * schedules do not count, nor do the expired claims of a shared store.) `filling`: a move to the store has begun and not ended. `moved`:
 * the content of the store was moved to another store.
 */
export type MoveState = { readonly state: 'serving'; readonly isEmpty: boolean } | { readonly state: 'filling' | 'moved' }

/** A store that a move has opened. While an embedded store is open for a move, no gateway can use it. A shared store is not locked. */
export interface MovableStore {
  readonly state: MoveState
  /** Describes the replicas that work with a shared store now; empty for an embedded store. */
  replicas(): Promise<readonly string[]>
  /** Reads the content, a session before its messages. While the store is being filled, reads the rows that were added so far. */
  pages(): AsyncIterable<MovedPage>
  /**
   * Prepares the store to be filled, without content, and marks it. A shared store loses its content now, an embedded store at `complete`.
   */
  begin(): Promise<void>
  /** Adds rows to a store that is being filled. */
  add(page: MovedPage): Promise<void>
  /** Ends the filling: gateways may use the store. An embedded store is closed then. */
  complete(): Promise<void>
  /** Marks the content as moved: from now on no gateway may use the store. */
  shut(): Promise<void>
  /** Lets gateways use the store again, with its content from before `shut`. Rows that a move added and did not complete are dropped. */
  reopen(): Promise<void>
  /** The shared entries. Absent for an embedded store. */
  readonly entries?: Pick<Shared, 'entryRevisions' | 'readEntries' | 'replaceEntries'>
  /** The records of events, which a filling does not change. Absent for an embedded store: they are in its journal's folder. */
  readonly records?: Pick<SharedRecords, 'add' | 'linesOf' | 'raw'>
  close(): Promise<void>
}
