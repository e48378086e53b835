/** What only the durable store promises: restarts, power over one folder, disk faults, damaged files. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, fstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import t, { type Test } from 'tap'
import { Fault, StoreFault } from '../../src/core/fault.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import type { SessionMessage, SessionName } from '../../src/core/session.ts'
import type { Accepted, Claimed, Group, Joined, Lane, Lease, Store } from '../../src/store/ports.ts'
import { DurableDatabase } from '../../src/store/sqlite/durable-database.ts'
import { RecentClaims } from '../../src/store/sqlite/recent-claims.ts'
import { storeForm, upgradeFrom } from '../../src/store/sqlite/schema.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { statementsOf } from '../../src/store/sqlite/statements.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'

const hourMs = 3_600_000

const runOf = (id: string): NewRun => ({
  eventId: id,
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: id,
  prompt: `prompt of ${id}`,
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
})

const claimOf = (key: string) => ({ key, holdMs: hourMs })
const accept = (store: Store, id: string): Promise<Accepted> => store.accept(runOf(id), claimOf(id))
const inLane = (store: Store, id: string, lane: Lane): Promise<Accepted> => store.accept(runOf(id), claimOf(id), lane)
const group = (store: Store, id: string, more: Partial<Group> = {}): Promise<Joined> =>
  store.join(runOf(id), claimOf(id), { key: 'g', windowMs: 30_000, maxWaitMs: 300_000, keep: 'all', ...more })
const lane: Lane = { key: 'lane', limit: 2, whenFull: 'wait' }
const ids = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.run.deliveryId)
const fileIn = (folder: string): string => join(folder, 'headgate.db')

const open = async (t: Test, folder: string, clock: FakeClock): Promise<Store> => {
  const store = await openSqlite({ folder, durability: 'fsync', clock })
  t.teardown(() => store.close())
  return store
}

/** Changes a closed database behind the store's back. */
const tamper = (folder: string, sql: string): void => {
  const db = new Database(fileIn(folder))
  db.exec(sql)
  db.close()
}

t.test('work, attempts, replies and ids survive a restart; leases do not', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  for (const id of ['done', 'dead', 'replied', 'retry', 'fresh']) await accept(first, id)
  const [done, dead, replied, retry] = await first.take(4, hourMs)
  if (!done || !dead || !replied || !retry) throw new Error('expected four leases')
  await first.finish(done, { kind: 'done' })
  await first.finish(dead, { kind: 'dead', error: 'out of attempts' })
  await first.keepReply(replied, 'the reply')
  await first.finish(retry, { kind: 'again', afterMs: 500, error: 'busy' })
  t.equal(await first.backlog(), 3)
  await first.close()

  const second = await open(t, folder, clock)
  t.equal(await second.backlog(), 3)
  const taken = await second.take(10, 1000)
  t.strictSame(ids(taken), ['replied', 'fresh'])
  t.match(taken, [
    { attempt: 2, interrupted: true, reply: 'the reply' },
    { attempt: 1, interrupted: false },
  ])
  t.ok((taken[0]?.fence ?? 0) > replied.fence)
  t.equal(await second.finish(replied, { kind: 'done' }), false, 'its holder died with the process')
  clock.advance(500)
  t.match(await second.take(10, 1000), [{ runId: retry.runId, attempt: 2, interrupted: false }])
  for (const id of ['done', 'dead', 'fresh']) t.equal(await accept(second, id), 'duplicate', id)
})

t.test('a run id is never used twice, not even when all runs are gone, or after a crash', async (t) => {
  const clock = fakeClock()
  let folder = join(newFolder(t), 'a')
  const seen: string[] = []
  for (const id of ['a', 'b', 'c']) {
    const store = await open(t, folder, clock)
    await accept(store, id)
    for (const lease of await store.take(1, 1000)) {
      seen.push(lease.runId)
      await store.finish(lease, { kind: 'done' })
    }
    if (id === 'b') folder = crashed(folder)
    else await store.close()
  }
  t.equal(new Set(seen).size, 3)
})

t.test('an id is free also where the record of the last one is gone or damaged', async (t) => {
  const clock = fakeClock()
  const folder = newFolder(t)
  const damages = [
    'delete from sqlite_sequence',
    "update sqlite_sequence set seq = 0 where name = 'runs'",
    "update sqlite_sequence set seq = 'x'",
  ]
  for (const [i, damage] of damages.entries()) {
    const store = await open(t, folder, clock)
    t.equal(await accept(store, `before-${i}`), 'accepted')
    await store.close()
    tamper(folder, damage)
    const next = await open(t, folder, clock)
    t.equal(await accept(next, `after-${i}`), 'accepted', damage)
    t.equal(await next.backlog(), 2 * (i + 1))
    await next.close()
  }
})

t.test('runs of all kinds are taken in their order, also where many come', async (t) => {
  const clock = fakeClock()
  const store = await open(t, newFolder(t), clock)
  const expected: string[] = []
  for (let round = 0; round < 13; round++) {
    const plain = Array.from({ length: 999 }, (_, i) => `${round}-${i}`)
    await Promise.all(plain.map((id) => accept(store, id)))
    await inLane(store, `${round}-lane`, { ...lane, key: `lane-${round}` })
    expected.push(...plain, `${round}-lane`)
  }
  await group(store, 'group')
  clock.advance(hourMs)
  const taken = await store.take(20_000, hourMs)
  t.strictSame(ids(taken), [...expected, 'group'])
  t.equal(new Set(taken.map(({ runId }) => runId)).size, taken.length)
})

t.test('an unsettled claim is given back by a restart, a settled one is not', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  for (const key of ['kept', 'died']) t.equal(await first.claim(claimOf(key)), 'claimed')
  await first.settle({ key: 'kept', holdMs: 3_600_000 }, true)
  await first.close()
  const second = await open(t, folder, clock)
  t.equal(await second.claim(claimOf('kept')), 'duplicate')
  t.equal(await second.claim(claimOf('died')), 'claimed')
})

t.test('a wall clock that was set back holds no id and no run for longer than an hour', async (t) => {
  const folder = newFolder(t)
  const later = fakeClock()
  const first = await open(t, folder, later)
  await accept(first, 'a')
  await accept(first, 'b')
  const [a] = await first.take(1, hourMs)
  if (a === undefined) throw new Error('expected a lease')
  await first.finish(a, { kind: 'again', afterMs: 1000, error: 'busy' })
  await first.close()

  const clock = fakeClock(later.now() - 100 * hourMs)
  const second = await open(t, folder, clock)
  t.equal(await accept(second, 'a'), 'duplicate', 'a small step back must not let a duplicate in')
  t.strictSame(ids(await second.take(10, 10 * hourMs)), ['b'], 'a fresh run never waits')
  clock.advance(hourMs)
  t.strictSame(ids(await second.take(10, 1000)), ['a'])
  t.equal(await accept(second, 'a'), 'accepted')
})

