/**
 * Reads the journal of a folder with the help of an index of its newest events, which is kept in memory and brought up to date at each
 * question. Whatever the index cannot answer is read from the folder without it, so the answers are the same.
 */

import type { EventRecords } from '../event-records.ts'
import type { EventFilter, Events } from '../fold-events.ts'
import { listSegments, type SegmentFiles, segmentName } from '../folder.ts'
import { parseLine } from '../line.ts'
import { folderRecords } from '../reader.ts'
import { piecesBackward } from '../segments/read-backward.ts'
import { EventIndex } from './event-index.ts'
import type { PlacedLine } from './line-places.ts'
import { type ForwardPiece, linesForward, type Position, piecesForward } from './pieces-forward.ts'

export type IndexOptions = {
  /** The most events of the index. */
  readonly maxEvents?: number
  /** The most bytes of new lines that a question waits for. Where there are more, it is answered without the index. */
  readonly maxWaitBytes?: number
}

export type IndexedRecords = EventRecords & {
  /** Brings the index up to date. Never rejects. */
  update(): Promise<void>
}

const defaultMaxEvents = 100_000
/** The lines that are read and indexed within about a tenth of a second. */
const defaultMaxWaitBytes = 2 * 1024 * 1024

/** How far a folder has been indexed. `known`: the numbers of the segments that were in the folder. */
type Indexed = { readonly index: EventIndex; position: Position; known: ReadonlySet<number>; skipped: number }

export const indexedRecords = (folder: string, options: IndexOptions = {}): IndexedRecords => {
  const { maxEvents = defaultMaxEvents, maxWaitBytes = defaultMaxWaitBytes } = options
  const withoutIndex = folderRecords(folder)
  let indexed: Indexed | undefined
  /**
   * The update of the index that is in progress. Each question updates the index first, one question after the other, because new lines may
   * have come.
   */
  let turn: Promise<unknown> = Promise.resolve()
  let isLong = false

  const index = async (segments: readonly SegmentFiles[]): Promise<void> => {
    try {
      indexed ??= await beginIndex(folder, segments, maxEvents)
      const state = indexed
      for await (const piece of piecesForward(folder, segments, state.position)) await addPiece(state, piece)
    } catch {
      // The reading without the index says what is wrong with the folder.
      indexed = undefined
    } finally {
      isLong = false
    }
  }

  /** Resolves to the index once it has all lines of the segments; `undefined` where that takes long, and goes on without the question. */
  const upToDate = async (): Promise<{ readonly state: Indexed; readonly segments: readonly SegmentFiles[] } | undefined> => {
    if (isLong) return undefined
    const segments = await listSegments(folder)
    if (indexed && isReplaced(indexed, segments)) indexed = undefined
    if (indexed) await forgetGone(indexed, segments)
    isLong = bytesAfter(segments, indexed?.position) > maxWaitBytes
    const indexing = index(segments)
    if (isLong) return undefined
    await indexing
    return indexed && { state: indexed, segments }
  }
  const inTurn = (): ReturnType<typeof upToDate> => {
    const mine = turn.then(upToDate)
    turn = mine.catch(() => undefined)
    return mine
  }

  return {
    raw: withoutIndex.raw,
    eventsOf: withoutIndex.eventsOf,
    async event(id) {
      const { state } = (await inTurn()) ?? {}
      const known = state?.index.event(id)
      const [event] = known?.summary ? ((await state?.index.views([known])) ?? []) : []
      return event ? { kind: 'found', event } : withoutIndex.event(id)
    },
    async events(wanted) {
      const ready = await inTurn()
      return ready ? chooseEvents(ready.state, ready.segments, wanted, withoutIndex) : withoutIndex.events(wanted)
    },
    async update() {
      await inTurn().catch(() => undefined)
    },
  }
}

