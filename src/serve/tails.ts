/**
 * Gives watchers of the traffic their lines: each request with its end, and each attempt at a run, of all gateways on the store. A few can
 * watch at once, each with a bounded queue. The gateway does not wait for a slow watcher: the watcher loses lines, and is told their
 * number.
 */

import type { Clock } from '../core/clock.ts'
import type { Observer } from '../core/facts/facts.ts'
import { StoreFault } from '../core/fault.ts'
import { LineQueue } from '../core/turns/line-queue.ts'
import type { TailLine, TrafficLine } from '../generated/control.ts'
import type { JournalLine } from '../journal/line.ts'
import { type Following, followOthers } from '../journal/shared/follow-others.ts'
import type { SharedRecords } from '../store/shared-records.ts'
import { PacedLines } from './paced-lines.ts'
import { attemptLine, requestLines, type TrafficFilter, trafficOfRecord, wants } from './traffic.ts'

export type TailLines = AsyncIterableIterator<TailLine>

export const maxTails = 8

export type Tails = Observer<'traffic'> & {
  /**
   * Returns the lines from now on, until the watcher disconnects or the gateway stops. `perSecond`: the most requests and attempts a second
   * that the watcher gets lines of, in groups. Throws a StoreFault when there are `maxTails` watchers already, and after `close`.
   */
  open(filter: TrafficFilter, perSecond?: number): TailLines
  /** Resolves when the traffic of other gateways is followed for the watchers. Never rejects. */
  begun(): Promise<void>
  close(): void
}

/** `paced`: absent where the watcher wants each line at once. */
type Watcher = { readonly filter: TrafficFilter; readonly paced: PacedLines<TailLine> | undefined }

type TailsOptions = {
  readonly clock: Clock
  readonly redact: (text: string) => string
  /** The records of the gateways on a shared store. Absent: no other gateway uses the store. */
  readonly others?: SharedRecords | undefined
}

export const createTails = ({ clock, redact, others }: TailsOptions): Tails => {
  const open = new Map<LineQueue<TailLine>, Watcher>()
  let isClosed = false
  /** Follows the traffic of other gateways. Present while there are watchers. */
  let following: Following | undefined
  /** `make` makes the lines, and is called where a watcher gets them or filters by them. `count`: their number. */
  const tell = (count: number, make: () => readonly TrafficLine[]): void => {
    if (count === 0) return
    let made: readonly TrafficLine[] | undefined
    const lines = (): readonly TrafficLine[] => (made ??= make())
    for (const [tail, { filter, paced }] of open) {
      if (!wants(filter, lines)) continue
      if (paced) paced.push(count, lines)
      else tail.push(lines())
    }
  }
  const tellRecord = (record: JournalLine): void => {
    const lines = trafficOfRecord(record)
    tell(lines.length, () => lines)
  }
  const stopFollowing = (): void => {
    following?.stop()
    following = undefined
  }
  const leave = (tail: LineQueue<TailLine>): void => {
    open.delete(tail)
    if (open.size === 0) stopFollowing()
  }
  return {
    handlers: {
      request_ended(fact) {
        if (open.size > 0) tell(2, () => requestLines(fact, clock.now(), redact))
      },
      attempt_committed({ run }) {
        if (open.size > 0) tell(1, () => [attemptLine(run, clock.now())])
      },
    },
    open(filter, perSecond) {
      if (isClosed) throw new StoreFault('it is stopping')
      if (open.size >= maxTails) throw new StoreFault(`${maxTails} watch already`)
      const tail = new LineQueue<TailLine>({
        first: [{ type: 'init', at: new Date(clock.now()).toISOString() }],
        loss: (lines) => ({ type: 'lost', lines }),
        end: () => ({ type: 'end', reason: 'the gateway stops' }),
        leave,
      })
      open.set(tail, { filter, paced: perSecond === undefined ? undefined : new PacedLines(clock, tail, perSecond) })
      if (others) following ??= followOthers({ records: others, clock, tell: tellRecord })
      return tail
    },
    begun: async () => following?.begun,
    close() {
      isClosed = true
      stopFollowing()
      for (const [tail, { paced }] of open) {
        paced?.flush()
        tail.stop()
      }
    },
  }
}
