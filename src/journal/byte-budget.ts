/** Limits the bytes of raw requests that the journal writes: a burst, then so many a second. A flood costs records, not the service. */

export interface ByteBudget {
  /** Uses up so many bytes; `false` when they are not allowed now. */
  take(bytes: number): boolean
}

const leastBurst = 8 * 1024 * 1024
const leastPerSecond = 1024 * 1024
/** The burst is a sixteenth of what the journal may hold. After it, filling the journal takes ten minutes at least. */
const burstShare = 16
const secondsToFill = 600

/** `now` gives milliseconds and never goes backwards. `maxBytes` is asked each time, because a reload may change it. */
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
      // A request that is larger than the burst is allowed when the whole burst is left.
      if (left < Math.min(bytes, burst())) return false
      left -= bytes
      return true
    },
  }
}
