/**
 * Gives watchers of the traffic their lines: each request with its end, and each attempt at a run. A few can watch at once, each with a
 * bounded queue. The gateway does not wait for a slow watcher: the watcher loses lines, and is told their number.
 */

import type { Clock } from '../../core/clock.ts'
import type { Observer } from '../../core/fact.ts'
import { StoreFault } from '../../core/fault.ts'
import type { TailLine, TrafficLine } from '../../generated/control.ts'
import { type Following, followOthers } from '../../journal/shared/follow-others.ts'
import type { SharedRecords } from '../../store/shared-records.ts'
import { type TrafficFilter, trafficOf, trafficOfRecord, wants } from './traffic.ts'

export type TailLines = AsyncIterableIterator<TailLine>

/** The most watchers at once. */
export const maxTails = 8
/** The most lines in the queue of one watcher. */
const maxWaitingLines = 1_000

export type Tails = Observer & {
  /**
   * Returns the lines from now on, until the watcher leaves or the gateway stops. Throws a StoreFault when there are `maxTails` watchers
   * already.
   */
  open(filter: TrafficFilter): TailLines
  /** Resolves when the traffic of other gateways is followed for the watchers. Never rejects. */
  begun(): Promise<void>
  /** Ends all tails. */
  close(): void
}

type TailsOptions = {
  readonly clock: Clock
  readonly redact: (text: string) => string
  /** The records of the gateways on a shared store. Absent: no other gateway uses the store. */
  readonly others?: SharedRecords | undefined
}

export const createTails = ({ clock, redact, others }: TailsOptions): Tails => {
  const open = new Set<Tail>()
  let isClosed = false
  /** Follows the traffic of other gateways. Present while there are watchers. */
  let following: Following | undefined
  const tell = (lines: readonly TrafficLine[]): void => {
    if (lines.length > 0) for (const tail of open) tail.push(lines)
  }
  const stopFollowing = (): void => {
    following?.stop()
    following = undefined
  }
  const leave = (tail: Tail): void => {
    open.delete(tail)
    if (open.size === 0) stopFollowing()
  }
  return {
    on(fact) {
      if (open.size === 0) return
      tell(trafficOf(fact, clock.now(), redact))
    },
    open(filter) {
      if (isClosed) throw new StoreFault('it is stopping')
      if (open.size >= maxTails) throw new StoreFault(`${maxTails} watch already`)
      const tail = new Tail(filter, new Date(clock.now()).toISOString(), () => leave(tail))
      open.add(tail)
      if (others) following ??= followOthers({ records: others, clock, tell: (line) => tell(trafficOfRecord(line)) })
      return tail
    },
    begun: async () => following?.begun,
    close() {
      isClosed = true
      stopFollowing()
      for (const tail of open) tail.stop()
    },
  }
}

const endOfTail = { done: true, value: undefined } as const

/** The lines of one watcher. Not a generator, because a generator that waits for a line cannot be ended from outside. */
class Tail implements TailLines {
  readonly #filter: TrafficFilter
  readonly #leave: () => void
  #waiting: TailLine[]
  #lost = 0
  #state: 'open' | 'stopping' | 'over' = 'open'
  #wake = (): void => {}

  constructor(filter: TrafficFilter, at: string, leave: () => void) {
    this.#filter = filter
    this.#leave = leave
    this.#waiting = [{ type: 'init', at }]
  }

  /** Adds the lines of one request or attempt: all or none, because half of them would mislead. */
  push(lines: readonly TrafficLine[]): void {
    if (!wants(this.#filter, lines)) return
    if (this.#lost > 0 || this.#waiting.length + lines.length > maxWaitingLines) this.#lost += lines.length
    else this.#waiting.push(...lines)
    this.#wake()
  }

  stop(): void {
    if (this.#state === 'open') this.#state = 'stopping'
    this.#wake()
  }

  async next(): Promise<IteratorResult<TailLine, undefined>> {
    while (this.#state !== 'over') {
      const line = this.#waiting.shift() ?? this.#lossOrEnd()
      if (line) return { done: false, value: line }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return endOfTail
  }

  async return(): Promise<IteratorResult<TailLine, undefined>> {
    this.#state = 'over'
    this.#waiting = []
    this.#leave()
    this.#wake()
    return endOfTail
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns the line to send once the queue is empty: how many lines were lost, or the end of the tail; `undefined` if neither is due. */
  #lossOrEnd(): TailLine | undefined {
    if (this.#lost > 0) {
      const lines = this.#lost
      this.#lost = 0
      return { type: 'lost', lines }
    }
    if (this.#state !== 'stopping') return undefined
    this.#state = 'over'
    this.#leave()
    return { type: 'end', reason: 'the gateway stops' }
  }
}
