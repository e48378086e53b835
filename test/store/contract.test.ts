/** What every store promises, run against each of them. */

import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import { StoreFault } from '../../src/core/fault.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import type { RunEnd } from '../../src/core/run-end.ts'
import type { ChatAddress, SessionMessage, SessionName } from '../../src/core/session.ts'
import { stores } from '../../src/store/index.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import type { Accepted, Claim, Group, Joined, Lane, Lease, PendingWork, Store, StoredStanding, StoreTotals } from '../../src/store/ports.ts'
import type { Erased, OpenStore, StorePart } from '../../src/store/store-part.ts'
import { aheadOf, type FakeClock, fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { postgresParts } from '../fakes/postgres-store.ts'
import { openedIn, pollEveryMs, sharedStore } from '../fakes/shared-store.ts'

const hourMs = 3_600_000

const runOf = (id: string, prompt = `prompt of ${id}`): NewRun => ({
  eventId: `evt-${id}`,
  profile: 'default',
  route: 'reviews',
  event: 'pull_request',
  deliveryId: id,
  prompt,
  delivery: { target: 'log', extra: { repo: 'acme/widgets', nested: { list: [1, null, true], text: 'ü"\\\n' } } },
  acceptedAt: 1_700_000_000_000,
})

/** A kind of store that keeps the promises. */
type Subject = {
  readonly name: string
  /** A new one, whose own time passes as this clock's does. */
  readonly at: (clock: Clock) => StorePart & { close?(): Promise<void> }
  /** After so long it is asked again whatever waits, for others may have brought work. */
  readonly pollEveryMs?: number
}

const shared: Subject = { name: 'shared', at: (clock) => sharedStore(aheadOf(clock, hourMs)), pollEveryMs }
/** The real server of the tests below; absent where this machine has none. */
const server = withoutPostgres ? undefined : await openPostgresServer()
const parts = server && postgresParts(server, pollEveryMs)
t.teardown(async () => {
  await parts?.end()
  await server?.stop()
})
const postgres: readonly Subject[] = parts ? [{ name: 'postgres', at: (clock) => parts.make(aheadOf(clock, hourMs)), pollEveryMs }] : []
const sole = stores.filter(({ ownership }) => ownership === 'sole')
const subjects: readonly Subject[] = [...sole.map((part) => ({ name: part.name, at: () => part })), shared, ...postgres]
t.test('postgres: a real server', { skip: withoutPostgres }, async (t) => t.ok(server))

type Setting = {
  readonly store: OpenStore
  readonly clock: FakeClock
  readonly accept: (id: string, lane?: Lane) => Promise<Accepted>
  readonly join: (id: string, group: Group, prompt?: string) => Promise<Joined>
  /** Takes what there is and ends it as done; the delivery ids. */
  readonly work: () => Promise<string[]>
  readonly claimOf: (key: string) => Claim
  /** What `dueInMs` says when the next run is due in so long. */
  readonly due: (inMs: number | undefined) => number | undefined
}

const ids = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.run.deliveryId)

const only = (leases: readonly Lease[]): Lease => {
  const [lease] = leases
  if (lease === undefined || leases.length > 1) throw new Error(`expected one lease, found ${leases.length}`)
  return lease
}

const laneOf = (limit: number, whenFull: Lane['whenFull'] = 'wait', key = 'lane'): Lane => ({ key, limit, whenFull })

const chat: ChatAddress = { platform: 'telegram', chat: '42' }
const nameOf = (name: string, more: Partial<SessionName> = {}): SessionName => ({
  key: `session/${name}`,
  profile: 'default',
  route: 'chat',
  name,
  ...more,
})
const says = (text: string, role: SessionMessage['role'] = 'user'): SessionMessage => ({ role, text, at: 1_700_000_000_000 })
const textsOf = async (store: Store, name: string, max = 1000): Promise<string[]> =>
  (await store.conversation(nameOf(name).key, max)).map(({ text }) => text)
const namesOf = async (store: Store, of: Parameters<Store['sessions']>[0] = {}, max = 20_000): Promise<string[]> =>
  (await store.sessions(of, max)).map(({ name }) => name)

/**
 * Erases the events of these delivery ids: `event/attempts` of each run that was ended, `event` of each dead run, then those in progress.
 */
const erasedOf = ({ runs, running }: Erased): readonly [string[], string[]] => [
  runs.map(({ deliveryId, ended }) => (ended === undefined ? deliveryId : `${deliveryId}/${ended}`)).sort(),
  running.toSorted(),
]
const eventIds = (...ids: string[]): string[] => ids.map((id) => `evt-${id}`)

const groupOf = (more: Partial<Group> = {}): Group => ({ key: 'pr-1', windowMs: 30_000, maxWaitMs: 300_000, keep: 'latest', ...more })

