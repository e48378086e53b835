/** What the replicas of a store on a database server know of each other. */

import t, { type Test } from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import { createEventRates } from '../../src/serve/limits/event-rates.ts'
import { connect, type DatabaseConnection } from '../../src/store/postgres/connection.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import type { ReplicaState, Shared } from '../../src/store/shared.ts'
import { fakeClock } from '../fakes/clock.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'

const state: ReplicaState = {
  host: 'a',
  pid: 1,
  url: 'http://127.0.0.1:1',
  version: '1.0.0',
  digest: 'd',
  digestMs: 0,
  uptimeMs: 0,
  runs: 0,
  requests: 0,
  isStopping: false,
  now: 0,
}

t.test('replicas of a store', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())

  /** Opens three replicas on a schema whose clock stands still. `pass` advances the clock. */
  const open = async (t: Test) => {
    const options = { url: () => server.url, schema: server.newSchema(), durability: 'commit' as const, clock: systemClock }
    const stores = await Promise.all([1, 2, 3].map(() => openPostgres(options)))
    const connection: DatabaseConnection = await connect({ ...options, byIndex: false })
    t.teardown(async () => {
      for (const store of stores) await store.close()
      await connection.end()
    })
    await connection.run(`
      create table test_clock (at timestamptz not null);
      insert into test_clock values (to_timestamp(1000));
      create or replace function clock() returns timestamptz language sql stable as 'select at from test_clock'`)
    const [a, b, c] = stores.map(({ shared }) => shared) as [Shared, Shared, Shared]
    const pass = (seconds: number): Promise<void> => connection.run(`update test_clock set at = at + interval '${seconds} s'`)
    return { a, b, c, stores, pass, connection }
  }
  const ids = (replicas: readonly { readonly id: string }[]): string[] => replicas.map(({ id }) => id).sort()

  await t.test('a beat returns all that were seen within a minute of the time of the store', async (t) => {
    const { a, b, c, pass } = await open(t)
    t.strictSame(ids((await a.beat(state)).replicas), [a.replica])
    await b.beat({ ...state, host: 'b\u0000\ud800', notReady: 'away', now: 1_007_000 })
    await pass(50)
    t.strictSame(ids((await c.beat(state)).replicas), [a.replica, b.replica, c.replica].sort())
    const found = (await a.replicas()).find(({ id }) => id === b.replica)
    t.match(found, { seenMs: 50_000, clockAheadMs: 7_000, state: { host: 'b\u0000\ud800', notReady: 'away' } })
    await pass(11)
    t.strictSame(ids((await c.beat(state)).replicas), [c.replica], 'a and b had no beat for a minute')
    t.strictSame(ids((await a.beat(state)).replicas), [a.replica, c.replica].sort(), 'a had only stood still')
    await c.leave()
    t.strictSame(ids(await a.replicas()), [a.replica])
  })

  await t.test('rows of dead replicas are removed, and a row of another shape hides only itself', async (t) => {
    const { a, b, pass, connection } = await open(t)
    await b.beat(state)
    await pass(61)
    await a.beat(state)
    await a.forgetReplicas()
    const count = { name: 'count', text: 'select count(*)::int from replicas' }
    t.strictSame(await connection.query(count, []), [[1]])
    await connection.run(`insert into replicas values (7, clock(), '{}', null), (8, clock(), 'damaged', '{}')`)
    t.strictSame(ids((await a.beat(state)).replicas), [a.replica])
  })

  await t.test('a reload is asked of those that are there, and stays asked over their beats', async (t) => {
    const { a, b, c, pass } = await open(t)
    await c.beat(state)
    await pass(61)
    await a.beat(state)
    await b.beat(state)
    t.strictSame([...(await c.askReload({ request: 'r1', force: true }))].sort(), [a.replica, b.replica].sort())
    await a.beat({ ...state, reload: { request: 'r1', ok: false, reason: 'WH101' } })
    const found = await b.replicas()
    t.match(
      found.find(({ id }) => id === a.replica),
      { asked: { request: 'r1', force: true }, state: { reload: { ok: false, reason: 'WH101' } } },
    )
    t.equal(found.find(({ id }) => id === b.replica)?.state.reload, undefined)
  })

  await t.test('one replica leads a task until its lease has run out or it leaves', async (t) => {
    const { a, b, c, pass } = await open(t)
    const lead = (replica: Shared): Promise<boolean> => replica.lead('housekeeping', 40_000)
    t.equal(await lead(a), true)
    await pass(30)
    t.strictSame(await Promise.all([b, a, c].map(lead)), [false, true, false])
    t.equal(await b.lead('another task', 40_000), true)
    await pass(41)
    t.equal((await Promise.all([b, c].map(lead))).filter(Boolean).length, 1, 'a had only stood still')
    t.equal(await lead(a), false)
    await Promise.all([b, c].map((replica) => replica.leave()))
    t.equal(await lead(a), true)
  })

  await t.test('replicas share a limit by key, in a bounded number of calls and rows', async (t) => {
    const { a, b, stores, pass, connection } = await open(t)
    let calls = 0
    const keys = new Set<string>()
    const clock = fakeClock()
    const ratesOf = ({ takeRateShare }: Shared, of: Shared) =>
      createEventRates(clock, 'r', () => ({
        takeRateShare: (key, ...more) => {
          calls++
          keys.add(key)
          return takeRateShare.call(of, key, ...more)
        },
      }))
    const rates = [a, b].map((shared) => ratesOf(shared, shared))
    const taken = async (key: string, limit: number, count: number): Promise<number> => {
      let found = 0
      for (let i = 0; i < count; i++) if ((await rates[i % 2]?.charge(key, limit)) === 0) found++
      return found
    }
    t.equal(await taken('rate/default/r', 1_000, 1_100), 1_000)
    t.ok(calls <= 22, `${calls} calls for 1,100 events`)
    t.equal(await taken('rate/default/r/x', 3, 10), 3)
    await pass(60)
    clock.advance(60_000)
    t.equal(await taken('rate/default/r/x', 3, 10), 3, 'the next minute')
    keys.clear()
    await Promise.all(Array.from({ length: 12_000 }, (_, i) => rates[0]?.charge(`rate/default/r/${i}`, 3)))
    t.equal(keys.size, 10_000, 'the values past ten thousand share one window')
    await pass(60)
    await stores[2]?.prune(0, 0)
    t.strictSame(await connection.query({ name: 'rows', text: 'select count(*)::int from rates' }, []), [[0]])
  })

  await t.test('a beat says when a later version has changed the schema', async (t) => {
    const { a, connection } = await open(t)
    t.equal((await a.beat(state)).isTooNew, false)
    await connection.run('update meta set version = 99, min_reader = 99')
    t.equal((await a.beat(state)).isTooNew, true)
  })
})
