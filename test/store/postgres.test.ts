/** What only a store on a database server promises: several processes at once, a server that dies, a schema of another version. */

import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { isSameDatabase, parseAddress, passwordOf } from '../../src/config/storage/server-address.ts'
import { systemClock } from '../../src/core/clock.ts'
import { Fault, StoreFault } from '../../src/core/fault.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import type { Accepted, Lane, Lease, Store } from '../../src/store/ports.ts'
import { takeKind } from '../../src/store/postgres/calls/run-calls.ts'
import { connect } from '../../src/store/postgres/connection.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { startPgbouncer, withoutPgbouncer } from '../fakes/pgbouncer.ts'
import { type OwnServer, startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { until } from '../fakes/wait.ts'

const hourMs = 3_600_000

const runOf = (id: string): NewRun => ({
  eventId: `evt-${id}`,
  profile: 'default',
  route: 'reviews',
  event: 'push',
  deliveryId: id,
  prompt: `prompt of ${id}`,
  delivery: { target: 'log', extra: {} },
  acceptedAt: 1_700_000_000_000,
})

const accept = (store: Store, id: string, lane?: Lane): Promise<Accepted> => store.accept(runOf(id), { key: id, holdMs: hourMs }, lane)
const group = (key: string) => ({ key, windowMs: 0, maxWaitMs: 0, keep: 'all' as const })

/**
 * Passes bytes on to a server. `mute`: its answers are thrown away from now on. `swallow`: what is sent to it is thrown away from now on.
 * `cut`: the connections end, and later ones work again.
 */
const startRelay = async (target: string) => {
  const sockets = new Set<Socket>()
  let isMuted = false
  let swallows = false
  const relay = createServer((client) => {
    const server = createConnection(Number(new URL(target).port), '127.0.0.1')
    for (const socket of [client, server]) sockets.add(socket.on('error', () => socket.destroy()))
    client.on('data', (bytes) => swallows || server.write(bytes))
    client.on('close', () => server.destroy())
    server.on('data', (bytes) => isMuted || client.write(bytes))
    server.on('close', () => client.destroy())
  })
  await new Promise<void>((listening) => void relay.listen(0, '127.0.0.1', listening))
  const url = new URL(target)
  url.port = String((relay.address() as AddressInfo).port)
  const cut = (): void => {
    isMuted = false
    swallows = false
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    url: url.href,
    mute() {
      isMuted = true
    },
    swallow() {
      swallows = true
    },
    cut,
    stop() {
      cut()
      relay.close()
    },
  }
}

t.test('a PostgreSQL server', { skip: withoutOwnPostgres }, async (t) => {
  const server: OwnServer = await startPostgresServer(true)
  t.teardown(() => server.stop())
  const open = async (t: Test, schema: string, durability: 'fsync' | 'commit' = 'fsync'): Promise<Store> => {
    const store = await openPostgres({ url: () => server.url, schema, durability, clock: systemClock })
    t.teardown(() => store.close())
    return store
  }
  const openBehindRelay = async (t: Test, schema: string) => {
    const relay = await startRelay(server.url)
    t.teardown(() => relay.stop())
    const store = await openPostgres({ url: () => relay.url, schema, durability: 'fsync', clock: systemClock })
    t.teardown(() => store.close())
    return { relay, store }
  }
  const openThree = (t: Test): Promise<Store[]> => {
    const schema = server.newSchema()
    return Promise.all([1, 2, 3].map(() => open(t, schema)))
  }
  const query = async (schema: string, text: string): Promise<void> => {
    const options = { url: () => server.url, schema, durability: 'commit' as const, byIndex: false }
    const connection = await connect(options)
    await connection.run(text)
    await connection.end()
  }

  await t.test('behind a pooler a session has our settings, or the store does not open', { skip: withoutPgbouncer }, async (t) => {
    const openAt = (url: string, schema: string): Promise<Store> =>
      openPostgres({ url: () => url, schema, durability: 'fsync', clock: systemClock })
    for (const dropped of [[], ['options']]) {
      const schema = server.newSchema()
      const store = await openAt(await startPgbouncer(t, server, { mode: 'session', dropped }), schema)
      t.equal(await accept(store, 'a'), 'accepted')
      t.equal(await accept(store, 'a'), 'duplicate')
      await store.close()
      t.equal(await (await open(t, schema)).backlog(), 1, 'the run is in the schema that was named')
      const shared = await startPgbouncer(t, server, { mode: 'transaction', dropped })
      for (let i = 0; i < 3; i++)
        await t.rejects(openAt(shared, schema), { code: 'store_pooler', message: /gives each transaction another session/ })
    }
    await t.rejects(query('public', 'select 1 from runs'), /relation "runs" does not exist/, 'nothing was made elsewhere')
  })

  await t.test('of 1,000 calls for one id over three processes one gets it', async (t) => {
    const stores = await openThree(t)
    const calls = Array.from({ length: 1_000 }, (_, i) => accept(stores[i % 3] as Store, 'a'))
    const claims = Array.from({ length: 300 }, (_, i) => (stores[i % 3] as Store).claim({ key: 'b', holdMs: hourMs }))
    t.equal((await Promise.all(calls)).filter((answer) => answer === 'accepted').length, 1)
    t.equal((await Promise.all(claims)).filter((got) => got === 'claimed').length, 1)
    t.equal(await stores[0]?.backlog(), 1)
  })

  await t.test('ids that reach three processes in different orders lock nobody out', async (t) => {
    const stores = await openThree(t)
    const lane: Lane = { key: 'x', limit: 1, whenFull: 'wait' }
    for (let round = 0; round < 10; round++) {
      const ids = Array.from({ length: 200 }, (_, i) => `${round}-${i}`)
      const orders = [ids, ids.toReversed(), [...ids.slice(100), ...ids.slice(0, 100)]]
      const answers = await Promise.all(
        orders.flatMap((order, n) => order.map((id) => accept(stores[n] as Store, id, round % 2 === 0 ? lane : undefined))),
      )
      if (answers.filter((answer) => answer === 'accepted').length !== 200) t.fail(`round ${round}: not each id once`)
    }
    for (const store of stores) await store.close()
    const connection = await connect({ url: () => server.url, schema: 'public', durability: 'fsync', byIndex: false })
    const [row] = await connection.query({ name: 'deadlocks', text: 'select sum(deadlocks)::int from pg_stat_database' }, [])
    t.equal(row?.[0], 0, 'no deadlock was resolved by sending again')
    await connection.end()
  })

  await t.test('of events with one key that reach three processes at once, the last ends the others', async (t) => {
    const stores = await openThree(t)
    const endKeys = 'A'.repeat(20)
    const supersede = (store: Store, id: string) => {
      const { eventId, ...run } = runOf(id)
      // The keys stand right behind the id (src/store/postgres/sql/ending-functions.ts).
      const work = { run: { eventId, endKeys, ...run }, claim: { key: id, holdMs: hourMs }, ending: { key: endKeys, by: eventId } }
      return store.acceptAll([work])
    }
    for (let round = 0; round < 40; round++) {
      await Promise.all(stores.map((store, i) => supersede(store, `${round}-${i}`)))
      const taken = (await stores[0]?.take(99, hourMs)) ?? []
      await Promise.all(taken.map((lease) => stores[0]?.finish(lease, { kind: 'done' })))
      if (taken.length !== 3 || taken.filter(({ run }) => !run.cancelled).length !== 1)
        t.fail(`round ${round}: ${taken.map(({ run: { eventId, endedBy } }) => `${eventId} ended by ${endedBy}`).join(', ')}`)
    }
  })

  await t.test('a run that is parked while the last of its lane ends gets its turn', async (t) => {
    const schema = server.newSchema()
    const stores = await Promise.all([open(t, schema), open(t, schema)])
    const [first, second] = stores as [Store, Store]
    const lane: Lane = { key: 'x', limit: 1, whenFull: 'wait' }
    await accept(first, 'a', lane)
    const [lease] = await first.take(1, hourMs)
    const options = { url: () => server.url, schema, durability: 'fsync' as const, byIndex: false }
    const [holder, watcher] = await Promise.all([connect(options), connect(options)])
    const waiting = async (count: number): Promise<boolean> => {
      const text = "select count(*)::int from pg_stat_activity where wait_event_type = 'Lock'"
      const [row] = await watcher.query({ name: 'waiting', text }, [])
      return row?.[0] === count
    }
    // Both calls meet at the row of the lane. The end of the run comes first.
    await holder.run('begin; select * from lanes for update')
    const ended = lease && first.finish(lease, { kind: 'done' })
    await until(() => waiting(1))
    const accepted = accept(second, 'b', lane)
    await until(() => waiting(2))
    await holder.run('commit')
    t.strictSame(await Promise.all([ended, accepted]), [true, 'accepted'])
    t.match(await second.take(1, hourMs), [{ run: { deliveryId: 'b' } }])
    await Promise.all([holder.end(), watcher.end()])
  })

  await t.test('whatever three processes do at once, each run is done once, and lanes keep their limits', async (t) => {
    const stores = await openThree(t)
    const lanes: readonly (Lane | undefined)[] = [
      undefined,
      { key: 'x', limit: 1, whenFull: 'wait' },
      { key: 'y', limit: 2, whenFull: 'wait' },
    ]
    let round = 0
    type Act = { readonly store: number; readonly op: string; readonly lane: number; readonly id: number }
    const op = fc.constantFrom('accept', 'accept', 'join', 'take')
    const act: fc.Arbitrary<Act> = fc.record({ store: fc.nat(2), op, lane: fc.nat(2), id: fc.nat(30) })
    const interleaving = fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 120 }), async (acts) => {
      round++
      const open = new Map<string, number>()
      const accepted: string[] = []
      const done: string[] = []
      const merged = new Map<string, number>()
      const work = async (store: Store, max: number): Promise<number> => {
        const leases = await store.take(max, hourMs)
        await Promise.all(leases.map((lease) => finish(store, lease)))
        return leases.length
      }
      const finish = async (store: Store, lease: Lease): Promise<void> => {
        const lane = lanes[Number(lease.run.prompt)]
        if (lane) {
          open.set(lane.key, (open.get(lane.key) ?? 0) + 1)
          if ((open.get(lane.key) ?? 0) > lane.limit) throw new Error(`more than ${lane.limit} in lane ${lane.key}`)
          await new Promise((then) => setTimeout(then, 1))
          open.set(lane.key, (open.get(lane.key) ?? 0) - 1)
        }
        if (lease.run.merged) merged.set(lease.run.deliveryId, lease.run.merged.count)
        done.push(lease.run.deliveryId)
        if (!(await store.finish(lease, { kind: 'done' }))) throw new Error(`the lease of ${lease.run.deliveryId} was lost`)
      }
      const doAct = async ({ store: n, op, lane, id }: Act): Promise<void> => {
        const store = stores[n] as Store
        if (op === 'take') return void (await work(store, 5))
        const key = `${round}-${op}-${id}`
        const claim = { key, holdMs: hourMs }
        const answer =
          op === 'join'
            ? await store.join({ ...runOf(key), prompt: '0' }, claim, group(`${round}-${lane}`))
            : await store.accept({ ...runOf(key), prompt: String(lane) }, claim, lanes[lane])
        if (answer === 'accepted' || typeof answer === 'object') accepted.push(key)
      }
      await Promise.all(acts.map(doAct))
      for (let idle = 0; idle < 3; ) idle = (await Promise.all(stores.map((store) => work(store, 10)))).some((n) => n > 0) ? 0 : idle + 1
      const counted = done.reduce((sum, id) => sum + (merged.get(id) ?? 1), 0)
      if (new Set(accepted).size !== accepted.length) throw new Error('an id was accepted twice')
      if (new Set(done).size !== done.length) throw new Error('a run was done twice')
      if (counted !== accepted.length) throw new Error(`${accepted.length} accepted, ${counted} done`)
      const left = await stores[0]?.backlog()
      if (left !== 0) throw new Error(`${left} left that nobody can take`)
    })
    await t.resolves(fc.assert(interleaving, { numRuns: 40, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false }))
    t.ok(round >= 5, `${round} rounds`)
  })

  await t.test('a killed server is told within three seconds, and used again after its start', async (t) => {
    const store = await open(t, server.newSchema())
    t.equal(await accept(store, 'before'), 'accepted')
    await server.kill()
    const since = Date.now()
    await Promise.all([
      t.rejects(accept(store, 'meanwhile'), StoreFault),
      t.rejects(store.claim({ key: 'claim', holdMs: hourMs }), StoreFault),
      t.rejects(store.take(1, 1000), StoreFault),
    ])
    t.ok(Date.now() - since < 3_000, `${Date.now() - since} ms`)
    await t.rejects(accept(store, 'later'), StoreFault)
    await server.start()
    const restarted = Date.now()
    await store.recovered()
    t.equal(await accept(store, 'before'), 'duplicate', 'what was accepted is there')
    t.ok(Date.now() - restarted < 2_000, `${Date.now() - restarted} ms`)
    t.equal(await accept(store, 'meanwhile'), 'accepted')
    t.equal(await store.claim({ key: 'claim', holdMs: hourMs }), 'claimed', 'nothing holds an id that nobody got')
    t.equal((await store.take(10, 1000)).length, 2)
  })

  await t.test('what was under way when the server was killed ends with one run', async (t) => {
    const store = await open(t, server.newSchema())
    for (let round = 0; round < 2; round++) {
      const ids = Array.from({ length: 400 }, (_, i) => `${round}-${i}`)
      const calls = Promise.allSettled(ids.map((id) => accept(store, id)))
      await new Promise((then) => setTimeout(then, 5 + 15 * round))
      await server.kill()
      await server.start()
      const outcomes = await calls
      await store.recovered()
      t.notOk(
        outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value === 'duplicate'),
        'no call is its own duplicate',
      )
      await Promise.all(ids.map((id) => accept(store, id)))
      t.equal(await store.backlog(), 400 * (round + 1))
    }
  })

  await t.test('a server that stands still is told within three seconds', async (t) => {
    const schema = server.newSchema()
    const store = await open(t, schema)
    await accept(store, 'a')
    const connection = await connect({ url: () => server.url, schema, durability: 'fsync', byIndex: false })
    const text = `select pid from pg_stat_activity where application_name = 'headgate' and pid <> pg_backend_pid()`
    const pids = (await connection.query({ name: 'pids', text }, [])).map(([pid]) => Number(pid))
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const since = Date.now()
    await t.rejects(accept(store, 'b'), StoreFault)
    t.ok(Date.now() - since < 3_500, `${Date.now() - since} ms`)
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    await until(() => accept(store, 'b').catch(() => false))
    t.equal(await store.backlog(), 2, 'accepted by the first call or by its repeat')
    await connection.end()
  })

  await t.test('a process that took runs and did not hear of it gives them back', async (t) => {
    const schema = server.newSchema()
    const store = await open(t, schema)
    await accept(store, 'a')
    const [lease] = await store.take(1, hourMs)
    await accept(store, 'b')
    await query(
      schema,
      "update runs set leased = true, attempt = attempt + 1, fence = fence + 1, owner = (select owner from runs where owner is not null), due_at = now() + interval '1 h' where owner is null",
    )
    t.strictSame(await store.take(1, 1000), [])
    await query(
      schema,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'headgate' and pid <> pg_backend_pid()`,
    )
    await store.recovered()
    t.match(await store.take(2, 1000), [{ run: { deliveryId: 'b' }, attempt: 1 }], 'what is in hand stays leased')
    t.equal(lease && (await store.finish(lease, { kind: 'done' })), true)
  })

  await t.test('a run that was interrupted stays so when the answer of its next take is lost', async (t) => {
    const schema = server.newSchema()
    const { relay, store } = await openBehindRelay(t, schema)
    const dead = await open(t, schema)
    for (const id of ['a', 'b']) await accept(dead, id)
    t.match(await dead.take(1, hourMs), [{ run: { deliveryId: 'a' } }])
    await query(schema, `update runs set due_at = now() - interval '1 s' where leased`)
    relay.mute()
    const taking = store.take(2, hourMs).catch(() => 'lost')
    await until(async () => (await dead.standings(['evt-b']))[0]?.state === 'running')
    relay.cut()
    t.equal(await taking, 'lost')
    await store.recovered()
    const again = [
      { run: runOf('a'), attempt: 2, interrupted: true },
      { run: runOf('b'), attempt: 1, interrupted: false },
    ]
    t.match(await store.take(2, hourMs), again, 'the lost take counts as no attempt')
  })

  await t.test('no call waits for the answer to a call before it', async (t) => {
    const schema = server.newSchema()
    const { relay, store } = await openBehindRelay(t, schema)
    const other = await open(t, schema)
    const ids = Array.from({ length: 10 }, (_, i) => `${i}`)
    const acceptAll = async (): Promise<Promise<Accepted>[]> => {
      const calls: Promise<Accepted>[] = []
      for (const id of ids) {
        calls.push(accept(store, id))
        await wait(3)
      }
      return calls
    }
    relay.swallow()
    const lost = await acceptAll()
    relay.cut()
    t.same(await Promise.all(lost), Array(10).fill('accepted'))
    const runs = await other.take(10, hourMs)
    t.same(
      runs.map(({ run }) => run.deliveryId),
      ids,
      'calls that are lost together are repeated in their order',
    )
    for (const lease of runs) await other.finish(lease, { kind: 'done' })
    relay.mute()
    let answers = 0
    const unheard = ['a', 'b'].map(async (id) => {
      await wait(id === 'a' ? 0 : 20)
      const accepted = await accept(store, id)
      answers++
      return accepted
    })
    await until(async () => (await other.backlog()) === 2)
    t.equal(answers, 0, 'both calls have reached the server, which has answered neither')
    relay.cut()
    t.same(await Promise.all(unheard), ['accepted', 'accepted'])
    t.equal(await other.backlog(), 2)
  })

  await t.test('a call that the server rolled back is repeated, also when no other call comes', async (t) => {
    const schema = server.newSchema()
    const store = await open(t, schema)
    await query(
      schema,
      `create sequence claimed;
      create function fail_once() returns trigger language plpgsql as $$ begin
        if nextval('claimed') = 1 then
          perform pg_sleep(0.05);
          raise exception using errcode = 'serialization_failure';
        end if;
        return new;
      end $$;
      create trigger fail_once before insert on claims for each row execute function fail_once()`,
    )
    const accepted = accept(store, 'a')
    t.equal(await Promise.race([accepted, wait(5_000, 'no answer')]), 'accepted')
  })

  await t.test('a process whose worker has room takes a run as it accepts it', async (t) => {
    const [one, two] = (await openThree(t)) as [Store, Store]
    const states = async (...ids: string[]) => (await two.standings(ids.map((id) => `evt-${id}`))).map(({ state }) => state)
    await accept(one, 'before')
    t.same(await states('before'), ['waiting'], 'nobody has asked for work yet')
    t.match(await one.take(3, hourMs), [{ run: runOf('before') }])
    for (const id of ['a', 'b', 'c']) t.equal(await accept(one, id), 'accepted')
    t.equal(await accept(one, 'a'), 'duplicate')
    t.same(await states('a', 'b', 'c'), ['running', 'running', 'waiting'], 'two of three places were left')
    const [c, ...none] = await two.take(2, hourMs)
    t.match([c, none], [{ run: runOf('c') }, []], 'nobody else gets the two')
    const leases = await one.take(3, hourMs)
    const begun = { attempt: 1, interrupted: false }
    t.match(
      leases,
      [
        { ...begun, run: runOf('a') },
        { ...begun, run: runOf('b') },
      ],
      'in their order',
    )
    t.equal(leases.length, 2)
    t.equal(await one.finish(leases[0] as Lease, { kind: 'done' }), true)
    t.equal(await one.finish(leases[1] as Lease, { kind: 'again', afterMs: 0, error: 'it failed' }), true)
    t.match(await one.take(3, hourMs), [{ run: runOf('b'), attempt: 2 }], 'what may be due is asked for')
    t.equal(await one.backlog(), 3)
  })

  await t.test(
    'a run that no worker asked for is put back when the worker stops, when the store closes, and when its calls were lost',
    async (t) => {
      const [one, two, three] = (await openThree(t)) as [Store, Store, Store]
      t.same(await one.take(5, hourMs), [])
      await accept(one, 'a')
      t.same(await one.take(0, hourMs), [], 'the worker takes no more')
      await accept(one, 'b')
      const [a, b] = await two.take(2, hourMs)
      t.match([a, b], [{ run: runOf('a'), attempt: 1, interrupted: false }, { run: runOf('b') }])
      t.same(await two.take(5, hourMs), [])
      await accept(two, 'c')
      await two.close()
      t.match(await three.take(1, hourMs), [{ run: runOf('c'), attempt: 1, interrupted: false }])
      const ids = Array.from({ length: 300 }, (_, i) => `lost-${i}`)
      t.same(await one.take(ids.length, hourMs), [])
      const calls = Promise.allSettled(ids.map((id) => accept(one, id)))
      await new Promise((then) => setTimeout(then, 3))
      await server.kill()
      await server.start()
      await calls
      await one.recovered()
      await Promise.all(ids.map((id) => accept(one, id)))
      const mine = await one.take(ids.length, hourMs)
      t.equal(new Set(mine.map(({ run }) => run.eventId)).size, ids.length, 'each is there once, and nobody waits for the end of a lease')
      t.notOk(mine.some(({ interrupted, attempt }) => interrupted || attempt !== 1))
    },
  )

  await t.test('of 20,000 runs of all priorities, with waits and without, a take reads few', async (t) => {
    const schema = server.newSchema()
    await open(t, schema)
    const connection = await connect({ url: () => server.url, schema, durability: 'fsync', byIndex: true, statementMs: 60_000 })
    t.teardown(() => connection.end())
    await connection.run(`insert into runs (event_id, made_at, due_at, run, error)
      select 'e' || i, now() - (20000 - i) * interval '10 ms',
        now() - (20000 - i) * interval '10 ms' + case when i % 7 = 0 and i % 11 > 0 then interval '10 min' else interval '0' end
          + case when i % 10 < 2 then interval '1 hour' else interval '0' end,
        '{"eventId":"e' || i || '",' || case when i % 11 = 0 then '"priority":"high",' when i % 7 = 0 then '"priority":"low",' else '' end || '"route":"r"}',
        case when i % 10 < 2 then '"waits"' end
      from generate_series(1, 20000) i`)
    await connection.run('analyze runs')
    type Plan = { readonly [key: string]: unknown; readonly Plans?: readonly Plan[] }
    const nodes = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
    /** Takes 8 runs, undoes that, and returns the scans of the table with the numbers of rows that they read. */
    const scans = async (): Promise<readonly { readonly name: string; readonly rows: number }[]> => {
      const values = takeKind.values([{ max: 8, leaseMs: 1000, owner: 1n, bounds: { fresh: '-infinity', tried: '-infinity' } }])
      const text = takeKind.text.replace(/\$(\d)/g, (_, n: string) => `'${String(values[Number(n) - 1])}'`)
      await connection.run('begin')
      const [row] = await connection.query({ name: 'explain', text: `explain (analyze, format json) ${text}` }, [])
      await connection.run('rollback')
      const found = row?.[0]
      const [{ Plan: plan }] = (typeof found === 'string' ? JSON.parse(found) : found) as [{ Plan: Plan }]
      return nodes(plan)
        .filter((node) => node['Relation Name'] === 'runs' && String(node['Node Type']).endsWith('Scan'))
        .map((node) => ({
          name: String(node['Index Name']),
          rows: (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) * Number(node['Actual Loops']),
        }))
    }
    const check = async (what: string): Promise<void> => {
      const found = await scans()
      t.strictSame([...new Set(found.map(({ name }) => name))].sort(), ['fresh', 'high', 'low', 'runs_pkey', 'tried'], `${what}: by index`)
      t.ok(Math.max(...found.map(({ rows }) => rows)) <= 16, `${what}: ${JSON.stringify(found)}`)
    }
    await check('many of all kinds')
    await connection.run(`delete from runs where due_at <= now() and split_part(run, '"', 8) <> 'low'`)
    await check('only low ones may begin')
    await connection.run(`update runs set due_at = now() + interval '2 hours'`)
    await check('none may begin')
  })

  await t.test('a schema of a later version is refused, and one that a later version can share is not', async (t) => {
    const schema = server.newSchema()
    await open(t, schema)
    await query(schema, 'update meta set version = 99, min_reader = 1')
    await open(t, schema)
    await query(schema, 'update meta set min_reader = 99')
    await t.rejects(open(t, schema), { code: 'store_newer', hint: 'run that version, or use another schema' })
  })

  await t.test('several processes make one schema', async (t) => {
    const schema = server.newSchema()
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(t, schema)))
    t.equal(await accept(stores[5] as Store, 'a'), 'accepted')
  })

  await t.test('a server without fsync is refused where nothing may be lost', async (t) => {
    t.teardown(() => query('public', 'alter system reset fsync').then(() => query('public', 'select pg_reload_conf()')))
    await query('public', 'alter system set fsync = off')
    await query('public', 'select pg_reload_conf()')
    await until(() =>
      open(t, server.newSchema()).then(
        () => false,
        ({ code }) => code === 'store_unsafe',
      ),
    )
    t.equal(await accept(await open(t, server.newSchema(), 'commit'), 'a'), 'accepted')
  })

  await t.test('variables of the environment are not read, and no secret is shown', async (t) => {
    for (const [name, value] of Object.entries({
      PGOPTIONS: '-c search_path=nowhere',
      PGSSLMODE: 'require',
      PGUSER: 'nobody',
      PGPORT: '1',
    })) {
      const before = process.env[name]
      process.env[name] = value
      t.teardown(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
    }
    t.equal(await accept(await open(t, server.newSchema()), 'a'), 'accepted')
    const url = server.url.replace('postgres@', 'postgres:s3cret@').replace(/\d+\/postgres$/, '1/postgres')
    const failed = await openPostgres({ url: () => url, schema: 'x', durability: 'commit', clock: systemClock }).then(
      () => undefined,
      (thrown: Fault) => thrown,
    )
    t.ok(failed instanceof Fault)
    t.equal(failed?.code, 'store_unreachable')
    t.notMatch(`${failed?.message} ${failed?.hint}`, 's3cret')
  })

  await t.test('of several hosts the one that answers is used', async (t) => {
    const url = server.url.replace('@', '@127.0.0.1:1,')
    const store = await openPostgres({ url: () => url, schema: server.newSchema(), durability: 'commit', clock: systemClock })
    t.equal(await accept(store, 'a'), 'accepted')
    await store.close()
  })
})

t.test('the statements are of the SQL that engines with the protocol of PostgreSQL have, too', async (t) => {
  const folder = fileURLToPath(new URL('../../src/store/postgres', import.meta.url))
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8').replace(/^ *(?:\/\*\*|\*|\/\/).*$/gm, ''))
  t.ok(texts.some((text) => text.includes('skip locked')))
  for (const word of [
    'advisory',
    'listen ',
    'notify',
    'ctid',
    'using brin',
    'unlogged',
    'trigger',
    'jsonb',
    'partition by',
    'merge into',
  ]) {
    t.notOk(
      texts.some((text) => text.toLowerCase().includes(word)),
      word,
    )
  }
})

t.test('addresses of databases', async (t) => {
  t.strictSame(parseAddress('postgresql://me:p%40s:s@db-1.example,[fd00::1]:6432/main?sslmode=disable'), {
    hosts: [
      { host: 'db-1.example', port: 5432 },
      { host: 'fd00::1', port: 6432 },
    ],
    user: 'me',
    password: 'p@s:s',
    database: 'main',
    tls: undefined,
  })
  t.match(parseAddress('postgres://me@db.example'), { database: 'me', tls: { isChecked: true } }, 'over a network it is encrypted')
  t.match(parseAddress('postgres://me@localhost/x'), { tls: undefined })
  t.ok(isSameDatabase('postgres://me:a@localhost', 'postgresql://me:b@localhost:5432/me?sslmode=disable'), 'what is left out counts')
  t.equal(
    passwordOf('postgres://me:pass%20word@localhost/x?sslmode=verify-full&sslrootcert=/none'),
    'pass word',
    'also where a file is missing',
  )
  t.equal(passwordOf('postgres://me@localhost/x'), '')
  t.notOk(isSameDatabase('postgres://a@localhost/', 'postgres://b@localhost/'), 'a user has a database of its name')
  t.match(parseAddress('postgres://me@localhost/x?sslmode=no-verify'), { tls: { isChecked: false } })
  for (const bad of [
    '',
    'mysql://me@h/x',
    'postgres://h/x',
    'postgres://me:s3cret@',
    'postgres://me:s3cret%@h',
    'postgres://me:s3cret@h?sslmode=odd',
    'postgres://me:s3cret@h:x/y',
    'postgres://me:s3cret@h?sslmode=require&sslrootcert=/nowhere',
  ]) {
    t.throws(() => parseAddress(bad), { code: 'store_address' }, bad)
    try {
      parseAddress(bad)
    } catch (fault) {
      t.notMatch(`${(fault as Fault).message} ${(fault as Fault).hint}`, 's3cret')
    }
  }
})