for (const { name, at, pollEveryMs } of subjects) {
  t.test(name, (t) => {
    const promise = (title: string, check: (t: Test, setting: Setting) => Promise<void>): void => {
      t.test(title, async (t) => {
        const clock = fakeClock()
        const part = at(clock)
        const store = await part.open(openedIn(newFolder(t), clock))
        t.teardown(async () => {
          await store.close()
          await part.close?.()
        })
        const claimOf = (key: string): Claim => ({ key, holdMs: hourMs })
        await check(t, {
          store,
          clock,
          claimOf,
          due: (inMs) => (pollEveryMs === undefined ? inMs : Math.min(inMs ?? pollEveryMs, pollEveryMs)),
          accept: (id, lane) => store.accept(runOf(id), claimOf(id), lane),
          join: (id, group, prompt) => store.join(runOf(id, prompt), claimOf(id), group),
          async work() {
            const leases = await store.take(100, 1000)
            for (const lease of leases) await store.finish(lease, { kind: 'done' })
            return ids(leases)
          },
        })
      })
    }

    promise(
      'the trace context of a trusted caller stays with its run, also in a group and at a second attempt',
      async (t, { store, claimOf }) => {
        const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
        await store.accept({ ...runOf('a'), traceparent }, claimOf('a'))
        const first = only(await store.take(9, 1000))
        t.equal(first.run.traceparent, traceparent)
        await store.finish(first, { kind: 'again', afterMs: 0, error: 'e' })
        const second = only(await store.take(9, 1000))
        t.equal(second.run.traceparent, traceparent)
        await store.finish(second, { kind: 'done' })
        await store.join({ ...runOf('b'), traceparent }, claimOf('b'), groupOf({ windowMs: 0, maxWaitMs: 0 }))
        t.equal(only(await store.take(9, 1000)).run.traceparent, traceparent)
      },
    )

    promise('files stay with their run through attempts, groups and a revival', async (t, { store, claimOf }) => {
      const data = Buffer.alloc(3_000_000, 'files').toString('base64')
      const files = [{ name: 'a.pdf', type: 'application/pdf', sha256: 'ab', data }]
      await store.accept({ ...runOf('a'), files }, claimOf('a'))
      const first = only(await store.take(9, 1000))
      t.strictSame(first.run.files, files)
      await store.finish(first, { kind: 'dead', error: 'e' })
      t.equal(await store.revive('evt-a'), true)
      const again = only(await store.take(9, 1000))
      t.strictSame(again.run.files, files)
      await store.finish(again, { kind: 'done' })
      await store.join({ ...runOf('b'), files }, claimOf('b'), groupOf({ windowMs: 0, maxWaitMs: 0, keep: 'all' }))
      t.strictSame(only(await store.take(9, 1000)).run.files, files)
    })

    promise('an id is accepted once, also when asked twice in one turn', async (t, { store, accept }) => {
      t.strictSame(await Promise.all([accept('a'), accept('b'), accept('a')]), ['accepted', 'accepted', 'duplicate'])
      t.equal(await accept('b'), 'duplicate')
      t.equal(await store.backlog(), 2)
      t.strictSame(ids(await store.take(10, 1000)), ['a', 'b'])
    })

    promise('work of several events is taken together, each with its own answer', async (t, { store, accept, join, claimOf, work }) => {
      await accept('known')
      await join('first', groupOf())
      const workOf = (id: string, more: Partial<PendingWork> = {}): PendingWork => ({ run: runOf(id), claim: claimOf(id), ...more })
      const lane = laneOf(1, 'refuse', 'full')
      const before = await store.backlog()
      const answers = await store.acceptAll([
        workOf('a'),
        workOf('known'),
        workOf('b', { lane: laneOf(1) }),
        workOf('c', { lane: laneOf(1) }),
        workOf('a'),
        workOf('d', { group: groupOf() }),
        workOf('e', { group: groupOf({ key: 'pr-2' }) }),
        workOf('f', { lane }),
        workOf('g', { lane }),
        workOf('d', { group: groupOf() }),
      ])
      const [opened] = answers.slice(6)
      t.strictSame(answers.slice(0, 5), ['accepted', 'duplicate', 'accepted', 'accepted', 'duplicate'])
      t.strictSame(answers.slice(5), [{ group: 'evt-first', count: 2 }, { group: 'evt-e', count: 1 }, 'accepted', 'busy', 'duplicate'])
      t.ok(opened)
      t.equal(await store.backlog(), before + 5, 'four runs and a group are new')
      t.strictSame(await Promise.all(['a', 'c', 'e', 'g'].map((id) => accept(id))), ['duplicate', 'duplicate', 'duplicate', 'accepted'])
      t.strictSame((await work()).sort(), ['a', 'b', 'f', 'g', 'known'], 'c waits for its turn')
      t.strictSame(await work(), ['c'])
      t.strictSame(await store.acceptAll([]), [])
    })

    promise('a thousand events are taken together, and no more', async (t, { store, claimOf }) => {
      const works = Array.from({ length: 1_001 }, (_, i): PendingWork => ({ run: runOf(`n${i}`), claim: claimOf(`n${i}`) }))
      await t.rejects(store.acceptAll(works), StoreFault)
      t.equal(await store.backlog(), 0)
      t.strictSame(new Set(await store.acceptAll(works.slice(1))), new Set(['accepted']))
      t.equal(await store.backlog(), 1_000)
      const leases = await store.take(1_000, 1_000)
      t.strictSame(
        ids(leases),
        works.slice(1).map(({ run }) => run?.deliveryId),
        'in their order',
      )
      t.strictSame(new Set(await store.acceptAll(works.slice(1))), new Set(['duplicate']))
    })

    promise('the totals count runs, lanes, groups, dead runs and sessions', async (t, { store, clock, accept, join, claimOf }) => {
      t.strictSame(await store.totals(), { runs: 0, inLanes: 0, groups: 0, dead: 0, sessions: 0 })
      await accept('dead')
      const [lease] = await store.take(1, 1000)
      await store.finish(lease as Lease, { kind: 'dead', error: 'no' })
      await store.accept({ ...runOf('a'), acceptedAt: clock.now() }, claimOf('a'))
      clock.advance(5000)
      const lane: Lane = { key: 'lane', limit: 1, whenFull: 'wait' }
      await accept('b', lane)
      await accept('c', lane)
      await join('d', { key: 'g', windowMs: 60_000, maxWaitMs: 60_000, keep: 'latest' })
      await store.converse({ key: 's', profile: 'p', route: 'r', name: 's' }, 'turn', [{ role: 'user', text: 'hi', at: 0 }])
      const { oldestMs = 0, ...counts } = await store.totals()
      t.strictSame(counts, { runs: 3, inLanes: 1, groups: 1, dead: 1, sessions: 1 })
      t.ok(oldestMs >= 5000, 'since the oldest run was accepted')
    })

    promise('what waits in groups and lanes is shown', async (t, { store, accept, join }) => {
      t.strictSame(await store.queues(10), { groups: [], lanes: [] })
      const lane: Lane = { key: 'lane', limit: 1, whenFull: 'wait' }
      const full: Lane = { key: 'full', limit: 2, whenFull: 'wait' }
      for (const id of ['a', 'b']) await accept(id, lane)
      for (const id of ['c', 'd', 'e', 'f']) await accept(id, full)
      await accept('alone', { key: 'alone', limit: 1, whenFull: 'wait' })
      await join('late', { key: 'late', windowMs: 90_000, maxWaitMs: 90_000, keep: 'latest' })
      for (const id of ['g', 'h']) await join(id, { key: 'soon', windowMs: 60_000, maxWaitMs: 60_000, keep: 'latest' })
      const named = (id: string) => ({ eventId: `evt-${id}`, profile: 'default', route: 'reviews' })
      const { groups, lanes } = await store.queues(10)
      t.match(
        groups.map(({ dueInMs: _, ...group }) => group),
        [
          { ...named('h'), count: 2 },
          { ...named('late'), count: 1 },
        ],
      )
      t.ok(
        groups.every(({ dueInMs }, i) => dueInMs > i * 60_000 && dueInMs <= 60_000 + i * 30_000),
        'the time until each is due',
      )
      t.strictSame(lanes, [
        { ...named('e'), waiting: 2, open: 2, limit: 2 },
        { ...named('b'), waiting: 1, open: 1, limit: 1 },
      ])
      const { groups: first, lanes: longest } = await store.queues(1)
      t.strictSame([first.map(({ count }) => count), longest.map(({ waiting }) => waiting)], [[2], [2]], 'as many as are asked for')
      await store.take(10, 1000, 'groups')
      t.strictSame((await store.queues(10)).groups, [], 'groups that became runs')
    })

    promise('of 200 calls for one id one gets it', async (t, { store, accept }) => {
      const got = await Promise.all(Array.from({ length: 200 }, () => accept('a')))
      t.equal(got.filter((one) => one === 'accepted').length, 1)
      t.equal(got[0], 'accepted', 'the first')
      t.equal(ids(await store.take(10, 1000)).length, 1)
    })

    promise('runs and their ids come back as they were given', async (t, { store, claimOf }) => {
      const odd = runOf('odd', 'nul \0, lone \ud800, pair 😀, line \u2028, quote "\\')
      await store.accept(odd, claimOf('k\0\ud800'))
      t.equal(await store.accept(odd, claimOf('k\0\ud800')), 'duplicate')
      t.equal(await store.accept(runOf('other'), claimOf('k')), 'accepted', 'no id is cut at a NUL')
      t.equal(await store.accept(runOf('long'), claimOf('k'.repeat(20_000))), 'accepted')
      const [lease] = await store.take(1, 1000)
      t.strictSame(lease?.run, odd)
    })

    promise('an id holds for an hour, not longer', async (t, { store, clock, accept, claimOf }) => {
      await accept('a')
      await store.claim(claimOf('b'))
      await store.settle(claimOf('b'), true)
      clock.advance(hourMs - 1000)
      t.strictSame(await Promise.all([accept('a'), accept('b')]), ['duplicate', 'duplicate'], '59:59')
      t.strictSame(await store.held(['a', 'b', 'c']), [true, true, false])
      clock.advance(2000)
      t.strictSame(await store.held(['a', 'b', 'c']), [false, false, false])
      t.strictSame(await Promise.all([accept('a'), accept('b')]), ['accepted', 'accepted'], '60:01')
      t.equal(await accept('a'), 'duplicate', 'and holds again')
    })

    promise('an id is kept for days where its claim says so', async (t, { store, clock }) => {
      const claimOf = (key: string): Claim => ({ key, holdMs: 72 * hourMs })
      const again = () =>
        Promise.all([store.accept(runOf('a'), claimOf('a')), store.accept(runOf('b'), claimOf('b'), laneOf(9)), store.claim(claimOf('c'))])
      t.strictSame(await again(), ['accepted', 'accepted', 'claimed'])
      await store.settle(claimOf('c'), true)
      clock.advance(72 * hourMs - 1000)
      t.strictSame(await again(), ['duplicate', 'duplicate', 'duplicate'], '71:59:59')
      t.strictSame(await store.held(['a', 'b', 'c']), [true, true, true])
      clock.advance(2000)
      t.strictSame(await store.held(['a', 'b', 'c']), [false, false, false])
    })

    promise('a claim excludes others until it is given back', async (t, { store, accept, claimOf }) => {
      t.equal(await store.claim(claimOf('a')), 'claimed')
      t.strictSame(await Promise.all([store.claim(claimOf('a')), accept('a')]), ['unsettled', 'duplicate'])
      await store.settle(claimOf('a'), false)
      t.equal(await store.claim(claimOf('a')), 'claimed', 'the sender may try again')
      t.strictSame(await store.held(['a', 'b', 'a']), [true, false, true], 'settled or not')
      await store.settle(claimOf('a'), true)
      t.equal(await store.claim(claimOf('a')), 'duplicate')
      await store.settle(claimOf('a'), false)
      t.equal(await store.claim(claimOf('a')), 'duplicate', 'what is settled stays settled')
      await accept('b')
      await store.settle(claimOf('b'), false)
      t.equal(await accept('b'), 'duplicate', 'what was accepted is settled')
      await store.settle(claimOf('nobody'), true)
      t.equal(await accept('nobody'), 'accepted')
    })

    promise('a claim beside that of an id: an event is taken with both, and one that the second holds back keeps its id', async (t, of) => {
      const { store, clock, work, claimOf } = of
      const beside = (id: string, key = 'same'): Claim => ({ ...claimOf(id), beside: { key: `@${key}`, holdMs: 10 * 60_000 } })
      const accept = (id: string, key?: string, lane?: Lane) => store.accept(runOf(id), beside(id, key), lane)
      t.strictSame(await Promise.all([accept('a'), accept('b'), accept('a'), accept('c', 'other')]), [
        'accepted',
        'repeated',
        'duplicate',
        'accepted',
      ])
      t.equal(await accept('b', 'new'), 'duplicate', 'the id of a repeated event is kept, whatever it says then')
      t.equal(await accept('a', 'new'), 'duplicate')
      t.strictSame(
        await store.held(['@same', '@other', '@new', 'b']),
        [true, true, false, true],
        'a duplicate leaves its second claim free',
      )
      t.equal(await store.accept(runOf('plain'), claimOf('plain')), 'accepted')
      t.strictSame((await work()).sort(), ['a', 'c', 'plain'])

      const full = laneOf(1, 'refuse', 'full')
      t.equal(await accept('d', 'd', full), 'accepted')
      t.equal(await accept('e', 'e', full), 'busy')
      t.strictSame(await store.held(['e', '@e']), [false, false], 'neither is claimed without the work')
      t.equal(await accept('f', 'd', full), 'repeated', 'also while the lane is full')
      t.equal(await accept('f', 'f', full), 'duplicate')
      const group = groupOf({ windowMs: 0, maxWaitMs: 0 })
      const join = (id: string, key: string) => store.join(runOf(id), beside(id, key), group)
      t.strictSame(await Promise.all([join('g', 'g'), join('h', 'g'), join('g', 'i'), join('i', 'i')]), [
        { group: 'evt-g', count: 1 },
        'repeated',
        'duplicate',
        { group: 'evt-g', count: 2 },
      ])
      t.strictSame((await work()).sort(), ['d', 'i'])

      clock.advance(10 * 60_000 + 1)
      t.equal(await accept('j'), 'accepted', 'the second claim has its own time')
      t.equal(await accept('a', 'once'), 'duplicate', 'and so has the first')
      t.strictSame(await store.held(['@once']), [false])
    })

    promise('claims of both kinds wait to be settled together', async (t, { store, accept, claimOf, work }) => {
      const beside = (id: string): Claim => ({ ...claimOf(id), beside: { key: '@same', holdMs: 2 * hourMs } })
      t.equal(await store.claim(beside('a')), 'claimed')
      t.strictSame(await Promise.all([store.claim(beside('a')), store.claim(beside('b'))]), ['unsettled', 'unsettled'])
      t.strictSame(await store.held(['a', 'b', '@same']), [true, false, true], 'who waits has claimed nothing')
      await store.settle(beside('a'), false)
      t.strictSame(await store.held(['a', '@same']), [false, false])
      t.equal(await store.claim(beside('b')), 'claimed', 'the other goes on')
      await store.settle(beside('b'), true)
      t.strictSame(await Promise.all([store.claim(beside('b')), store.claim(beside('a'))]), ['duplicate', 'repeated'])
      await store.settle(beside('a'), false)
      t.strictSame(await Promise.all([accept('a'), accept('b')]), ['duplicate', 'duplicate'], 'what the second claim held back is settled')
      t.strictSame(await store.held(['@same']), [true])
      t.strictSame(await work(), [])
    })

    promise('work with second claims is taken together, and each answer is its own', async (t, { store, claimOf, accept, work }) => {
      const workOf = (id: string, key: string | undefined, more: Partial<PendingWork> = {}): PendingWork => ({
        run: runOf(id),
        claim: { ...claimOf(id), ...(key === undefined ? {} : { beside: { key, holdMs: hourMs } }) },
        ...more,
      })
      await accept('known')
      const answers = await store.acceptAll([
        workOf('a', 'x'),
        workOf('b', 'x'),
        workOf('c', undefined),
        workOf('known', 'y'),
        workOf('d', 'y', { lane: laneOf(1) }),
        workOf('e', 'y', { lane: laneOf(1) }),
        workOf('f', 'z', { lane: laneOf(1) }),
        workOf('g', 'v', { group: groupOf({ windowMs: 0 }) }),
        workOf('h', 'v', { group: groupOf({ windowMs: 0 }) }),
        workOf('i', 'w', { lane: laneOf(1, 'refuse') }),
        workOf('a', 'u'),
      ])
      t.strictSame(answers.slice(0, 7), ['accepted', 'repeated', 'accepted', 'duplicate', 'accepted', 'repeated', 'accepted'])
      t.strictSame(answers.slice(7), [{ group: 'evt-g', count: 1 }, 'repeated', 'busy', 'duplicate'])
      t.strictSame(await store.held(['x', 'y', 'z', 'v', 'w', 'u', 'i']), [true, true, true, true, false, false, false])
      t.strictSame((await work()).sort(), ['a', 'c', 'd', 'g', 'known'])
      t.strictSame(await work(), ['f'])
      // Two requests with equal keys in two orders at once: neither waits for the other for ever.
      const ids = Array.from({ length: 40 }, (_, i) => `n${i}`)
      const both = (list: readonly string[], by: string) => store.acceptAll(list.map((id) => workOf(`${by}${id}`, `k-${id}`)))
      const got = (await Promise.all([both(ids, 'up'), both(ids.toReversed(), 'down')])).flat()
      t.equal(got.filter((answer) => answer === 'accepted').length, 40, 'each key has one event')
      t.equal(got.filter((answer) => answer === 'repeated').length, 40)
    })

    promise(
      'the last of the events that a claim holds back becomes a run when the claim ends',
      async (t, { store, clock, claimOf, work }) => {
        const after = (key: string, more: Partial<Group> = {}): Group =>
          groupOf({ key, windowMs: 0, maxWaitMs: 0, afterClaim: true, ...more })
        const beside = (id: string, key: string): Claim => ({ ...claimOf(id), beside: { key: `@${key}`, holdMs: 60_000 } })
        const join = (id: string, key = 'c', more?: Partial<Group>) => store.join(runOf(id), beside(id, key), after(key, more))
        t.strictSame(await Promise.all([join('a'), join('b'), join('a')]), ['accepted', { group: 'evt-b', count: 1 }, 'duplicate'])
        t.strictSame(await work(), ['a'])
        clock.advance(20_000)
        t.strictSame(await join('c'), { group: 'evt-b', count: 2 })
        t.equal(await join('b'), 'duplicate')
        t.strictSame(await store.acceptAll(['d', 'e', 'f'].map((id) => ({ run: runOf(id), claim: beside(id, 'x'), group: after('x') }))), [
          'accepted',
          { group: 'evt-e', count: 1 },
          { group: 'evt-e', count: 2 },
        ])
        t.equal(await store.accept(runOf('g'), beside('g', 'c')), 'repeated')
        t.strictSame(await work(), ['d'])
        clock.advance(39_999)
        t.strictSame(await work(), [])
        clock.advance(1)
        const lease = only(await store.take(10, 1000))
        t.match(lease.run, { deliveryId: 'c', merged: { group: 'evt-b', count: 2, keep: 'latest' } })
        await store.finish(lease, { kind: 'done' })
        t.equal(await join('h'), 'accepted', 'the claim has ended, and the run makes none')
        clock.advance(20_000)
        t.strictSame(await work(), ['h', 'f'])
        const lane = laneOf(1)
        const laned = [await join('i', 'l', { lane }), await join('j', 'm', { lane }), await join('k', 'm', { lane })]
        t.strictSame(laned, ['accepted', 'accepted', { group: 'evt-k', count: 1 }])
        t.strictSame([await work(), await work()], [['i'], ['j']], 'in turn')
        clock.advance(60_000)
        t.strictSame(await work(), ['k'])
      },
    )

    promise('calls of one turn take effect in their order', async (t, { store, accept, claimOf }) => {
      const got = await Promise.all([
        accept('x'),
        store.claim(claimOf('a')),
        accept('a'),
        store.settle(claimOf('a'), false),
        accept('a'),
        store.claim(claimOf('a')),
      ])
      t.strictSame(got, ['accepted', 'claimed', 'duplicate', undefined, 'accepted', 'duplicate'])
    })

    promise('work is taken once, oldest first', async (t, { store, accept }) => {
      for (const id of ['a', 'b', 'c', 'd']) await accept(id)
      const [first, second] = await Promise.all([store.take(2, 1000), store.take(2, 1000)])
      t.strictSame(
        [ids(first), ids(second)],
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
      )
      t.strictSame(await store.take(2, 1000), [])
      t.strictSame(await store.take(0, 1000), [])
      t.equal(await store.backlog(), 4, 'taken is not done')
    })

    promise('a lease that ran out is given to the next, and its late holder is refused', async (t, { store, clock, accept }) => {
      await accept('a')
      const late = only(await store.take(1, 1000))
      t.match(late, { attempt: 1, interrupted: false })
      clock.advance(999)
      t.strictSame(await store.take(1, 1000), [])
      clock.advance(1)
      const next = only(await store.take(1, 1000))
      t.match(next, { runId: late.runId, attempt: 2, interrupted: true })
      t.ok(next.fence > late.fence)
      t.equal(await store.keepReply(late, 'late'), false)
      for (const end of [{ kind: 'done' }, { kind: 'again', afterMs: 0, error: '' }, { kind: 'dead', error: '' }] satisfies RunEnd[]) {
        t.equal(await store.finish(late, end), false, end.kind)
      }
      t.equal(await store.finish(next, { kind: 'done' }), true)
      t.equal(await store.finish(next, { kind: 'done' }), false, 'once')
      t.equal(await store.backlog(), 0)
    })

    promise('a lease that is renewed runs out later; a lost or ended one is not touched', async (t, { store, clock, accept, due }) => {
      for (const id of ['a', 'b', 'c']) await accept(id)
      const [a, b, c] = await store.take(3, 1000)
      if (a === undefined || b === undefined || c === undefined) throw new Error('expected three leases')
      clock.advance(900)
      await store.renew([a, b], 1000)
      await store.renew([], 1000)
      clock.advance(900)
      const taken = only(await store.take(3, 10_000))
      t.match(taken, { runId: c.runId, attempt: 2, interrupted: true })
      await store.renew([c], 1)
      clock.advance(100)
      t.equal(await store.dueInMs(), 0, 'the others ran out')
      await store.renew([a, b], 5000)
      t.strictSame(await store.take(3, 1000), [], 'nobody took them')
      t.equal(await store.finish(a, { kind: 'again', afterMs: 3000, error: 'busy' }), true)
      t.equal(await store.finish(b, { kind: 'done' }), true)
      await store.renew([a, b], 1000)
      t.equal(await store.dueInMs(), due(3000))
      t.match(await store.standings(['evt-a', 'evt-b', 'evt-c']), [{ state: 'waiting' }, { state: 'running' }])
    })

    promise(
      'runs that were given back are made due, the oldest first; a taken, ended or dead one is not touched',
      async (t, { store, clock, accept, due }) => {
        for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await accept(id)
        const leases = await store.take(6, 10_000)
        const [a, b, c, d, e] = leases
        if (a === undefined || b === undefined || c === undefined || d === undefined || e === undefined) throw new Error('expected leases')
        for (const lease of [b, a, c]) await store.finish(lease, { kind: 'again', afterMs: 60_000, error: 'down', uncounted: true })
        await store.finish(d, { kind: 'dead', error: 'no' })
        await store.finish(e, { kind: 'again', afterMs: 30_000, error: 'failed' })
        await accept('g')
        await store.makeDue([])
        t.match(await store.take(9, 10_000), [{ run: { deliveryId: 'g' } }], 'nothing else was due')
        t.equal(await store.dueInMs(), due(10_000), 'the first lease ends')
        await store.makeDue(leases)
        clock.advance(1)
        const taken = await store.take(9, 10_000)
        t.strictSame(
          taken.map(({ run, attempt, interrupted }) => [run.deliveryId, attempt, interrupted]),
          [
            ['e', 2, false],
            ['a', 1, false],
            ['b', 1, false],
            ['c', 1, false],
          ],
        )
        await store.finish(taken[1] as Lease, { kind: 'again', afterMs: 5000, error: 'down', uncounted: true })
        await store.makeDue([a])
        t.strictSame(await store.take(9, 10_000), [], 'an older lease of it says nothing')
        await store.makeDue([taken[1] as Lease])
        t.match(await store.take(9, 10_000), [{ runId: a.runId, attempt: 1 }])
      },
    )

    promise('a run that is to be tried again waits for its time and keeps its reply', async (t, { store, clock, accept }) => {
      await accept('a')
      const first = only(await store.take(1, 1000))
      t.notOk('reply' in first)
      t.equal(await store.keepReply(first, 'the reply'), true)
      t.equal(await store.finish(first, { kind: 'again', afterMs: 5000, error: 'no route to host' }), true)
      t.equal(await store.backlog(), 1)
      t.equal(await store.finish(first, { kind: 'done' }), false, 'its lease is over')
      clock.advance(4999)
      t.strictSame(await store.take(1, 1000), [])
      clock.advance(1)
      t.match(only(await store.take(1, 1000)), { attempt: 2, interrupted: false, reply: 'the reply' })
    })

    promise('runs tried before come first, by the time they became due', async (t, { store, clock, accept }) => {
      for (const id of ['a', 'b', 'c']) await accept(id)
      const delays = [30, 10, 10]
      for (const [i, lease] of (await store.take(3, 1000)).entries()) {
        await store.finish(lease, { kind: 'again', afterMs: delays[i] ?? 0, error: 'busy' })
      }
      await accept('d')
      clock.advance(20)
      t.strictSame(ids(await store.take(10, 1000)), ['b', 'c', 'd'])
      clock.advance(20)
      t.strictSame(ids(await store.take(10, 1000)), ['a'])
    })

    promise('a dead run is out of the backlog and never taken again', async (t, { store, clock, accept, due }) => {
      await accept('a')
      t.equal(await store.finish(only(await store.take(1, 1000)), { kind: 'dead', error: 'out of attempts' }), true)
      t.equal(await store.backlog(), 0)
      clock.advance(10 * hourMs)
      t.strictSame(await store.take(1, 1000), [])
      t.equal(await store.dueInMs(), due(undefined))
    })

    promise('says when the next run is due', async (t, { store, clock, accept, due }) => {
      t.equal(await store.dueInMs(), due(undefined))
      await accept('a')
      await accept('b')
      t.equal(await store.dueInMs(), 0, 'now')
      const [a, b] = await store.take(2, 1000)
      if (a === undefined || b === undefined) throw new Error('expected two leases')
      t.equal(await store.dueInMs(), 1000, 'a lease runs out')
      await store.finish(a, { kind: 'again', afterMs: 500, error: 'busy' })
      t.equal(await store.dueInMs(), 500)
      await store.finish(b, { kind: 'done' })
      clock.advance(100)
      await accept('c')
      t.equal(await store.dueInMs(), 0)
    })

    promise('the backlog is right whenever a call has resolved', async (t, { store, accept }) => {
      t.equal(await store.backlog(), 0)
      for (const [i, id] of ['a', 'b', 'c'].entries()) {
        await accept(id)
        t.equal(await store.backlog(), i + 1)
        t.strictSame([store.hasRoom(i + 1), store.hasRoom(i + 2)], [false, true])
      }
      for (const [i, lease] of (await store.take(3, 1000)).entries()) {
        await store.finish(lease, { kind: 'done' })
        t.equal(await store.backlog(), 2 - i)
        t.strictSame([store.hasRoom(2 - i), store.hasRoom(3 - i)], [false, true])
      }
    })

    promise('closing commits what was called before and refuses what comes after', async (t, { store, accept, claimOf }) => {
      const pending = [accept('a'), accept('b')]
      const closed = store.close()
      t.strictSame(await Promise.all(pending), ['accepted', 'accepted'])
      await closed
      await store.close()
      const calls = [
        () => accept('c'),
        () => store.claim(claimOf('c')),
        () => store.settle(claimOf('c'), true),
        () => store.take(1, 1),
        () => store.dueInMs(),
        () => store.accept(runOf('c'), claimOf('c'), laneOf(1)),
        () => store.join(runOf('c'), claimOf('c'), groupOf()),
        () => store.revive('evt-a'),
        () => store.cancel('evt-a'),
        () => store.standings(['evt-a']),
        () => store.prune(0, 0),
        () => store.positions(),
        () => store.keepPositions(new Map()),
      ]
      for (const call of calls) await t.rejects(async () => void (await call()), StoreFault)
    })

    promise(
      'a priority counts as an acceptance ten minutes sooner or later, also in lanes and groups',
      async (t, { store, clock, claimOf }) => {
        const minuteMs = 60_000
        const ranked = (id: string, priority?: 'high' | 'low'): NewRun => {
          const { eventId, ...run } = runOf(id)
          return { eventId, ...(priority ? { priority } : {}), ...run, acceptedAt: clock.now() }
        }
        const accept = (id: string, priority?: 'high' | 'low', lane?: Lane) => store.accept(ranked(id, priority), claimOf(id), lane)
        const takenInTurn = async (): Promise<string[]> => {
          const taken: string[] = []
          for (;;) {
            const [lease] = await store.take(1, 1000)
            if (lease === undefined) return taken
            taken.push(lease.run.deliveryId)
            await store.finish(lease, { kind: 'done' })
          }
        }
        await accept('low-0', 'low')
        await accept('usual-0')
        clock.advance(2 * minuteMs)
        await accept('usual-2')
        await accept('high-2', 'high', laneOf(1))
        await accept('high-2b', 'high', laneOf(1))
        clock.advance(7 * minuteMs)
        await accept('usual-9')
        await accept('low-9', 'low')
        await store.join(ranked('group-9', 'high'), claimOf('group-9'), groupOf({ windowMs: 0 }))
        clock.advance(2.5 * minuteMs)
        await accept('usual-11')
        await accept('high-11', 'high')
        const taken = await takenInTurn()
        // A group's run is accepted with its latest event, or when the group ends, as the store has it.
        t.ok(taken.indexOf('group-9') < taken.indexOf('usual-2'))
        t.strictSame(
          taken.filter((id) => id !== 'group-9'),
          ['high-2', 'high-2b', 'usual-0', 'high-11', 'usual-2', 'usual-9', 'low-0', 'usual-11', 'low-9'],
        )
        t.equal(await store.backlog(), 0)
        await accept('low', 'low')
        await accept('usual')
        const both = await store.take(9, 1000)
        t.strictSame(ids(both).sort(), ['low', 'usual'], 'where there is room, nothing waits')
        for (const lease of both) await store.finish(lease, { kind: 'done' })
        await accept('low-again', 'low')
        const given = only(await store.take(1, 60_000))
        await store.finish(given, { kind: 'again', afterMs: 1000, error: 'the route is paused', uncounted: true })
        clock.advance(999)
        t.strictSame(await store.take(1, 1000), [], 'one that was given back is not due before its wait is over')
        clock.advance(1)
        // No run is taken as it is accepted.
        await store.take(0, 1000)
        await accept('usual-later')
        await accept('low-later', 'low')
        t.strictSame(await takenInTurn(), ['usual-later', 'low-again', 'low-later'], 'and is of low priority still')
        await accept('low-resumed', 'low')
        const held = only(await store.take(1, 60_000))
        await store.finish(held, { kind: 'again', afterMs: 60_000, error: 'the route is paused', uncounted: true })
        await accept('usual-last')
        await store.makeDue([held])
        t.strictSame(await takenInTurn(), ['usual-last', 'low-resumed'])
      },
    )

    promise('runs of one lane take turns in the order of their acceptance', async (t, { store, clock, accept }) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) t.equal(await accept(id, laneOf(2)), 'accepted')
      await accept('other', laneOf(1, 'wait', 'another lane'))
      await accept('plain')
      t.equal(await store.backlog(), 7)
      const [a, b, ...others] = await store.take(10, 1000)
      if (a === undefined || b === undefined) throw new Error('expected leases')
      t.strictSame(
        [ids([a, b]), ids(others)],
        [
          ['a', 'b'],
          ['other', 'plain'],
        ],
        'nobody else waits',
      )
      t.equal(await store.dueInMs(), 1000, 'those that wait for their turn are not due')
      await store.finish(a, { kind: 'again', afterMs: 500, error: 'busy' })
      t.strictSame(await store.take(10, 1000), [], 'one that will be tried again keeps its turn')
      await store.finish(b, { kind: 'dead', error: 'out of attempts' })
      t.equal(await store.dueInMs(), 0, 'a dead one gives it on')
      const c = only(await store.take(10, 10_000))
      t.match(c, { run: { deliveryId: 'c' }, attempt: 1, interrupted: false })
      clock.advance(1000)
      t.strictSame(ids(await store.take(10, 10_000)), ['a', 'other', 'plain'], 'so does one whose lease ran out')
      await store.finish(c, { kind: 'done' })
      t.strictSame(ids(await store.take(10, 10_000)), ['d'], 'two at once, not more')
    })

    promise('a done run gives its turn on, one at a time', async (t, { store, accept, work }) => {
      for (const id of ['a', 'b', 'c']) await accept(id, laneOf(1))
      t.strictSame([await work(), await work(), await work(), await work()], [['a'], ['b'], ['c'], []])
      t.equal(await store.backlog(), 0)
      t.equal(await accept('d', laneOf(1)), 'accepted', 'the lane is free again')
      t.strictSame(await work(), ['d'])
    })

    promise('a full lane may refuse: nothing is claimed, and a duplicate is known as one', async (t, { store, accept, work }) => {
      const lane = laneOf(1, 'refuse')
      t.strictSame(await Promise.all([accept('a', lane), accept('b', lane), accept('a', lane)]), ['accepted', 'busy', 'duplicate'])
      t.equal(await store.backlog(), 1)
      t.strictSame(await work(), ['a'])
      t.equal(await accept('a', lane), 'duplicate', 'also when there is room')
      t.equal(await accept('b', lane), 'accepted', 'the sender may try again')
    })

    promise('an id that a lane took is not given to a later call of the same turn', async (t, { accept }) => {
      const got = await Promise.all([accept('x'), accept('a', laneOf(1)), accept('a'), accept('b')])
      t.strictSame(got, ['accepted', 'accepted', 'duplicate', 'accepted'])
    })

    promise('a limit counts as it was last said, and those who wait go first', async (t, { store, accept, work }) => {
      for (const id of ['a', 'b', 'c', 'd']) await accept(id, laneOf(1))
      t.strictSame(ids(await store.take(10, 1000)), ['a'])
      t.equal(await accept('e', laneOf(3)), 'accepted')
      t.strictSame(ids(await store.take(10, 1000)), ['b', 'c'], 'd and e wait')
      t.equal(await accept('f', laneOf(4, 'refuse')), 'busy', 'd came before it')
      t.equal(await accept('g', laneOf(1)), 'accepted')
      t.strictSame(await work(), ['d'])
      t.strictSame(await work(), [], 'three have their turn where one may')
    })

    promise('lanes with a queue hold nobody up: of those never taken the oldest comes first', async (t, { store, accept }) => {
      for (const lane of ['x', 'y']) for (const i of [1, 2, 3]) await accept(`${lane}${i}`, { ...laneOf(1), key: lane })
      await accept('plain')
      await accept('x4', { ...laneOf(1), key: 'x' })
      const order: string[] = []
      for (let i = 0; i < 8; i++) {
        const lease = only(await store.take(1, 1000))
        order.push(lease.run.deliveryId)
        await store.finish(lease, { kind: 'done' })
      }
      t.strictSame(order, ['x1', 'x2', 'x3', 'y1', 'y2', 'y3', 'plain', 'x4'])
      t.strictSame(await store.take(1, 1000), [])
    })

    promise('an attempt that was broken off from outside does not count', async (t, { store, accept }) => {
      await accept('a')
      for (const attempt of [1, 1, 1]) {
        const lease = only(await store.take(1, 1000))
        t.equal(lease.attempt, attempt)
        await store.finish(lease, { kind: 'again', afterMs: 0, error: 'stopped', uncounted: true })
      }
      const lease = only(await store.take(1, 1000))
      await store.finish(lease, { kind: 'again', afterMs: 0, error: 'failed' })
      t.match(only(await store.take(1, 1000)), { attempt: 2, interrupted: false })
    })

    promise('a group becomes one run once nothing came for its window', async (t, { store, clock, join, work }) => {
      t.strictSame(await join('a', groupOf()), { group: 'evt-a', count: 1 })
      clock.advance(20_000)
      t.strictSame(await join('b', groupOf()), { group: 'evt-a', count: 2 })
      t.strictSame([await store.backlog(), await store.dueInMs()], [1, 30_000])
      clock.advance(29_999)
      t.strictSame(await work(), [])
      clock.advance(1)
      t.equal(await store.backlog(), 1)
      const lease = only(await store.take(10, 1000))
      t.strictSame(lease.run, { ...runOf('b'), merged: { group: 'evt-a', count: 2, keep: 'latest' } })
      t.match(lease, { attempt: 1, interrupted: false })
      t.strictSame(await join('c', groupOf()), { group: 'evt-c', count: 1 }, 'the next group')
      await store.finish(lease, { kind: 'done' })
      t.equal(await store.backlog(), 1)
    })

    promise('a group with as many events as it may have is a run at once', async (t, { store, clock, join, work, accept }) => {
      const three = groupOf({ maxEvents: 3, keep: 'all' })
      for (const id of ['a', 'b']) await join(id, three)
      t.strictSame(await join('b', three), 'duplicate', 'which does not count')
      t.strictSame(await work(), [])
      const joined = await Promise.all(['c', 'd', 'e', 'f', 'g'].map((id) => join(id, three)))
      t.strictSame(
        joined.map((each) => typeof each === 'object' && each.count),
        [3, 1, 2, 3, 1],
        'also of events that come at once',
      )
      const runs = (await store.take(10, 60_000)).map(({ run }) => run)
      t.match(runs, [{ merged: { group: 'evt-a', count: 3, keep: 'all' } }, { merged: { group: 'evt-d', count: 3, keep: 'all' } }])
      t.strictSame(
        runs.map(({ merged }) => merged?.prompts?.length),
        [3, 3],
      )
      clock.advance(30_000)
      t.strictSame(await work(), ['g'], 'time ends a group as before')
      t.strictSame(await store.backlog(), 3 - 1)

      const inLane = groupOf({ key: 'lane', maxEvents: 2, lane: { key: 'lane', limit: 1, whenFull: 'wait' } })
      await accept('busy', inLane.lane)
      for (const id of ['h', 'i']) await join(id, inLane)
      t.strictSame(
        (await store.take(10, 1000)).map(({ run }) => run.deliveryId),
        ['busy'],
        'its run waits for its turn',
      )
      t.strictSame(await join('one', groupOf({ key: 'one', maxEvents: 1 })), { group: 'evt-one', count: 1 })
      t.strictSame(
        (await store.take(10, 1000)).map(({ run }) => run.deliveryId),
        ['one'],
      )
    })

    promise('a group waits no longer than its cap', async (t, { store, clock, join, work }) => {
      for (const id of ['a', 'b', 'c', 'd']) {
        await join(id, groupOf({ maxWaitMs: 70_000 }))
        clock.advance(15_000)
      }
      t.equal(await store.dueInMs(), 10_000)
      clock.advance(10_000)
      t.strictSame(await work(), ['d'])
      await join('e', groupOf({ maxWaitMs: 10_000 }))
      t.equal(await store.dueInMs(), 10_000, 'also when it is shorter than the window')
    })

    promise('an event counts once, and each key has its group', async (t, { store, clock, join, accept, work, claimOf }) => {
      await accept('z')
      const got = await Promise.all([
        join('a', groupOf()),
        join('a', groupOf()),
        join('z', groupOf()),
        join('b', groupOf({ key: 'pr-2' })),
        accept('a'),
        join('c', groupOf()),
      ])
      const first = { group: 'evt-a', count: 1 }
      t.strictSame(got, [first, 'duplicate', 'duplicate', { group: 'evt-b', count: 1 }, 'duplicate', { group: 'evt-a', count: 2 }])
      t.strictSame(await work(), ['z'])
      clock.advance(30_000)
      const taken = await store.take(10, 1000)
      t.strictSame(ids(taken), ['c', 'b'])
      t.notOk('merged' in (taken[1]?.run ?? {}), 'one event alone was not merged')
      await store.settle(claimOf('a'), false)
      t.equal(await store.claim(claimOf('a')), 'duplicate', 'its id is kept')
    })

    promise('which event a run is about: the latest, the first, or all', async (t, { store, clock, join }) => {
      for (const keep of ['latest', 'first', 'all'] as const) {
        for (const n of [1, 2, 3]) await join(`${keep}-${n}`, groupOf({ key: keep, keep }))
      }
      clock.advance(30_000)
      const [latest, first, all] = await store.take(10, 1000)
      t.strictSame(latest?.run, { ...runOf('latest-3'), merged: { group: 'evt-latest-1', count: 3, keep: 'latest' } })
      t.strictSame(first?.run, { ...runOf('first-1'), merged: { group: 'evt-first-1', count: 3, keep: 'first' } })
      const prompts = ['prompt of all-1', 'prompt of all-2', 'prompt of all-3']
      t.strictSame(all?.run, { ...runOf('all-3'), merged: { group: 'evt-all-1', count: 3, keep: 'all', prompts } })
    })

    promise('of all prompts the newest are kept, as they were given', async (t, { store, clock, join }) => {
      const odd = 'nul \0, lone \ud800, pair 😀, line \u2028, quote "\\'
      const fill = async (key: string, prompts: readonly string[]): Promise<void> => {
        for (const [i, prompt] of prompts.entries()) await join(`${key}-${i}`, groupOf({ key, keep: 'all' }), prompt)
      }
      const many = Array.from({ length: 120 }, (_, i) => `prompt ${i}`)
      const long = [50_001, 40_000, 60_000, 50_000].map((chars, i) => String(i).repeat(chars))
      const huge = ['small', 'x'.repeat(200_000)]
      await Promise.all([fill('odd', [odd, odd]), fill('many', many), fill('long', long), fill('huge', huge)])
      clock.advance(30_000)
      const merged = new Map((await store.take(10, 1000)).map(({ run }) => [run.merged?.group, run.merged]))
      t.strictSame(merged.get('evt-odd-0')?.prompts, [odd, odd])
      t.strictSame(merged.get('evt-many-0')?.prompts, many.slice(20))
      t.equal(merged.get('evt-many-0')?.count, 120, 'all are counted')
      t.strictSame(merged.get('evt-long-0')?.prompts, long.slice(1), '150,000 characters')
      t.strictSame(merged.get('evt-huge-0')?.prompts, huge.slice(1), 'the newest whatever its size')
    })

    promise('groups can be taken before they are due, and nothing else', async (t, { store, clock, accept, join }) => {
      await accept('plain')
      for (const id of ['a', 'b', 'c']) await join(id, groupOf({ key: id }))
      clock.advance(30_000)
      await join('d', groupOf({ key: 'd', windowMs: 10 }))
      await join('e', groupOf({ key: 'e' }))
      t.strictSame(await store.take(0, 1000, 'groups'), [])
      const [a] = await store.take(1, 1000, 'groups')
      t.strictSame(a && ids([a]), ['a'])
      t.strictSame(ids(await store.take(10, 1000, 'groups')), ['b', 'c', 'd', 'e'], 'by the time they are due')
      t.strictSame(await store.take(10, 1000, 'groups'), [])
      t.equal(await store.backlog(), 6)
      t.equal(a && (await store.finish(a, { kind: 'done' })), true)
      t.strictSame(ids(await store.take(10, 1000)), ['plain'])
      clock.advance(1000)
      t.strictSame(ids(await store.take(10, 1000)), ['plain', 'b', 'c', 'd', 'e'], 'their leases run out like any others')
    })

    promise('the run of a group waits for its turn', async (t, { store, clock, join, accept, work, due }) => {
      const group = groupOf({ lane: laneOf(1) })
      await join('a', group)
      clock.advance(30_000)
      const a = only(await store.take(10, hourMs))
      await join('b', group)
      await join('c', group)
      clock.advance(30_000)
      t.strictSame(await store.take(10, 1000), [])
      t.equal(await store.backlog(), 2)
      t.equal(await store.dueInMs(), due(hourMs - 30_000), 'it is no group any more')
      await join('d', group)
      await join('e', groupOf({ key: 'no lane' }))
      t.strictSame(ids(await store.take(1, 1000, 'groups')), ['e'], 'd has to wait, and is out of the way')
      await accept('f', laneOf(1))
      await store.finish(a, { kind: 'done' })
      t.match(await store.take(10, 1000), [{ attempt: 1, run: { deliveryId: 'c', merged: { group: 'evt-b', count: 2 } } }])
      clock.advance(1000)
      t.strictSame([await work(), await work(), await work()], [['c', 'e'], ['d'], ['f']])
    })

    promise('there are at most 10,000 groups', async (t, { store, join, clock }) => {
      const fill = (from: number, count: number): Promise<Joined[]> =>
        Promise.all(Array.from({ length: count }, (_, i) => join(`id-${from + i}`, groupOf({ key: `key ${from + i}` }))))
      t.notOk((await fill(0, 5000)).includes('full'))
      t.notOk((await fill(5000, 5000)).includes('full'))
      t.equal(await join('one more', groupOf({ key: 'one more' })), 'full')
      t.equal(await join('id-7', groupOf({ key: 'one more' })), 'duplicate')
      t.match(await join('another', groupOf({ key: 'key 7' })), { count: 2 }, 'those that wait take more')
      clock.advance(30_000)
      t.strictSame(ids(await store.take(2, 1000)), ['id-0', 'id-1'])
      t.match(await join('one more', groupOf({ key: 'one more' })), { count: 1 }, 'its id was not claimed')
      t.equal(await store.backlog(), 10_001)
    })

    promise('a dead run can be put back', async (t, { store, accept }) => {
      for (const id of ['a', 'b']) await accept(id)
      const [a, b] = await store.take(2, 1000)
      if (a === undefined || b === undefined) throw new Error('expected two leases')
      await store.keepReply(a, 'the reply')
      t.equal(await store.revive('evt-a'), false, 'it runs')
      await store.finish(a, { kind: 'dead', error: 'out of attempts' })
      for (const hostile of ['', 'evt', 'evt-a"', '%', '_____', 'evt-\0', 'x'.repeat(100_000)]) t.equal(await store.revive(hostile), false)
      t.equal(await store.revive('evt-a'), true)
      t.equal(await store.revive('evt-a'), false, 'it is not dead any more')
      t.equal(await store.backlog(), 2)
      t.equal(await store.dueInMs(), 0)
      t.strictSame(await store.standings(['evt-a']), [{ eventId: 'evt-a', state: 'waiting', attempt: 0 }])
      const again = only(await store.take(10, 1000))
      t.match(again, { runId: a.runId, attempt: 1, interrupted: false, reply: 'the reply' })
      t.equal(await store.finish(a, { kind: 'done' }), false, 'its first holder is late')
      t.equal(await store.finish(again, { kind: 'done' }), true)
      t.equal(await store.revive('evt-a'), false, 'it is gone')
    })

    promise('a dead run that is put back waits for its turn, and no late holder can end it', async (t, { store, accept, clock }) => {
      await accept('a', laneOf(1))
      await accept('b', laneOf(1))
      const holders: Lease[] = []
      for (let i = 0; i < 3; i++) {
        holders.push(only(await store.take(10, 10)))
        clock.advance(10)
      }
      const last = only(await store.take(10, 10))
      t.equal(await store.finish(last, { kind: 'dead', error: 'out of attempts' }), true)
      const b = only(await store.take(10, hourMs))
      t.equal(await store.revive('evt-a'), true)
      await accept('c', laneOf(1))
      t.strictSame(await store.take(10, 10), [])
      t.equal(await store.backlog(), 3)
      await store.finish(b, { kind: 'done' })
      const a = only(await store.take(10, hourMs))
      t.match(a, { run: { deliveryId: 'a' }, attempt: 1 })
      for (const late of [...holders, last]) t.equal(await store.finish(late, { kind: 'done' }), false)
      await store.finish(a, { kind: 'done' })
      t.strictSame(ids(await store.take(10, 10)), ['c'])
    })

    promise('a cancelled run is taken once more, marked, and its worker has lost it', async (t, { store, accept, join, clock }) => {
      for (const id of ['running', 'sending', 'failed', 'dead']) await accept(id)
      await accept('open', laneOf(1))
      const [running, sending, failed, dead, open] = await store.take(5, 1000)
      if (!running || !sending || !failed || !dead || !open) throw new Error('expected leases')
      await store.keepReply(sending, 'the reply')
      await store.keepReply(failed, 'the reply')
      await store.finish(failed, { kind: 'again', afterMs: 500, error: 'busy' })
      await store.finish(dead, { kind: 'dead', error: 'no' })
      for (const id of ['parked', 'next']) await accept(id, laneOf(1))
      await accept('fresh')
      await join('group', groupOf())
      const asked = ['running', 'sending', 'failed', 'dead', 'parked', 'fresh', 'group', 'nobody']
      const results = []
      for (const id of asked) results.push([id, await store.cancel(`evt-${id}`)])
      t.strictSame(results, [
        ...['running'].map((id) => [id, 'cancelled']),
        ['sending', 'delivering'],
        ['failed', 'cancelled'],
        ['dead', 'none'],
        ...['parked', 'fresh', 'group'].map((id) => [id, 'cancelled']),
        ['nobody', 'none'],
      ])
      for (const hostile of ['', 'evt', 'evt-fresh"', '%', 'evt-\0', 'x'.repeat(100_000)]) t.equal(await store.cancel(hostile), 'none')
      t.strictSame(await store.renew([running, sending, open], 1000), [sending.runId, open.runId], 'the lease of the cancelled run is lost')
      t.equal(await store.keepReply(running, 'too late'), false)
      t.equal(await store.finish(running, { kind: 'done' }), false)
      const taken = await store.take(10, 1000)
      t.strictSame(ids(taken).sort(), ['failed', 'fresh', 'group', 'parked', 'running'])
      t.ok(taken.every(({ run, interrupted }) => run.cancelled === true && !interrupted))
      t.equal(await store.cancel('evt-fresh'), 'cancelled', 'again')
      const [again] = await store.take(10, 1000)
      t.match(again, { run: { eventId: 'evt-fresh', cancelled: true } })
      for (const lease of [...taken.filter(({ run }) => run.eventId !== 'evt-fresh'), again as Lease])
        t.equal(await store.finish(lease, { kind: 'cancelled', error: 'by hand' }), true)
      t.strictSame(await store.standings(asked.slice(2).map((id) => `evt-${id}`)), [
        { eventId: 'evt-dead', state: 'dead', attempt: 1, error: 'no' },
      ])
      await store.finish(open, { kind: 'done' })
      clock.advance(1)
      t.strictSame(ids(await store.take(10, 1000)), ['next'], 'the cancelled run has no turn')
      t.equal(await store.backlog(), 2)
    })

    const [keyA, keyB] = ['A'.repeat(20), 'B'.repeat(20)] as const
    const keyed = (id: string, endKeys: string, more: Partial<NewRun> = {}): NewRun => {
      const { eventId, ...run } = runOf(id)
      return { eventId, ...(more.priority ? { priority: more.priority } : {}), endKeys, ...run, ...more }
    }

    promise('an event ends the earlier work of its key in its commit, and nothing else', async (t, { store, accept, claimOf }) => {
      const add = (id: string, endKeys: string, more: Partial<PendingWork & NewRun> = {}) => {
        const { lane, group, ending, ...of } = more
        return store.acceptAll([{ run: keyed(id, endKeys, of), claim: claimOf(id), lane, group, ending }])
      }
      for (const id of ['running', 'sending', 'failed', 'dead']) await add(id, keyA)
      await add('open', keyA, { lane: laneOf(1) })
      const [running, sending, failed, dead, open] = await store.take(5, 60_000)
      if (!running || !sending || !failed || !dead || !open) throw new Error('expected leases')
      await store.keepReply(sending, 'the reply')
      await store.keepReply(failed, 'the reply')
      await store.finish(failed, { kind: 'again', afterMs: 500, error: 'busy' })
      await store.finish(dead, { kind: 'dead', error: 'no' })
      await add('parked', `${keyB} ${keyA}`, { lane: laneOf(1) })
      await add('next', keyB, { lane: laneOf(1) })
      await add('high', `${keyA} ${keyB}`, { priority: 'high' })
      await add('low', `${keyB} ${keyA}`, { priority: 'low' })
      await add('of another', keyB)
      await accept('of none')
      await add('group', keyA, { group: groupOf() })
      await add('first', keyB, { group: groupOf({ key: 'pr-2' }) })
      const end = { claim: claimOf('closing'), ending: { key: keyA, by: 'evt-closing' } }
      const [answer] = await store.acceptAll([end])
      if (typeof answer !== 'object' || !('ended' in answer)) throw new Error(`unexpected: ${answer}`)
      t.match(answer, { taken: 'accepted', isMore: false })
      t.strictSame(answer.ended.toSorted(), eventIds('failed', 'group', 'high', 'low', 'open', 'parked', 'running'))
      t.strictSame(await store.acceptAll([end]), ['duplicate'], 'a repeat ends nothing')
      t.strictSame(await store.lasting?.([running, sending, open]), store.lasting && [sending.runId])
      t.strictSame(await store.renew([running, sending, open], 60_000), [sending.runId])
      t.equal(await store.keepReply(running, 'too late'), false)
      const taken = await store.take(20, 60_000)
      t.strictSame(
        new Map(taken.map(({ run }) => [run.deliveryId, run.endedBy])),
        new Map([
          ...['failed', 'high', 'low', 'open', 'running', 'parked', 'group'].map((id) => [id, 'evt-closing'] as const),
          ...['next', 'of another', 'of none'].map((id) => [id, undefined] as const),
        ]),
        'the place in the lane is free at once',
      )
      t.ok(taken.every(({ run }) => (run.endedBy !== undefined) === (run.cancelled === true)))
      t.strictSame(await store.acceptAll([{ ...end, claim: claimOf('again') }]), [{ taken: 'accepted', ended: [], isMore: false }])
      for (const lease of taken) t.equal(await store.finish(lease, { kind: 'done' }), true)
      t.equal(await store.finish(sending, { kind: 'done' }), true)
      await accept('last', laneOf(1))
      t.strictSame(ids(await store.take(10, 1000)), ['last'], 'the lane is free')
      t.match(await store.totals(), { runs: 1, groups: 1, dead: 1 })
      t.equal(await store.revive('evt-dead'), true, 'a dead run is not touched')
    })

    promise('an event ends what came before it, and does its own', async (t, { store, claimOf }) => {
      const supersede = (id: string, more: Partial<PendingWork> = {}): PendingWork => ({
        ...{ run: keyed(id, keyA), claim: claimOf(id), ending: { key: keyA, by: `evt-${id}` }, ...more },
      })
      const endedOf = async (...works: PendingWork[]): Promise<unknown[]> =>
        (await store.acceptAll(works)).map((answer) => (typeof answer === 'object' && 'ended' in answer ? answer.ended.join() : answer))
      const live = async (): Promise<string[]> => {
        const leases = await store.take(99, 60_000)
        for (const lease of leases) await store.finish(lease, { kind: 'done' })
        return ids(leases.filter(({ run }) => !run.cancelled))
      }
      t.strictSame(await endedOf(supersede('a')), [''])
      t.strictSame(await endedOf(supersede('b'), supersede('b'), supersede('c')), ['evt-a', 'duplicate', 'evt-b'], 'items in their order')
      t.strictSame(await live(), ['c'])
      const group = groupOf()
      t.strictSame(await endedOf(supersede('g1', { group }), supersede('g2', { group })), ['', ''], 'the group that it joins is left')
      t.strictSame(await endedOf(supersede('g3', { group: groupOf({ key: 'other' }) })), ['evt-g2'])
      const filled = groupOf({ key: 'other', maxEvents: 2, keep: 'first' })
      t.strictSame(await endedOf(supersede('g4', { group: filled })), [''], 'also where it fills the group')
      t.strictSame(await live(), ['g3'])
      const lane = laneOf(1)
      t.strictSame(await endedOf(supersede('l1', { lane }), supersede('l2', { lane }), supersede('l3', { lane })), ['', 'evt-l1', 'evt-l2'])
      t.strictSame(await live(), ['l3'])
      await store.acceptAll([{ run: keyed('full', keyA), claim: claimOf('full'), lane }])
      t.strictSame(await endedOf(supersede('busy', { lane: laneOf(1, 'refuse') })), ['busy'], 'what is refused ends nothing')
      const beside = { claim: { ...claimOf('x'), beside: { key: '@x', holdMs: hourMs } } }
      t.strictSame(await endedOf(supersede('x', beside)), ['evt-full'])
      const repeated = { claim: { ...claimOf('y'), beside: { key: '@x', holdMs: hourMs } } }
      t.strictSame(await endedOf(supersede('y', repeated)), ['repeated'])
      t.strictSame(await live(), ['x'])
      const late = groupOf({ key: '@x', windowMs: 0, maxWaitMs: 0, afterClaim: true })
      t.strictSame(await endedOf(supersede('z1', { claim: { ...claimOf('z1'), beside: { key: '@x', holdMs: hourMs } }, group: late })), [
        '',
      ])
      t.strictSame(await endedOf(supersede('z2')), ['evt-z1'], 'also what waits behind a cooldown')
      t.strictSame(await live(), ['z2'])
      t.equal(await store.backlog(), 0)
    })

    promise('ten thousand runs of one key end at once, and a further one is left', async (t, { store, claimOf }) => {
      for (let i = 0; i < 10_001; i += 667)
        await store.acceptAll(
          Array.from({ length: Math.min(667, 10_001 - i) }, (_, j) => ({ run: keyed(`n${i + j}`, keyA), claim: claimOf(`n${i + j}`) })),
        )
      const [answer] = await store.acceptAll([{ claim: claimOf('end'), ending: { key: keyA, by: 'evt-end' } }])
      if (typeof answer !== 'object' || !('ended' in answer)) throw new Error(`unexpected: ${answer}`)
      t.match([answer.ended.length, answer.isMore], [10_000, true])
      t.notOk(answer.ended.includes('evt-n10000'), 'the youngest is left')
      t.match(await store.standings(['evt-n10000']), [{ state: 'waiting' }])
      t.equal(await store.backlog(), 10_001)
    })

    promise('says how the runs of events stand', async (t, { store, accept, join }) => {
      for (const id of ['done', 'dead', 'again', 'running']) await accept(id)
      const [done, dead, again] = await store.take(4, 1000)
      if (done === undefined || dead === undefined || again === undefined) throw new Error('expected leases')
      await store.finish(done, { kind: 'done' })
      await store.finish(dead, { kind: 'dead', error: 'odd \0 \ud800 "' })
      await store.finish(again, { kind: 'again', afterMs: 500, error: 'busy' })
      await accept('fresh', laneOf(1))
      await accept('parked', laneOf(1))
      await join('first', groupOf())
      await join('latest', groupOf())
      const all = ['done', 'dead', 'again', 'running', 'fresh', 'parked', 'first', 'latest', 'nobody'].map((id) => `evt-${id}`)
      t.strictSame(await store.standings([...all, '', '"', "'", 'x'.repeat(100_000)]), [
        { eventId: 'evt-dead', state: 'dead', attempt: 1, error: 'odd \0 \ud800 "' },
        { eventId: 'evt-again', state: 'waiting', attempt: 1, dueInMs: 500, error: 'busy' },
        { eventId: 'evt-running', state: 'running', attempt: 1 },
        { eventId: 'evt-fresh', state: 'waiting', attempt: 0 },
        { eventId: 'evt-parked', state: 'waiting', attempt: 0 },
        { eventId: 'evt-latest', state: 'waiting', attempt: 0, dueInMs: 30_000 },
      ])
      t.strictSame(await store.standings([]), [])
      const many = Array.from({ length: 1000 }, (_, i) => `evt-${i}`)
      t.strictSame(await store.standings(many), [])
      await t.rejects(store.standings([...many, 'evt-dead']), StoreFault)
    })

    promise('dead runs are forgotten by age and by number', async (t, { store, clock, accept }) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) {
        await accept(id)
        await store.finish(only(await store.take(1, 1000)), { kind: 'dead', error: 'x' })
        clock.advance(10)
      }
      await accept('lives')
      const left = async (): Promise<string[]> =>
        (await store.standings(['a', 'b', 'c', 'd', 'e', 'lives'].map((id) => `evt-${id}`))).map(({ eventId }) => eventId)
      t.equal(await store.prune(40, 10), 1)
      t.strictSame(await left(), ['evt-b', 'evt-c', 'evt-d', 'evt-e', 'evt-lives'])
      t.equal(await store.prune(hourMs, 2), 2)
      t.strictSame(await left(), ['evt-d', 'evt-e', 'evt-lives'], 'the oldest go')
      t.equal(await store.revive('evt-b'), false)
      t.equal(await store.prune(0, 10), 2)
      t.equal(await store.prune(0, 0), 0)
      t.strictSame(await left(), ['evt-lives'])
    })

    promise('the times of schedules are noted and forgotten', async (t, { store }) => {
      t.strictSame(await store.positions(), new Map())
      const odd = 'nul \0, lone \ud800, "quote"'
      await store.keepPositions(
        new Map([
          ['a', 1],
          ['b', 2.5],
          [odd, 3],
        ]),
      )
      await store.keepPositions(
        new Map([
          ['a', 4],
          ['b', undefined],
          ['nobody', undefined],
        ]),
      )
      t.strictSame(
        await store.positions(),
        new Map([
          ['a', 4],
          [odd, 3],
        ]),
      )
      await store.keepPositions(new Map(Array.from({ length: 10_500 }, (_, i) => [`k${i}`, i])))
      t.equal((await store.positions()).size, 10_000)
      await store.keepPositions(
        new Map([
          ['new', 1],
          ['a', 5],
          [odd, undefined],
        ]),
      )
      const plans = await store.positions()
      t.strictSame([plans.size, plans.get('new'), plans.get('a')], [10_000, 1, 5], 'what is forgotten makes room')
    })

    promise('a session has the turns that were added to it, in their order, each once', async (t, { store }) => {
      const odd = says('nul \0, lone \ud800, pair 😀, line \u2028, quote "\\')
      const a = nameOf('a \0 \ud800 "')
      t.strictSame(await store.conversation(a.key, 10), [], 'none yet')
      const turn = [says('one'), says('two', 'assistant')]
      t.strictSame(await Promise.all([store.converse(a, 'e1', turn), store.converse(a, 'e1', turn)]), [true, false])
      t.equal(await store.converse(nameOf('b'), 'e1', [says('of b')]), true, 'a turn is of one session')
      t.equal(await store.converse(a, 'e2', [odd]), true)
      t.equal(await store.converse(a, 'e1', turn), false, 'later too')
      t.strictSame(await store.conversation(a.key, 10), [...turn, odd])
      t.strictSame(await store.conversation(a.key, 2), [turn[1], odd], 'the newest')
      t.strictSame(await store.conversation(a.key, 0), [])
      t.strictSame(await textsOf(store, 'b'), ['of b'])
    })

    promise('a session keeps its newest messages, by number and by length', async (t, { store }) => {
      const a = nameOf('a')
      for (let turn = 0; turn < 101; turn++) await store.converse(a, `e${turn}`, [says(`${turn}`), says(`to ${turn}`, 'assistant')])
      const texts = await textsOf(store, 'a')
      t.strictSame([texts.length, texts[0], texts.at(-1)], [200, '1', 'to 100'])
      t.equal(await store.converse(a, 'e0', [says('again')]), true, 'a turn that was dropped is not known any more')
      await store.converse(a, 'long', [says('x'.repeat(262_143)), says('y')])
      t.strictSame(
        (await textsOf(store, 'a')).map((text) => text.length),
        [262_143, 1],
      )
      await store.converse(a, 'short', [says('z')])
      t.strictSame(await textsOf(store, 'a'), ['y', 'z'])
      await store.converse(a, 'too long', [says('x'.repeat(262_145))])
      t.match(await store.session(a.key), { messages: 0 })
    })

    promise('sessions are told apart and found by profile and route, the latest first', async (t, { store, clock }) => {
      await store.converse(nameOf('a', { chatAddress: chat }), 'e1', [says('x'), says('y', 'assistant')])
      clock.advance(100)
      await store.converse(nameOf('b', { route: 'other' }), 'e2', [says('x')])
      await store.converse(nameOf('c', { profile: 'work' }), 'e3', [says('x')])
      t.strictSame(await namesOf(store), ['c', 'b', 'a'])
      t.strictSame(await namesOf(store, { route: 'chat' }), ['c', 'a'])
      t.strictSame(await namesOf(store, { profile: 'default' }), ['b', 'a'])
      t.strictSame(await namesOf(store, { profile: 'work', route: 'other' }), [])
      t.strictSame(await namesOf(store, {}, 1), ['c'])
      const a = { ...nameOf('a'), chatAddress: chat, ageMs: 100, idleMs: 100, messages: 2 }
      t.strictSame(await store.session(nameOf('a').key), a)
      t.equal(await store.session('nobody'), undefined)
      clock.advance(50)
      await store.converse(nameOf('a'), 'e4', [says('z')])
      t.strictSame(await store.sessions({}, 1), [{ ...a, ageMs: 150, idleMs: 0, messages: 3 }], 'it keeps its chat')
      const thread = { ...chat, thread: '7' }
      await store.converse(nameOf('a', { chatAddress: thread }), 'e5', [says('z')])
      t.match(await store.session(nameOf('a').key), { chatAddress: thread }, 'or gets another')
    })

    promise('a copy goes to the one session of its profile, chat and thread', async (t, { store, clock }) => {
      const copy: SessionMessage = { ...says('disk full'), label: 'alerts' }
      const mirror = (chatAddress: ChatAddress = chat, profile = 'default') => store.mirror(profile, chatAddress, copy)
      t.equal(await mirror(), 'none')
      await store.converse(nameOf('no chat'), 'e0', [says('x')])
      await store.converse(nameOf('a', { chatAddress: chat }), 'e1', [says('x')])
      await store.converse(nameOf('topic', { chatAddress: { ...chat, thread: '7' } }), 'e2', [says('x')])
      await store.converse(nameOf('theirs', { profile: 'work', chatAddress: chat }), 'e3', [says('x')])
      clock.advance(10)
      t.equal(await mirror(), 'written')
      t.strictSame(await store.conversation(nameOf('a').key, 10), [says('x'), copy])
      t.strictSame((await namesOf(store))[0], 'a', 'it counts as used')
      for (const name of ['no chat', 'topic', 'theirs']) t.strictSame(await textsOf(store, name), ['x'])
      for (const chatAddress of [
        { ...chat, thread: '8' },
        { ...chat, thread: '' },
        { ...chat, chat: '4' },
        { ...chat, platform: 'slack' },
      ])
        t.equal(await mirror(chatAddress), 'none')
      t.equal(await mirror(chat, 'nobody'), 'none')
      await store.converse(nameOf('b', { route: 'other', chatAddress: chat }), 'e4', [says('x')])
      t.equal(await mirror(), 'several')
      t.strictSame([await textsOf(store, 'a'), await textsOf(store, 'b')], [['x', 'disk full'], ['x']])
      t.equal(await mirror(chat, 'work'), 'written')
      t.equal(await mirror({ ...chat, thread: '7' }), 'written')
      for (let i = 0; i < 200; i++) await mirror({ ...chat, thread: '7' })
      t.match(await store.session(nameOf('topic').key), { messages: 200 })
    })

    promise('sessions are forgotten by age and by number', async (t, { store, clock }) => {
      for (const name of ['a', 'b', 'c']) {
        await store.converse(nameOf(name), 'e', [says('x')])
        clock.advance(10)
      }
      t.equal(await store.forgetSessions(30), 0)
      t.equal(await store.forgetSessions(20), 1)
      t.strictSame(await namesOf(store), ['c', 'b'])
      t.strictSame(await textsOf(store, 'a'), [])
      await store.converse(nameOf('b'), 'e2', [says('y')])
      await Promise.all(Array.from({ length: 9_999 }, (_, i) => store.converse(nameOf(`n${i}`), 'e', [says('x')])))
      const names = await namesOf(store)
      t.strictSame([names.length, names.includes('c'), names.at(-1)], [10_000, false, 'b'], 'the least recently used goes')
      t.strictSame(await textsOf(store, 'c'), [])
      clock.advance(1)
      t.equal(await store.forgetSessions(0), 10_000)
      await store.converse(nameOf('a'), 'e', [says('again')])
      t.strictSame(await textsOf(store, 'a'), ['again'])
    })

    promise('runs are erased in every state but in progress, and lanes go on', async (t, { store, accept, clock }) => {
      for (const id of ['dead', 'running', 'tried']) await accept(id)
      const [dead, running, tried] = (await store.take(3, hourMs)) as [Lease, Lease, Lease]
      await store.finish(dead, { kind: 'dead', error: 'x' })
      await store.finish(tried, { kind: 'again', afterMs: 10, error: 'x' })
      for (const id of ['first', 'second', 'third', 'fourth']) await accept(id, laneOf(1))
      for (const id of ['waits', 'other']) await accept(id)
      const wanted = eventIds('dead', 'running', 'tried', 'first', 'second', 'waits', 'nobody', 'no event: \u0000"{}')
      const erase = () => store.erase({ ids: wanted, groups: wanted })
      t.strictSame(erasedOf(await erase()), [['dead', 'first/0', 'second/0', 'tried/1', 'waits/0'], ['evt-running']])
      t.match(await store.totals(), { runs: 4, inLanes: 1, dead: 0 })
      t.equal(await store.backlog(), 4)
      t.strictSame(erasedOf(await erase()), [[], ['evt-running']], 'and again')
      t.equal(await store.finish(running, { kind: 'done' }), true)
      t.equal(await accept('waits'), 'duplicate', 'the claim of its id stays')
      clock.advance(10)
      const leases = await store.take(10, 1000)
      t.strictSame(ids(leases).sort(), ['other', 'third'], 'one of the lane')
      for (const lease of leases) await store.finish(lease, { kind: 'done' })
      t.strictSame(ids(await store.take(10, 1000)), ['fourth'])
    })

    promise('a group is erased with its run, and with all its prompts', async (t, { store, join, clock }) => {
      for (const keep of ['all', 'first', 'latest'] as const)
        for (const id of ['a', 'b']) await join(`${keep}-${id}`, groupOf({ key: keep, keep }), `prompt "of" ${id}, merged`)
      await join('lone', groupOf({ key: 'lone', keep: 'all' }))
      const erase = (...ids: string[]) => store.erase({ ids: eventIds(...ids), groups: eventIds(...ids, 'all-a', 'first-a', 'latest-a') })
      t.strictSame(erasedOf(await erase('latest-a', 'first-b')), [['all-b/0'], []], 'by the name of the group')
      t.match(await store.totals(), { runs: 0, groups: 3 })
      t.strictSame(erasedOf(await erase('first-a', 'lone')), [['first-a/0', 'lone/0'], []], 'by the event whose run it would become')
      t.same(await join('all-c', groupOf({ key: 'all', keep: 'all' })), { group: 'evt-all-c', count: 1 }, 'the next opens a group')
      for (const id of ['all-d', 'all-e']) await join(id, groupOf({ key: 'all', keep: 'all' }))
      clock.advance(30_000)
      await store.take(0, 1000)
      t.match(await store.totals(), { runs: 2, groups: 0 })
      t.strictSame(erasedOf(await store.erase({ ids: eventIds('all-d'), groups: eventIds('all-c') })), [['all-e/0'], []], 'as a run, too')
      t.strictSame(ids(await store.take(10, 1000)), ['latest-b'])
    })

    promise('the messages of erased events go, and sessions that have no others', async (t, { store }) => {
      for (const [name, turn] of [
        ['a', 'evt-1'],
        ['a', 'evt-2'],
        ['b', 'evt-1'],
        ['c', 'evt-2'],
      ] as const)
        await store.converse(nameOf(name, { chatAddress: { ...chat, chat: name } }), turn, [says(`${name} ${turn}`)])
      await store.converse(nameOf('d', { chatAddress: chat }), 'evt-1', [says('d')])
      await store.mirror('default', chat, says('mirrored'))
      for (const again of [0, 1]) {
        t.strictSame(await store.erase({ ids: ['evt-1'], groups: ['evt-1'] }), { runs: [], running: [] })
        t.strictSame(
          await Promise.all(['a', 'c', 'd'].map((name) => textsOf(store, name))),
          [['a evt-2'], ['c evt-2'], ['mirrored']],
          `${again}`,
        )
        t.strictSame((await namesOf(store)).sort(), ['a', 'c', 'd'])
      }
    })

    promise('what is used adds up until its window ends', async (t, { store, clock }) => {
      const none = { tokens: 0, cost: 0 }
      t.strictSame(await store.spend('a', 1000, none), none)
      const sums = await Promise.all([1, 2].map((tokens) => store.spend('a', 1000, { tokens, cost: 0.25 })))
      t.strictSame(sums, [
        { tokens: 1, cost: 0.25 },
        { tokens: 3, cost: 0.5 },
      ])
      clock.advance(999)
      t.strictSame(await store.spend('a', 5000, none), { tokens: 3, cost: 0.5 }, 'the first call says how long')
      t.strictSame(await store.spend('a', 5000, { tokens: -1, cost: 0 }), { tokens: 2, cost: 0.5 }, 'less than was reserved')
      t.strictSame(await store.spend('b', 5000, { tokens: 0, cost: 1 }), { tokens: 0, cost: 1 })
      clock.advance(1)
      t.strictSame(await store.spend('a', 5000, none), none)
      t.strictSame(await store.spend('a', 5000, { tokens: 7, cost: 0 }), { tokens: 7, cost: 0 })
      clock.advance(4999)
      await store.prune(hourMs, 10)
      t.strictSame(await store.spend('b', 1, none), none)
      t.strictSame(await store.spend('a', 1, none), { tokens: 7, cost: 0 })
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
        await t.rejects(store.spend('a', 1, { tokens: bad, cost: 0 }), StoreFault)
        await t.rejects(store.spend('a', bad, { tokens: 1, cost: 0 }), StoreFault)
      }
    })

    promise('of more sums than it holds, those that end first are dropped', async (t, { store }) => {
      const add = { tokens: 1, cost: 0 }
      await store.spend('first', 10, add)
      await Promise.all(Array.from({ length: 9_999 }, (_, i) => store.spend(`k${i}`, 1000, add)))
      t.match(await store.spend('first', 10, { tokens: 0, cost: 0 }), add)
      await store.spend('one more', 1000, add)
      t.match(await store.spend('first', 10, { tokens: 0, cost: 0 }), { tokens: 0 })
      t.match(await store.spend('k0', 10, add), { tokens: 2 })
    })

    t.end()
  })
}

