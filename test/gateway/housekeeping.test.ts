/** Housekeeping runs each minute. On a shared store, only the leader runs the housekeeping. */

import t from 'tap'
import { Scope } from '../../src/core/scope.ts'
import { startRetention } from '../../src/gateway/housekeeping.ts'
import { defaults } from '../../src/generated/defaults.ts'
import { leadOf } from '../../src/store/as-leader.ts'
import type { OpenStore } from '../../src/store/store-part.ts'
import { fakeClock } from '../fakes/clock.ts'

const retention = () => ({ maxAgeMs: 1, maxBytes: 1, maxEvents: 1, maxDeadRuns: defaults.retention.max_dead_runs, payloads: true })
const log = Object.assign(() => {}, { writes: () => true })

/** A store that counts its prunings. `lead`: whether the gateway is the leader now; absent for a store of one gateway. */
const storeWith = (lead?: () => boolean) => {
  const pruned = { runs: 0, replicas: 0, records: 0 }
  const shared = lead && {
    lead: async () => lead(),
    forgetReplicas: async () => void pruned.replicas++,
    records: { prune: async () => void pruned.records++ },
  }
  const store = {
    async prune() {
      pruned.runs++
      return 0
    },
    forgetSessions: async () => 0,
    ...(shared ? { shared } : {}),
  }
  return { store: store as unknown as OpenStore, lead: leadOf(shared), pruned }
}

/** Advances the clock second by second, and lets promises resolve before and after each second. */
const passing = (clock: ReturnType<typeof fakeClock>) => async (seconds: number) => {
  await new Promise(setImmediate)
  for (let i = 0; i < seconds; i++) {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
}

t.test('a sole store is pruned at once and each minute', async (t) => {
  const clock = fakeClock()
  const pass = passing(clock)
  const { store, lead, pruned } = storeWith()
  const scope = new Scope()
  startRetention({ store, lead, clock, log, scope, retention })
  await pass(0)
  t.equal(pruned.runs, 1)
  await pass(180)
  t.equal(pruned.runs, 4)
  await scope.close()
  await pass(180)
  t.equal(pruned.runs, 4)
})

t.test('of two gateways on a shared store the leader prunes, and the other takes over within a minute', async (t) => {
  const clock = fakeClock()
  const pass = passing(clock)
  let leader = 'a'
  const [a, b] = ['a', 'b'].map((name) => storeWith(() => leader === name)) as [ReturnType<typeof storeWith>, ReturnType<typeof storeWith>]
  const scope = new Scope()
  for (const { store, lead } of [a, b]) startRetention({ store, lead, clock, log, scope, retention })
  await pass(180)
  t.strictSame(
    [a.pruned, b.pruned],
    [
      { runs: 4, replicas: 4, records: 4 },
      { runs: 0, replicas: 0, records: 0 },
    ],
  )
  leader = 'b'
  await pass(20)
  t.equal(b.pruned.runs, 1, 'it looks every fifteen seconds')
  await pass(100)
  t.strictSame([a.pruned.runs, b.pruned.runs], [4, 2])
  await scope.close()
})
