/**
 * `storage move` brings all work of a store to another store, as the port of the store shows. A move that something ended too early can be
 * repeated.
 */

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import { storesByName } from '../../src/store/index.ts'
import type { Claim, Lane, Lease } from '../../src/store/ports.ts'
import { connect } from '../../src/store/postgres/connection.ts'
import type { OpenStore } from '../../src/store/store-part.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { until } from '../fakes/wait.ts'

const hourMs = 3_600_000
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

const runOf = (id: string): NewRun => ({
  eventId: `evt-${id}`,
  profile: 'default',
  route: 'reviews',
  event: 'push',
  deliveryId: id,
  prompt: `prompt of ${id} \u0000 \ud800 "\n"`,
  delivery: { target: 'log', extra: {} },
  acceptedAt: 1_700_000_000_000,
})
const claimOf = (key: string): Claim => ({ key, holdMs: hourMs })
/** A claim with a second one beside it. */
const beside = (key: string, said: string): Claim => ({ ...claimOf(key), beside: { key: `@repeat/${said}`, holdMs: 2 * hourMs } })
const lane: Lane = { key: 'lane', limit: 1, whenFull: 'wait' }
const group = (key: string, maxWaitMs: number) => ({ key, windowMs: maxWaitMs, maxWaitMs, keep: 'all' as const })
const chat = { key: 'a session', profile: 'default', route: 'reviews', name: '42', chatAddress: { platform: 'telegram', chat: '7' } }
const says = (text: string) => ({ role: 'user' as const, text, at: 1 })

const clockOf = (language: string, body: string): string =>
  `create or replace function clock() returns timestamptz language ${language} as '${body}'`

const request = ['{"x-signature":"***"}', '{"number":7}'] as const

/** The lines of an event whose run is dead. `batch`: the event of the whole request, of which this is an item. */
const linesOf = (id: string, batch?: string): string[] => {
  const about = { event_id: `evt-${id}`, profile: 'default', route: 'reviews', event_type: 'push', delivery_id: id }
  const at = (second: number): string => `2023-11-14T22:13:2${second}.000Z`
  const received = { kind: 'received', at: at(0), ...about, outcome: 'accepted', stage: 'dispatch', status: 202, duration_ms: 3 }
  const part = batch === undefined ? {} : { batch_of: batch, batch_index: 0 }
  const raw = batch === undefined ? { raw: { offset: 0, head_bytes: request[0].length, body_bytes: request[1].length } } : {}
  return [
    { ...received, ...part, ...raw },
    { kind: 'tried', at: at(1), event_id: `evt-${id}`, attempt: 1, error: 'busy', next_at: at(2), duration_ms: 5 },
    { kind: 'ended', at: at(2), ...about, state: 'dead', attempt: 2, error: 'gone', duration_ms: 5 },
  ].map((line) => `${JSON.stringify(line)}\n`)
}

/** Fills a store with work of every kind. */
const fill = async (store: OpenStore): Promise<void> => {
  const accept = (id: string, of?: Lane) => store.accept(runOf(id), claimOf(id), of)
  for (const id of ['dead', 'again', 'replied', 'left']) await accept(id)
  const [dead, again, replied] = (await store.take(4, hourMs)) as [Lease, Lease, Lease]
  await store.finish(dead, { kind: 'dead', error: 'gone' })
  await store.finish(again, { kind: 'again', afterMs: hourMs, error: 'busy' })
  await store.keepReply(replied, 'the reply', [true, false])
  await store.finish(replied, { kind: 'again', afterMs: 0, error: 'away' })
  for (const id of ['lane-1', 'lane-2', 'lane-3']) await accept(id, lane)
  await accept('fresh-1')
  await accept('fresh-2')
  for (const id of ['group-1', 'group-2']) await store.join(runOf(id), claimOf(id), group('slow', hourMs))
  await store.join(runOf('group-3'), claimOf('group-3'), { ...group('laned', hourMs), lane })
  await store.claim(claimOf('direct'))
  await store.settle(claimOf('direct'), true)
  await store.claim(claimOf('unsettled'))
  await store.accept(runOf('fresh-3'), beside('fresh-3', 'said'))
  await store.keepPositions(new Map([['default/nightly', 1_800_000_000_000]]))
  await store.converse(chat, 'turn 1', [says('one'), says('two')])
  await store.converse({ ...chat, key: 'other', name: '43', chatAddress: { ...chat.chatAddress, chat: '8' } }, 'turn 1', [says('three')])
  await store.mirror('default', chat.chatAddress, says('copy'))
  await store.spend('budget', hourMs, { tokens: 12, cost: 0.25 })
}