t.test('memory: full is refused, never forgotten', async (t) => {
  const clock = fakeClock()
  const store = openMemory({ clock, maxClaims: 2 })
  const accept = (id: string): Promise<Accepted> => store.accept(runOf(id), { key: id, holdMs: hourMs })
  t.strictSame([await accept('a'), await accept('b')], ['accepted', 'accepted'])
  await t.rejects(accept('c'), StoreFault)
  t.equal(await accept('a'), 'duplicate', 'a duplicate is still known')
  clock.advance(hourMs)
  await t.rejects(accept('c'), StoreFault, 'the ids are free, the runs still wait')
  for (const lease of await store.take(2, 1000)) await store.finish(lease, { kind: 'done' })
  t.equal(await accept('c'), 'accepted')
  for (const lease of await store.take(1, 1000)) await store.finish(lease, { kind: 'done' })
  await t.rejects(store.acceptAll(['d', 'e'].map((id) => ({ run: runOf(id), claim: { key: id, holdMs: hourMs } }))), StoreFault)
  t.equal(await store.backlog(), 0, 'of several that have no room together, none is taken')
  t.equal(await store.claim({ key: 'd', holdMs: hourMs }), 'claimed')
  await t.rejects(store.claim({ key: 'e', holdMs: hourMs }), StoreFault)
})

