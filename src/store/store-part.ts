/** The contract of a kind of store, as `storage.kind` names it: how it is opened, and how it is inspected. */

import type { Clock } from '../core/clock.ts'
import type { NewRun } from '../core/new-run.ts'
import type { MovableStore } from './moving.ts'
import type { Store } from './ports.ts'
import type { Shared } from './shared.ts'

export type StoreOptions = {
  /** The folder with the database of the embedded store. Other state of the gateway lies in it too, but no other gateway uses it. */
  readonly folder: string
  /**
   * `fsync`: changes are on the disk before a call resolves. `commit`: a power loss, or a crash of the database server, may take the
   * changes of the last moments.
   */
  readonly durability: 'fsync' | 'commit'
  /**
   * Returns the address of the database, for a store in a database of the operator. It is called for each connection, because the password
   * in the address may change.
   */
  readonly url: () => string
  /** The schema that the tables are in, for a store in a database of the operator. */
  readonly schema: string
  /** The clock of the process, for a store without a clock of its own. */
  readonly clock: Clock
  /**
   * Called after each commit that was tried; in a shared store, after each statement about claims or runs. `ok`: whether the commit
   * succeeded. `calls`: the number of calls in the commit. `ms`: the time since the first of these calls.
   */
  readonly committed?: (ok: boolean, calls: number, ms: number) => void
}

/**
 * The database file of a sole store, which stays as it is while it is held, so that another process can copy it. `release`: ends the hold,
 * and resolves to whether the file has stayed as it was until now.
 */
export type HeldFile = { readonly file: string; release(): Promise<boolean> }

/** Events whose data a store forgets. `groups`: the ids of the events that opened the groups of these events. */
export type Erasure = { readonly ids: readonly string[]; readonly groups: readonly string[] }

/** A run or group that was erased. `ended`: the attempts of a run or group that still waited, and that the erasure has ended. */
export type ErasedRun = Pick<NewRun, 'eventId' | 'profile' | 'route' | 'event' | 'deliveryId'> & { readonly ended?: number }

/** `running`: the ids of the events whose runs are in progress: nothing of these runs was erased. */
export type Erased = { readonly runs: readonly ErasedRun[]; readonly running: readonly string[] }

/** The copies of a sole store's database file. */
type StoreCopies = {
  /** The name of the file in the store's folder. */
  readonly name: string
  /** The name of a folder in the store's folder. While it exists, gateways refuse to open the store. */
  readonly restoring: string
  /** Holds the file while no gateway has the store open. Throws a Fault, for example where a gateway has. */
  hold(options: Pick<StoreOptions, 'folder'>): Promise<HeldFile>
  /** Throws a Fault where a copy of a store is not whole, or this version cannot read it. No process may have the copy open. */
  check(file: string): Promise<void>
}

/**
 * An open store. `shared`: what the gateways on a shared store have in common besides their work; absent in a sole store. `warning`: what
 * the operator should know of the store.
 */
export type OpenStore = Store & {
  readonly shared?: Shared
  readonly warning?: string | undefined
  /** Holds the database file while the store goes on. Absent for a store without a file. Rejects with a StoreFault. */
  hold?(): Promise<HeldFile>
  /**
   * Deletes the runs and groups of events, and what sessions have of them. A run or a group that keeps the prompts of all its events is
   * deleted with any of them. Of a run in progress nothing is deleted. Rejects with a StoreFault; the call can then be repeated.
   */
  erase(of: Erasure): Promise<Erased>
}

/** A shared store, opened by a command beside its gateways. */
export type Attached = Pick<OpenStore, 'standings' | 'revive' | 'cancel' | 'erase' | 'close'> & { readonly shared: Shared }

/**
 * What a command may do with a store. `make`: change the content, and make the tables where no gateway has made them yet, or upgrade those
 * of an earlier version.
 */
export type StoreAccess = 'read' | 'change' | 'make'

export type StorePart = {
  /** The value of `storage.kind`. */
  readonly name: string
  /** The title that editors show. */
  readonly title: string
  /**
   * `sole`: one process has the store, and the runs of a dead process are free at the next start. `shared`: several processes have the
   * store, and the runs of each are free when their leases run out.
   */
  readonly ownership: 'sole' | 'shared'
  /** Whether the content survives a restart. */
  readonly isLasting: boolean
  /** Opens the store. Throws a Fault, or a StoreFault where the open database fails at its first calls. */
  open(options: StoreOptions): Promise<OpenStore>
  /**
   * Opens a shared store for a command. Throws a Fault where the store cannot be used. Where no gateway has made the tables yet, the access
   * `make` makes them, and any other access throws a Fault. Absent in a sole store.
   */
  attach?(options: StoreOptions, access: StoreAccess): Promise<Attached>
  /** Opens a lasting store while no gateway uses it, to move its content. Throws a Fault. */
  openToMove?(options: StoreOptions): Promise<MovableStore>
  /** Absent for a store without a database file. */
  readonly copies?: StoreCopies
  /**
   * Inspects the store without changing anything: the database file in its folder, or the database of the operator. A sole store is
   * inspected only while no gateway has it open. Throws a Fault where its file cannot be opened.
   */
  inspect?(options: StoreOptions): Promise<Inspected>
}

/** The state of a store, as an inspection finds it. `fix`: what the operator should do. */
export type Inspected =
  | { readonly result: 'ok'; readonly message: string }
  | { readonly result: 'warn' | 'fail'; readonly message: string; readonly fix: string }
