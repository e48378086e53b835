/** A scope closes what was opened: once, in the reverse order, each after the one before, whatever fails. */

import t from 'tap'
import { Scope } from '../../src/core/scope.ts'
import { Timer } from '../../src/core/turns/timer.ts'
import { fakeClock } from '../fakes/clock.ts'

const noting = () => {
  const said: string[] = []
  const later = (what: string) => async (): Promise<void> => {
    said.push(`${what} begins`)
    await new Promise(setImmediate)
    said.push(what)
  }
  return { said, later }
}

t.test('the last that was opened is closed first, and to its end before the next', async (t) => {
  const { said, later } = noting()
  const scope = new Scope()
  scope.defer(later('store'))
  scope.defer(later('worker'))
  const { signal } = scope
  t.notOk(signal.aborted)
  const closed = scope.close()
  t.ok(signal.aborted)
  t.equal(scope.close(), closed, 'closed once')
  await closed
  t.same(said, ['worker begins', 'worker', 'store begins', 'store'])
})

t.test('an error keeps nothing from being closed, and is told in the end', async (t) => {
  const { said, later } = noting()
  const scope = new Scope()
  scope.defer(later('store'))
  scope.defer(() => Promise.reject(new Error('second')))
  scope.defer(() => {
    throw new Error('first')
  })
  await t.rejects(scope.close(), { message: 'first' })
  t.same(said, ['store begins', 'store'])
})

t.test('a scope within another keeps its place, also for what it opens later, and may end before', async (t) => {
  const { said, later } = noting()
  const scope = new Scope()
  const [kept, early] = [scope.inner(), scope.inner()]
  scope.defer(later('last'))
  kept.defer(later('kept'))
  early.defer(later('early'))
  await early.close()
  await scope.close()
  t.same(
    said.filter((word) => !word.endsWith('begins')),
    ['early', 'last', 'kept'],
  )
})

t.test('what is opened while the scope closes is closed too, and at once after its end', async (t) => {
  const { said, later } = noting()
  const scope = new Scope()
  scope.defer(async () => {
    await new Promise(setImmediate)
    scope.defer(later('late'))
  })
  await scope.close()
  t.same(said, ['late begins', 'late'])
  scope.defer(() => said.push('too late'))
  t.equal(said.at(-1), 'too late')
})

t.test('a timer has one time, and none after it', (t) => {
  const clock = fakeClock()
  let rings = 0
  const timer = new Timer(clock, () => rings++)
  timer.start(10)
  timer.startUnlessRunning(1)
  clock.advance(5)
  timer.start(10)
  clock.advance(9)
  t.same([rings, timer.isRunning], [0, true])
  clock.advance(1)
  t.same([rings, timer.isRunning], [1, false])
  timer.startUnlessRunning(10)
  timer.stop()
  clock.advance(100)
  t.equal(rings, 1)
  t.end()
})
