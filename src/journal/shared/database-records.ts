/** Reads the records of events that all gateways on a shared store have stored in its database. */

import type { SharedLinePlace, SharedRecords, StoredLine } from '../../store/shared-records.ts'
import { lookUpEvent, type SearchLines } from '../event-lookup.ts'
import type { EventRecords } from '../event-records.ts'
import { createFold, type EventFilter, type Events } from '../fold-events.ts'
import { parseLine } from '../line.ts'
import { parseRaw } from '../raw.ts'
import type { EventView } from '../record.ts'

export const databaseRecords = (records: SharedRecords): EventRecords => ({
  events: (wanted) => readEvents(records, wanted),
  event: (id) => lookUpEvent(searchIn(records), id),
  async eventsOf(ids) {
    const events: EventView[] = []
    for (const id of ids) {
      const lookup = await lookUpEvent(searchIn(records), id)
      if (lookup.kind === 'found') events.push(lookup.event)
    }
    return events
  },
  raw: databaseRaw(records),
})

export const databaseRaw =
  (records: Pick<SharedRecords, 'raw'>): EventRecords['raw'] =>
  async ({ segment, offset, head_bytes, body_bytes }) => {
    const size = head_bytes + body_bytes
    const bytes = await records.raw(segment, offset, size)
    return bytes?.length === size ? parseRaw(bytes, head_bytes) : undefined
  }

const linesPerQuery = 1_000
/**
 * The least time, in microseconds, between the first and the last line of a piece. Two gateways may store the arrival of an event and the
 * end of its run in either order, because a slow gateway stores its lines late. An event is settled one piece after its arrival, so a piece
 * must cover this delay.
 */
const pieceUs = 1_000_000
/** The most lines of a piece, except for the lines of its last query. A piece with the most lines may cover less time than `pieceUs`. */
const maxPieceLines = 5_000
/**
 * How far the clock of a gateway and the clock of the database server may differ, in microseconds: an event has the time of its gateway,
 * and its line has the time of the server.
 */
const clockSlackUs = 60_000_000

const readEvents = async (records: SharedRecords, wanted: EventFilter): Promise<Events> => {
  const fold = createFold(wanted)
  const pieces = piecesBackward(records, wanted.since === undefined ? Number.NEGATIVE_INFINITY : wanted.since * 1000 - clockSlackUs)
  for (;;) {
    const { done, value } = await pieces.next()
    if (done) {
      fold.settle()
      if (value.isAll) fold.settleRest()
      return fold.result()
    }
    for (const { line, batch } of value) fold.add(parseLine(line, batch))
    if (fold.settle()) return fold.result()
  }
}

/** Yields pieces of lines, newest first, until the lines are older than `sinceUs`. Returns whether all lines of the store were read. */
async function* piecesBackward(
  records: SharedRecords,
  sinceUs: number,
): AsyncGenerator<readonly StoredLine[], { readonly isAll: boolean }> {
  let piece: StoredLine[] = []
  for (let place: SharedLinePlace | undefined; ; ) {
    const lines = await records.before(place, linesPerQuery)
    piece.push(...lines)
    const [newest] = piece
    const oldest = piece.at(-1)
    const isAll = lines.length < linesPerQuery
    const isPast = oldest !== undefined && oldest.storedUs < sinceUs
    const isWhole = newest && oldest && (newest.storedUs - oldest.storedUs >= pieceUs || piece.length >= maxPieceLines)
    if (isAll || isPast || isWhole) {
      yield piece
      piece = []
    }
    if (isAll || isPast) return { isAll }
    place = oldest
  }
}

const searchIn =
  (records: SharedRecords): SearchLines =>
  async (by, text, enough) => {
    const found: Promise<readonly StoredLine[]> =
      by === 'event' ? records.ofEvents(text) : by === 'delivery' ? records.ofDelivery(text) : records.groupEnds(text)
    for (const { line, batch } of await found) {
      const parsed = parseLine(line, batch)
      if (parsed) enough(parsed)
    }
  }
