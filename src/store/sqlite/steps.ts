/** The steps that the embedded store sends to its ledger, as plain data. A batch of steps is one commit. */

import type { KeptEvents, NewRun } from '../../core/new-run.ts'
import type { SessionFilter } from '../../core/session.ts'
import type { Cancelled, Lane, RunEnd, Spent, StoredStanding, StoreTotals } from '../ports.ts'
import type { Erased } from '../store-part.ts'
import type { PlanEntry } from './plans.ts'

/** `fsync`: a batch is on the disk before its calls resolve. `commit`: the batch is only written by then, and on the disk soon after. */
export type Durability = 'fsync' | 'commit'

/** A claim that waits to be settled. `mark` is the number of the call that made it. */
export type Unsettled = { readonly key: string; readonly mark: number }

/** How a ledger is opened: at the start of the process, or again after a failed batch. */
export type LedgerStart = {
  readonly folder: string
  readonly durability: Durability
  readonly now: number
  /** The claims of a failed batch. They may have been committed. Absent when the process starts. */
  readonly doubtful?: readonly Unsettled[]
  /** The runs that this process has taken and not finished. Present with `doubtful`. */
  readonly held?: readonly number[]
}

/** An event that joins a group. `event`, `run` and the prompt's text are JSON. */
export type JoiningEvent = {
  readonly group: string
  readonly event: string
  readonly windowMs: number
  readonly maxWaitMs: number
  readonly keep: KeptEvents
  readonly lane: string | null
  readonly limit: number | null
  readonly run: string
  /** Present with `keep: all`. */
  readonly prompt?: { readonly text: string; readonly chars: number }
}

/** A session that gets messages. `key` and `at` are hashes; `about` and `place` are JSON. */
export type SessionColumns = { readonly key: string; readonly about: string; readonly place: string | null; readonly at: string | null }

/** A message as it is stored. `text` is JSON. */
export type StoredMessage = { readonly text: string; readonly chars: number }

/** A run without a lane, and its claim. */
export type Accept = { readonly key: string; readonly holdMs: number; readonly run: NewRun }

/**
 * Events to erase, in pages of the runs, each beginning after an id. Groups and messages come with the first page. `ids`, `groups` and
 * `turns` (hashes of the ids) are JSON lists. `held`: the runs that this process has taken and not finished.
 */
export type EraseLists = { readonly ids: string; readonly groups: string; readonly turns: string; readonly held: readonly number[] }

/** A step of a batch. Its durations count from the batch's `now`. Keys are hashes, except those of schedules. `isRanked`: the run has a priority. */
export type LedgerStep =
  | { readonly op: 'accept'; readonly accepts: readonly Accept[] }
  | {
      readonly op: 'acceptInLane'
      readonly key: string
      readonly holdMs: number
      readonly run: string
      readonly lane: Lane
      readonly isRanked: boolean
    }
  | { readonly op: 'join'; readonly key: string; readonly holdMs: number; readonly joining: JoiningEvent; readonly isRanked: boolean }
  /** Its answer has those of its steps, in order. */
  | { readonly op: 'acceptAll'; readonly steps: readonly AcceptStep[] }
  | { readonly op: 'claim'; readonly key: string; readonly holdMs: number; readonly mark: number }
  | { readonly op: 'held'; readonly keys: readonly string[] }
  | { readonly op: 'settle'; readonly key: string; readonly holdMs: number; readonly kept: boolean }
  | { readonly op: 'take'; readonly max: number; readonly leaseMs: number; readonly onlyGroups: boolean }
  /** `fences`: a JSON list of `[runId, fence]`. */
  | { readonly op: 'renew'; readonly fences: string; readonly leaseMs: number }
  | { readonly op: 'makeDue'; readonly fences: string }
  /** `reply`: the text that `replyText` makes. */
  | { readonly op: 'keepReply'; readonly runId: number; readonly fence: number; readonly reply: string }
  | { readonly op: 'finish'; readonly runId: number; readonly fence: number; readonly end: RunEnd }
  | { readonly op: 'dueInMs' }
  | { readonly op: 'totals' }
  | { readonly op: 'queues'; readonly max: number }
  | { readonly op: 'revive'; readonly eventId: string }
  /** Cancels in a page of the runs, beginning after the id `after`. A group becomes a run with the first page. */
  | { readonly op: 'cancel'; readonly eventId: string; readonly after: number }
  /** Asks for a page of the runs, beginning after the id `after`. The groups come with the first page. */
  | { readonly op: 'standings'; readonly eventIds: readonly string[]; readonly after: number }
  | ({ readonly op: 'erase'; readonly after: number } & EraseLists)
  | { readonly op: 'prune'; readonly maxAgeMs: number; readonly maxDead: number }
  | { readonly op: 'plans' }
  | { readonly op: 'plan'; readonly times: readonly PlanEntry[] }
  | { readonly op: 'converse'; readonly session: SessionColumns; readonly turn: string; readonly messages: readonly StoredMessage[] }
  | { readonly op: 'conversation'; readonly key: string; readonly max: number }
  | { readonly op: 'mirror'; readonly at: string; readonly message: StoredMessage }
  | { readonly op: 'sessions'; readonly of: SessionFilter; readonly max: number }
  | { readonly op: 'session'; readonly key: string }
  | { readonly op: 'forgetSessions'; readonly maxIdleMs: number }
  | { readonly op: 'spend'; readonly key: string; readonly leftMs: number; readonly add: Spent }

/** A step of one event that is accepted together with others. */
export type AcceptStep = Extract<LedgerStep, { readonly op: 'acceptInLane' | 'join' }> | (Accept & { readonly op: 'acceptOne' })

/** The totals of the store, where `oldestAt` is the wall time at which the oldest run was accepted, in milliseconds. */
export type LedgerTotals = Omit<StoreTotals, 'oldestMs'> & { readonly oldestAt: number | undefined }

/** A page of standings. `next`: the id after which the next page begins; `undefined` on the last page. */
export type StandingsPage = {
  readonly runs: readonly StoredStanding[]
  readonly groups: readonly StoredStanding[]
  readonly next: number | undefined
}

/** The result of a cancel in one page. `next`: the id after which the next page begins; `undefined` on the last page. */
export type CancelledPage = { readonly result: Cancelled; readonly next: number | undefined }

/** The runs that a page of an erasure erased. `next`: the id after which the next page begins; `undefined` on the last page. */
export type ErasedPage = Erased & { readonly next: number | undefined }

/**
 * The steps of one transaction. `now`: the time by the store's clock. The ledger has no clock of its own, so a ledger that replaces it goes
 * by the same clock.
 */
export type StepBatch = { readonly now: number; readonly steps: readonly LedgerStep[] }

/** The results of a committed batch, one for each step. */
export type BatchResult = { readonly results: readonly unknown[]; readonly backlog: number }
