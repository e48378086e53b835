/** Judges by delivery ids which events of a sender's log did not come: not by times, because an event may come late or twice. */

import type { LogEntry } from '../../parts/sender-logs/sender-log.ts'

/** How often an event is sent again at most. What was refused as often is refused for a reason that a further repeat does not change. */
const maxRepeats = 5
/** How many attempts there may be in all, because some logs do not say which of them were repeats. */
const maxAttempts = 10
/** The most events of one catch-up. A longer log is caught up with in several. */
const maxEvents = 20_000

/** An event of the log. `latest`: its latest attempt. */
type LoggedEvent = { latest: LogEntry; isDelivered: boolean; repeats: number; attempts: number }

export class LoggedEvents {
  readonly #events = new Map<string, LoggedEvent>()

  get size(): number {
    return this.#events.size
  }

  get isFull(): boolean {
    return this.#events.size >= maxEvents
  }

  /** Adds an attempt. Attempts come in any order. */
  add(entry: LogEntry): void {
    const event = this.#events.get(entry.deliveryId)
    if (!event) {
      const { isDelivered } = entry
      if (!this.isFull) this.#events.set(entry.deliveryId, { latest: entry, isDelivered, repeats: Number(entry.isRepeat), attempts: 1 })
      return
    }
    if (entry.at > event.latest.at) event.latest = entry
    event.isDelivered ||= entry.isDelivered
    event.repeats += Number(entry.isRepeat)
    event.attempts++
  }

  /** Returns the events that no attempt delivered, the oldest first, and the number of those that were sent again too often. */
  undelivered(): { readonly events: readonly LogEntry[]; readonly givenUp: number } {
    // A log lists the newest entry first. The order is reversed before the sort, which keeps the order of entries with the same time.
    const open = [...this.#events.values()].reverse().filter(({ isDelivered }) => !isDelivered)
    const worth = open.filter(({ repeats, attempts }) => repeats < maxRepeats && attempts < maxAttempts)
    return { events: worth.map(({ latest }) => latest).sort((a, b) => a.at - b.at), givenUp: open.length - worth.length }
  }
}
