/** Time as a port: tests step it, and a jump of the system clock moves no window, lease or limit. */

export interface Clock {
  /** Wall time in milliseconds since 1970: for signatures, stored records and schedules. */
  now(): number
  /** Wall time at the start of the process plus the time since then. It never goes backwards: for windows, leases, limits and claims. */
  monotonic(): number
  /** Calls `then` once after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, then: () => void): () => void
}

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

// setTimeout fires at once past 2^31 - 1 ms, so a longer wait is made of several timers.
const longestTimerMs = 2_147_483_647

/** Wall time at the start of the process, in milliseconds since 1970. */
const startedAt = performance.timeOrigin

const timers =
  (keepAlive: boolean): Clock['after'] =>
  (ms, then) => {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      timer = setTimeout(() => (leftMs > longestTimerMs ? wait(leftMs - longestTimerMs) : then()), Math.min(leftMs, longestTimerMs))
      if (!keepAlive) timer.unref()
    }
    wait(ms)
    return () => clearTimeout(timer)
  }

export const systemClock: Clock = { now: Date.now, monotonic: () => startedAt + performance.now(), after: timers(true) }

/** The system clock with timers that do not keep the process alive. */
export const unrefClock: Clock = { ...systemClock, after: timers(false) }

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export const pause = (ms: number, clock: Pick<Clock, 'after'>, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted || ms <= 0) return resolve()
    const end = (): void => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal?.addEventListener('abort', end)
  })
