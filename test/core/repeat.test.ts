/** The loop of the kit: when it runs, that it never runs twice at once, and that its end waits. */

import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { repeat } from '../../src/core/turns/repeat.ts'
import { fakeClock } from '../fakes/clock.ts'

/** Work whose runs end when the test says so. */
const heldWork = () => {
  const ends: (() => void)[] = []
  const work = (): Promise<void> => new Promise((resolve) => void ends.push(resolve))
  return { work, ends }
}

t.test('runs after each pause, as often as the pauses fit', (t) => {
  const clock = fakeClock()
  let runs = 0
  const loop = repeat(clock, 1_000, () => void runs++)
  t.equal(runs, 0, 'the first run comes after a pause')
  clock.advance(3_500)
  t.equal(runs, 3)
  void loop.stop()
  clock.advance(5_000)
  t.equal(runs, 3, 'nothing runs after the stop')
  t.end()
})

t.test('begins now or soon where that is asked', (t) => {
  const clock = fakeClock()
  const runs: string[] = []
  repeat(clock, 1_000, () => void runs.push('now'), { first: 'now' })
  repeat(clock, 1_000, () => void runs.push('soon'), { first: 'soon' })
  t.same(runs, ['now'])
  clock.advance(0)
  t.same(runs, ['now', 'soon'])
  t.end()
})

t.test('asks for each pause', (t) => {
  const clock = fakeClock()
  const pauses = [10, 500, 10_000]
  let runs = 0
  repeat(
    clock,
    () => pauses.shift() ?? 0,
    () => void runs++,
  )
  clock.advance(600)
  t.equal(runs, 2)
  t.end()
})

t.test('never runs twice at once, and counts the pause from the end of a run', async (t) => {
  const clock = fakeClock()
  const { work, ends } = heldWork()
  repeat(clock, 1_000, work)
  clock.advance(5_000)
  t.equal(ends.length, 1)
  ends[0]?.()
  await turn()
  clock.advance(999)
  t.equal(ends.length, 1)
  clock.advance(1)
  t.equal(ends.length, 2)
})

t.test('a run that is asked for during a run follows it once', async (t) => {
  const clock = fakeClock()
  const { work, ends } = heldWork()
  const loop = repeat(clock, 1_000, work)
  let isOver = false
  void loop.now()
  void loop.now()
  void loop.now().then(() => {
    isOver = true
  })
  ends[0]?.()
  await turn()
  t.equal(ends.length, 2)
  t.notOk(isOver)
  ends[1]?.()
  await turn()
  t.ok(isOver)
  t.equal(ends.length, 2)
})

t.test('the stop waits for the run in progress, and lets none follow', async (t) => {
  const clock = fakeClock()
  const { work, ends } = heldWork()
  const loop = repeat(clock, 1_000, work, { first: 'now' })
  void loop.now()
  let isStopped = false
  const stopping = loop.stop().then(() => {
    isStopped = true
  })
  await turn()
  t.notOk(isStopped)
  ends[0]?.()
  await stopping
  clock.advance(10_000)
  await loop.now()
  t.equal(ends.length, 1)
})

t.test('a failed run is told, and the loop goes on', async (t) => {
  const clock = fakeClock()
  const told: unknown[] = []
  const loop = repeat(clock, 1_000, () => Promise.reject(new Error('no answer')), { failed: (error) => void told.push(error) })
  await loop.now()
  clock.advance(1_000)
  await loop.idle()
  t.match(told, [{ message: 'no answer' }, { message: 'no answer' }])
})
