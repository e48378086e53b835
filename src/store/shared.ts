/** What the gateways on a shared store share besides work: their states, records, rate limits, and entries. */

import type { SharedRecords } from './shared-records.ts'

/**
 * A part of a route's rate limit that one gateway may use up. `requests`: how many were granted, 0 where the window is full. `leftMs`: how
 * long the window stays open.
 */
export type RateShare = { readonly requests: number; readonly leftMs: number }

/** What a replica, one of the gateways on a shared store, says of itself with each beat. */
export type ReplicaState = {
  /** The name of its machine. */
  readonly host: string
  readonly pid: number
  /** The address at which it listens. */
  readonly url: string
  readonly version: string
  /** A digest of everything that its runs depend on. Replicas with equal files have equal digests. */
  readonly digest: string
  /** How long the replica has had this digest, and how long it has run, in milliseconds. */
  readonly digestMs: number
  readonly uptimeMs: number
  /** The numbers of runs in progress, and of requests without an answer. */
  readonly runs: number
  readonly requests: number
  readonly isStopping: boolean
  /** Why the replica should get no requests. Absent: the replica is ready. */
  readonly notReady?: string
  /** The time by its own clock: wall time, milliseconds. */
  readonly now: number
  /** How the last reload ended that the replica was asked for through the store. */
  readonly reload?: ReloadEnd
}

/**
 * A reload that all replicas are asked for. `request`: the id of this request. `force`: reloads even where most of the routes would be
 * removed.
 */
export type ReloadRequest = { readonly request: string; readonly force: boolean }

/** `reason`: why the reload was refused or failed. */
export type ReloadEnd = { readonly request: string; readonly ok: boolean; readonly reason?: string }

export type Replica = {
  readonly id: string
  /** The time since its last beat, in milliseconds. */
  readonly seenMs: number
  /** How far its clock is ahead of the store's, in milliseconds; below 0, how far behind. */
  readonly clockAheadMs: number
  readonly state: ReplicaState
  /** The last reload that the replica was asked for. */
  readonly asked?: ReloadRequest
}

/** `isTooNew`: a later version of headgate has changed the store so that this version cannot read it. */
export type Beat = { readonly replicas: readonly Replica[]; readonly isTooNew: boolean }

/** The subscriptions, or the jobs of a profile, that were made at run time: the text of their file, and a name of that text. */
export type SharedEntries = { readonly revision: string; readonly text: string }

/** Each method is one atomic step that may be repeated, and throws StoreFault. */
export interface Shared {
  /** The id of this replica. It names the owner of this replica's leases, too. */
  readonly replica: string
  /** Stores this replica's state. Returns the replicas that were seen within a minute, this one among them. */
  beat(state: ReplicaState): Promise<Beat>
  /** Removes this replica, and ends its leases as a leader. */
  leave(): Promise<void>
  /** Returns the replicas that were seen within a minute. */
  replicas(): Promise<readonly Replica[]>
  /** Asks the replicas that were seen within a minute for a reload, and returns their ids. */
  askReload(request: ReloadRequest): Promise<readonly string[]>
  /** Removes replicas that were not seen for a minute. */
  forgetReplicas(): Promise<void>
  /** Makes this replica the only one that has the task, for `leaseMs` from now. `false`: another replica has the task. */
  lead(task: string, leaseMs: number): Promise<boolean>
  readonly records: SharedRecords
  /**
   * Takes a part of a window of one minute, and opens the window where none is open. At most `limit` requests are granted in a window, to
   * all gateways together.
   */
  takeRateShare(route: string, requests: number, limit: number): Promise<RateShare>

  /**
   * Returns the present revisions by name: the revision of subscriptions, and the revision of the jobs of each profile. Throws StoreFault.
   */
  entryRevisions(): Promise<ReadonlyMap<string, string>>

  /** Returns the present entries; `undefined` where no gateway has written them yet. Throws StoreFault. */
  readEntries(name: string): Promise<SharedEntries | undefined>

  /**
   * Replaces the entries whose revision is `before`; without `before`, writes the first entries under the name. `false`: the present
   * entries have another revision, and stay. Throws StoreFault; the entries may have been replaced even then.
   */
  replaceEntries(name: string, before: string | undefined, after: SharedEntries): Promise<boolean>

  /** Returns the value that all gateways share under a name: the value of the first call for that name. */
  agree(name: string, value: string): Promise<string>
}
