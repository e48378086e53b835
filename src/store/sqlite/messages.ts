/** What the store and its thread say to each other: plain data, one message a batch each way. */

import type { RunEnd } from '../ports.ts'

/** `fsync`: on the disk before the answer. `commit`: written before the answer, on the disk soon after. */
export type Durability = 'fsync' | 'commit'

/** A claim that waits to be settled, and the number of the call that made it. */
export type Unsettled = { readonly key: string; readonly mark: number }

export type ThreadStart = {
  readonly folder: string
  readonly durability: Durability
  readonly now: number
  /** Absent when the process starts; later, the claims of a batch of which nobody knows whether it was committed. */
  readonly doubtful?: readonly Unsettled[]
  /** With `doubtful`: the runs that this process has in hand. */
  readonly held?: readonly number[]
}

/** One statement of a batch; times are the caller's, the thread has no clock. */
export type Step =
  /** Two JSON lists of the same length: `[key, expiresAt]` and runs. */
  | { readonly op: 'accept'; readonly count: number; readonly claims: string; readonly runs: string }
  | { readonly op: 'claim'; readonly key: string; readonly expiresAt: number; readonly mark: number }
  | { readonly op: 'settle'; readonly key: string; readonly kept: boolean }
  | { readonly op: 'take'; readonly max: number; readonly leaseMs: number }
  | { readonly op: 'keepReply'; readonly runId: number; readonly fence: number; readonly reply: string }
  | { readonly op: 'finish'; readonly runId: number; readonly fence: number; readonly end: RunEnd }
  | { readonly op: 'nextDue' }

export type Batch = { readonly now: number; readonly steps: readonly Step[] }

export type Said =
  | { readonly kind: 'ready'; readonly backlog: number }
  /** Could not open; the members of a Fault. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly exitCode: number; readonly hint?: string }
  /** Committed: one result for each step. */
  | { readonly kind: 'done'; readonly results: readonly unknown[]; readonly backlog: number }
  /** Rolled back; the thread ends itself. */
  | { readonly kind: 'failed'; readonly message: string }