t.test('memory: dead runs count until they are forgotten', async (t) => {
  const clock = fakeClock()
  const store = openMemory({ clock, maxClaims: 2 })
  const accept = (id: string): Promise<Accepted> => store.accept(runOf(id), { key: id, holdMs: 10 })
  for (const id of ['a', 'b']) {
    await accept(id)
    await store.finish(only(await store.take(1, 1000)), { kind: 'dead', error: 'x' })
  }
  clock.advance(10)
  t.equal(await store.backlog(), 0)
  await t.rejects(accept('c'), StoreFault)
  t.equal(await store.prune(0, 1), 2)
  t.equal(await accept('c'), 'accepted')
})

type Call = { readonly id: string; readonly beside: string | undefined } & (
  | { readonly op: 'accept' | 'claim' | 'keep' | 'release' }
  | { readonly op: 'accept'; readonly lane: Lane }
  | { readonly op: 'join'; readonly group: Group }
)

type Command =
  | { readonly op: 'turn'; readonly calls: readonly Call[] }
  | { readonly op: 'take'; readonly max: number; readonly leaseMs: number; readonly groups: boolean }
  | { readonly op: 'finish'; readonly pick: number; readonly kind: RunEnd['kind']; readonly delayMs: number }
  | { readonly op: 'reply'; readonly pick: number }
  | { readonly op: 'renew'; readonly pick: number; readonly leaseMs: number }
  | { readonly op: 'advance'; readonly ms: number }
  | { readonly op: 'revive'; readonly id: string }
  | { readonly op: 'end'; readonly key: string; readonly works: readonly Call[] }
  | { readonly op: 'erase'; readonly ids: readonly string[] }
  | { readonly op: 'prune'; readonly ageMs: number; readonly maxDead: number }

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const lane: fc.Arbitrary<Lane> = fc.record({
  key: fc.constantFrom('x', 'y'),
  limit: fc.integer({ min: 0, max: 3 }),
  whenFull: fc.constantFrom('wait' as const, 'wait' as const, 'refuse' as const),
})
const group: fc.Arbitrary<Group> = fc.record(
  {
    key: fc.constantFrom('g', 'h'),
    windowMs: fc.constantFrom(5, 30, 100),
    maxWaitMs: fc.constantFrom(20, 60),
    keep: fc.constantFrom('latest' as const, 'first' as const, 'all' as const),
    lane,
    afterClaim: fc.constant(true as const),
  },
  { requiredKeys: ['key', 'windowMs', 'maxWaitMs', 'keep'] },
)
/** The key of a second claim, which half of the events have. */
const beside = fc.constantFrom(undefined, undefined, '@p', '@q')
const settling = fc.constantFrom('keep' as const, 'release' as const)
const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('accept' as const), id, beside }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('accept' as const), id, beside, lane }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('join' as const), id, beside, group }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('claim' as const), id, beside }) },
  { weight: 1, arbitrary: fc.record({ op: settling, id, beside: fc.constant(undefined) }) },
)
/**
 * Settles a claim with a second one, in a turn of its own: whoever settles has made both, and whether a call of the same turn finds the
 * second one settled is left to the store.
 */
