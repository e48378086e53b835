/**
 * Limits the bytes of raw requests that the journal writes: a burst, then a steady rate. In a flood of requests, the journal then leaves
 * out raw requests, and the gateway stays quick.
 */

export interface ByteBudget {
  /** Takes so many bytes from the budget. `false`: the budget does not allow them now, and stays as it is. */
  take(bytes: number): boolean
}

/** The burst has at least so many bytes, and the steady rate at least so many bytes a second, however small the journal may be. */
const leastBurst = 8 * 1024 * 1024
const leastPerSecond = 1024 * 1024
/** The burst of a large journal: its largest size, divided by this number. */
const burstDivisor = 16
/** At the steady rate of a large journal, its largest size is written in so many seconds. */
const secondsToFill = 600

/**
 * Makes a budget with the whole burst. `now` returns milliseconds and never goes backwards. `maxBytes` returns the largest size of the
 * journal. It is called at each use, because a reload may change that size.
 */
export const createByteBudget = (now: () => number, maxBytes: () => number): ByteBudget => {
  const burst = (): number => Math.max(leastBurst, maxBytes() / burstDivisor)
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
