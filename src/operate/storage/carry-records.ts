/**
 * Carries the records of events whose runs are moved, with their raw requests: commands find a run by the records of its event. Nothing is
 * written twice, so a move can be repeated.
 */

import { hash } from 'node:crypto'
import { systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { databaseLines, type EventLines, folderLines } from '../../journal/event-lines.ts'
import { openJournal } from '../../journal/journal.ts'
import type { JournalLine } from '../../journal/line.ts'
import type { Journal, JournalRecord } from '../../journal/record.ts'
import { openSharedJournal } from '../../journal/shared/shared-journal.ts'
import type { MovableStore, MovedPage } from '../../store/moving.ts'

/** The journal drops what is too much to wait at once, so it gets no more than this before it has written: bytes, and lines. */
const maxWaitingBytes = 1024 * 1024
const maxWaitingLines = 1_000

/** Yields the ids of the events that the runs and groups of a page are about. The id is the first text in a stored run. */
export function* eventsIn(page: MovedPage): Generator<string> {
  if (page.kind !== 'runs' && page.kind !== 'groups') return
  for (const { run } of page.rows) {
    const [, , , id] = run.split('"', 4)
    if (id !== undefined) yield id
  }
}

/**
 * Carries the records of these events from the journal of one store to that of the other. `folder`: the journal of an embedded store.
 * Throws a Fault where a record could not be written.
 */
export const carryRecords = async (source: MovableStore, target: MovableStore, folder: string, ids: ReadonlySet<string>): Promise<void> => {
  if (ids.size === 0) return
  const [from, there] = [linesOf(source, folder), linesOf(target, folder)]
  let lost = 0
  const journal = await openTarget(target, folder, (lines) => {
    lost += lines
  })
  try {
    const requests = await carryLines(from, there, journal, ids)
    // The request of an item is stored with the event of the whole request.
    await carryLines(from, there, journal, requests)
  } finally {
    await journal.close()
    await from.close()
    await there.close()
  }
  if (lost > 0) throw new Fault('records_lost', `${lost} records of events could not be written`, { exitCode: exit.no, hint: lostHelp })
}

const lostHelp = 'the first store can be used as before; repeat the move'

const linesOf = ({ records }: MovableStore, folder: string): EventLines => (records ? databaseLines(records) : folderLines(folder))

const openTarget = ({ records }: MovableStore, folder: string, lostLines: (lines: number) => void): Promise<Journal> => {
  const [maxAgeMs, maxBytes, maxEvents] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  // The command only adds: the gateway deletes what is past the limits.
  const options = { clock: systemClock, limits: () => ({ maxAgeMs, maxBytes, maxEvents }), report: (): void => undefined, lostLines }
  return records ? openSharedJournal({ ...options, records }) : openJournal({ ...options, folder })
}

/** Carries the lines of these events. Returns the ids of the events in whose requests some of them were items. */
const carryLines = async (from: EventLines, there: EventLines, journal: Journal, ids: ReadonlySet<string>): Promise<Set<string>> => {
  const known = new Set<string>()
  for await (const line of there.of(ids)) known.add(digestOf(line))
  const requests = new Set<string>()
  let [bytes, lines] = [0, 0]
  for await (const line of from.of(ids)) {
    const { entry, raw: place } = line
    if (entry.kind === 'received' && entry.batch_of !== undefined && !ids.has(entry.batch_of)) requests.add(entry.batch_of)
    if (known.has(digestOf(line))) continue
    const raw = place && (await from.raw(place))
    bytes += raw?.body.length ?? 0
    if (bytes > maxWaitingBytes || ++lines > maxWaitingLines) {
      await journal.flushed()
      bytes = raw?.body.length ?? 0
      lines = 1
    }
    // The secrets in the headers are masked already. A header that was kept, because a signature covers it, stays as it is.
    journal.add(withoutPlace(entry), raw && { ...raw, signedIn: Object.keys(raw.headers) })
  }
  await journal.flushed()
  return requests
}

/** Returns a record without the place of its raw request, which is another place in each journal. */
const withoutPlace = (entry: JournalRecord): JournalRecord => {
  const { raw: _, ...record } = entry as JournalRecord & { readonly raw?: unknown }
  return record as JournalRecord
}

const digestOf = ({ entry }: JournalLine): string => hash('sha256', JSON.stringify(withoutPlace(entry)), 'base64')