t.test('the claim of a time of a job lasts through a restart with a clock that was set back', async (t) => {
  const folder = newFolder(t)
  const claim = { key: '@cron/default/nightly-1', holdMs: 26 * hourMs }
  const later = fakeClock()
  const first = await open(t, folder, later)
  t.equal(await first.accept(runOf(claim.key), claim, { key: 'nightly', limit: 1, whenFull: 'refuse' }), 'accepted')
  await first.finish((await first.take(1, hourMs))[0] as never, { kind: 'done' })
  await first.close()
  const clock = fakeClock(later.now() - 2 * hourMs)
  const second = await open(t, folder, clock)
  clock.advance(2 * hourMs)
  t.equal(await second.accept(runOf(claim.key), claim, { key: 'nightly', limit: 1, whenFull: 'refuse' }), 'duplicate')
})

t.test('an id that is kept for days is known after a restart', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const kept = (key: string) => ({ key, holdMs: 72 * hourMs })
  const first = await open(t, folder, clock)
  await first.accept(runOf('run'), kept('run'))
  await first.claim(kept('direct'))
  await first.settle(kept('direct'), true)
  await first.close()
  clock.advance(hourMs)
  const second = await open(t, folder, clock)
  clock.advance(70 * hourMs)
  t.strictSame(await second.held(['run', 'direct']), [true, true])
  clock.advance(2 * hourMs)
  t.strictSame(await second.held(['run', 'direct']), [false, false])
})

t.test('the folder and its files are the owner’s alone', async (t) => {
  const folder = join(newFolder(t), 'deep', 'state')
  const clock = fakeClock()
  const store = await open(t, folder, clock)
  await accept(store, 'a')
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  t.strictSame([modeOf(folder), modeOf(fileIn(folder)), modeOf(`${fileIn(folder)}-wal`)], ['700', '600', '600'])
})

t.test('expired ids make room: the file stops growing', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const sizeAfter = async (rounds: number): Promise<number> => {
    const store = await openSqlite({ folder, durability: 'commit', clock })
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: 3000 }, (_, i) => {
        const claim = claimOf(`${clock.now()}-${i}`)
        return i % 2 === 0 ? store.claim(claim) : store.accept(runOf(claim.key), claim)
      })
      t.ok((await Promise.all<Claimed | Accepted>(calls)).every((got) => got === 'claimed' || got === 'accepted'))
      const leases = await store.take(1500, 1000)
      await Promise.all(leases.map((lease) => store.finish(lease, { kind: 'done' })))
      clock.advance(hourMs)
    }
    await store.close()
    return statSync(fileIn(folder)).size
  }
  const early = await sizeAfter(2)
  const late = await sizeAfter(5)
  t.ok(late <= early * 1.2, `${early} bytes, then ${late}`)
})

t.test('a second opener is refused, in this process and in another, and harms nothing', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const store = await open(t, folder, clock)
  const options = { folder, durability: 'fsync' as const, clock }
  for (const _ of ['once', 'again']) {
    await t.rejects(openSqlite(options), { code: 'store_locked', exitCode: 6, hint: /stop that process/ })
  }
  const child = startChild(t, folder, 8)
  t.match(await child.end(), { code: 1, errors: /store_locked/ })
  t.equal(await accept(store, 'a'), 'accepted')
})

t.test('what it cannot read is refused untouched, with a way out', async (t) => {
  const clock = fakeClock()
  const refused = async (folder: string, code: string, message: RegExp, exitCode = 6): Promise<void> => {
    const before = readFileSync(fileIn(folder))
    const fault: unknown = await openSqlite({ folder, durability: 'fsync', clock }).catch((thrown: unknown) => thrown)
    t.match(fault, { constructor: Fault, code, message, exitCode, hint: /./ })
    t.ok(before.equals(readFileSync(fileIn(folder))), 'the file is as it was')
  }
  const filled = async (name: string): Promise<string> => {
    const folder = newFolder(t, { [name]: {} })
    const store = await openSqlite({ folder: join(folder, name), durability: 'fsync', clock })
    await Promise.all(Array.from({ length: 500 }, (_, i) => accept(store, `${name}-${i}`)))
    await store.close()
    return join(folder, name)
  }
  await refused(newFolder(t, { 'headgate.db': 'not a database '.repeat(1000) }), 'store_corrupt', /not a database/)

  const foreign = newFolder(t)
  tamper(foreign, 'create table theirs (x); insert into theirs values (1)')
  await refused(foreign, 'store_corrupt', /another program/)

  const newer = await filled('newer')
  tamper(newer, 'pragma user_version = 99')
  await refused(newer, 'store_newer', /later version/, 78)

  const damaged = await filled('damaged')
  const bytes = readFileSync(fileIn(damaged))
  bytes.fill(0xff, 4096 * 4, 4096 * 8)
  writeFileSync(fileIn(damaged), bytes)
  await refused(damaged, 'store_corrupt', /./)

  const cut = await filled('cut')
  truncateSync(fileIn(cut), 4096 * 10)
  await refused(cut, 'store_corrupt', /./)

  await refused(newFolder(t, { 'headgate.db': '', 'headgate.db-wal': 'x'.repeat(5000) }), 'store_corrupt', /empty/)
})

t.test('a file that cannot be opened is a Fault too', async (t) => {
  const folder = join(newFolder(t, { state: 'a file where the folder should be' }), 'state')
  await t.rejects(openSqlite({ folder, durability: 'fsync', clock: fakeClock() }), {
    code: 'cannot_write',
    message: /headgate\.db: a part of its path is not a folder$/,
  })
})

t.test('a stored run that cannot be read is dead and stands in nobody’s way', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  for (const id of ['a', 'b', 'c', 'd', 'e']) await accept(first, id)
  await first.close()
  tamper(folder, `update runs set run = '{"eventId":' where id = 1; update runs set run = cast(x'22ff22' as text) where id = 2`)
  tamper(folder, `update runs set run = '[]' where id = 3; update runs set reply = 'no JSON' where id = 4`)
  const second = await open(t, folder, clock)
  t.strictSame(ids(await second.take(10, 1000)), ['e'])
  t.equal(await second.backlog(), 1)
  clock.advance(hourMs)
  t.strictSame(ids(await second.take(10, 1000)), ['e'])
})

/** It fails when told to, before a batch is committed, or after that but before anybody hears of it, until it recovers. */
class MortalDatabase extends DurableDatabase {
  dies: 'before' | 'after' | 'never' = 'never'
  recoveries = 0

  override async commit<T>(work: () => T): Promise<T> {
    if (this.dies === 'before') throw new StoreFault('disk I/O error')
    const done = await super.commit(work)
    if (this.dies === 'after') throw new StoreFault('the answer was lost')
    return done
  }

  override recover(): Promise<void> {
    this.dies = 'never'
    this.recoveries++
    return super.recover()
  }
}

const openMortal = async (t: Test, clock: FakeClock, folder = newFolder(t)) => {
  const database = new MortalDatabase(folder, 'fsync')
  const store = await openSqlite({ folder, durability: 'fsync', clock }, () => database)
  t.teardown(() => store.close())
  return { store, database, folder }
}

