/** What the store and its thread say to each other: plain data, one message a batch each way. */

import type { Keep, Lane, RunEnd } from '../ports.ts'
import type { PlanEntry } from './plans.ts'

/** `fsync`: on the disk before the answer. `commit`: written before the answer, on the disk soon after. */
export type Durability = 'fsync' | 'commit'

/** A claim that waits to be settled. `mark` is the number of the call that made it. */
export type Unsettled = { readonly key: string; readonly mark: number }

export type ThreadStart = {
  readonly folder: string
  readonly durability: Durability
  readonly now: number
  /** The claims of a batch that failed, of which nobody knows whether it was committed. Absent when the process starts. */
  readonly doubtful?: readonly Unsettled[]
  /** The runs that this process has in hand; given with `doubtful`. */
  readonly held?: readonly number[]
}

/** One event on its way into a group; texts are JSON. */
export type Joining = {
  readonly group: string
  readonly event: string
  readonly windowMs: number
  readonly maxWaitMs: number
  readonly keep: Keep
  readonly lane: string | null
  readonly limit: number | null
  readonly run: string
  /** Only with `keep: all`. */
  readonly prompt?: { readonly text: string; readonly chars: number }
}

/** One step of a batch. Its durations count from the batch's `now`; keys are hashes. */
export type Step =
  /** Two JSON lists of the same length: `[key, holdMs]` and runs. */
  | { readonly op: 'accept'; readonly count: number; readonly claims: string; readonly runs: string }
  | { readonly op: 'acceptInLane'; readonly key: string; readonly holdMs: number; readonly run: string; readonly lane: Lane }
  | { readonly op: 'join'; readonly key: string; readonly holdMs: number; readonly joining: Joining }
  | { readonly op: 'claim'; readonly key: string; readonly holdMs: number; readonly mark: number }
  | { readonly op: 'held'; readonly keys: readonly string[] }
  | { readonly op: 'settle'; readonly key: string; readonly kept: boolean }
  | { readonly op: 'take'; readonly max: number; readonly leaseMs: number; readonly onlyGroups: boolean }
  /** `reply` as it is stored. */
  | { readonly op: 'keepReply'; readonly runId: number; readonly fence: number; readonly reply: string }
  | { readonly op: 'finish'; readonly runId: number; readonly fence: number; readonly end: RunEnd }
  | { readonly op: 'dueInMs' }
  | { readonly op: 'revive'; readonly eventId: string }
  | { readonly op: 'standings'; readonly eventIds: readonly string[] }
  | { readonly op: 'prune'; readonly maxAgeMs: number; readonly maxDead: number }
  | { readonly op: 'plans' }
  | { readonly op: 'plan'; readonly times: readonly PlanEntry[] }

/** `now`: the store's time. The thread has no clock, so that a restarted one goes on with the same. */
export type Batch = { readonly now: number; readonly steps: readonly Step[] }

export type Said =
  | { readonly kind: 'ready'; readonly backlog: number }
  /** Could not open; the members of a Fault. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly exitCode: number; readonly hint?: string }
  /** Committed: one result for each step. */
  | { readonly kind: 'done'; readonly results: readonly unknown[]; readonly backlog: number }
  /** Rolled back; the thread ends itself. */
  | { readonly kind: 'failed'; readonly message: string }
