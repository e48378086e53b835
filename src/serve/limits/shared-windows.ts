/**
 * Counts in windows of one minute over all gateways on a shared store. Each gateway takes a twentieth of a limit at a time, so that few
 * counts wait for the store, and each window costs fewer than forty calls, however much is counted in it.
 */

import type { Clock } from '../../core/clock.ts'
import { StoreFault } from '../../core/fault.ts'
import { within } from '../../core/turns/within.ts'
import type { Shared } from '../../store/shared.ts'

/** A share is a limit divided by this number. It is small, because what is left of a gateway's last share is lost to the other gateways. */
const sharesPerLimit = 20

/**
 * The longest wait of a request for a share. The wait is short, because the request must wait for its commit, too, before the request is
 * answered.
 */
const longestShareWaitMs = 500

/** How long after a search for shares that are over no further search is made, in milliseconds. */
const sweepEveryMs = 1_000

const tooSlow = (): never => {
  throw new StoreFault('a rate limit was not answered in time')
}

export type RateStore = Pick<Shared, 'takeRateShare'>

/**
 * The share of a window that the store granted this gateway. `left`: what was granted and is not counted yet. `until`: the end of the
 * window. `fullUntil`: the end of a window that has nothing left for any gateway. `asking`: the question to the store that is under way.
 * Times are monotonic, in milliseconds.
 */
type Share = { left: number; until: number; fullUntil: number; asking: Promise<void> | undefined }

/** `maxKeys`: the most keys with a window. The keys past it share the window of the key `others`. */
type KeyBound = { readonly maxKeys: number; readonly others: string }

const unbounded: KeyBound = { maxKeys: Number.POSITIVE_INFINITY, others: '' }

export class SharedWindows {
  readonly #clock: Clock
  readonly #bound: KeyBound
  readonly #shares = new Map<string, Share>()
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, bound: KeyBound = unbounded) {
    this.#clock = clock
    this.#bound = bound
  }

  /** Counts one in the window of the key. `false`: the window is full. Rejects with a StoreFault where the store does not answer. */
  charge(key: string, limit: number, store: RateStore): boolean | Promise<boolean> {
    const name = this.#nameOf(key)
    const share = this.#shareOf(name)
    return this.#use(share) ?? this.#ask(name, share, limit, store)
  }

  /** Returns the time until the end of the key's window, in milliseconds, where this gateway knows that the window is full; otherwise 0. */
  fullMs(key: string): number {
    return Math.max(0, (this.#shares.get(this.#nameOf(key))?.fullUntil ?? 0) - this.#clock.monotonic())
  }

  /** Takes one from the share. `false`: the window is full. `undefined`: the share is used up or over, so the store must be asked. */
  #use(share: Share): boolean | undefined {
    const now = this.#clock.monotonic()
    if (share.left > 0 && now < share.until) {
      share.left--
      return true
    }
    return now < share.fullUntil ? false : undefined
  }

  async #ask(name: string, share: Share, limit: number, store: RateStore): Promise<boolean> {
    for (;;) {
      const isTaken = this.#use(share)
      if (isTaken !== undefined) return isTaken
      share.asking ??= this.#take(name, share, limit, store).finally(() => {
        share.asking = undefined
      })
      await within(share.asking, longestShareWaitMs, this.#clock, tooSlow)
    }
  }

  async #take(name: string, share: Share, limit: number, store: RateStore): Promise<void> {
    // The window's time left is counted from before the store was asked, so that the share ends before its window does.
    const askedAt = this.#clock.monotonic()
    const { requests, leftMs } = await store.takeRateShare(name, Math.max(1, Math.floor(limit / sharesPerLimit)), limit)
    share.left = requests
    share.until = askedAt + leftMs
    if (requests === 0) share.fullUntil = askedAt + leftMs
  }

  #shareOf(name: string): Share {
    const share = this.#shares.get(name) ?? { left: 0, until: 0, fullUntil: 0, asking: undefined }
    this.#shares.set(name, share)
    return share
  }

  #nameOf(key: string): string {
    if (this.#shares.has(key) || this.#shares.size < this.#bound.maxKeys) return key
    this.#sweep(this.#clock.monotonic())
    return this.#shares.size < this.#bound.maxKeys ? key : this.#bound.others
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < sweepEveryMs) return
    this.#sweptAt = now
    for (const [key, { until, fullUntil, asking }] of this.#shares)
      if (until <= now && fullUntil <= now && !asking) this.#shares.delete(key)
  }
}
