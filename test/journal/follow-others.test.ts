/** Following the records of other gateways: each line is told once, also each line of a batch that was committed late. */

import t from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import type { JournalLine } from '../../src/journal/line.ts'
import { followOthers } from '../../src/journal/shared/follow-others.ts'
import type { OthersLines, SharedLinePlace, StoredLine } from '../../src/store/shared-records.ts'
import { fakeClock } from '../fakes/clock.ts'
import { until } from '../fakes/wait.ts'

const second = 1_000_000

/** A database whose time a test sets. A batch may get a time that is earlier than the time of the database. */
class Database {
  now = 100 * second
  isAway = false
  looks = 0
  readonly #lines: StoredLine[] = []

  store(id: string, ageUs = 0, lines = 1): void {
    const batch = String(this.#lines.length + 1)
    for (let number = 1; number <= lines; number++) {
      const line = JSON.stringify({ kind: 'revived', at: 'x', event_id: lines === 1 ? id : `${id}-${number}` })
      this.#lines.push({ storedUs: this.now - ageUs, batch, number, line })
    }
  }

  async ofOthers(after: SharedLinePlace | undefined): Promise<OthersLines> {
    if (this.isAway) throw new Error('away')
    if (after === undefined) this.looks++
    const isBehind = ({ storedUs, batch, number }: StoredLine): boolean =>
      after !== undefined && (storedUs - after.storedUs || Number(batch) - Number(after.batch) || number - after.number) > 0
    const lines = this.#lines.filter(isBehind).sort((a, b) => a.storedUs - b.storedUs || Number(a.batch) - Number(b.batch))
    return { lines: lines.slice(0, 3), nowUs: this.now }
  }
}

t.test('each line is told once, and none of before', async (t) => {
  const database = new Database()
  const time = fakeClock()
  let set = 0
  const counted: Clock['after'] = (ms, then) => {
    set++
    return time.after(ms, then)
  }
  const clock: Clock = { ...time, after: counted }
  const told: string[] = []
  /** A look is over when the time of the next one is set. */
  const look = async (): Promise<void> => {
    const before = set
    database.now += second
    time.advance(1_000)
    await until(() => set > before)
  }
  database.store('old', 10 * second)
  database.store('just-before', second)
  const tell = ({ entry }: JournalLine): void => void told.push(entry.event_id)
  const following = followOthers({ records: database, clock, tell })
  await following.begun
  database.store('first')
  database.store('batch', 0, 7)
  await look()
  await look()
  const batch = [1, 2, 3, 4, 5, 6, 7].map((n) => `batch-${n}`)
  t.strictSame(told, ['first', ...batch], 'more than one answer')
  database.store('late', 2 * second)
  await look()
  t.equal(told.at(-1), 'late', 'committed after later ones')
  database.isAway = true
  database.store('meanwhile')
  for (let n = 0; n < 20; n++) await look()
  database.isAway = false
  await look()
  await look()
  t.strictSame(told.slice(-2), ['late', 'meanwhile'])
  const before = told.length
  database.store('crowd', 0, 25)
  database.store('more', 0, 25)
  database.store('most', 0, 60)
  for (let n = 0; n < 12; n++) await look()
  const crowd = [25, 25, 60].flatMap((count, i) => Array.from({ length: count }, (_, n) => `${['crowd', 'more', 'most'][i]}-${n + 1}`))
  t.strictSame(told.slice(before), crowd, 'more than one look reads at once: each line is told once, in order')
  following.stop()
  database.store('after')
  const { looks } = database
  time.advance(10_000)
  t.equal(database.looks, looks, 'no look begins')
  t.equal(told.at(-1), 'most-60')
})
