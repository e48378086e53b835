/**
 * Queues records for writing. The queue is bounded, so that with a slow disk records are dropped, and the process does not run out of
 * memory.
 */

import type { ByteBudget } from './byte-budget.ts'
import { Bytes } from './bytes.ts'
import { rawHead } from './raw.ts'
import type { NewRecord, RawRequest } from './record.ts'

/** The bounds on all records that wait or are being written: their lines, the bytes of their raw requests, and the bytes of their lines. */
const maxLines = 20_000
const maxRawBytes = 8 * 1024 * 1024
const maxLineBytes = 16 * 1024 * 1024
/** With more waiting bytes than these, a write does not wait for further lines. */
const urgentBytes = 512 * 1024
/** The most characters of a record. A longer record is dropped, because the reader skips very long lines. */
const maxLineChars = 256 * 1024
/** The last characters of every line. The member `raw`, which says where the raw request is stored, is inserted before them. */
const lineEnd = '}\n'

/**
 * A raw request of a batch. `at`: the offset in the batch's text at which the member `raw` of the line is inserted, behind the line's other
 * members. `headBytes`, `bodyBytes`: the lengths of its headers and its body.
 */
export type QueuedRaw = { readonly at: number; readonly headBytes: number; readonly bodyBytes: number }

/**
 * Lines to write, and the raw requests of some of these lines. Both wait as bytes: objects that wait would survive two garbage collections,
 * and would then be freed only by a collection of the whole heap.
 */
export class WriteBatch {
  /** The lines, without the places of raw requests. */
  readonly text = new Bytes()
  lines = 0
  /** The raw requests, one after the other. */
  readonly raw = new Bytes()
  /** The lengths of these raw requests, in the same order. */
  readonly raws: QueuedRaw[] = []
  /** Called once the lines are written or dropped. */
  readonly done: (() => void)[] = []

  addLine(json: string): void {
    this.text.addText(`${json}\n`)
    this.lines++
  }

  /** Adds the raw request of the last line. */
  addRaw(request: RawRequest): void {
    const { body } = request
    const { text, raw, raws } = this
    const from = raw.length
    raw.addText(rawHead(request))
    raws.push({ at: text.length - lineEnd.length, headBytes: raw.length - from, bodyBytes: body.length })
    raw.add(body)
  }

  /**
   * Returns the text of all lines in pieces, with the places of their raw requests. `start`: the offset at which the first raw request of
   * the batch will be stored. The pieces are valid until `clear`.
   */
  linesFrom(start: number): Buffer[] {
    const pieces: Buffer[] = []
    let from = 0
    let offset = start
    for (const { at, headBytes, bodyBytes } of this.raws) {
      const place = `,"raw":{"offset":${offset},"head_bytes":${headBytes},"body_bytes":${bodyBytes}}`
      pieces.push(this.text.slice(from, at), Buffer.from(place))
      from = at
      offset += headBytes + bodyBytes
    }
    pieces.push(this.text.slice(from))
    return pieces
  }

  clear(): void {
    this.text.clear()
    this.lines = 0
    this.raw.clear()
    this.raws.length = 0
    this.done.length = 0
  }
}

export interface WriteQueue {
  /**
   * Adds a record. Its raw request is left out when too many bytes wait, or when the byte budget refuses it. The whole record is dropped
   * when it is too long, or when too many lines or bytes wait.
   */
  add(entry: NewRecord, raw: RawRequest | undefined): void
  /** Calls `done` once every line added before is written or dropped. */
  after(done: () => void): void
  /** Takes everything that waits, as a batch. It counts against the bounds until `release`. Call `release` before the next `take`. */
  take(): WriteBatch
  /** Ends the batch that was taken, once its lines are written or dropped. The queue then uses the memory of the batch again. */
  release(): void
  /** Returns the number of lines dropped since the last call. */
  takeDropped(): number
  readonly isEmpty: boolean
  /** Whether a caller waits for the writing, or more than `urgentBytes` wait. */
  readonly isUrgent: boolean
}

/** Makes an empty queue. `byteBudget` decides which raw requests are written. */
export const createWriteQueue = (byteBudget: ByteBudget): WriteQueue => {
  let waiting = new WriteBatch()
  /** The batch that is being written; empty while nothing is being written. */
  let written = new WriteBatch()
  let dropped = 0

  // A body that alone exceeds `maxRawBytes` is taken when no other raw request waits, because the body is in memory anyway.
  const hasRoomForRaw = ({ body }: RawRequest): boolean => {
    const bytes = waiting.raw.length + written.raw.length
    return (bytes === 0 || bytes + body.length <= maxRawBytes) && byteBudget.take(body.length)
  }

  const hasRoomFor = (json: string): boolean =>
    json.length <= maxLineChars && waiting.text.length + written.text.length + json.length <= maxLineBytes

  return {
    add(entry, raw) {
      const json = waiting.lines + written.lines < maxLines ? JSON.stringify(entry) : ''
      if (json === '' || !hasRoomFor(json)) dropped++
      else if (raw && !hasRoomForRaw(raw)) waiting.addLine(`${json.slice(0, -1)},"raw_dropped":true}`)
      else {
        waiting.addLine(json)
        if (raw) waiting.addRaw(raw)
      }
    },
    after(done) {
      waiting.done.push(done)
    },
    take() {
      const taken = waiting
      waiting = written
      written = taken
      return taken
    },
    release() {
      for (const done of written.done) done()
      written.clear()
    },
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
    get isUrgent() {
      return waiting.done.length > 0 || waiting.raw.length + waiting.text.length > urgentBytes
    },
    get isEmpty() {
      return waiting.lines === 0 && waiting.done.length === 0
    },
  }
}