/** The files as a crash leaves them now. */
const crashed = (folder: string): string => {
  const copy = `${folder}-crashed`
  cpSync(folder, copy, { recursive: true })
  return copy
}

t.test('a ledger that fails takes its batch with it and is replaced', async (t) => {
  const clock = fakeClock()
  const { store, database } = await openMortal(t, clock)
  await accept(store, 'before')
  const [lease] = await store.take(1, hourMs)
  if (lease === undefined) throw new Error('expected a lease')

  database.dies = 'before'
  const lost = await Promise.allSettled([accept(store, 'a'), store.claim(claimOf('b')), store.take(1, 1000)])
  for (const end of lost) t.match(end, { status: 'rejected', reason: StoreFault })
  await t.rejects(accept(store, 'too soon'), StoreFault)
  t.equal(database.recoveries, 0, 'it is not started for each call')

  clock.advance(1000)
  t.equal(await accept(store, 'a'), 'accepted')
  t.equal(database.recoveries, 1)
  t.equal(await store.backlog(), 2)
  t.strictSame(ids(await store.take(10, 1000)), ['a'], 'a lease stands')
  t.equal(await store.finish(lease, { kind: 'done' }), true)
})

t.test('a batch that fails after a crash does not hide that a run was interrupted', async (t) => {
  const clock = fakeClock()
  const before = await openMortal(t, clock)
  await accept(before.store, 'a')
  t.strictSame(ids(await before.store.take(1, hourMs)), ['a'])
  const { store, database } = await openMortal(t, clock, crashed(before.folder))
  database.dies = 'before'
  await t.rejects(accept(store, 'b'), StoreFault)
  clock.advance(1000)
  t.match(await store.take(10, hourMs), [{ run: { eventId: 'a' }, attempt: 2, interrupted: true }])
})

t.test('when nobody knows whether a batch was committed, no retry is swallowed and no delivery is doubled', async (t) => {
  const clock = fakeClock()
  const { store, database } = await openMortal(t, clock)
  t.equal(await store.claim(claimOf('in hand')), 'claimed')

  database.dies = 'after'
  const calls = [store.claim(claimOf('doubtful')), store.claim(claimOf('in hand')), accept(store, 'a')]
  for (const end of await Promise.allSettled(calls)) t.match(end, { status: 'rejected', reason: StoreFault })

  clock.advance(1000)
  t.equal(await store.claim(claimOf('doubtful')), 'claimed', 'the sender heard of a fault and may try again')
  t.equal(await store.claim(claimOf('in hand')), 'unsettled', 'what is being delivered stays claimed')
  t.equal(await accept(store, 'a'), 'duplicate', 'accepted once, whatever the sender heard')
  t.strictSame(ids(await store.take(10, 1000)), ['a'])
})

/** Lanes, groups, dead runs and schedules in every state there is. */
const fill = async (store: Store, clock: FakeClock): Promise<Lease> => {
  for (const id of ['open', 'ended', 'dead']) await accept(store, id)
  const [open, ended, dead] = await store.take(3, hourMs)
  if (!open || !ended || !dead) throw new Error('expected three leases')
  await store.finish(ended, { kind: 'done' })
  await store.finish(dead, { kind: 'dead', error: 'out of attempts' })
  for (const id of ['a', 'b', 'c', 'd', 'e']) await inLane(store, id, lane)
  const [a] = await store.take(1, hourMs)
  if (!a) throw new Error('expected a lease')
  await store.finish(a, { kind: 'again', afterMs: 5000, error: 'busy' })
  await group(store, 'g1')
  clock.advance(1000)
  await group(store, 'g2')
  await group(store, 'early', { key: 'early', keep: 'first' })
  await store.keepPositions(new Map([['nightly', 1.5]]))
  return open
}

/** What `fill` left, found and worked off. */
const holdsFilled = async (t: Test, store: Store, clock: FakeClock): Promise<void> => {
  const now = clock.monotonic()
  t.equal(await store.backlog(), 8)
  t.strictSame(await store.positions(), new Map([['nightly', 1.5]]))
  t.match(await store.standings(['dead', 'a', 'c', 'g2', 'early']), [
    { eventId: 'dead', state: 'dead', attempt: 1, error: 'out of attempts' },
    { eventId: 'a', state: 'waiting', attempt: 1, error: 'busy' },
    { eventId: 'c', state: 'waiting', attempt: 0 },
    { eventId: 'g2', state: 'waiting', attempt: 0 },
    { eventId: 'early', state: 'waiting', attempt: 0 },
  ])
  t.strictSame(ids(await store.take(10, 1000, 'groups')), ['g2', 'early'], 'also where older runs were never taken')
  t.match(await group(store, 'g2'), 'duplicate')
  const taken = await store.take(10, 3 * hourMs)
  t.match(
    ids(taken).filter((id) => id !== 'open'),
    ['b'],
    'c, d and e wait for their turns',
  )
  const b = taken.find(({ run }) => run.eventId === 'b')
  if (b === undefined) throw new Error('expected b')
  await store.finish(b, { kind: 'done' })
  t.match(await store.take(10, 3 * hourMs), [{ run: { eventId: 'c' }, attempt: 1, interrupted: false }])
  clock.advance(now + 5000 - clock.monotonic())
  const rest = await store.take(10, 3 * hourMs)
  t.match(new Map(rest.map(({ run, attempt }) => [run.eventId, attempt])).get('a'), 2, 'a has had its turn all the time')
  t.notOk(ids(rest).includes('d'))
  t.equal(await store.revive('dead'), true)
  t.strictSame(ids(await store.take(10, 1000)), ['dead'])
}

t.test('lanes, groups, dead runs and schedules survive a crash', async (t) => {
  const clock = fakeClock()
  const folder = join(newFolder(t), 'before')
  const first = await open(t, folder, clock)
  await fill(first, clock)
  const second = await open(t, crashed(folder), clock)
  await holdsFilled(t, second, clock)
})

t.test('lanes, groups, dead runs and schedules are the same after a batch that failed', async (t) => {
  const clock = fakeClock()
  const { store, database } = await openMortal(t, clock)
  const held = await fill(store, clock)
  database.dies = 'before'
  const lost = [
    inLane(store, 'f', { ...lane, limit: 9 }),
    group(store, 'g3'),
    store.take(10, hourMs, 'groups'),
    store.keepPositions(new Map([['nightly', 2]])),
    store.revive('dead'),
    store.prune(0, 0),
  ]
  for (const end of await Promise.allSettled(lost)) t.match(end, { status: 'rejected', reason: StoreFault })
  clock.advance(1000)
  await holdsFilled(t, store, clock)
  t.equal(database.recoveries, 1)
  t.equal(await store.finish(held, { kind: 'done' }), true, 'a lease stands')
})

