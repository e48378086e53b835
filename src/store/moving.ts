/**
 * The content of a store as rows that another kind of store takes. Times are durations in milliseconds, because the two stores have
 * different clocks. A key is the first 120 bits of a SHA-256, in hexadecimal.
 */

import type { Shared } from './shared.ts'

/** A claim that does not wait to be settled. Where a store has only 60 bits of the claim's key, the remaining bits are 0. */
export type MovedClaim = { readonly key: string; readonly leftMs: number }

/** `dueInMs`: absent for a parked run and for a dead run. `deadForMs`: of a dead run. `error`, `reply` and `run` are JSON. */
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
 * `opener`: the id of the event that opened the group. `opener`, `run` and the prompts are JSON. `lengths`: the characters of each prompt.
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

/** `name`: JSON. `at`: wall time. */
export type MovedPlan = { readonly name: string; readonly at: number }

/** `about` and `place` are JSON. `placeKey`: the key of the chat. */
export type MovedSession = {
  readonly key: string
  readonly about: string
  readonly place: string | null
  readonly placeKey: string | null
  readonly madeForMs: number
  readonly idleMs: number
}

/** `session` and `turn` are keys. `message`: JSON. */
export type MovedMessage = { readonly session: string; readonly turn: string | null; readonly chars: number; readonly message: string }

export type MovedSum = { readonly key: string; readonly leftMs: number; readonly tokens: number; readonly cost: number }

/** Rows of one kind, in the order in which the other store must take them. */
export type MovedRows = {
  readonly claims: readonly MovedClaim[]
  readonly runs: readonly MovedRun[]
  readonly groups: readonly MovedGroup[]
  readonly plans: readonly MovedPlan[]
  readonly sessions: readonly MovedSession[]
  readonly messages: readonly MovedMessage[]
  readonly sums: readonly MovedSum[]
}

export type MovedKind = keyof MovedRows

/** A bounded number of rows. */
export type MovedPage = { readonly [K in MovedKind]: { readonly kind: K; readonly rows: MovedRows[K] } }[MovedKind]

/**
 * `serving`: gateways may use the store; `isEmpty`: the store has no content. `filling`: a move to the store has not ended. `moved`: the
 * content of the store was moved to another store.
 */
export type MoveState = { readonly state: 'serving'; readonly isEmpty: boolean } | { readonly state: 'filling' | 'moved' }

/** A store that a move opened. No gateway can use an embedded store meanwhile. */
export interface MovableStore {
  readonly state: MoveState
  /** Describes the replicas that work with a shared store now; empty for an embedded store. */
  replicas(): Promise<readonly string[]>
  /** Reads the content, a session before its messages. While the store is being filled, reads the rows that were added so far. */
  pages(): AsyncIterable<MovedPage>
  /** Empties the store, and marks it as being filled. */
  begin(): Promise<void>
  add(page: MovedPage): Promise<void>
  /** Ends the filling: gateways may use the store. */
  complete(): Promise<void>
  /** Marks the content as moved. */
  shut(): Promise<void>
  /** Lets gateways use the store again, with its content from before `shut`. Rows that a move added and did not complete are dropped. */
  reopen(): Promise<void>
  /** The shared entries. Absent for an embedded store. */
  readonly entries?: Pick<Shared, 'entryRevisions' | 'readEntries' | 'replaceEntries'>
  close(): Promise<void>
}
