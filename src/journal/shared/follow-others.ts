/** Follows the records that other gateways store: each line is told once, within about a second. */

import type { Clock } from '../../core/clock.ts'
import type { LinePlace, SharedRecords, StoredLine } from '../../store/shared-records.ts'
import { type JournalLine, parseLine } from '../line.ts'

export type Following = {
  /** Resolves when what is stored from then on will be told, or the database did not answer. Never rejects. */
  readonly begun: Promise<void>
  stop(): void
}

type FollowOptions = {
  readonly records: Pick<SharedRecords, 'ofOthers'>
  readonly clock: Clock
  /** Gets the lines of each look, oldest first. */
  readonly tell: (line: JournalLine) => void
}

const everyMs = 1_000
/** A batch that takes its time and is committed after a later one is still found. The server ends a statement before that. */
const lookBackUs = 5_000_000
/** The most answers that are read in one look. */
const maxAnswers = 10

export const followOthers = ({ records, clock, tell }: FollowOptions): Following => {
  /** The server's time of the last look. */
  let lookedUs: number | undefined
  /** The batches of the last seconds that were told, with their times. */
  const told = new Map<string, number>()
  let isStopped = false
  let cancel = (): void => {}

  const readNew = async (fromUs: number): Promise<StoredLine[]> => {
    const lines: StoredLine[] = []
    let place: LinePlace = { storedUs: fromUs, batch: '0', number: 0 }
    for (let answers = 0; answers < maxAnswers; answers++) {
      const next = (await records.ofOthers(place)).lines
      for (const line of next) if (!told.has(line.batch)) lines.push(line)
      place = next.at(-1) ?? place
      if (next.length === 0) break
    }
    return lines
  }

  /** The first look only finds out what is there already. */
  const look = async (): Promise<void> => {
    const { nowUs } = await records.ofOthers(undefined)
    const lines = await readNew((lookedUs ?? nowUs) - lookBackUs)
    for (const [batch, storedUs] of told) if (storedUs < nowUs - 2 * lookBackUs) told.delete(batch)
    for (const { batch, storedUs } of lines) told.set(batch, storedUs)
    const isFirst = lookedUs === undefined
    lookedUs = nowUs
    if (isFirst || isStopped) return
    for (const { line, batch } of lines) {
      const parsed = parseLine(line, batch)
      if (parsed) tell(parsed)
    }
  }

  const lookAndSleep = async (): Promise<void> => {
    // While the database is away there is nothing to tell. What was stored meanwhile is told when it is back.
    await look().catch(() => undefined)
    if (!isStopped) cancel = clock.after(everyMs, () => void lookAndSleep())
  }

  return {
    begun: lookAndSleep(),
    stop() {
      isStopped = true
      cancel()
    },
  }
}
