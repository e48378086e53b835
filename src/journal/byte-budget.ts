/** How many bytes of raw requests may be kept: a burst at once, then so many a second, so that a flood costs records and not the service. */

export interface ByteBudget {
  /** `false` when so many are not allowed now. */
  take(bytes: number): boolean
}

const leastBurst = 8 * 1024 * 1024
const leastPerSecond = 1024 * 1024
/** Shares of the bytes that the journal may have in all: past a burst, it is filled in ten minutes at the quickest. */
const burstShare = 16
const secondsToFill = 600

/** `now` in milliseconds, never backwards; `maxBytes` is asked each time, for a reload may change it. */
export const createByteBudget = (now: () => number, maxBytes: () => number): ByteBudget => {
  const burst = (): number => Math.max(leastBurst, maxBytes() / burstShare)
  let left = burst()
  let at = now()
  return {
    take(bytes) {
      const time = now()
      const perSecond = Math.max(leastPerSecond, maxBytes() / secondsToFill)
      left = Math.min(burst(), left + ((time - at) / 1000) * perSecond)
      at = time
      // A request that is larger than the burst is allowed when the whole burst is there.
      if (left < Math.min(bytes, burst())) return false
      left -= bytes
      return true
    },
  }
}