const settle = fc.record({ op: fc.constant('turn' as const), calls: fc.tuple(fc.record({ op: settling, id, beside })) })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('turn' as const), calls: fc.array(call, { minLength: 1, maxLength: 8 }) }) },
  { weight: 1, arbitrary: settle },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('take' as const),
      max: fc.nat(3),
      leaseMs: fc.integer({ min: 1, max: 50 }),
      groups: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('finish' as const),
      pick: fc.nat(),
      kind: fc.constantFrom('done' as const, 'again' as const, 'dead' as const),
      delayMs: fc.nat(60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reply' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('renew' as const), pick: fc.nat(), leaseMs: fc.integer({ min: 1, max: 50 }) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.constantFrom(1, 10, 40, hourMs / 2, hourMs) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('revive' as const), id }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('end' as const),
      key: fc.constantFrom('1'.repeat(20), '2'.repeat(20)),
      works: fc.array(
        fc.oneof(
          fc.record({ op: fc.constant('accept' as const), id, beside }),
          fc.record({ op: fc.constant('accept' as const), id, beside, lane }),
          fc.record({ op: fc.constant('join' as const), id, beside, group }),
          fc.record({ op: fc.constant('claim' as const), id, beside: fc.constant(undefined) }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('erase' as const), ids: fc.uniqueArray(id, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('prune' as const), ageMs: fc.constantFrom(0, 20, hourMs), maxDead: fc.nat(4) }),
  },
)

/** The run of an event in a sequence. Half of the events have keys by which later events end them. */
const runIn = (id: string): NewRun => {
  const keys = { a: '1', b: '12', c: '2', d: '21' }[id]?.split('').map((digit) => digit.repeat(20))
  const { eventId, ...run } = runOf(id)
  return { eventId, ...(id === 'b' ? { priority: 'high' } : {}), ...(keys ? { endKeys: keys.join(' ') } : {}), ...run }
}

const callOf = (store: Store, call: Call): Promise<unknown> => {
  const claimFor = (holdMs: number): Claim => ({
    key: call.id,
    holdMs,
    ...(call.beside === undefined ? {} : { beside: { key: call.beside, holdMs } }),
  })
  const claim = claimFor(hourMs)
  if ('group' in call) {
    const { afterClaim: _, ...group } = call.group
    return store.join(runIn(call.id), claim, call.beside === undefined ? group : call.group)
  }
  if (call.op === 'accept') return store.accept(runIn(call.id), claim, 'lane' in call ? call.lane : undefined)
  // A shared store holds an unsettled claim for half a minute at most. All stores agree on a shorter claim.
  const unsettled = claimFor(20_000)
  return call.op === 'claim' ? store.claim(unsettled) : store.settle(unsettled, call.op === 'keep')
}

/** Runs a command and says all that its caller can see of it. */
const apply = async (store: OpenStore, leases: Lease[], command: Command): Promise<unknown> => {
  switch (command.op) {
    case 'advance':
      return undefined
    case 'turn':
      return Promise.all(command.calls.map((call) => callOf(store, call)))
    case 'take': {
      const taken = await store.take(command.max, command.leaseMs, command.groups ? 'groups' : undefined)
      // No store takes further runs as they are accepted: a sole store never does.
      if (!command.groups) await store.take(0, command.leaseMs)
      leases.push(...taken)
      return taken
    }
    case 'end': {
      const answers = await store.acceptAll(
        command.works.map((work): PendingWork => {
          const claim = {
            key: work.id,
            holdMs: hourMs,
            ...(work.beside === undefined ? {} : { beside: { key: work.beside, holdMs: hourMs } }),
          }
          const group =
            'group' in work && work.beside === undefined ? { ...work.group, afterClaim: undefined } : 'group' in work && work.group
          return {
            ...(work.op === 'claim' ? {} : { run: runIn(work.id) }),
            claim,
            // A lane that refuses is that of a job, whose limit never changes.
            ...('lane' in work ? { lane: { ...work.lane, whenFull: 'wait' } } : {}),
            ...(group ? { group: JSON.parse(JSON.stringify(group)) } : {}),
            ending: { key: command.key, by: `evt-${work.id}` },
          }
        }),
      )
      return answers.map((answer) =>
        typeof answer === 'object' && 'ended' in answer ? { ...answer, ended: answer.ended.toSorted() } : answer,
      )
    }
    case 'revive':
      return store.revive(`evt-${command.id}`)
    case 'prune':
      return store.prune(command.ageMs, command.maxDead)
    case 'erase': {
      // A sole store knows whether the process holds a run, a shared store whether its lease has run out.
      await store.renew(leases, 1000)
      const wanted = eventIds(...command.ids)
      return erasedOf(await store.erase({ ids: wanted, groups: wanted }))
    }
  }
  const lease = leases[command.pick % Math.max(1, leases.length)]
  if (lease === undefined) return undefined
  if (command.op === 'renew') return (await store.renew([lease], command.leaseMs)).length
  if (command.op === 'reply') return store.keepReply(lease, `reply ${lease.fence}`)
  return store.finish(lease, { kind: command.kind, afterMs: command.delayMs, error: `error ${command.delayMs}` })
}

type View = {
  readonly backlog: number
  readonly totals: ReturnType<typeof countsOf>
  readonly due: number | undefined
  readonly standings: readonly StoredStanding[]
}

/** The totals of a store, with whether it knows of an oldest run. */
const countsOf = ({ oldestMs, ...counts }: StoreTotals) => ({ ...counts, hasOldest: oldestMs !== undefined })

/** All that anybody can see of a store. */
const viewOf = async (store: Store): Promise<View> => ({
  backlog: await store.backlog(),
  totals: countsOf(await store.totals()),
  due: await store.dueInMs(),
  standings: await store.standings(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => `evt-${id}`)),
})