t.test('runs of groups in a batch that was committed but not answered are free again, and lose no attempt', async (t) => {
  const clock = fakeClock()
  const { store, database } = await openMortal(t, clock)
  await group(store, 'a', { lane: { ...lane, limit: 1 } })
  database.dies = 'after'
  const calls = [store.take(10, hourMs, 'groups'), inLane(store, 'b', { ...lane, limit: 1 }), group(store, 'c')]
  for (const end of await Promise.allSettled(calls)) t.match(end, { status: 'rejected', reason: StoreFault })
  clock.advance(1000)
  t.equal(await group(store, 'c'), 'duplicate')
  t.equal(await store.backlog(), 3)
  const [a, ...others] = await store.take(10, hourMs)
  t.match(a, { run: { eventId: 'a' }, attempt: 1, interrupted: false })
  t.strictSame(ids(others), [])
  t.equal(a && (await store.finish(a, { kind: 'done' })), true)
  t.strictSame(ids(await store.take(10, hourMs)), ['b'])
})

t.test('a run that begins before older ones does not hide them from the next process', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  await accept(first, 'older')
  await inLane(first, 'a', { ...lane, limit: 1 })
  await inLane(first, 'b', { ...lane, limit: 1 })
  await inLane(first, 'c', { ...lane, limit: 2 })
  await group(first, 'g')
  t.strictSame(ids(await first.take(1, 1000, 'groups')), ['g'])
  t.strictSame(ids(await first.take(1, 1000)), ['older'])
  await first.close()
  const second = await open(t, folder, clock)
  t.strictSame(ids(await second.take(10, 1000)), ['older', 'g', 'a', 'b'])
  await inLane(second, 'd', { ...lane, limit: 1 })
  await second.close()

  const third = await open(t, folder, clock)
  const leases = new Map((await third.take(10, 1000)).map((lease) => [lease.run.eventId, lease]))
  const [a, b] = [leases.get('a'), leases.get('b')]
  if (a === undefined || b === undefined) throw new Error('expected two leases of the lane')
  await third.finish(a, { kind: 'done' })
  t.strictSame(ids(await third.take(10, 1000)), [], 'the limit is the one that was last said')
  await third.finish(b, { kind: 'done' })
  t.strictSame(ids(await third.take(10, 1000)), ['c'])
})

t.test('a wall clock that was set back holds no group, no turn and no dead run for longer', async (t) => {
  const folder = newFolder(t)
  const later = fakeClock()
  const first = await open(t, folder, later)
  await accept(first, 'dead')
  for (const lease of await first.take(1, 1000)) await first.finish(lease, { kind: 'dead', error: 'x' })
  await group(first, 'g')
  await inLane(first, 'a', { ...lane, limit: 1 })
  await inLane(first, 'b', { ...lane, limit: 1 })
  for (const lease of await first.take(1, 1000)) await first.finish(lease, { kind: 'done' })
  await first.close()

  const clock = fakeClock(later.now() - 100 * hourMs)
  const second = await open(t, folder, clock)
  t.strictSame(ids(await second.take(10, 10 * hourMs)), ['b'])
  t.equal(await second.dueInMs(), 30_000)
  clock.advance(29_999)
  t.match(await group(second, 'h'), { count: 2 })
  t.equal(await second.dueInMs(), 30_000)
  clock.advance(30_000)
  t.strictSame(ids(await second.take(10, 1000)), ['h'])
  t.equal(await second.prune(0, 10), 1)
})

t.test('what is damaged in a group, a dead run or a schedule stops nothing', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  for (const id of ['x', 'y', 'z']) await accept(first, id)
  for (const lease of await first.take(3, 1000)) await first.finish(lease, { kind: 'dead', error: 'x' })
  for (const id of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2']) await group(first, id, { key: id.slice(0, 1), lane })
  await first.keepPositions(
    new Map([
      ['p', 1],
      ['q', 2],
    ]),
  )
  await first.close()
  const bad = "cast(x'22ff00' as text)"
  tamper(folder, `update runs set run = ${bad}, error = ${bad} where id = 1; update runs set error = 'no JSON', lane = ${bad} where id = 2`)
  tamper(folder, `update groups set run = '' where id = 1; update groups set event = ${bad}, lane = ${bad} where id = 2`)
  tamper(folder, `update members set prompt = ${bad} where group_id = 3; update plans set key = ${bad} where at = 1`)
  const second = await open(t, folder, clock)
  t.strictSame(await second.positions(), new Map([['q', 2]]))
  t.match(await group(second, 'b3', { key: 'b' }), { group: '', count: 3 })
  t.strictSame(await second.standings(['x', 'y', 'z', 'a2', 'd2']), [
    { eventId: 'y', state: 'dead', attempt: 1 },
    { eventId: 'z', state: 'dead', attempt: 1, error: 'x' },
    { eventId: 'd2', state: 'waiting', attempt: 0, dueInMs: 30_000 },
  ])
  t.strictSame([await second.revive('x'), await second.revive('y')], [false, true])
  clock.advance(30_000)
  t.strictSame(ids(await second.take(10, 1000)), ['y'], 'the others cannot be read')
  t.strictSame(ids(await second.take(10, 1000)), ['d2'], 'they gave their turns on')
  t.equal(await second.backlog(), 2)
})

const version1 = `
  create table claims (key text primary key, expires_at real not null, mark integer not null) without rowid;
  create table runs (
    id integer primary key autoincrement, fence integer not null default 0, attempt integer not null default 0,
    leased integer not null default 0, due_at real, error text, reply text, run text not null
  );
  create index tried on runs (due_at) where fence > 0;
  pragma application_id = 1212629332;
  pragma user_version = 1;
`