/** Chooses from the index, and goes on in the folder where older events may fit, too. */
const chooseEvents = async (
  { index, skipped }: Indexed,
  segments: readonly SegmentFiles[],
  wanted: EventFilter,
  withoutIndex: EventRecords,
): Promise<Events> => {
  const { limit, since = Number.NEGATIVE_INFINITY } = wanted
  const older = segments.filter(({ name }) => Number(name) <= index.missing)
  // A segment that was last written before `since` has no arrivals after that time.
  const hasAll = older.every(({ changedAt }) => changedAt < since)
  const isAll = older.length === 0 && segments.every(({ changedAt }) => changedAt >= since)
  const { events: chosen, met, oldest } = index.choose(wanted, isAll)
  const truncated = chosen.length > limit
  const isEnough = truncated || hasAll
  // An index that has no arrival of an event yet has read no event.
  if (!isEnough && (!met || oldest === undefined)) return withoutIndex.events(wanted)
  const events = await index.views(chosen.slice(0, limit))
  if (isEnough || oldest === undefined) return { events, truncated, skipped, met }
  const rest = await withoutIndex.events({ ...wanted, limit: limit - events.length, after: oldest })
  return { ...rest, events: [...events, ...rest.events], met: true }
}

/** The most bytes of lines that an index is made of at first. */
const maxFirstBytes = 256 * 1024 * 1024
const arrivals = ['"kind":"received"', '"kind":"started"'].map((text) => Buffer.from(text))

/** Begins an index at the oldest segment that it needs: from there on, the segments have as many events as the index may have. */
const beginIndex = async (folder: string, segments: readonly SegmentFiles[], maxEvents: number): Promise<Indexed> => {
  let [events, bytes, first] = [0, 0, 1]
  for await (const { segment, bytes: piece } of piecesBackward(folder, segments)) {
    first = Number(segment)
    for (const needle of arrivals) for (let at = piece.indexOf(needle); at >= 0; at = piece.indexOf(needle, at + 1)) events++
    bytes += piece.length
    if (events >= maxEvents || bytes >= maxFirstBytes) break
  }
  const missing = Math.max(0, ...segments.map(({ name }) => Number(name)).filter((number) => number < first))
  return {
    index: new EventIndex(folder, maxEvents, missing),
    position: { segment: first, offset: 0 },
    known: numbersOf(segments),
    skipped: 0,
  }
}

const addPiece = async (state: Indexed, { position: { segment, offset }, bytes }: ForwardPiece): Promise<void> => {
  const lines: PlacedLine[] = []
  for (const { offset: at, bytes: text } of linesForward(bytes)) {
    const line = parseLine(text.toString('utf8'), segmentName(segment))
    if (line) lines.push({ place: { segment, offset: offset + at, length: text.length }, line })
    else state.skipped++
  }
  await state.index.add(lines)
  state.position = { segment, offset: offset + bytes.length }
}

const numbersOf = (segments: readonly SegmentFiles[]): ReadonlySet<number> => new Set(segments.map(({ name }) => Number(name)))

/** Whether the folder is not the one that was indexed: a segment is shorter than before, or an older segment is new. */
const isReplaced = ({ position, known }: Indexed, segments: readonly SegmentFiles[]): boolean =>
  segments.some(({ name, lineBytes }) => {
    const number = Number(name)
    return number === position.segment ? lineBytes < position.offset : number < position.segment && !known.has(number)
  })

const forgetGone = async (state: Indexed, segments: readonly SegmentFiles[]): Promise<void> => {
  const present = numbersOf(segments)
  const isGone = (segment: number): boolean => !present.has(segment)
  if ([...state.known].some(isGone)) await state.index.forget(isGone)
  state.known = present
}

const bytesAfter = (segments: readonly SegmentFiles[], position: Position = { segment: 0, offset: 0 }): number =>
  segments.reduce((sum, { name, lineBytes }) => {
    const number = Number(name)
    return sum + (number > position.segment ? lineBytes : number === position.segment ? Math.max(0, lineBytes - position.offset) : 0)
  }, 0)