t.test('the stores do the same over any sequence of calls', async (t) => {
  const clock = fakeClock()
  const sides = await Promise.all(
    subjects.map(async ({ name, at, pollEveryMs = Number.POSITIVE_INFINITY }) => {
      const part = at(clock)
      const store = await part.open(openedIn(newFolder(t), clock))
      t.teardown(async () => {
        await store.close()
        await part.close?.()
      })
      return { name, store, pollEveryMs }
    }),
  )

  /** Back to nothing held and nothing waiting, so that the same stores serve all sequences. */
  const empty = async (): Promise<void> => {
    clock.advance(2 * hourMs)
    for (const { name, store } of sides) {
      for (let leases = await store.take(1000, 1000); leases.length > 0; leases = await store.take(1000, 1000)) {
        await Promise.all(leases.map((lease) => store.finish(lease, { kind: 'done' })))
      }
      await store.take(0, 1000)
      await store.prune(0, 0)
      const left = await store.backlog()
      if (left > 0) throw new Error(`${name}: ${left} left that nobody can take`)
    }
  }
  // A shared store gives a group that it erases the id of a run, and the next run another id.
  const withoutRunId = (key: string, value: unknown): unknown => (key === 'runId' ? undefined : value)
  let runs = 0
  // A slow machine does fewer sequences. The library would break off in the middle of one, whose calls would then meet those of `empty`.
  const lastBegin = Date.now() + 5_000
  const sequence = fc
    .asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), async (commands) => {
      if (Date.now() > lastBegin) return
      runs++
      const leases = sides.map((): Lease[] => [])
      for (const command of commands) {
        if (command.op === 'advance') clock.advance(command.ms)
        const did = await Promise.all(
          sides.map(async ({ store }, i) => ({ result: await apply(store, leases[i] ?? [], command), view: await viewOf(store) })),
        )
        for (const [i, { name, pollEveryMs }] of sides.entries()) {
          const firstDue = did[0]?.view.due ?? Number.POSITIVE_INFINITY
          const [first, other] = [did[0], did[i]].map((one) => {
            const due = one?.view.due ?? Number.POSITIVE_INFINITY
            // A shared store may be asked again sooner, because other processes add work too.
            const isLook = due > 0 && due < firstDue && due <= pollEveryMs && Number.isFinite(pollEveryMs)
            return JSON.stringify([one?.result, { ...one?.view, due: isLook ? firstDue : due }], withoutRunId)
          })
          if (first !== other) throw new Error(`${JSON.stringify(command)}: ${first} by ${sides[0]?.name}, ${other} by ${name}`)
        }
      }
    })
    .afterEach(empty)
  await t.resolves(fc.assert(sequence, { numRuns: 100 }))
  t.ok(runs >= 10, `${runs} sequences`)
})

