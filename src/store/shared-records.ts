/**
 * The contract for the records of events of all gateways on a shared store, and for the raw requests that belong to them. The store keeps
 * each record as a line, and reads only a few members of a line.
 */

/**
 * The place of a line. Lines are ordered by the server's time, then by batch and number. A line with a later place may be committed before
 * a line with an earlier place.
 */
export type SharedLinePlace = {
  /** When the line was stored, by the server's clock, in microseconds since 1970. */
  readonly storedUs: number
  /** The id of the batch that the line was stored with, and the number of the line in the batch. */
  readonly batch: string
  readonly number: number
}

export type StoredLine = SharedLinePlace & { readonly line: string }

/** What takes the place of a line of a batch. */
export type ErasedLine = Pick<StoredLine, 'number' | 'line'>

/** A piece of the raw bytes of a batch. Lengths and offset in bytes. */
export type RawPiece = { readonly offset: number; readonly bytes: number }

/**
 * The limits of the records of all gateways together. `maxBytes` counts the bytes of lines and of raw requests, `maxEvents` counts lines.
 */
export type RecordLimits = { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxEvents: number }

/** Lines of other gateways, oldest first. `nowUs`: the server's time, in microseconds since 1970. */
export type OthersLines = { readonly lines: readonly StoredLine[]; readonly nowUs: number }

/** Stores, reads and erases the records. Every method throws a StoreFault where the database does not answer. Lists are bounded. */
export interface SharedRecords {
  /**
   * Stores a batch of lines. Each line is a JSON object that begins with `kind`, `at` and `event_id`, and each line but the last has a line
   * end. `raw` has the bytes to which the lines point by their offsets.
   */
  add(lines: Buffer, count: number, raw: Buffer): Promise<void>
  /** Returns at most `max` lines before a place, newest first. Without a place, returns the newest lines. */
  before(place: SharedLinePlace | undefined, max: number): Promise<readonly StoredLine[]>
  /** Returns the lines of the events whose ids begin with `prefix`, newest first. */
  ofEvents(prefix: string): Promise<readonly StoredLine[]>
  ofDelivery(deliveryId: string): Promise<readonly StoredLine[]>
  /** Returns the lines with the end of this group's run (kind `ended`), newest first. */
  groupEnds(group: string): Promise<readonly StoredLine[]>
  /** Returns a piece of the raw bytes of a batch. The piece is shorter, or `undefined`, where the bytes are gone. */
  raw(batch: string, offset: number, bytes: number): Promise<Buffer | undefined>
  /** Returns the next lines of these events after a place, oldest first; without a place, their oldest lines. */
  linesOf(eventIds: readonly string[], after: SharedLinePlace | undefined): Promise<readonly StoredLine[]>
  /**
   * Replaces lines of a batch, whose delivery ids are no longer found, and overwrites pieces of its raw bytes with zeros. Bytes and lines
   * that are gone are passed over.
   */
  erase(batch: string, lines: readonly ErasedLine[], raw: readonly RawPiece[]): Promise<void>
  /** Returns the next lines of other gateways after a place, with the server's time. Without a place, returns the time and no lines. */
  ofOthers(after: SharedLinePlace | undefined): Promise<OthersLines>
  /** Deletes the oldest batches, while the oldest is past the age limit, or while all batches together have too many lines or bytes. */
  prune(limits: RecordLimits): Promise<void>
}
