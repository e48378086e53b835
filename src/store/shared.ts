/**
 * The contract for what the gateways on a shared store share besides work: their states, the tasks of leaders, records, rate limits,
 * entries, and values that they agree on.
 */

import type { SharedRecords } from './shared-records.ts'

/**
 * A part of a route's rate limit that one gateway may use up. `requests`: the number of requests that were granted, 0 where the window has
 * none left. `leftMs`: how long the window stays open.
 */
export type RateShare = { readonly requests: number; readonly leftMs: number }

/** What a replica, one of the gateways on a shared store, says about itself with each heartbeat. */
export type ReplicaState = {
  readonly host: string
  readonly pid: number
  /** The address at which the replica listens. */
  readonly url: string
  readonly version: string
  /** A digest of everything that the replica's runs depend on: replicas with equal files and environment variables have equal digests. */
  readonly digest: string
  /** How long the replica has had this digest, and how long it has run, in milliseconds. */
  readonly digestMs: number
  readonly uptimeMs: number
  /** The numbers of runs in progress, and of requests without an answer. */
  readonly runs: number
  readonly requests: number
  readonly isStopping: boolean
  /** Why the replica should get no requests. Absent where the replica is ready. */
  readonly notReady?: string
  /** The time by the replica's own clock, in milliseconds since 1970. */
  readonly now: number
  /** The end of the last reload that the replica was asked for through the store. */
  readonly reload?: ReloadEnd
}

/**
 * A reload that all replicas are asked for. `request`: the id of this request. `force`: the replicas reload even where most of their routes
 * would be removed.
 */
export type ReloadRequest = { readonly request: string; readonly force: boolean }

/** The end of a reload. `request`: the id of the request for it. `reason`: why the reload was refused or failed. */
export type ReloadEnd = { readonly request: string; readonly ok: boolean; readonly reason?: string }

export type Replica = {
  readonly id: string
  /** The time since the replica's last heartbeat, in milliseconds. */
  readonly seenMs: number
  /** How far the replica's clock is ahead of the store's clock, in milliseconds; below 0, how far it is behind. */
  readonly clockAheadMs: number
  readonly state: ReplicaState
  /** The last reload that the replica was asked for. */
  readonly asked?: ReloadRequest
}

/** The answer to a heartbeat. `isTooNew`: a later version of headgate has changed the store so that this version cannot read it. */
export type BeatAnswer = { readonly replicas: readonly Replica[]; readonly isTooNew: boolean }

/**
 * Shared entries: the subscriptions, or the jobs of a profile, that were made at run time. `text`: the content of their file. `revision`: a
 * name that only this text has.
 */
export type SharedEntries = { readonly revision: string; readonly text: string }

/**
 * What one gateway asks of the shared store. Each method is one atomic step, which may be repeated without harm, and throws a StoreFault
 * where the store does not answer.
 */
export interface Shared {
  /** The id of this replica. It names the owner of this replica's leases, too. */
  readonly replica: string
  /** Stores this replica's state. Returns the replicas that were seen within a minute, this one among them. */
  beat(state: ReplicaState): Promise<BeatAnswer>
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
   * Grants this gateway up to `requests` requests of the route in a window of one minute, and opens a window where none is open. At most
   * `limit` requests are granted in a window, to all gateways together.
   */
  takeRateShare(route: string, requests: number, limit: number): Promise<RateShare>

  /**
   * Returns the present revisions of shared entries, by the name of the entries: one for the subscriptions, and one for the jobs of each
   * profile.
   */
  entryRevisions(): Promise<ReadonlyMap<string, string>>

  /** Returns the present entries with this name; `undefined` where no gateway has written them yet. */
  readEntries(name: string): Promise<SharedEntries | undefined>

  /**
   * Replaces the entries with this name, if their revision is `before`; without `before`, writes the first entries with this name. `false`:
   * the present entries have a revision other than `before` and that of `after`, and stay. After a StoreFault, the entries may have been
   * replaced all the same.
   */
  replaceEntries(name: string, before: string | undefined, after: SharedEntries): Promise<boolean>

  /** Returns the value that all gateways share under a name: the value of the first call for that name. */
  agree(name: string, value: string): Promise<string>
}
