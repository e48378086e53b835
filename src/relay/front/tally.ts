/** Counts what a relay refused, and logs the counts once a minute, so that a flood of requests does not fill the log. */

import type { Clock } from '../../core/clock.ts'
import { minuteMs } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Count, RelayLedger } from './ledger.ts'

const maxCounted = 1_000

export class RelayTally {
  readonly #ledger: RelayLedger
  readonly #log: Log
  readonly #clock: Clock
  #full = new Map<string, Count>()
  #failedAt = Number.NEGATIVE_INFINITY

  constructor({ ledger, log, clock }: { readonly ledger: RelayLedger; readonly log: Log; readonly clock: Clock }) {
    this.#ledger = ledger
    this.#log = log
    this.#clock = clock
  }

  /** Counts a request that was refused because its route has no room. */
  readonly full = (gateway: string, lane: string): void => {
    const key = `${gateway}/${lane}`
    const before = this.#full.get(key)
    if (!before && this.#full.size >= maxCounted) return
    this.#full.set(key, { gateway, lane, what: 'full', number: (before?.number ?? 0) + 1 })
  }

  /** Logs, at most once a minute, why requests cannot be written. */
  readonly failed = (reason: string): void => {
    const now = this.#clock.monotonic()
    if (now - this.#failedAt < minuteMs) return
    this.#failedAt = now
    this.#log('error', { reason }, 'the relay cannot write: senders get 503')
  }

  /** Writes what was counted since the last call. Rejects with a StoreFault. */
  async write(): Promise<void> {
    const counts = [...this.#full.values()]
    this.#full = new Map()
    for (const { gateway, lane, number } of counts)
      this.#log('warn', { gateway, route: lane, refused: number }, 'requests were refused: too much is kept for their route')
    if (counts.length > 0) await this.#ledger.count(counts)
  }

  async close(): Promise<void> {
    await this.write().catch(() => {})
  }
}