const claimed = ['dead', 'again', 'left', 'lane-2', 'fresh-1', 'group-1', 'direct', '@repeat/said']
const events = ['dead', 'again', 'replied', 'left', 'lane-1', 'lane-2', 'lane-3', 'fresh-1', 'fresh-2', 'group-2', 'group-3']

/** Reads the work of a store through the port, and changes nothing. Times are rounded to ten minutes, because time passes. */
const shown = async (store: OpenStore): Promise<unknown> => {
  const standings = await store.standings(events.map((id) => `evt-${id}`))
  return {
    standings: standings
      .map(({ dueInMs, ...standing }) => ({ ...standing, dueIn: dueInMs === undefined ? null : Math.round(dueInMs / 600_000) }))
      .sort((a, b) => (a.eventId < b.eventId ? -1 : 1)),
    held: await store.held([...claimed, 'new']),
    positions: [...(await store.positions())],
    sessions: (await store.sessions({}, 10)).map(({ ageMs, idleMs, ...session }) => session),
    said: [await store.conversation(chat.key, 10), await store.conversation('other', 10)],
    spent: await store.spend('budget', hourMs, { tokens: 0, cost: 0 }),
    backlog: await store.backlog(),
  }
}

/** Takes and finishes all runs. Returns the runs in the order in which they were taken. */
const drained = async (store: OpenStore): Promise<unknown[]> => {
  const seen: unknown[] = []
  for (const only of [undefined, undefined, undefined, undefined, 'groups', undefined, undefined] as const) {
    for (const lease of await store.take(100, hourMs, only)) {
      const { run, attempt, interrupted, reply, progress } = lease
      seen.push({ run, attempt, interrupted, reply, progress })
      await store.finish(lease, { kind: 'done' })
    }
  }
  return seen
}

