/**
 * What is kept of accepted work, as a port: every method is one atomic step, so that a store elsewhere can offer the same.
 * Times are milliseconds of `Clock.monotonic` anchored to the wall at start; leases are fenced, a late finisher is refused.
 */

import type { JsonObject } from '../core/json.ts'

/** An hour-long hold on one delivery id of one route (contract 2, rule 5). */
export type Claim = {
  /** Unambiguous over (profile, route, delivery id). */
  readonly key: string
  readonly expiresAt: number
}

/** Where a text goes: a target's name and its settings after their templates were filled in. */
export type Delivery = {
  readonly target: string
  readonly extra: JsonObject
  /** Settings that are secret: never stored, read from the route again when the text is sent. */
  readonly withheld?: readonly string[]
}

/** Work that was accepted: small on purpose, it is committed before the answer. */
export type NewRun = {
  readonly eventId: string
  readonly profile: string
  readonly route: string
  readonly event: string
  readonly deliveryId: string
  readonly prompt: string
  readonly delivery: Delivery
  readonly acceptedAt: number
}

/** One worker's hold on one run. */
export type Lease = {
  readonly runId: number
  /** Goes up with each taking; a finisher with an older one is refused. */
  readonly fence: number
  /** 1 for the first try; counted when taken, so that a run that kills the process ends as dead. */
  readonly attempt: number
  readonly run: NewRun
  /** The taking before this one ended without a word: the process died, or its lease ran out. */
  readonly interrupted: boolean
  /** The agent's reply, once stored: only its delivery is left to do. */
  readonly reply?: string
}

export type RunEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly at: number; readonly error: string }
  | { readonly kind: 'dead'; readonly error: string }

export interface Store {
  /** Claims the delivery id and enqueues its run in one commit. `false`: the id is claimed already. Throws StoreFault. */
  accept(run: NewRun, claim: Claim): Promise<boolean>
  /** Claims an id for work that is done before the answer; a restart releases it unless it was settled as kept. */
  claim(claim: Claim): Promise<boolean>
  /** Ends what `claim` began: kept until it expires, or released for the sender's retry. */
  settle(key: string, kept: boolean): Promise<void>
  /** Up to `max` runs that are due, each leased for `leaseMs`: those a dead process had in hand first (most tried first), then oldest first. */
  take(max: number, leaseMs: number): Promise<readonly Lease[]>
  /** Stores the reply before it is delivered. `false`: the lease is lost. */
  keepReply(lease: Lease, reply: string): Promise<boolean>
  /** `false`: the lease is lost. */
  finish(lease: Lease, end: RunEnd): Promise<boolean>
  /** When the next waiting run is due; `undefined` when none waits. */
  nextDue(): Promise<number | undefined>
  /** Runs that are accepted and neither done nor dead. */
  readonly backlog: number
  close(): Promise<void>
}
