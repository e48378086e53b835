/** Readiness: a gateway that cannot take events is not ready, and is ready again when it can take events. */

import t, { type Test } from 'tap'
import type { Fact, RequestEnded } from '../../src/core/facts/fact.ts'
import { StoreFault } from '../../src/core/fault.ts'
import { refuse } from '../../src/core/outcome.ts'
import { Readiness } from '../../src/serve/readiness.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { fakeClock } from '../fakes/clock.ts'
import { tell } from '../fakes/tell.ts'

const refused: RequestEnded = {
  kind: 'request_ended',
  ended: { outcome: refuse('unavailable', { detail: 'disk full' }), stage: 'dispatch' },
  route: undefined,
  headers: {},
  remote: () => '',
  ms: () => 0,
}

/** Makes a gateway's readiness over a store that a test can break. `pass` advances the clock, no more than a second at a time. */
const open = (t: Test, shared = false) => {
  const clock = fakeClock()
  const store = openMemory({ clock })
  const state = { isBroken: false, asked: 0, stopping: false, isTooNew: false }
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    state.asked++
    if (state.isBroken) throw new StoreFault('disk full')
    return work()
  }
  const log: string[] = []
  const told: Fact[] = []
  const readiness = new Readiness({
    store: {
      claim: (claim) => ask(() => store.claim(claim)),
      dueInMs: () => ask(() => store.dueInMs()),
      ...(shared ? { shared: {} as never } : {}),
    },
    clock,
    log: Object.assign((_: string, __: object, message: string) => void log.push(message), { writes: () => true }),
    facts: { emit: (fact) => void told.push(fact) },
    stopping: () => state.stopping,
    isTooNew: () => state.isTooNew,
  })
  t.teardown(() => readiness.close())
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left--) {
      clock.advance(Math.min(left, 1) * 1_000)
      await new Promise(setImmediate)
    }
  }
  return { readiness, state, pass, log, told }
}

t.test('a store that refuses events for five seconds makes the gateway unready, until a write succeeds', async (t) => {
  const { readiness, state, pass, log, told } = open(t)
  await pass(10)
  t.equal(state.asked, 0, 'a store of one gateway is not asked while it works')
  state.isBroken = true
  tell(readiness, refused)
  await pass(4)
  t.equal(readiness.reason(), undefined, 'a short fault is answered one by one')
  await pass(1)
  t.equal(readiness.reason(), 'the store does not answer: disk full')
  tell(readiness, refused)
  await pass(20)
  state.isBroken = false
  await pass(1)
  t.equal(readiness.reason(), undefined)
  t.strictSame(log, ['not ready', 'ready again'])
  const reasons = told.map((fact) => fact.kind === 'readiness_changed' && (fact.reason ?? 'ready'))
  t.strictSame(reasons, ['the store does not answer: disk full', 'ready'], 'each change is told once')
  const { asked } = state
  await pass(10)
  t.equal(state.asked, asked, 'and it is left alone again')
})

t.test('a store that takes a small write and refuses events, as on a full disk, makes the gateway unready', async (t) => {
  const { readiness, pass, log } = open(t)
  for (let second = 0; second < 5; second++) {
    t.equal(readiness.reason(), undefined, `after ${second} s`)
    tell(readiness, refused)
    await pass(1)
  }
  t.equal(readiness.reason(), 'the store does not answer: disk full')
  await pass(2)
  t.equal(readiness.reason(), undefined, 'without posts, the write decides')
  t.strictSame(log, ['not ready', 'ready again'])
  for (let second = 0; second < 10; second += 2) {
    tell(readiness, refused)
    await pass(2)
  }
  t.equal(readiness.reason(), undefined, 'single refusals between which events are taken do not count')
})

t.test('a shared store is asked each second, because its server may be gone while no request comes', async (t) => {
  const { readiness, state, pass } = open(t, true)
  await pass(10)
  t.equal(state.asked, 10)
  state.isBroken = true
  await pass(6)
  t.match(readiness.reason(), /does not answer/)
  state.isBroken = false
  await pass(1)
  t.equal(readiness.reason(), undefined)
  readiness.close()
  await pass(5)
  t.equal(state.asked, 17)
})

t.test('a gateway that was not ready between two looks says so, and that it is ready again', async (t) => {
  const { readiness, state, pass, log, told } = open(t, true)
  await pass(1)
  await pass(0.5)
  state.isBroken = true
  tell(readiness, refused)
  await pass(0.5)
  await pass(4)
  t.equal(readiness.reason(), undefined, 'five seconds are not over at the last look that fails')
  await pass(0.6)
  t.match(readiness.reason(), /does not answer/)
  state.isBroken = false
  await pass(0.4)
  t.strictSame(log, ['not ready', 'ready again'])
  t.equal(told.length, 2)
})

t.test('a gateway that stops, and one whose store has become too new, are not ready', async (t) => {
  const { readiness, state } = open(t)
  state.isTooNew = true
  t.match(readiness.reason(), /later version/)
  state.stopping = true
  t.match(readiness.reason(), /stopping/)
})
