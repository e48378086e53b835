/** The records of events and the raw requests of all gateways on a shared store. The store keeps lines, and knows little of what they say. */

/** The place of a line: newest first is by the server's time, then by batch and number. A later line may be committed before an earlier one. */
export type LinePlace = {
  /** When the line was stored, by the server's clock, in microseconds since 1970. */
  readonly storedUs: number
  readonly batch: string
  readonly number: number
}

export type StoredLine = LinePlace & { readonly line: string }

/** The most that is kept of the records of all gateways together. Bytes are those of lines and raw requests. */
export type RecordLimits = { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxEvents: number }

/** Lines of other gateways, oldest first. `nowUs`: the server's time, in microseconds since 1970. */
export type OthersLines = { readonly lines: readonly StoredLine[]; readonly nowUs: number }

/** Every method throws a StoreFault where the database does not answer. Lists are bounded. */
export interface SharedRecords {
  /**
   * Stores a batch of lines. They are JSON objects that begin with `kind`, `at` and `event_id`, each but the last with a line end. `raw` has
   * the bytes to which the lines point by their offsets.
   */
  add(lines: Buffer, count: number, raw: Buffer): Promise<void>
  /** Returns at most `max` lines before a place, or the newest, newest first. */
  before(place: LinePlace | undefined, max: number): Promise<readonly StoredLine[]>
  /** Returns the lines of the events whose ids begin with `prefix`, newest first. */
  ofEvents(prefix: string): Promise<readonly StoredLine[]>
  /** Returns the lines with this delivery id, newest first. */
  ofDelivery(deliveryId: string): Promise<readonly StoredLine[]>
  /** Returns the ends of this group's run, newest first. */
  groupEnds(group: string): Promise<readonly StoredLine[]>
  /** Returns a piece of the raw bytes of a batch; shorter or `undefined` where they are gone. */
  raw(batch: string, offset: number, bytes: number): Promise<Buffer | undefined>
  /** Returns the next lines of other gateways behind a place; only the server's time where that is `undefined`. */
  ofOthers(after: LinePlace | undefined): Promise<OthersLines>
  /** Forgets the oldest batches while they are too old, or all are too many or too large. */
  prune(limits: RecordLimits): Promise<void>
}
