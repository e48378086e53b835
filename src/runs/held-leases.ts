/** Holds the leases of the runs in progress: renews them, and knows when another process may have taken a run meanwhile. */

import type { Clock } from '../core/clock.ts'
import { type Repeating, repeat } from '../core/turns/repeat.ts'
import type { Lease, RunId, Store } from '../store/ports.ts'

/**
 * The lengths of a lease in a sole and in a shared store, in milliseconds. When a lease has run out, another worker may take the run. A
 * living process renews its leases, because a run may take a day. In a sole store nobody waits for a lease to run out: the next start frees
 * the runs of a dead process (decision 0067).
 */
const soleLeaseMs = 600_000
const sharedLeaseMs = 60_000

/**
 * How often a process on a shared store looks whether the runs that later events may end still are its own, in milliseconds: an event that
 * another gateway has accepted ends the agent of such a run within a second.
 */
const lookMs = 500

/** `since`: the monotonic time from which the lease certainly lasts. `isDoubtful`: the lease may have run out before it was renewed. */
type Holding = { since: number; isDoubtful: boolean }

type HeldLeasesOptions = {
  readonly store: Pick<Store, 'renew' | 'lasting'>
  readonly clock: Clock
  readonly isShared: boolean
  /** Called when a lease turns out to be lost: another worker has taken the run, or the run was cancelled. */
  readonly lost: (lease: Lease) => void
}

export class HeldLeases {
  /** The length of a lease in the store. */
  readonly leaseMs: number
  readonly #options: HeldLeasesOptions
  readonly #held = new Map<Lease, Holding>()
  /** Renews the leases; `undefined` while none is held. */
  #renewing: Repeating | undefined
  /** Looks for runs that were ended; `undefined` while no run is held that an event may end. */
  #looking: Repeating | undefined

  constructor(options: HeldLeasesOptions) {
    this.#options = options
    this.leaseMs = options.isShared ? sharedLeaseMs : soleLeaseMs
  }

  /**
   * Begins to renew a lease. `takenAt`: the monotonic time at which the store was asked for the lease. A lease of the same run that is held
   * already is lost: it ran out by the clock of the store, which may have been put forward.
   */
  add(lease: Lease, takenAt: number): void {
    for (const held of this.#held.keys()) if (held.runId === lease.runId) this.#options.lost(held)
    this.#held.set(lease, { since: takenAt, isDoubtful: false })
    // Where the store fails, renewing is tried again before the next run is taken.
    this.#renewing ??= repeat(this.#options.clock, this.#everyMs, () => this.#renew(), { failed: () => {} })
    if (isEndable(lease) && this.#options.store.lasting)
      this.#looking ??= repeat(this.#options.clock, lookMs, () => this.#look(), { failed: () => {} })
  }

  /** Ends the renewing of a lease. */
  delete(lease: Lease): void {
    this.#held.delete(lease)
    if (this.#looking && ![...this.#held.keys()].some(isEndable)) {
      void this.#looking.stop()
      this.#looking = undefined
    }
    if (this.#held.size > 0) return
    void this.#renewing?.stop()
    this.#renewing = undefined
  }

  /**
   * Renews the leases if the timer is late. Called before runs are taken: otherwise this process could take a run that it has in progress,
   * because the lease of the run has run out.
   */
  async renewIfLate(): Promise<void> {
    const now = this.#options.clock.monotonic()
    if ([...this.#held.values()].some(({ since }) => now - since > this.#everyMs)) await this.#renew()
  }

  /**
   * Whether the lease has run out, now or before it was last renewed, so that another process may have the run: this process stood still,
   * or the store did not answer. `false` in a sole store.
   */
  mayBeLost(lease: Lease): boolean {
    const held = this.#held.get(lease)
    if (!this.#options.isShared || held === undefined) return false
    return held.isDoubtful || this.#hasRunOut(held, this.#options.clock.monotonic())
  }

  /** Renews a lease that may be lost. Resolves to the answer of `isOurs`, which asks the store whether this process still has the run. */
  async confirm(lease: Lease, isOurs: () => Promise<boolean>): Promise<boolean> {
    const at = this.#options.clock.monotonic()
    await this.#options.store.renew([lease], this.leaseMs)
    if (!(await isOurs())) return false
    const held = this.#held.get(lease)
    if (held) Object.assign(held, { since: at, isDoubtful: false })
    return true
  }

  get #everyMs(): number {
    return this.leaseMs / 4
  }

  #hasRunOut({ since }: Holding, now: number): boolean {
    return now - since >= this.leaseMs
  }

  async #look(): Promise<void> {
    const leases = [...this.#held.keys()].filter(isEndable)
    this.#tellLost(leases, new Set((await this.#options.store.lasting?.(leases)) ?? leases.map(({ runId }) => runId)))
  }

  #tellLost(leases: readonly Lease[], lasting: ReadonlySet<RunId>): void {
    for (const lease of leases) if (!lasting.has(lease.runId) && this.#held.has(lease)) this.#options.lost(lease)
  }

  async #renew(): Promise<void> {
    const { store, clock } = this.#options
    const at = clock.monotonic()
    const renewed = [...this.#held]
    const lasting = new Set(
      await store.renew(
        renewed.map(([lease]) => lease),
        this.leaseMs,
      ),
    )
    this.#tellLost(
      renewed.map(([lease]) => lease),
      lasting,
    )
    for (const [, held] of renewed) {
      held.isDoubtful ||= this.#hasRunOut(held, clock.monotonic())
      held.since = at
    }
  }
}

/** Whether a later event may end the run of a lease. */
const isEndable = ({ run }: Lease): boolean => run.endKeys !== undefined
