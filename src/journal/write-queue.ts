/** Queues records for writing. It is bounded, so that a slow disk costs records and not the process. */

import type { ByteBudget } from './byte-budget.ts'
import { maskHeaders } from './headers.ts'
import type { NewRecord, RawRequest } from './record.ts'

const maxLines = 20_000
const maxRawBytes = 8 * 1024 * 1024
const maxChars = 16 * 1024 * 1024
const urgentBytes = 1024 * 1024
/** Longer records are dropped, because the reader skips very long lines. */
const maxLineChars = 256 * 1024

type QueuedRaw = { readonly head: Buffer; readonly body: Buffer }

/** A line to write. The segment adds where its raw request is. */
export type QueuedLine = { readonly json: string; readonly raw: QueuedRaw | undefined }

export type Batch = {
  readonly lines: QueuedLine[]
  /** To be called once the lines are written or dropped. */
  readonly done: (() => void)[]
  rawBytes: number
  chars: number
}

export interface WriteQueue {
  /** Adds a line, without its raw request when too many bytes wait, or drops it when too many lines do. */
  add(entry: NewRecord, raw: RawRequest | undefined): void
  /** Calls `done` once everything added before is written or dropped. */
  after(done: () => void): void
  /** Takes everything that waits. It counts against the bounds until `release`. */
  take(): Batch
  release(batch: Batch): void
  /** Lines dropped since the last call. */
  takeDropped(): number
  readonly isEmpty: boolean
  /** Somebody waits for the writing, or enough has gathered for a write. */
  readonly isUrgent: boolean
}

const emptyBatch = (): Batch => ({ lines: [], done: [], rawBytes: 0, chars: 0 })

export const createWriteQueue = (allowance: ByteBudget): WriteQueue => {
  let batch = emptyBatch()
  let lines = 0
  let rawBytes = 0
  let chars = 0
  let dropped = 0

  // A body that is over the bound by itself is taken when no other waits, because it is in memory anyway.
  const hasRoom = ({ body }: RawRequest): boolean =>
    (rawBytes === 0 || rawBytes + body.length <= maxRawBytes) && allowance.take(body.length)

  const push = (json: string, raw?: QueuedRaw): void => {
    const bytes = raw ? raw.head.length + raw.body.length : 0
    lines++
    rawBytes += bytes
    chars += json.length
    batch.rawBytes += bytes
    batch.chars += json.length
    batch.lines.push({ json, raw })
  }

  return {
    add(entry, raw) {
      const json = lines < maxLines ? JSON.stringify(entry) : ''
      if (json === '' || json.length > maxLineChars || chars + json.length > maxChars) dropped++
      else if (raw === undefined) push(json)
      else if (!hasRoom(raw)) push(`${json.slice(0, -1)},"raw_dropped":true}`)
      else push(json, { head: Buffer.from(JSON.stringify(maskHeaders(raw.headers))), body: raw.body })
    },
    after(done) {
      batch.done.push(done)
    },
    take() {
      const taken = batch
      batch = emptyBatch()
      return taken
    },
    release(written) {
      lines -= written.lines.length
      rawBytes -= written.rawBytes
      chars -= written.chars
    },
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
    get isUrgent() {
      return batch.done.length > 0 || batch.rawBytes + batch.chars > urgentBytes
    },
    get isEmpty() {
      return batch.lines.length === 0 && batch.done.length === 0
    },
  }
}