const claimFor = (key: string): Claim => ({ key, holdMs: hourMs })

/** Two processes on one store. Their clocks stand still, far apart; only the time of the store passes. */
for (const { name, at } of [shared, ...postgres])
  t.test(`${name}: two processes`, (t) => {
    type Two = { readonly first: OpenStore; readonly second: OpenStore; readonly open: () => Promise<Store>; readonly clock: FakeClock }
    const promise = (title: string, check: (t: Test, two: Two) => Promise<void>): void => {
      t.test(title, async (t) => {
        const clock = fakeClock()
        const part = at(clock)
        const opened: OpenStore[] = []
        const open = async (start: number): Promise<OpenStore> => {
          const store = await part.open(openedIn(t.testdirName, fakeClock(start)))
          opened.push(store)
          return store
        }
        t.teardown(async () => {
          await Promise.all(opened.map((store) => store.close()))
          await part.close?.()
        })
        await check(t, { first: await open(0), second: await open(clock.now() + 100 * hourMs), open: () => open(clock.now()), clock })
      })
    }
    const accept = (store: Store, id: string, lane?: Lane): Promise<Accepted> => store.accept(runOf(id), { key: id, holdMs: hourMs }, lane)

    promise('each run is taken by one of them, in the order of acceptance', async (t, { first, second }) => {
      for (const [i, id] of ['a', 'b', 'c', 'd'].entries()) t.equal(await accept(i % 2 ? first : second, id), 'accepted')
      const [some, others] = await Promise.all([first.take(2, 1000), second.take(10, 1000)])
      // The server may hear the call of either store first.
      for (const taken of [ids(some), ids(others)]) t.strictSame(taken, taken.toSorted())
      t.strictSame([...ids(some), ...ids(others)].toSorted(), ['a', 'b', 'c', 'd'])
      t.equal(await second.backlog(), 4)
    })

    promise("they know of each other's ids, lanes and groups", async (t, { first, second, clock }) => {
      const claim = { key: 'direct', holdMs: hourMs }
      t.strictSame([await accept(first, 'a', laneOf(1)), await accept(second, 'a', laneOf(1))], ['accepted', 'duplicate'])
      t.strictSame([await first.claim(claim), await second.claim(claim), await second.held(['direct'])], ['claimed', 'unsettled', [true]])
      t.equal(await accept(second, 'b', laneOf(1, 'refuse')), 'busy')
      for (const [i, store] of [first, second].entries()) {
        t.strictSame(await store.join(runOf(`g${i}`), { key: `g${i}`, holdMs: hourMs }, groupOf()), { group: 'evt-g0', count: i + 1 })
      }
      clock.advance(30_000)
      t.match(await second.take(10, 1000), [{ run: { deliveryId: 'a' } }, { run: { deliveryId: 'g1', merged: { count: 2 } } }])
    })

    promise('of events with one key that both take at once, one is left; nothing is left after the end', async (t, { first, second }) => {
      const key = 'K'.repeat(20)
      const stores = [first, second]
      const take = (i: number) => {
        const { eventId, ...run } = runOf(`k${i}`)
        const work = { run: { eventId, endKeys: key, ...run }, claim: claimFor(`k${i}`), ending: { key, by: eventId } }
        const kept = i % 3 === 0 ? { group: groupOf({ key: `g${i % 2}` }) } : i % 3 === 1 ? { lane: laneOf(1) } : {}
        return stores[i % 2]?.acceptAll([{ ...work, ...kept }])
      }
      const live = async (): Promise<number> => {
        let count = 0
        for (;;) {
          const leases = [
            ...(await first.take(50, 60_000)),
            ...(await second.take(50, 60_000)),
            ...(await first.take(50, 60_000, 'groups')),
          ]
          if (leases.length === 0) return count
          for (const lease of leases) await first.finish(lease, { kind: 'done' })
          count += leases.filter(({ run }) => !run.cancelled).length
        }
      }
      const answers = (await Promise.all(Array.from({ length: 60 }, (_, i) => take(i)))).flat()
      t.ok(answers.every((answer) => typeof answer === 'object' && 'ended' in answer))
      const ended = answers.flatMap((answer) => (typeof answer === 'object' && 'ended' in answer ? answer.ended : []))
      t.equal(new Set(ended).size, ended.length, 'each was ended by one event')
      t.equal(await live(), 1)
      await Promise.all(Array.from({ length: 30 }, (_, i) => take(100 + i)))
      const taken = [...(await first.take(50, 60_000)), ...(await second.take(50, 60_000))]
      const leases = taken.filter(({ run }) => !run.cancelled)
      t.match(await second.acceptAll([{ claim: claimFor('end'), ending: { key, by: 'evt-end' } }]), [{ taken: 'accepted' }])
      for (const lease of leases) t.equal(await first.keepReply(lease, 'too late'), false)
      for (const lease of taken.filter(({ run }) => run.cancelled)) await first.finish(lease, { kind: 'done' })
      t.equal(await live(), 0)
    })

    promise('events that both add at once fill a group once, also beside second claims and items', async (t, { first, second }) => {
      const group = groupOf({ maxEvents: 4, lane: laneOf(100) })
      const claim = (i: number): Claim => ({ ...claimFor(`e${i}`), ...(i % 3 ? {} : { beside: { key: `@${i}`, holdMs: hourMs } }) })
      const joined = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const [store, work] = [i % 2 ? first : second, { run: runOf(`e${i}`), claim: claim(i), group }]
          return i % 5 ? store.join(work.run, work.claim, group) : (await store.acceptAll([work]))[0]
        }),
      )
      t.strictSame(
        joined.map((each) => (typeof each === 'object' && 'count' in each ? each.count : 0)).toSorted(),
        [1, 2, 3, 4].flatMap((n) => Array(10).fill(n)),
      )
      const runs = (await Promise.all([first.take(30, 1000), second.take(30, 1000)])).flat()
      t.strictSame(
        runs.map(({ run }) => run.merged?.count),
        Array(10).fill(4),
      )
      t.strictSame((await first.queues(10)).groups, [])
    })

    promise('of events with one second claim at once, one is taken, and no order of keys holds both up', async (t, { first, second }) => {
      const beside = (id: string, key: string): Claim => ({ ...claimFor(id), beside: { key, holdMs: hourMs } })
      const single = (i: number) => (i % 2 ? first : second).accept(runOf(`s${i}`), beside(`s${i}`, '@one'))
      const singles = await Promise.all(Array.from({ length: 20 }, (_, i) => single(i)))
      t.strictSame([...singles].sort(), ['accepted', ...Array.from({ length: 19 }, () => 'repeated')])
      const keys = Array.from({ length: 200 }, (_, i) => `@${i}`)
      const work = (key: string, by: string): PendingWork => ({
        run: runOf(`${by}${key}`),
        claim: beside(`${by}${key}`, key),
        ...(Number(key.slice(1)) % 3 ? {} : { lane: laneOf(1, 'wait', key) }),
        ...(Number(key.slice(1)) % 3 === 1 ? { group: groupOf({ key }) } : {}),
      })
      const batches = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? first : second).acceptAll((i % 4 < 2 ? keys : keys.toReversed()).map((key) => work(key, `${i}`))),
        ),
      )
      const taken = batches.flat().filter((answer) => answer !== 'repeated')
      t.equal(taken.length, 200, 'each key has one event')
      const after = groupOf({ key: '@after', windowMs: 0, maxWaitMs: 0, afterClaim: true })
      const lasts = Array.from({ length: 20 }, (_, i) => (i % 2 ? first : second).join(runOf(`l${i}`), beside(`l${i}`, '@last'), after))
      const waiting = (await Promise.all(lasts)).filter((answer) => answer !== 'accepted')
      t.equal(waiting.length, 19, 'one passes, the others wait')
      t.equal(Math.max(...waiting.map((answer) => (typeof answer === 'object' ? answer.count : 0))), 19)
      const direct = (store: Store, id: string) => store.claim(beside(id, '@direct'))
      t.strictSame((await Promise.all([direct(first, 'd1'), direct(second, 'd2')])).sort(), ['claimed', 'unsettled'])
    })

    promise('what a dead process had in hand is free when its lease runs out', async (t, { first, open, clock }) => {
      await accept(first, 'a')
      const late = only(await first.take(1, 1000))
      const next = await open()
      t.strictSame(await next.take(1, 1000), [], 'not because another was started')
      clock.advance(999)
      t.strictSame(await next.take(1, 1000), [])
      t.equal(await next.dueInMs(), 1)
      clock.advance(1)
      const lease = only(await next.take(1, 1000))
      t.match(lease, { attempt: 2, interrupted: true })
      t.equal(await first.keepReply(late, 'late'), false)
      t.equal(await first.finish(late, { kind: 'done' }), false, 'it was not dead after all, but late')
      t.equal(await next.finish(lease, { kind: 'done' }), true)
    })

    promise('what a dead process had claimed is free for the repeat of its sender', async (t, { first, open, clock }) => {
      const [claim, short] = [claimFor('a'), { key: 'b', holdMs: 5_000 }]
      t.strictSame(await Promise.all([first.claim(claim), first.claim(short)]), ['claimed', 'claimed'])
      clock.advance(4_999)
      const next = await open()
      t.equal(await next.claim(short), 'unsettled')
      clock.advance(1)
      t.equal(await next.claim(short), 'claimed', 'no claim lasts longer than was asked')
      clock.advance(24_999)
      t.equal(await next.claim(claim), 'unsettled')
      clock.advance(1)
      t.equal(await next.claim(claim), 'claimed')
      await first.settle(claim, false)
      t.strictSame(await next.held(['a']), [true], 'the first was not dead, but too late')
    })

    promise('what was settled is held for its whole time, by whoever asks', async (t, { first, second, clock }) => {
      t.strictSame(await Promise.all([first.claim(claimFor('a')), first.claim(claimFor('b'))]), ['claimed', 'claimed'])
      clock.advance(10_000)
      await first.settle(claimFor('a'), true)
      await second.settle(claimFor('b'), true)
      clock.advance(20_000)
      t.strictSame(await second.held(['a', 'b']), [true, false], 'nobody settles the claim of another process')
      clock.advance(hourMs - 30_001)
      t.equal(await second.claim(claimFor('a')), 'duplicate')
      clock.advance(1)
      t.equal(await second.claim(claimFor('a')), 'claimed')
    })

    promise('what another has in hand is not erased before its lease runs out', async (t, { first, second, clock }) => {
      await accept(first, 'a', laneOf(1))
      await accept(first, 'b', laneOf(1))
      const lease = only(await first.take(1, 1000))
      const of = { ids: ['evt-a'], groups: [] }
      t.strictSame(erasedOf(await second.erase(of)), [[], ['evt-a']])
      clock.advance(1000)
      t.strictSame(erasedOf(await second.erase(of)), [['a/1'], []])
      t.equal(await first.finish(lease, { kind: 'done' }), false)
      t.strictSame(ids(await first.take(1, 1000)), ['b'])
    })

    promise('one that closes leaves the others at work', async (t, { first, second }) => {
      await accept(first, 'a')
      await first.close()
      await t.rejects(first.take(1, 1000), StoreFault)
      t.strictSame(ids(await second.take(1, 1000)), ['a'])
    })

    promise('there is room as far as it was heard last', async (t, { first, second }) => {
      for (const id of ['a', 'b']) await accept(first, id)
      t.strictSame([first.hasRoom(2), second.hasRoom(2)], [false, true])
      t.equal(await second.backlog(), 2)
      t.equal(second.hasRoom(2), false)
    })

    t.end()
  })
