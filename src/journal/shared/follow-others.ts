/**
 * Follows the records that the other gateways on a shared store write. Each line is given to `tell` once: within about a second, or
 * when a database that did not answer answers again.
 */

import type { Clock } from '../../core/clock.ts'
import { repeat } from '../../core/turns/repeat.ts'
import type { SharedLinePlace, SharedRecords, StoredLine } from '../../store/shared-records.ts'
import { type JournalLine, parseLine } from '../line.ts'

export type Following = {
  /**
   * Resolves once the first poll is over: every line that is stored from then on will be given to `tell`. It resolves too when the database
   * does not answer the first poll; then the lines are given from the first poll on that it answers. Never rejects.
   */
  readonly begun: Promise<void>
  stop(): void
}

type FollowOptions = {
  readonly records: Pick<SharedRecords, 'ofOthers'>
  readonly clock: Clock
  /** Gets the lines of each poll, oldest first. */
  readonly tell: (line: JournalLine) => void
}

/** The time between two polls for new lines, in milliseconds. */
const everyMs = 1_000
/**
 * How far before the last poll each poll begins, in microseconds. A slow batch gets its time before a quick batch and may be committed
 * after it. The database ends statements that take longer than this time, so no batch is missed.
 */
const lookBackUs = 5_000_000
/** The most queries of one poll that bring new lines. Each query returns a limited number of lines. */
const maxQueries = 10

/** Begins to poll for new lines each second. */
export const followOthers = ({ records, clock, tell }: FollowOptions): Following => {
  /** When the last poll began, by the clock of the database, in microseconds. */
  let polledUs: number | undefined
  /**
   * The batches of the last seconds, by their ids, each with the number of the last line that was given to `tell`. Lines of a batch come in
   * order.
   */
  const told = new Map<string, { readonly storedUs: number; readonly number: number }>()
  let isStopped = false

  /**
   * Reads the lines that were stored since a time and were not given to `tell`. `upToUs`: the time of the last line where there may be more
   * than the queries of one poll gave.
   */
  const readNew = async (fromUs: number): Promise<{ readonly lines: readonly StoredLine[]; readonly upToUs?: number }> => {
    const lines: StoredLine[] = []
    let place: SharedLinePlace = { storedUs: fromUs, batch: '0', number: 0 }
    for (let queries = 0; queries < maxQueries; ) {
      const next = (await records.ofOthers(place)).lines
      if (next.length === 0) return { lines }
      const untold = next.filter(({ batch, number }) => number > (told.get(batch)?.number ?? 0))
      lines.push(...untold)
      place = next.at(-1) ?? place
      // Lines that were given already do not count, or a busy poll would never get past them.
      if (untold.length > 0) queries++
    }
    return { lines, upToUs: place.storedUs }
  }

  /**
   * Reads the lines since the last poll, and gives them to `tell`. The first poll gives none: it only finds out which lines are there
   * already.
   */
  const poll = async (): Promise<void> => {
    const { nowUs } = await records.ofOthers(undefined)
    const isFirst = polledUs === undefined
    const { lines, upToUs = nowUs } = await readNew((polledUs ?? nowUs) - lookBackUs)
    for (const { batch, storedUs, number } of lines) told.set(batch, { storedUs, number })
    for (const [batch, { storedUs }] of told) if (storedUs < upToUs - 2 * lookBackUs) told.delete(batch)
    polledUs = isFirst ? nowUs : upToUs
    if (isFirst || isStopped) return
    for (const { line, batch } of lines) {
      const parsed = parseLine(line, batch)
      if (parsed) tell(parsed)
    }
  }

  // While the database is unavailable, a poll fails. The lines that other gateways stored meanwhile are given when it is back.
  const polling = repeat(clock, everyMs, poll, { failed: () => {} })
  return {
    begun: polling.now(),
    stop() {
      isStopped = true
      void polling.stop()
    },
  }
}
