/**
 * A process for tests of the store. It accepts run after run, and prints each id that was committed. On a fault it prints the fault and
 * waits for a line.
 */

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { systemClock } from '../../src/core/clock.ts'
import { StoreFault } from '../../src/core/fault.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { fakeClock } from './clock.ts'

const [folder = '', count = '0'] = process.argv.slice(2)
const clock = fakeClock(systemClock.now())
const store = await openSqlite({ folder, durability: 'fsync', clock })
const pause = new Int32Array(new SharedArrayBuffer(4))

/**
 * Prints a line. Returns once the line has left the process, so that a kill takes back nothing. While the pipe is full because its reader
 * is slow, the process waits.
 */
const say = (line: string): void => {
  for (;;) {
    try {
      return void writeSync(1, `${line}\n`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 5)
    }
  }
}

const accept = async (id: string): Promise<void> => {
  const delivery = { target: 'log', extra: {} }
  const run = {
    eventId: id,
    profile: 'default',
    route: 'r',
    event: 'push',
    deliveryId: id,
    prompt: 'x'.repeat(2000),
    delivery,
    acceptedAt: 0,
  }
  const got = await store.accept(run, { key: id, holdMs: 3_600_000 })
  say(got === 'accepted' ? id : `refused ${id}`)
}

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let next = 0
while (next < Number(count)) {
  const ids = Array.from({ length: 8 }, () => `id-${next++}`)
  const ends = await Promise.allSettled(ids.map(accept))
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  if (faults.length === 0) continue
  say(`${faults.filter((fault) => fault instanceof StoreFault).length} of ${ids.length} refused: ${faults[0]}`)
  await input.next()
  clock.advance(10_000)
}
await store.close()
process.exit(0)
