/** Judges by delivery ids which events of a sender's log did not come: not by times, because an event may come late or twice. */

import type { LogEntry } from '../../parts/sender-logs/sender-log.ts'

/** How often an event is sent again at most. What was refused as often is refused for a reason that a further repeat does not change. */
const maxRepeats = 5
/** How many attempts there may be in all, because some logs do not say which of them were repeats. */
const maxAttempts = 10
/**
 * The most events of one catch-up, and the most characters of the events themselves where a log has them. What is beyond these bounds is
 * reported as a gap.
 */
const [maxEvents, maxBodyChars] = [20_000, 64 * 1024 * 1024]

/** An event of the log. `latest`: its latest attempt. */
type LoggedEvent = { latest: LogEntry; isDelivered: boolean; repeats: number; attempts: number }

export class LoggedEvents {
  readonly #events = new Map<string, LoggedEvent>()
  #bodyChars = 0
  /** How many entries of the log could not be read. */
  unreadable = 0
  /** Whether the pages of the log have no end. */
  isEndless = false

  get size(): number {
    return this.#events.size
  }

  get isFull(): boolean {
    return this.#events.size >= maxEvents || this.#bodyChars >= maxBodyChars
  }

  /** Returns a sentence about the part of the log that was not judged; `undefined` where the whole log was judged. */
  get gap(): string | undefined {
    if (this.isFull) return 'the log is longer than one catch-up can judge, and its oldest events were not looked at'
    if (this.isEndless) return 'the pages of the log have no end'
    return this.unreadable > 0 ? `${this.unreadable} entries of the log cannot be read` : undefined
  }

  /** Adds an attempt. Attempts come in any order. */
  add(entry: LogEntry): void {
    const event = this.#events.get(entry.deliveryId)
    if (!event) {
      const { isDelivered } = entry
      if (this.isFull) return
      this.#events.set(entry.deliveryId, { latest: entry, isDelivered, repeats: Number(entry.isRepeat), attempts: 1 })
      this.#bodyChars += entry.body?.length ?? 0
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
