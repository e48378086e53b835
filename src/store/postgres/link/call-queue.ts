/** The queue of a database link: batches of calls that wait to be sent, in the order in which their first calls were made. */

import type { StoreFault } from '../../../core/fault.ts'
import type { CallKind } from '../call-kind.ts'
import { CallBatch, type Settlement } from './call-batch.ts'

const maxCalls = 10_000

export class CallQueue {
  #batches: CallBatch[] = []
  #calls = 0
  /** The number of batches that were made, which is the number of the next batch. */
  #made = 0

  get isEmpty(): boolean {
    return this.#batches.length === 0
  }

  get isFull(): boolean {
    return this.#calls >= maxCalls
  }

  /** Adds a call to the last batch where that batch takes the call, and otherwise to a new batch. `now`: the monotonic time. */
  add(kind: CallKind<unknown, unknown>, call: unknown, settlement: Settlement, now: number): void {
    let batch = this.#batches.at(-1)
    if (!batch?.takes(kind, call)) {
      batch = new CallBatch(kind, now, this.#made++)
      this.#batches.push(batch)
    }
    batch.add(call, settlement)
    this.#calls++
  }

  /** Removes batches from the front of the queue until they have `calls` calls or more, and returns them. */
  take(calls: number): readonly CallBatch[] {
    let end = 0
    for (let left = calls; left > 0 && end < this.#batches.length; end++) left -= this.#batches[end]?.size ?? 0
    return this.#removed(this.#batches.splice(0, end))
  }

  /** Puts batches that were taken back, in their order among the others. */
  putBack(batches: readonly CallBatch[]): void {
    this.#batches = [...batches, ...this.#batches].sort((a, b) => a.number - b.number)
    for (const { size } of batches) this.#calls += size
  }

  /** Rejects the calls of the batches for which `isMeant` holds, and removes them. */
  reject(why: StoreFault, isMeant: (batch: CallBatch) => boolean = () => true): void {
    const meant = this.#batches.filter(isMeant)
    this.#batches = this.#batches.filter((batch) => !isMeant(batch))
    for (const batch of this.#removed(meant)) batch.reject(why, batch.sendings > 0)
  }

  #removed(batches: readonly CallBatch[]): readonly CallBatch[] {
    for (const { size } of batches) this.#calls -= size
    return batches
  }
}
