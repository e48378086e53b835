/**
 * Counts which fields of `redact` were in no event, so that an operator hears of a field that is misspelt, or that a sender does not send.
 */

import type { Status } from '../generated/control.ts'
import type { JudgedRedaction } from '../parts/effects.ts'

/** The most fields that are counted, of all routes. */
const maxFields = 2_000

type Count = { readonly route: string | null; readonly field: string; events: number; isMet: boolean }

/**
 * For each field of `redact`, in how many events it was looked for, and whether any of them had it. Counts since the start, or the last
 * reload, which may have brought other fields.
 */
export class RedactionCounts {
  readonly #counts = new Map<string, Count>()

  /** Adds the counts of one event. `route`: `null` for fields of the adapter, which an event of any route may have. */
  add({ fields, absent }: JudgedRedaction, route: string | null): void {
    for (const field of fields) {
      const key = JSON.stringify([route, field])
      const known = this.#counts.get(key)
      if (!known && this.#counts.size >= maxFields) continue
      const count = known ?? { route, field, events: 0, isMet: false }
      count.events++
      count.isMet ||= !absent.includes(field)
      if (!known) this.#counts.set(key, count)
    }
  }

  clear(): void {
    this.#counts.clear()
  }

  /** Returns the fields of `redact` that were in no event so far, each with the number of events that were searched for it. */
  view(): NonNullable<Status['redactions_missed']> {
    return [...this.#counts.values()].flatMap(({ isMet, ...count }) => (isMet ? [] : [count]))
  }
}
