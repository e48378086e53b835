/** Erases events from the records of a shared store, also while gateways add to them. */

import type { SharedRecords, StoredLine } from '../../store/shared-records.ts'
import { type ErasedEvents, erasedLine, isErasedLine } from '../erased-line.ts'
import { type JournalLine, parseLine } from '../line.ts'

type UsedRecords = Pick<SharedRecords, 'groupEnds' | 'linesOf' | 'erase'>

const eventsAtOnce = 100

/**
 * Erases the raw requests, prompts and replies of these events, and from their lines the texts of senders, agents and targets. Ids, routes,
 * outcomes and times stay. Resolves to the ids of all other events whose runs had texts of these events (`carriers`). Rejects with a
 * StoreFault; it can then be called again with the same events.
 */
export const eraseSharedEvents = async (records: UsedRecords, { ids, groups, carriers }: ErasedEvents): Promise<ReadonlySet<string>> => {
  const ends = (await Promise.all([...groups].map((group) => records.groupEnds(group)))).flat()
  const ended = ends.flatMap((stored) => parsed(stored)?.entry.event_id ?? [])
  const erased = { ids, carriers: new Set([...carriers, ...ended]) }
  const wanted = [...new Set([...ids, ...erased.carriers])]
  while (wanted.length > 0) {
    const some = wanted.splice(0, eventsAtOnce)
    for (let lines = await records.linesOf(some, undefined); lines.length > 0; lines = await records.linesOf(some, lines.at(-1))) {
      for (const inBatch of byBatch(lines)) await eraseLines(records, inBatch, erased)
    }
  }
  return erased.carriers
}

/** Returns a list of lines for each batch. The lines of a batch come one after the other. */
const byBatch = (lines: readonly StoredLine[]): readonly (readonly StoredLine[])[] => {
  const batches: StoredLine[][] = []
  for (const line of lines) {
    const last = batches.at(-1)
    if (last?.[0]?.batch === line.batch) last.push(line)
    else batches.push([line])
  }
  return batches
}

const parsed = ({ line, batch }: StoredLine): JournalLine | undefined => parseLine(line, batch)

/** Erases what is to be erased among lines of one batch, with their raw requests. */
const eraseLines = async (records: UsedRecords, lines: readonly StoredLine[], of: Parameters<typeof isErasedLine>[1]): Promise<void> => {
  const erased = lines.flatMap((stored) => {
    const line = parsed(stored)
    return line && isErasedLine(line.entry, of) ? { ...line, stored } : []
  })
  const [first] = erased
  if (first === undefined) return
  await records.erase(
    first.stored.batch,
    erased.map(({ entry, stored: { number } }) => ({ number, line: erasedLine(entry) })),
    erased.flatMap(({ raw }) => (raw ? { offset: raw.offset, bytes: raw.head_bytes + raw.body_bytes } : [])),
  )
}