t.test('a claim whose key is damaged ends as any other', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  await (await open(t, folder, clock)).close()
  const keys = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
    select cast(x'22ff' || i as text), 0, 0 from n`
  tamper(folder, `insert into claims ${keys}`)
  const store = await open(t, folder, clock)
  const left = (): unknown => {
    const db = new Database(fileIn(folder), { readonly: true })
    const [row] = db.prepare('select count(*) from claims where expires_at = 0').raw().all() as unknown[][]
    db.close()
    return row?.[0]
  }
  // A search for claims that have ended comes after 256 new claims.
  const claimMany = async (name: string): Promise<void> => {
    for (let i = 0; i < 300; i++) t.equal(await store.claim(claimOf(`${name}-${i}`)), 'claimed')
  }
  await claimMany('a')
  for (let i = 0; i < 4; i++) await claimMany(String(i))
  await store.close()
  t.equal(left(), 0)
})

t.test('a file of the first version is brought up to this one', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  tamper(folder, version1)
  const row = (id: string, columns: string): string =>
    `insert into runs (fence, attempt, leased, due_at, error, reply, run) values (${columns}, '${JSON.stringify(runOf(id))}');`
  const now = clock.monotonic()
  tamper(folder, row('dead', `3, 3, 0, null, 'it said "no"', '"the reply"'`))
  tamper(folder, row('leased', `1, 1, 1, ${now + hourMs}, null, null`))
  tamper(folder, row('again', `2, 2, 0, ${now + 500}, 'busy', null`))
  tamper(folder, row('waiting', '0, 0, 0, null, null, null'))
  const store = await open(t, folder, clock)
  t.equal(await store.backlog(), 3)
  t.strictSame(await store.standings(['dead', 'leased', 'again', 'waiting']), [
    { eventId: 'dead', state: 'dead', attempt: 3, error: 'it said "no"' },
    { eventId: 'leased', state: 'running', attempt: 1 },
    { eventId: 'again', state: 'waiting', attempt: 2, dueInMs: 500, error: 'busy' },
    { eventId: 'waiting', state: 'waiting', attempt: 0 },
  ])
  t.match(await store.take(10, 1000), [
    { run: runOf('leased'), attempt: 2, interrupted: true },
    { run: runOf('waiting'), attempt: 1, interrupted: false },
  ])
  t.equal(await store.prune(0, 10), 0, 'the dead one is as old as the opening')
  t.equal(await store.revive('dead'), true)
  t.match(await store.take(10, 1000), [{ run: runOf('dead'), attempt: 1, fence: 5, reply: 'the reply' }])
  await group(store, 'a')
  await inLane(store, 'b', lane)
  await store.close()
  const again = await open(t, folder, clock)
  t.equal(await again.backlog(), 6)
})

t.test('a file is copied before it is upgraded, and a program of before is told of the copy', async (t) => {
  const folder = newFolder(t)
  tamper(folder, `pragma journal_mode = wal; ${version1} insert into runs (run) values ('${JSON.stringify(runOf('waiting'))}')`)
  const copy = `${fileIn(folder)}.before-v${storeForm.versions.length}`
  const store = await openSqlite({ folder, durability: 'fsync', clock: fakeClock() })
  await accept(store, 'later')
  await store.close()
  t.equal(statSync(copy).mode & 0o777, 0o600)
  t.strictSame(readdirSync(folder), ['headgate.db', `headgate.db.before-v${storeForm.versions.length}`])
  tamper(folder, 'pragma user_version = 99')
  const opening = openSqlite({ folder, durability: 'fsync', clock: fakeClock() })
  t.match(await opening.catch((thrown: unknown) => thrown), {
    exitCode: 78,
    hint: `run that version, or lose what was accepted since the upgrade: mv "${fileIn(folder)}" "${fileIn(folder)}.newer" && mv "${copy}" "${fileIn(folder)}"`,
  })
  renameSync(copy, fileIn(folder))
  t.equal(await (await open(t, folder, fakeClock())).backlog(), 1, 'the copy has what was there before')
})

t.test('a file that cannot be copied is not upgraded', async (t) => {
  const folder = newFolder(t, { [`headgate.db.before-v${storeForm.versions.length}`]: { x: '' } })
  tamper(folder, version1)
  const before = readFileSync(fileIn(folder))
  const opening = openSqlite({ folder, durability: 'fsync', clock: fakeClock() })
  t.match(await opening.catch((thrown: unknown) => thrown), { code: 'store_not_copied', exitCode: 1, hint: /nothing was changed/ })
  t.ok(before.equals(readFileSync(fileIn(folder))))
})

/** The file of the version before sessions, as that version made it. */
const version2 = `${version1.replace('user_version = 1', 'user_version = 2')}
  alter table runs add column lane text;
  alter table runs add column lane_limit integer;
  alter table runs add column ended_at real;
  create index parked on runs (lane, id) where fence < 0;
  create index dead on runs (ended_at) where ended_at is not null;
  create table groups (
    id integer primary key, key text not null unique, event text not null, count integer not null, keep text not null, first_at real not null,
    due_at real not null, window_ms real not null, lane text, lane_limit integer, run text not null
  );
  create index ripe on groups (due_at);
  create table members (group_id integer not null, n integer not null, chars integer not null, prompt text not null, primary key (group_id, n))
    without rowid;
  create table plans (key text primary key, at real not null) without rowid;
`

const sessionOf = (name: string): SessionName => ({
  key: name,
  profile: 'default',
  route: 'r',
  name,
  chatAddress: { platform: 'telegram', chat: name },
})
const says = (text: string): SessionMessage => ({ role: 'user', text, at: 1 })
const nothing = { tokens: 0, cost: 0 }

t.test('a file of the version before sessions is brought up to this one', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  tamper(folder, version2)
  tamper(folder, `insert into runs (run) values ('${JSON.stringify(runOf('waiting'))}'); insert into plans values ('"p"', 5)`)
  const store = await open(t, folder, clock)
  t.strictSame(await store.positions(), new Map([['p', 5]]))
  t.strictSame(ids(await store.take(10, 1000)), ['waiting'])
  t.strictSame(await store.sessions({}, 10), [])
  await store.converse(sessionOf('a'), 'e1', [says('x')])
  await store.spend('k', 1000, { tokens: 1, cost: 0.5 })
  await store.accept({ ...runOf('of a'), session: { key: 'a', name: 'a' } }, claimOf('of a'))
  await store.close()
  const again = await open(t, folder, clock)
  t.strictSame(await again.sessions({}, 10), [{ ...sessionOf('a'), ageMs: 0, idleMs: 0, messages: 1 }])
  t.strictSame(await again.conversation('a', 10), [says('x')])
  t.equal(await again.converse(sessionOf('a'), 'e1', [says('x')]), false)
  t.strictSame(await again.spend('k', 1, nothing), { tokens: 1, cost: 0.5 })
  t.match(await again.take(10, 1000), [{ run: { eventId: 'waiting' } }, { run: { eventId: 'of a', session: { key: 'a', name: 'a' } } }])
})

t.test('a file of the version with longer keys knows its delivery ids, groups and lanes', async (t) => {
  const folder = newFolder(t)
  const longKey = (key: string): string => createHash('sha256').update(key).digest('base64url')
  tamper(folder, version2)
  tamper(
    folder,
    `insert into claims values ('${longKey(claimOf('known').key)}', 9e15, 0);
    insert into groups values (1, '${longKey('g')}', '"first"', 1, 'latest', 0, 9e15, 1000, null, null, '${JSON.stringify(runOf('first'))}');
    insert into runs (lane, lane_limit, run) values ('${longKey('l')}', 1, '${JSON.stringify(runOf('open'))}')`,
  )
  const store = await open(t, folder, fakeClock())
  t.equal(await store.accept(runOf('known'), claimOf('known')), 'duplicate')
  const group = { key: 'g', windowMs: 1000, maxWaitMs: 1000, keep: 'latest' as const }
  t.match(await store.join(runOf('second'), claimOf('second'), group), { count: 2 })
  t.equal(await store.accept(runOf('next'), claimOf('next'), { key: 'l', limit: 1, whenFull: 'refuse' }), 'busy')
})

t.test('a wall clock that was set back keeps no session and no sum for longer', async (t) => {
  const folder = newFolder(t)
  const first = await open(t, folder, fakeClock(1_700_000_000_000))
  await first.converse(sessionOf('a'), 'e1', [says('x')])
  await first.spend('k', 1000, { tokens: 1, cost: 0 })
  await first.close()
  const clock = fakeClock(1_600_000_000_000)
  const second = await open(t, folder, clock)
  t.match(await second.session('a'), { ageMs: 0, idleMs: 0 })
  clock.advance(999)
  t.match(await second.spend('k', 1000, nothing), { tokens: 1 })
  clock.advance(1)
  t.match(await second.spend('k', 1000, nothing), { tokens: 0 })
  t.equal(await second.forgetSessions(999), 1)
})

t.test('what is damaged in a session stops nothing', async (t) => {
  const folder = newFolder(t)
  const clock = fakeClock()
  const first = await open(t, folder, clock)
  for (const name of ['a', 'b', 'c', 'd']) {
    await first.converse(sessionOf(name), 'e1', [says('x')])
    await first.converse(sessionOf(name), 'e2', [says('y')])
  }
  await first.spend('k', 1000, { tokens: 1, cost: 0 })
  await first.close()
  const bad = "cast(x'22ff00' as text)"
  tamper(folder, `update sessions set about = ${bad} where id = 1; update sessions set place = '{}', about = about || ' ' where id = 2`)
  tamper(
    folder,
    `update messages set message = ${bad} where n = 1; update messages set message = '{"role":"system","text":"x"}' where session_id = 3`,
  )
  tamper(folder, `update sessions set key = ${bad} where id = 4`)
  tamper(folder, "update sums set tokens = 'many'; update sessions set used = 'x', updated_at = 'y' where id = 1")
  const second = await open(t, folder, clock)
  t.strictSame(
    (await second.sessions({}, 10)).map(({ name, chatAddress }) => [name, chatAddress?.chat]),
    [
      ['d', 'd'],
      ['c', 'c'],
      ['b', undefined],
    ],
  )
  t.equal(await second.session('a'), undefined)
  t.strictSame(await second.conversation('b', 10), [says('y')])
  t.strictSame(await second.conversation('c', 10), [])
  t.equal(await second.converse(sessionOf('a'), 'e3', [says('z')]), true)
  t.strictSame(await second.conversation('a', 10), [says('y'), says('z')])
  t.equal(await second.mirror('default', { platform: 'telegram', chat: 'c' }, says('copy')), 'written')
  t.strictSame(await second.spend('k', 1, nothing), nothing)
  t.strictSame(await second.spend('k', 1, { tokens: 2, cost: 0 }), { tokens: 2, cost: 0 })
  t.equal(await accept(second, 'run'), 'accepted')
})

t.test('the queue before the ledger is bounded', async (t) => {
  const clock = fakeClock()
  const store = await open(t, newFolder(t), clock)
  const ends = await Promise.allSettled(Array.from({ length: 10_500 }, () => store.settle({ key: 'nobody', holdMs: 3_600_000 }, true)))
  t.equal(ends.filter((end) => end.status === 'fulfilled').length, 10_000)
  t.equal(await accept(store, 'a'), 'accepted')
})

type Files = { readonly file: Buffer; readonly log: Buffer }

/** A disk that has of each file only what was synced, and that may fail. */
class FakeDisk {
  readonly #folder: string
  #synced: Files
  syncs = 0
  /** Which syncs fail. */
  fails = (_nth: number): boolean => false
  /** Called around each sync, with what a power cut may leave then: of each file what was synced, or all that was written. */
  onSync = async (_cuts: readonly Files[]): Promise<void> => {}

  constructor(folder: string) {
    this.#folder = folder
    this.#synced = this.#written()
  }

  readonly sync = async (handle: number): Promise<void> => {
    const written = this.#written()
    await this.onSync(this.#cuts(written))
    if (this.fails(++this.syncs)) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    const isLog = fstatSync(handle).ino === statSync(`${fileIn(this.#folder)}-wal`).ino
    this.#synced = isLog ? { ...this.#synced, log: written.log } : { ...this.#synced, file: written.file }
    await this.onSync(this.#cuts(written))
  }

  #written(): Files {
    return { file: readFileSync(fileIn(this.#folder)), log: readFileSync(`${fileIn(this.#folder)}-wal`) }
  }

  #cuts(written: Files): readonly Files[] {
    const [file, log] = [this.#synced.file.equals(written.file), this.#synced.log.equals(written.log)]
    const files = file ? [written.file] : [this.#synced.file, written.file]
    const logs = log ? [written.log] : [this.#synced.log, written.log, ...mixturesOf(this.#synced.log, written.log)]
    return files.flatMap((file) => logs.map((log) => ({ file, log })))
  }
}

const block = 4096

/** What may be on the disk of a file that was being written: of the blocks that changed the first alone, all others, or the second half. */
const mixturesOf = (before: Buffer, after: Buffer): readonly Buffer[] => {
  const of = (bytes: Buffer, i: number): Buffer => bytes.subarray(i * block, (i + 1) * block)
  const blocks = [...Array(Math.ceil(Math.max(before.length, after.length) / block)).keys()]
  const changed = blocks.filter((i) => !of(before, i).equals(of(after, i)))
  const mixed = (news: readonly number[]): Buffer => {
    const isNew = new Set(news)
    return Buffer.concat(blocks.map((i) => of(isNew.has(i) ? after : before, i)))
  }
  return [changed.slice(0, 1), changed.slice(1), changed.slice(changed.length / 2)].map(mixed)
}

const openOn = async (t: Test, folder: string, clock: FakeClock) => {
  let disk: FakeDisk | undefined
  const database = new DurableDatabase(folder, 'fsync', async (handle) => disk?.sync(handle))
  disk = new FakeDisk(folder)
  const store = await openSqlite({ folder, durability: 'fsync', clock }, () => database)
  t.teardown(() => store.close())
  return { store, disk }
}

/** The ids of the runs in these files. */
const idsIn = async (t: Test, folder: string, { file, log }: Files): Promise<string[]> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileIn(folder), file)
  writeFileSync(`${fileIn(folder)}-wal`, log)
  const clock = fakeClock()
  const store = await open(t, folder, clock)
  const found = ids(await store.take(1_000, 1_000))
  const again = await Promise.all(found.map((id) => accept(store, id)))
  if (again.some((got) => got !== 'duplicate')) t.fail(`accepted twice: ${again.join(', ')} of ${found.join(', ')}`)
  await store.close()
  return found
}

const large = 'x'.repeat(900_000)

const recovered = async (store: Store, clock: FakeClock): Promise<void> => {
  let isBack = false
  void store.recovered().then(() => {
    isBack = true
  })
  while (!isBack) {
    clock.advance(500)
    await nextTurn()
  }
}

t.test('a power cut at any moment takes nothing that was accepted', async (t) => {
  const folder = join(newFolder(t), 'a')
  const { store, disk } = await openOn(t, folder, fakeClock())
  const promised: string[] = []
  let cuts = 0
  disk.onSync = async (all) => {
    for (const cut of all) {
      cuts++
      const found = new Set(await idsIn(t, `${folder}-cut`, cut))
      const lost = promised.filter((id) => !found.has(id))
      if (lost.length > 0) t.fail(`lost: ${lost.join(', ')}`)
    }
  }
  // The log is copied into the file twice meanwhile, with three syncs each, and then written over in place.
  for (let i = 0; i < 22; i++) {
    const id = `id-${i}`
    // The first is small: while a large one is written over it, a power cut may leave it alone of the old log.
    await store.accept({ ...runOf(id), ...(i > 0 ? { prompt: large } : {}) }, claimOf(id))
    promised.push(id)
  }
  await store.close()
  t.ok(disk.syncs >= 22 + 2 * 3, `${disk.syncs} syncs`)
  t.ok(cuts > 2 * disk.syncs, `${cuts} cuts`)
})

t.test('a log that is copied into the file again and again keeps its length', async (t) => {
  const folder = newFolder(t)
  const store = await open(t, folder, fakeClock())
  let longest = 0
  for (let i = 0; i < 35; i++) {
    await store.accept({ ...runOf(`id-${i}`), prompt: large }, claimOf(`id-${i}`))
    longest = Math.max(longest, statSync(`${fileIn(folder)}-wal`).size)
  }
  t.ok(longest > 8 * 1024 * 1024 && longest < 10 * 1024 * 1024, `the log was ${longest} bytes long`)
})

t.test('whichever sync fails, work goes on, and nothing that was accepted is lost or doubled', async (t) => {
  const clock = fakeClock()
  for (let nth = 1; nth <= 13; nth++) {
    const folder = join(newFolder(t), 'a')
    rmSync(folder, { recursive: true, force: true })
    const { store, disk } = await openOn(t, folder, clock)
    const first = disk.syncs
    disk.fails = (at) => at === first + nth || at === first + nth + 1
    const accepted = new Set<string>()
    for (let i = 0; i < 12; i++) {
      const id = `id-${i}`
      for (let tries = 0; !accepted.has(id) && tries < 10; tries++) {
        const got = await store.accept({ ...runOf(id), prompt: large }, claimOf(id)).catch((why: unknown) => why)
        // After a refusal nobody knows whether it was stored: the second time says so.
        if (got === 'accepted' || (got === 'duplicate' && tries > 0)) accepted.add(id)
        else if (!(got instanceof StoreFault)) t.fail(`${id}: ${got}`)
        else {
          await recovered(store, clock)
        }
      }
    }
    t.strictSame(ids(await store.take(100, 1_000)), [...accepted], `sync ${nth}`)
    t.equal(accepted.size, 12)
    await store.close()
  }
})

const stopsDoubtful = async (t: Test, folder: string, areLost: boolean): Promise<void> => {
  const clock = fakeClock()
  const { store, disk } = await openOn(t, folder, clock)
  const before = readFileSync(fileIn(folder))
  let isBroken = false
  disk.fails = () => isBroken
  disk.onSync = async () => {
    // The second sync after a commit that filled the log is that of the file.
    if (statSync(`${fileIn(folder)}-wal`).size > 8 * 1024 * 1024 && statSync(fileIn(folder)).size > 8 * 1024 * 1024) isBroken = true
  }
  const accepted: string[] = []
  for (let i = 0; i < 12 && !isBroken; i++) {
    const id = `id-${i}`
    const got = await store.accept({ ...runOf(id), prompt: large }, claimOf(id)).catch((why: unknown) => why)
    if (got === 'accepted') accepted.push(id)
  }
  t.ok(isBroken)
  await store.close()
  // The system may have thrown away the pages that it could not write.
  if (areLost) writeFileSync(fileIn(folder), before)
  const second = await open(t, folder, clock)
  const found = ids(await second.take(100, 1_000))
  t.strictSame(found.slice(0, accepted.length), accepted)
  await second.close()
  t.strictSame(readdirSync(folder), ['headgate.db'])
}

t.test('a file that could not be synced needs its log, also after a stop', async (t) => {
  const folder = newFolder(t)
  for (const areLost of [true, false]) await stopsDoubtful(t, join(folder, String(areLost)), areLost)
})

/** A frame of the log: 24 bytes, and a page (https://www.sqlite.org/fileformat.html, 4.1). */
const frame = 24 + 4096

/** Where the frames of a log end: each repeats 8 bytes of the log's header. */
const endOf = (log: Buffer): number => {
  let end = 32
  while (log.subarray(end + 8, end + 16).equals(log.subarray(16, 24))) end += frame
  return end
}

t.test('a lone event takes two pages of the log, and now and then a new one', async (t) => {
  const folder = newFolder(t)
  const store = await open(t, folder, fakeClock())
  const events = 30
  const log = (): number => endOf(readFileSync(`${fileIn(folder)}-wal`))
  await accept(store, 'first')
  const before = log()
  for (let i = 0; i < events; i++) await accept(store, `id-${i}`)
  const pages = (log() - before) / frame
  t.ok(pages >= 2 * events && pages < 2.5 * events, `${pages} pages for ${events} events`)
})

t.test('a log that is torn at any byte of its last page is read up to there', async (t) => {
  const folder = join(newFolder(t), 'a')
  const store = await open(t, folder, fakeClock())
  for (const id of ['a', 'b', 'c']) await accept(store, id)
  const whole = readFileSync(`${fileIn(folder)}-wal`)
  const end = endOf(whole)
  t.ok(end > 32 + 3 * frame && whole.subarray(end).every((byte) => byte === 0), `${end} bytes, then zeros`)
  const cut = { file: readFileSync(fileIn(folder)), log: whole.subarray(0, end) }
  const torn = async (log: Buffer): Promise<string[]> => idsIn(t, `${folder}-torn`, { ...cut, log })
  t.strictSame(await torn(cut.log), ['a', 'b', 'c'])
  const folderOfRaw = `${folder}-raw`
  mkdirSync(folderOfRaw)
  for (let bytes = 1; bytes <= frame; bytes++) {
    const short = cut.log.subarray(0, cut.log.length - bytes)
    const holed = Buffer.concat([short, Buffer.alloc(bytes)])
    const isSampled = bytes <= 24 || bytes % 499 === 0 || bytes >= frame - 24
    for (const log of isSampled && !holed.equals(cut.log) ? [short, holed] : [short]) {
      const found = isSampled ? await torn(log) : runsIn(folderOfRaw, { ...cut, log })
      if (found.join() !== 'a,b') t.fail(`${bytes} bytes short: ${found.join()}`)
    }
  }
})

/** The runs in these files, as the database alone reads them: the log is its own. */
const runsIn = (folder: string, { file, log }: Files): string[] => {
  writeFileSync(fileIn(folder), file)
  writeFileSync(`${fileIn(folder)}-wal`, log)
  rmSync(`${fileIn(folder)}-shm`, { force: true })
  const db = new Database(fileIn(folder))
  const rows = db.prepare('select run from runs order by id').raw().all() as [string][]
  db.close()
  return rows.map(([run]) => JSON.parse(run).deliveryId)
}

t.test('no statement looks through all runs or claims, but for those of a start and of a fault', async (t) => {
  const db = new Database(':memory:')
  db.exec(upgradeFrom(0, storeForm.versions))
  const texts: string[] = []
  const prepare = (text: string) => {
    texts.push(text)
    return db.prepare(text)
  }
  const names = Object.keys(statementsOf({ prepare } as Database.Database))
  const scans = (text: string): boolean => {
    const steps = db.prepare(`explain query plan ${text}`).raw().all() as [number, number, number, string][]
    return steps.some(([, , , step]) => /^SCAN (?:runs|claims)/.test(step))
  }
  const allowed = ['releaseAllClaims', 'capClaims', 'anyClaim', 'freeRuns', 'freeUnheldRuns', 'openCounts', 'openLanes']
  t.strictSame(
    names.filter((_, i) => scans(texts[i] ?? '')),
    allowed,
  )
})

t.test('a backlog of several pages: each event stands where it is', async (t) => {
  const store = await open(t, newFolder(t), fakeClock())
  await Promise.all(Array.from({ length: 4_500 }, (_, i) => accept(store, `id-${i}`)))
  await group(store, 'g')
  const found = await store.standings(['id-0', 'id-1999', 'id-2000', 'id-4499', 'g', 'nobody'])
  t.strictSame(
    found.map(({ eventId }) => eventId),
    ['id-0', 'id-1999', 'id-2000', 'id-4499', 'g'],
  )
})

t.test('the table of held keys grows, forgets what has ended, and says when it is full', (t) => {
  const keyAt = (i: number): string => createHash('sha256').update(String(i)).digest('base64url')
  const table = new RecentClaims(1 << 17)
  const room = Math.floor((1 << 17) * 0.6)
  let claimed = 0
  while (table.claim(keyAt(claimed), 1_000, 0) === 'claimed') claimed++
  t.ok(claimed > room * 0.85 && claimed <= room + 1, `${claimed} of ${room}`)
  t.equal(table.claim(keyAt(0), 1_000, 0), 'held')
  t.ok(Array.from({ length: claimed }, (_, i) => table.holds(keyAt(i), 999)).every(Boolean))
  t.notOk(table.holds(keyAt(claimed), 0))
  t.notOk(table.holds(keyAt(0), 1_000), 'it has ended')
  t.equal(table.claim(keyAt(0), 2_000, 1_000), 'full', 'a full table is not looked through for each key')
  t.equal(table.claim(keyAt(0), 200_000, 100_000), 'claimed')
  t.ok(table.holds(keyAt(0), 199_999))
  t.end()
})

t.test('killed in mid-work it keeps all that it had promised', async (t) => {
  const folder = newFolder(t)
  const child = startChild(t, folder, 1_000_000)
  await child.until((lines) => lines.length >= 300)
  child.process.kill('SIGKILL')
  await child.end()
  const promised = child.lines.filter((line) => line.startsWith('id-'))
  t.ok(promised.length >= 300)
  await holds(t, folder, promised)
})

t.test(
  'a disk that is full refuses, and works again when there is room',
  { skip: process.platform !== 'linux' && 'needs prlimit' },
  async (t) => {
    const folder = newFolder(t)
    // A file that may not grow: the same failing write that a full disk gives, without needing to be root.
    const child = startChild(t, folder, 2000, 'ulimit -S -f 1200')
    await child.until((lines) => lines.some((line) => line.includes('refused')))
    t.match(child.lines.at(-1), /^8 of 8 refused: StoreFault: .*(I\/O|full)/i)
    child.process.stdin?.write('\n')
    await child.until((lines) => lines.filter((line) => line.includes('refused')).length === 2)
    execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited:'])
    child.process.stdin?.write('\n')
    t.equal((await child.end()).code, 0, 'the process never went down')
    const promised = child.lines.filter((line) => line.startsWith('id-'))
    t.equal(promised.length, 2000 - 16)
    await holds(t, folder, promised)
  },
)

/** Everything promised is there, once. */
const holds = async (t: Test, folder: string, promised: readonly string[]): Promise<void> => {
  const store = await open(t, folder, fakeClock(Date.now()))
  const found = ids(await store.take(1_000_000, 1000))
  const missing = promised.filter((id) => !new Set(found).has(id))
  t.strictSame(missing, [])
  t.equal(new Set(found).size, found.length)
}

type Child = {
  readonly process: ChildProcess
  readonly lines: string[]
  until(met: (lines: readonly string[]) => boolean): Promise<void>
  end(): Promise<{ code: number | null; errors: string }>
}

const startChild = (t: Test, folder: string, count: number, limits = ''): Child => {
  const script = fileURLToPath(new URL('../fakes/sqlite-child.ts', import.meta.url))
  const command = [process.execPath, '--import', import.meta.resolve('tsx'), script, folder, String(count)]
  // The test runner puts an option into the environment of every child: a signal handler that would end this one over its file limit.
  const child = spawn('sh', ['-c', `unset NODE_OPTIONS; ${limits}\nexec "$@"`, 'sh', ...command])
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  let errors = ''
  child.stderr.on('data', (data: Buffer) => {
    errors += data
  })
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const closed = once(child, 'close')
  return {
    process: child,
    lines,
    async until(met) {
      const ended = closed.then(() => Promise.reject(new Error(`the child ended: ${child.signalCode ?? child.exitCode} ${errors}`)))
      ended.catch(() => undefined)
      while (!met(lines)) await Promise.race([once(reader, 'line'), ended])
    },
    async end() {
      await closed
      return { code: child.exitCode, errors }
    },
  }
}

t.test('a held file has what was committed before, and stays as it is while commits go on', async (t) => {
  const folder = newFolder(t)
  const store = await openSqlite({ folder, durability: 'fsync', clock: fakeClock() })
  const large = (id: string): NewRun => ({ ...runOf(id), prompt: 'p'.repeat(1024 * 1024) })
  for (const id of ['one', 'two']) await store.accept(large(id), claimOf(id))
  const held = await store.hold?.()
  const copy = readFileSync(fileIn(folder))
  // More than the longest log: without the hold, these commits would be copied into the file.
  for (let i = 0; i < 12; i++) await store.accept(large(`later-${i}`), claimOf(`later-${i}`))
  t.ok(copy.equals(readFileSync(held?.file ?? '')))
  t.equal(await held?.release(), true)
  for (let i = 0; i < 12; i++) await store.accept(large(`last-${i}`), claimOf(`last-${i}`))
  t.notOk(copy.equals(readFileSync(fileIn(folder))), 'the log is copied into the file again')
  t.ok(statSync(`${fileIn(folder)}-wal`).size <= 9 * 1024 * 1024, 'and becomes short')
  const second = await store.hold?.()
  const third = await store.hold?.()
  await store.close()
  t.equal(await second?.release(), false, 'another hold ended it')
  t.equal(await third?.release(), false, 'the end of the store changed the file')
  const restored = newFolder(t, { 'headgate.db': copy.toString('latin1') })
  writeFileSync(fileIn(restored), copy)
  t.equal(await (await open(t, restored, fakeClock())).backlog(), 2)
})
