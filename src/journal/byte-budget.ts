/**
 * Limits the bytes of raw requests that the journal writes: a burst, then a steady rate. In a flood of requests, the journal then leaves
 * out raw requests, and the gateway stays quick.
 */

export interface ByteBudget {
  /** Takes `bytes` bytes from the budget. `false`: the budget does not allow this number now, and stays as it is. */
  take(bytes: number): boolean
}

/** The least burst, in bytes, and the least steady rate, in bytes a second, however small the journal may be. */
const leastBurst = 8 * 1024 * 1024
const leastPerSecond = 1024 * 1024
/** The burst of a large journal: its largest size, divided by this number. */
const burstDivisor = 16
/** The steady rate of a large journal: its largest size, divided by this number of seconds. */
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
