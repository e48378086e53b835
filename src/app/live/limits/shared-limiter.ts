/**
 * Counts the verified requests of routes over all gateways on a shared store. Each gateway takes a twentieth of a route's limit at a time,
 * so that few requests wait for the store.
 */

import type { Clock } from '../../../core/clock.ts'
import { StoreFault } from '../../../core/fault.ts'
import { within } from '../../../core/turns/within.ts'
import type { Limiter } from '../../../parts/effects.ts'
import type { Shared } from '../../../store/shared.ts'

/** A share is a route's limit divided by this number. A gateway whose requests stop leaves the rest of its share unused. */
const sharesPerLimit = 20

/**
 * The longest wait of a request for a share. The wait is short, because the request must wait for its commit, too, before the request is
 * answered.
 */
const longestShareWaitMs = 500

const tooSlow = (): never => {
  throw new StoreFault('the window of a route was not answered in time')
}

/**
 * The share that the store granted this gateway of a route's window. `left`: granted requests that have not come yet. `until`: the end of
 * the window. `fullUntil`: the end of a window that has no requests left for any gateway. `asking`: the question to the store that is under
 * way. Times are monotonic, in milliseconds.
 */
type Share = { left: number; until: number; fullUntil: number; asking: Promise<void> | undefined }

type SharedLimiterOptions = {
  /** Counts the requests of this process alone: for a store of one gateway, and while a shared store does not answer. */
  readonly local: Limiter
  readonly clock: Clock
  readonly perMinute: () => number
  /** Returns the shared store; `undefined` for a store of one gateway. */
  readonly shared: () => Pick<Shared, 'takeRateShare'> | undefined
}

/**
 * Creates a limiter that asks the shared store for shares. `local` counts the failed signatures, and the checks of refused requests that
 * are made after their answer.
 */
export const createSharedLimiter = ({ local, clock, perMinute, shared }: SharedLimiterOptions): Limiter => {
  const shares = new Map<string, Share>()

  const shareOf = (route: string): Share => {
    const share = shares.get(route) ?? { left: 0, until: 0, fullUntil: 0, asking: undefined }
    shares.set(route, share)
    return share
  }

  const take = async (route: string, share: Share, from: Pick<Shared, 'takeRateShare'>): Promise<void> => {
    const limit = perMinute()
    // The window's time left is counted from before the store was asked, so that the share ends before its window does.
    const askedAt = clock.monotonic()
    const { requests, leftMs } = await from.takeRateShare(route, Math.max(1, Math.floor(limit / sharesPerLimit)), limit)
    share.left = requests
    share.until = askedAt + leftMs
    if (requests === 0) share.fullUntil = askedAt + leftMs
  }

  /**
   * Takes one request from the share. `false`: the window is full. `undefined`: the share is used up or over, so the store must be asked.
   */
  const use = (share: Share): boolean | undefined => {
    const now = clock.monotonic()
    if (share.left > 0 && now < share.until) {
      share.left--
      return true
    }
    return now < share.fullUntil ? false : undefined
  }

  const charge = async (route: string, share: Share, from: Pick<Shared, 'takeRateShare'>): Promise<boolean> => {
    try {
      for (;;) {
        const isTaken = use(share)
        if (isTaken !== undefined) return isTaken
        share.asking ??= take(route, share, from).finally(() => {
          share.asking = undefined
        })
        await within(share.asking, longestShareWaitMs, clock, tooSlow)
      }
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      return local.charge(route)
    }
  }

  return {
    ...local,
    wait(route) {
      const ms = shared() === undefined ? 0 : shareOf(route).fullUntil - clock.monotonic()
      return ms > 0 ? Math.ceil(ms / 1000) : local.wait(route)
    },
    charge(route) {
      const from = shared()
      if (from === undefined) return local.charge(route)
      const share = shareOf(route)
      return use(share) ?? charge(route, share, from)
    },
  }
}
