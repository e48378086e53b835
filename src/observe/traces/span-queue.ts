/** Sends spans in batches. A receiver that fails holds nobody up: spans wait in a bounded queue, and what finds no room is counted. */

import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { printable } from '../../core/text.ts'
import { Timer } from '../../core/turns/timer.ts'
import { throwTimeout, within } from '../../core/turns/within.ts'
import type { SpanData } from './span-data.ts'

export type SpanQueueOptions = {
  /** Sends a batch. Rejects where the receiver did not take it. */
  readonly send: (spans: readonly SpanData[]) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

const maxWaiting = 2_048
/** A batch is encoded in one turn of the event loop: 256 spans take about five milliseconds. */
const batchSize = 256
/**
 * The time from the first waiting span, or from the end of the last batch, until a batch is sent that is not full. While the receiver
 * fails, every batch waits this long.
 */
const everyMs = 5_000
/** How long `send` may take for one batch, with the repeats that the exporter makes by itself. */
const batchMs = 15_000

/** The spans that wait for their batch, and the timer of the next batch. */
export class SpanQueue {
  readonly #options: SpanQueueOptions
  readonly #waiting: SpanData[] = []
  #sending: Promise<void> | undefined
  readonly #timer: Timer
  /** The number of spans of the batch that is on its way; 0 while none is. */
  #inFlight = 0
  #isFailing = false
  /** The spans that were lost, and how many of them the log has reported. */
  #lost = 0
  #toldLost = 0

  constructor(options: SpanQueueOptions) {
    this.#options = options
    this.#timer = new Timer(options.clock, () => this.#begin())
  }

  add(span: SpanData): void {
    if (this.#waiting.length >= maxWaiting) this.#lost++
    else this.#waiting.push(span)
    if (this.#waiting.length >= batchSize && !this.#isFailing) this.#begin()
    else this.#arm()
  }

  /** Sends what waits, for at most `ms` milliseconds. */
  async close(ms: number): Promise<void> {
    const { clock, log } = this.#options
    this.#timer.stop()
    const isOver = await within(this.#drain(), ms, clock, () => 'late')
    // From now on nothing is sent, also where the last batch still hangs.
    this.#lost += this.#waiting.splice(0).length + (isOver === 'late' ? this.#inFlight : 0)
    if (isOver === 'late' || this.#lost > this.#toldLost) log('warn', { spans: this.#untold() }, 'the last spans were not sent')
  }

  #arm(): void {
    if (!this.#sending) this.#timer.startUnlessRunning(everyMs)
  }

  #begin(): void {
    this.#timer.stop()
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined
      if (this.#waiting.length >= batchSize && !this.#isFailing) this.#begin()
      else if (this.#waiting.length > 0) this.#arm()
    })
  }

  async #drain(): Promise<void> {
    await this.#sending
    while (this.#waiting.length > 0) {
      await this.#sendBatch()
      if (this.#isFailing) return
    }
  }

  async #sendBatch(): Promise<void> {
    const { send, clock, log } = this.#options
    const spans = this.#waiting.splice(0, batchSize)
    this.#inFlight = spans.length
    try {
      await within(send(spans), batchMs, clock, throwTimeout('no answer', batchMs))
      if (this.#isFailing) log('info', { lost_spans: this.#untold() }, 'the receiver of traces takes spans again')
      this.#isFailing = false
    } catch (error) {
      this.#lost += spans.length
      if (!this.#isFailing) log('warn', { reason: printable(messageOf(error), 200) }, 'the receiver of traces does not take spans')
      this.#isFailing = true
    } finally {
      this.#inFlight = 0
    }
  }

  /** Returns how many spans were lost since the log reported it. */
  #untold(): number {
    const count = this.#lost - this.#toldLost
    this.#toldLost = this.#lost
    return count
  }
}