t.test('storage move', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())

  /** `copy`: the data directory of a test that is set up already. The store of the copy is for comparison, and is never moved. */
  const setUp = (t: Test, kind = 'sqlite', copy?: FakeCli) => {
    const schema = server.newSchema()
    const config = (kind: string): string => `storage: { kind: ${kind}, url: "${server.url}", schema: ${schema}, durability: commit }\n`
    const cli = copy ?? fakeCli(t, { 'config.yaml': config(kind) })
    const options = {
      folder: join(cli.dir, copy ? 'copy' : 'state'),
      durability: 'commit' as const,
      url: () => server.url,
      schema,
      clock: systemClock,
    }
    const open = async (kind: string): Promise<OpenStore> => {
      const store = await storesByName.get(kind)?.open(options)
      if (!store) throw new Error(`no store ${kind}`)
      return store
    }
    const using = async <T>(kind: string, use: (store: OpenStore) => Promise<T>): Promise<T> => {
      const store = await open(kind)
      try {
        return await use(store)
      } finally {
        await store.close()
      }
    }
    const query = async (text: string): Promise<void> => {
      const connection = await connect({ ...options, byIndex: false })
      await connection.run(text)
      await connection.end()
    }
    const read = async (text: string): Promise<unknown> => {
      const connection = await connect({ ...options, byIndex: false })
      const [row] = await connection.query({ name: 'read', text }, [])
      await connection.end()
      return row?.[0]
    }
    return { cli, open, using, query, read }
  }
  const rowsOf = async (cli: FakeCli, ...argv: string[]): Promise<{ [kind: string]: number }> => {
    const { code, out, err } = await cli.run('storage', 'move', ...argv, '--json')
    t.equal(code, 0, `${out}${err}`)
    const { kinds } = JSON.parse(out).data as { kinds: { kind: string; rows: number }[] }
    return Object.fromEntries(kinds.map(({ kind, rows }) => [kind, rows]))
  }

  await t.test('what the embedded store shows, the shared one shows, and again the embedded one', async (t) => {
    const { cli, using } = setUp(t)
    const copy = setUp(t, 'sqlite', cli)
    await using('sqlite', fill)
    await copy.using('sqlite', fill)
    const before = await using('sqlite', shown)
    const { err } = await cli.run('storage', 'move', '--to', 'postgres', '--dry-run')
    t.match(err, `stay in ${join(cli.dir, 'state/events')}: events list reads them where storage.kind is sqlite\n`)
    const counted = await rowsOf(cli, '--to', 'postgres', '--dry-run')
    t.strictSame(counted, { claims: 15, runs: 10, groups: 2, positions: 1, sessions: 2, messages: 4, sums: 1 })
    t.strictSame(await rowsOf(cli, '--to', 'postgres'), counted)
    t.strictSame(await using('postgres', shown), before)
    await using('postgres', async (store) => {
      for (const id of claimed) {
        t.equal(await store.accept(runOf(id), claimOf(id)), 'duplicate', `${id} is known`)
        t.equal(await store.join(runOf(id), claimOf(id), group('x', 1)), 'duplicate')
        t.equal(await store.claim(claimOf(id)), 'duplicate')
      }
      t.equal(await store.converse(chat, 'turn 1', [says('again')]), false, 'a turn is known')
    })
    t.strictSame(await rowsOf(cli, '--to', 'sqlite'), counted)
    t.strictSame(await using('sqlite', shown), before)
    t.equal(await using('sqlite', (store) => store.accept(runOf('dead'), claimOf('dead'))), 'duplicate')
    t.strictSame(await using('sqlite', drained), await copy.using('sqlite', drained), 'work is taken in its order')
    t.equal(
      await using('sqlite', (store) => store.accept(runOf('new-1'), beside('new-1', 'said'))),
      'repeated',
      'what an event said is known',
    )
    await rowsOf(cli, '--to', 'postgres')
    await using('postgres', async (store) => {
      t.equal(await store.accept(runOf('new-2'), beside('new-2', 'said')), 'repeated', 'by the beginning of its key')
      t.equal(await store.accept(runOf('new-2'), beside('new-2', 'other')), 'duplicate')
      t.equal(await store.claim(beside('new-3', 'said')), 'repeated')
      t.equal(await store.accept(runOf('new-1'), beside('new-1', 'said')), 'duplicate')
    })
  })

  await t.test('work that began in the shared store goes on in the embedded one, in its order', async (t) => {
    const there = setUp(t, 'postgres')
    const copy = setUp(t, 'postgres', there.cli)
    await there.using('postgres', fill)
    await copy.using('postgres', fill)
    for (const { query } of [there, copy]) await query('update runs set due_at = clock() where leased')
    await rowsOf(there.cli, '--to', 'sqlite')
    await there.using('sqlite', async (store) => {
      t.equal(await store.accept(runOf('again'), claimOf('again')), 'duplicate')
      t.strictSame(await store.join(runOf('group-4'), claimOf('group-4'), group('slow', hourMs)), { group: 'evt-group-1', count: 3 })
      t.equal(await store.converse(chat, 'turn 1', [says('again')]), false, 'a turn is known')
      t.equal(await store.accept(runOf('busy'), claimOf('busy'), { ...lane, whenFull: 'refuse' }), 'busy', 'the lane is known')
      t.equal(await store.revive('evt-dead'), true)
    })
    await copy.using('postgres', async (store) => {
      await store.join(runOf('group-4'), claimOf('group-4'), group('slow', hourMs))
      await store.revive('evt-dead')
    })
    const order = (runs: unknown[]): unknown[] => [...runs].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    t.strictSame(order(await there.using('sqlite', drained)), order(await copy.using('postgres', drained)))
  })

  await t.test('a dead run is found and retried where it was moved to', async (t) => {
    const { cli, using, query, read } = setUp(t)
    cli.write(
      'state/events/0000000001.jsonl',
      [...linesOf('dead', 'evt-batch'), ...linesOf('done'), ...linesOf('batch').slice(0, 1)].join(''),
    )
    cli.write('state/events/0000000001.raw', request.join(''))
    await using('sqlite', fill)
    const found = async (...argv: string[]): Promise<unknown> => {
      const { code, out, err } = await cli.run('events', ...argv, '--json')
      t.equal(code, 0, `${argv.join(' ')}: ${out}${err}`)
      return JSON.parse(out).data
    }
    const before = await found('show', 'evt-dead')
    t.match(JSON.stringify(before), /number.*7/)
    const config = cli.read('config.yaml')
    await rowsOf(cli, '--to', 'postgres')
    await query("update meta set state = 'filling'")
    await rowsOf(cli, '--to', 'postgres')
    t.equal(Number(await read('select count(*) from records')), 4, 'a move that is repeated writes no line twice')
    cli.write('config.yaml', config.replace('sqlite', 'postgres'))
    t.match(await found('list', '--state', 'dead'), { events: [{ event_id: 'evt-dead', error: 'gone' }] })
    t.same(await found('show', 'evt-dead'), before, 'with its request')
    t.match(await cli.run('events', 'show', 'evt-done'), { code: 5 }, 'what has no run stays')
    await rowsOf(cli, '--to', 'sqlite')
    cli.write('config.yaml', config)
    t.equal(cli.read('state/events/0000000001.jsonl').split('evt-dead').length, 4)
    t.strictSame(readdirSync(cli.file('state/events')), ['0000000001.jsonl', '0000000001.raw'], 'the folder has all lines already')
    rmSync(cli.file('state/events'), { recursive: true })
    await rowsOf(cli, '--to', 'postgres')
    await rowsOf(cli, '--to', 'sqlite')
    t.same(await found('show', 'evt-dead'), before, 'the way back carries them too')
    await rowsOf(cli, '--to', 'postgres')
    cli.write('config.yaml', config.replace('sqlite', 'postgres'))
    t.match(await cli.run('events', 'retry', '--dead', '--yes'), { code: 0, out: /evt-dead/ })
    t.strictSame(await using('postgres', async (store) => (await store.standings(['evt-dead'])).map(({ state }) => state)), ['waiting'])
  })

  await t.test('subscriptions and jobs are in the database, and in their files afterwards', async (t) => {
    const { cli, using, query } = setUp(t)
    const subscriptions = '{"a":{"prompt":"p"}}'
    cli.write('webhook_subscriptions.json', subscriptions)
    await rowsOf(cli, '--to', 'postgres')
    t.equal((await using('postgres', async ({ shared }) => shared?.readEntries('subscriptions')))?.text, subscriptions)
    await query(`update entries set revision = 'other', text = '{"b":{"prompt":"q"}}' where name = 'subscriptions'`)
    await rowsOf(cli, '--to', 'sqlite')
    t.strictSame(JSON.parse(readFileSync(cli.file('webhook_subscriptions.json'), 'utf8')), { b: { prompt: 'q' } })
  })

  await t.test('the store that was moved refuses, until it is moved back or forced', async (t) => {
    const { cli, open, using } = setUp(t)
    await using('sqlite', (store) => store.accept(runOf('a'), claimOf('a')))
    await rowsOf(cli, '--to', 'postgres')
    await t.rejects(open('sqlite'), { code: 'store_moved', hint: /storage move --to sqlite/ })
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 6, err: /was moved to postgres already/ })
    t.match(await cli.run('storage', 'move', '--to', 'sqlite', '--force'), { code: 0, out: 'sqlite can be used as it was left\n' })
    t.equal(await using('sqlite', (store) => store.backlog()), 1)
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 6, err: /postgres has work of its own/ })
    t.match(await cli.run('storage', 'move', '--to', 'sqlite', '--force'), { code: 6, err: /can be used already/ })
  })

  await t.test('an empty store is moved too; a running gateway, a later schema and a missing address refuse', async (t) => {
    const { cli, open, using, query } = setUp(t)
    t.strictSame(Object.values(await rowsOf(cli, '--to', 'postgres')), [0, 0, 0, 0, 0, 0, 0])
    await rowsOf(cli, '--to', 'sqlite')
    const gateway = await open('sqlite')
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 6, err: /another process has .* open/ })
    await gateway.close()
    await query(`insert into replicas values (1, now(), '{}')`)
    const about = {
      host: 'a',
      pid: 7,
      url: 'http://127.0.0.1:1',
      version: '1',
      digest: 'd',
      digestMs: 0,
      uptimeMs: 0,
      runs: 0,
      requests: 0,
      isStopping: false,
      now: 0,
    }
    await query(`update replicas set about = '${JSON.stringify(about)}'`)
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 6, err: /gateways work with the database: a, process 7/ })
    await query('delete from replicas; update meta set version = 99, min_reader = 99')
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 78, err: /written by a later version/ })
    t.equal(await using('sqlite', (store) => store.backlog()), 0, 'nothing was marked')
    cli.write('config.yaml', '')
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 78, err: /names no database/ })
    t.match(await cli.run('storage', 'move', '--to', 'memory'), { code: 2, err: /no store "memory"/ })
  })

  await t.test('a difference fails, and leaves the store usable', async (t) => {
    const { cli, using, query } = setUp(t)
    await using('sqlite', fill)
    await using('postgres', async () => {})
    await query(`create function lose() returns trigger language plpgsql as 'begin return null; end';
      create trigger lose before insert on plans for each row execute function lose()`)
    t.match(await cli.run('storage', 'move', '--to', 'postgres'), { code: 1, err: /differ after the move: positions \(1, now 0\)/ })
    t.ok(await using('sqlite', (store) => store.backlog()))
    await query('drop trigger lose on plans')
    t.equal((await rowsOf(cli, '--to', 'postgres')).positions, 1, 'the move is repeated')
  })

  for (const to of ['postgres', 'sqlite']) {
    await t.test(`a move to ${to} that is killed is repeated, and nothing is there twice`, async (t) => {
      const from = to === 'postgres' ? 'sqlite' : 'postgres'
      const { cli, open, using, query, read } = setUp(t, from)
      const runs = 4_000
      await using(from, async (store) => {
        await Promise.all(Array.from({ length: runs }, (_, i) => store.accept(runOf(String(i)), claimOf(String(i)))))
      })
      // The database calls `clock()` for each row. A slow `clock()` makes the move slow enough for a kill in the middle.
      await using('postgres', async () => {})
      await query(clockOf('plpgsql', 'begin perform pg_sleep(0.0005); return now(); end'))
      const child = spawn(process.execPath, [main, 'storage', 'move', '--to', to], { env: { ...process.env, HEADGATE_HOME: cli.dir } })
      const ended = new Promise((resolve) => child.once('close', resolve))
      const isFilling =
        to === 'sqlite' ? () => existsSync(cli.file('state/filling')) : async () => (await read('select state from meta')) === 'filling'
      await until(isFilling)
      child.kill('SIGKILL')
      await ended
      await query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null')
      await query(clockOf('sql', 'select now()'))
      await t.rejects(open(to), { code: 'store_filling', hint: /repeat it/ })
      const rows = await rowsOf(cli, '--to', to)
      t.match(rows, { runs, claims: runs })
      t.equal(await using(to, (store) => store.backlog()), runs)
      t.equal(await using(to, (store) => store.accept(runOf('77'), claimOf('77'))), 'duplicate')
      t.strictSame(
        await using(to, async (store) => (await store.take(runs, hourMs)).map(({ run }) => run.eventId)),
        Array.from({ length: runs }, (_, i) => `evt-${i}`),
      )
      await t.rejects(open(from), { code: 'store_moved' })
    })
  }
})
