/** Asks the running gateway to end, and waits for its end. */

import { pause, systemClock } from '../../core/clock.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'

export type StoppingGateway = {
  readonly pid: number
  /**
   * Waits until the process has ended, for at most `timeoutMs`. `false`: the process is still ending, or another gateway runs in its place
   * already.
   */
  isGone(timeoutMs: number): Promise<boolean>
}

/** How long a gateway may take to end beyond the time that it gives its runs, in milliseconds. */
export const lastWordsMs = 15_000
const lookMs = 50

/** Asks the gateway to end, and does not wait for its end. Throws a Fault where no gateway runs (exit 4). */
export const stopGateway = async (finder: GatewayFinder): Promise<StoppingGateway> => {
  const gateway = await finder.need()
  const { pid } = await gateway.status()
  await gateway.stop()
  return {
    pid,
    async isGone(timeoutMs) {
      const until = Date.now() + timeoutMs
      while (Date.now() < until) {
        await pause(lookMs, systemClock)
        if ((await finder.find()) === undefined && !isRunning(pid)) return true
      }
      return false
    },
  }
}

/**
 * Whether the process runs. A stopping gateway closes its control socket before its store, so the process may still run when the socket
 * gives no answer any more.
 */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
