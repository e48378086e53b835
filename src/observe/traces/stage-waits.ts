/** Measures which stages of a request waited: for a script, say, or for the store. */

import type { Clock } from '../../core/clock.ts'
import type { Watch } from '../../engine/run.ts'

/** Wall times, milliseconds. */
export type StageWait = { readonly stage: string; readonly startMs: number; readonly endMs: number }

export interface StageWaits {
  /** Returns the function that is told of each stage of one request. */
  watch(): Watch
  /** Returns the waits of an event's request, and forgets them. */
  take(eventId: string): readonly StageWait[]
}

/** The stage of the ending, which always waits for the store where it makes work. */
export const endingStage = 'dispatch'

/** A shorter stage did not wait. */
const leastMs = 1
/** The most requests whose waits are kept between the end of their last stage and the fact of their end. */
const maxKept = 1_000

export const createStageWaits = (clock: Pick<Clock, 'now' | 'monotonic'>): StageWaits => {
  const kept = new Map<string, readonly StageWait[]>()
  const keep = (eventId: string, waits: readonly StageWait[]): void => {
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string)
    kept.set(eventId, waits)
  }
  return {
    watch() {
      let eventId: string | undefined
      let last = 0
      const waits: StageWait[] = []
      return (stage, ended, event) => {
        // Waits before the event is parsed (for the body, for the keys of its sender) are left out: there is no id yet to keep them by.
        if (eventId === undefined && event === undefined) return
        const now = clock.monotonic()
        if (eventId !== undefined && (now - last >= leastMs || stage === endingStage)) {
          const toWall = clock.now() - now
          waits.push({ stage, startMs: last + toWall, endMs: now + toWall })
        }
        eventId ??= event?.eventId
        last = now
        if (ended && eventId !== undefined && waits.length > 0) keep(eventId, waits)
      }
    },
    take(eventId) {
      const waits = kept.get(eventId)
      if (!waits) return []
      kept.delete(eventId)
      return waits
    },
  }
}
