/** Limits the bytes of raw requests that the journal writes: a burst, then a steady rate. A flood costs raw requests, not the service. */

export interface ByteBudget {
  /** Uses up the bytes. `false`: the budget does not allow them now. */
  take(bytes: number): boolean
}

const leastBurst = 8 * 1024 * 1024
const leastPerSecond = 1024 * 1024
/** The burst is this share of the journal's largest size. After the burst, filling the journal takes at least ten minutes. */
const burstShare = 16
const secondsToFill = 600

/** `now` returns milliseconds and never goes backwards. `maxBytes` is asked at each use, because a reload may change it. */
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
      // A request larger than the burst is allowed when the whole burst is left.
      if (left < Math.min(bytes, burst())) return false
      left -= bytes
      return true
    },
  }
}
