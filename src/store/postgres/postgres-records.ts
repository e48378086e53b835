/** The shared store's implementation of `SharedRecords`: the records of events, in tables of the store's schema. */

import { isEventId } from '../bounds.ts'
import type { ErasedLine, OthersLines, RawPiece, RecordLimits, SharedLinePlace, SharedRecords, StoredLine } from '../shared-records.ts'
import {
  addRecordsKind,
  eraseRecordsKind,
  groupEndsKind,
  linesOfEventsKind,
  pruneRecordsKind,
  rawBytesKind,
  recordsBeforeKind,
  recordsOfDeliveryKind,
  recordsOfEventsKind,
  recordsOfOthersKind,
  recordTotalsKind,
} from './calls/record-calls.ts'
import type { CallMarks } from './keys.ts'
import type { DatabaseLink } from './link/database-link.ts'

export class PostgresRecords implements SharedRecords {
  readonly #link: Pick<DatabaseLink, 'call'>
  readonly #marks: CallMarks

  constructor(link: Pick<DatabaseLink, 'call'>, marks: CallMarks) {
    this.#link = link
    this.#marks = marks
  }

  add(lines: Buffer, count: number, raw: Buffer): Promise<void> {
    return this.#link.call(addRecordsKind, { batch: this.#marks.next(), lines, count, raw })
  }

  before(place: SharedLinePlace | undefined, max: number): Promise<readonly StoredLine[]> {
    return this.#link.call(recordsBeforeKind, { place, max })
  }

  async ofEvents(prefix: string): Promise<readonly StoredLine[]> {
    return isEventId(prefix) ? this.#link.call(recordsOfEventsKind, prefix) : []
  }

  ofDelivery(deliveryId: string): Promise<readonly StoredLine[]> {
    return this.#link.call(recordsOfDeliveryKind, deliveryId)
  }

  groupEnds(group: string): Promise<readonly StoredLine[]> {
    return this.#link.call(groupEndsKind, group)
  }

  async raw(batch: string, offset: number, bytes: number): Promise<Buffer | undefined> {
    return /^\d{1,19}$/.test(batch) ? this.#link.call(rawBytesKind, { batch, offset, bytes }) : undefined
  }

  async linesOf(eventIds: readonly string[], after: SharedLinePlace | undefined): Promise<readonly StoredLine[]> {
    return this.#link.call(linesOfEventsKind, { eventIds: eventIds.filter(isEventId), after })
  }

  erase(batch: string, lines: readonly ErasedLine[], raw: readonly RawPiece[]): Promise<void> {
    return this.#link.call(eraseRecordsKind, { batch, lines, raw })
  }

  ofOthers(after: SharedLinePlace | undefined): Promise<OthersLines> {
    return this.#link.call(recordsOfOthersKind, { owner: this.#marks.owner, after })
  }

  async prune({ maxAgeMs, maxBytes, maxEvents }: RecordLimits): Promise<void> {
    const link = this.#link
    let { lines, bytes } = await link.call(recordTotalsKind, undefined)
    for (;;) {
      const gone = await link.call(pruneRecordsKind, { maxAgeMs, over: { lines: lines - maxEvents, bytes: bytes - maxBytes } })
      if (gone.lines === 0) return
      lines -= gone.lines
      bytes -= gone.bytes
    }
  }
}
