/** What every store promises, run against each of them. */

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { StoreFault } from '../../src/core/fault.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import type { Claim, Lease, NewRun, RunEnd, Store } from '../../src/store/ports.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'

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

type Setting = {
  readonly store: Store
  readonly clock: FakeClock
  readonly accept: (id: string) => Promise<boolean>
  readonly claimOf: (key: string) => Claim
}

const ids = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.run.deliveryId)

const only = (leases: readonly Lease[]): Lease => {
  const [lease] = leases
  if (lease === undefined || leases.length > 1) throw new Error(`expected one lease, found ${leases.length}`)
  return lease
}

type Kind = { readonly name: string; readonly open: (folder: string, clock: FakeClock) => Promise<Store> }

const kinds: readonly Kind[] = [
  { name: 'memory', open: async (_, clock) => openMemory({ clock }) },
  { name: 'sqlite', open: (folder, clock) => openSqlite({ folder, durability: 'commit', clock }) },
]

for (const { name, open } of kinds) {
  t.test(name, (t) => {
    const promise = (title: string, check: (t: Test, setting: Setting) => Promise<void>): void => {
      t.test(title, async (t) => {
        const clock = fakeClock()
        const store = await open(t.testdir(), clock)
        t.teardown(() => store.close())
        const claimOf = (key: string): Claim => ({ key, expiresAt: clock.monotonic() + hourMs })
        await check(t, { store, clock, claimOf, accept: (id) => store.accept(runOf(id), claimOf(id)) })
      })
    }

    promise('an id is accepted once, also when asked twice in one turn', async (t, { store, accept }) => {
      t.strictSame(await Promise.all([accept('a'), accept('b'), accept('a')]), [true, true, false])
      t.equal(await accept('b'), false)
      t.equal(store.backlog, 2)
      t.strictSame(ids(await store.take(10, 1000)), ['a', 'b'])
    })

    promise('of 200 calls for one id one gets it', async (t, { store, accept }) => {
      const got = await Promise.all(Array.from({ length: 200 }, () => accept('a')))
      t.equal(got.filter(Boolean).length, 1)
      t.equal(got[0], true, 'the first')
      t.equal(ids(await store.take(10, 1000)).length, 1)
    })

    promise('runs and their ids come back as they were given', async (t, { store, claimOf }) => {
      const odd = runOf('odd', 'nul \0, lone \ud800, pair 😀, line \u2028, quote "\\')
      await store.accept(odd, claimOf('k\0\ud800'))
      t.equal(await store.accept(odd, claimOf('k\0\ud800')), false)
      t.equal(await store.accept(runOf('other'), claimOf('k')), true, 'no id is cut at a NUL')
      t.equal(await store.accept(runOf('long'), claimOf('k'.repeat(20_000))), true)
      const [lease] = await store.take(1, 1000)
      t.strictSame(lease?.run, odd)
    })

    promise('an id holds for an hour, not longer', async (t, { store, clock, accept, claimOf }) => {
      await accept('a')
      await store.claim(claimOf('b'))
      await store.settle('b', true)
      clock.advance(hourMs - 1000)
      t.strictSame(await Promise.all([accept('a'), accept('b')]), [false, false], '59:59')
      clock.advance(2000)
      t.strictSame(await Promise.all([accept('a'), accept('b')]), [true, true], '60:01')
      t.equal(await accept('a'), false, 'and holds again')
    })

    promise('a claim excludes others until it is given back', async (t, { store, accept, claimOf }) => {
      t.equal(await store.claim(claimOf('a')), true)
      t.strictSame(await Promise.all([store.claim(claimOf('a')), accept('a')]), [false, false])
      await store.settle('a', false)
      t.equal(await store.claim(claimOf('a')), true, 'the sender may try again')
      await store.settle('a', true)
      t.equal(await store.claim(claimOf('a')), false)
      await store.settle('a', false)
      t.equal(await store.claim(claimOf('a')), false, 'what is settled stays settled')
      await accept('b')
      await store.settle('b', false)
      t.equal(await accept('b'), false, 'what was accepted is settled')
      await store.settle('nobody', true)
      t.equal(await accept('nobody'), true)
    })

    promise('calls of one turn take effect in their order', async (t, { store, accept, claimOf }) => {
      const got = await Promise.all([
        accept('x'),
        store.claim(claimOf('a')),
        accept('a'),
        store.settle('a', false),
        accept('a'),
        store.claim(claimOf('a')),
      ])
      t.strictSame(got, [true, true, false, undefined, true, false])
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
      t.equal(store.backlog, 4, 'taken is not done')
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
      for (const end of [{ kind: 'done' }, { kind: 'again', at: 0, error: '' }, { kind: 'dead', error: '' }] satisfies RunEnd[]) {
        t.equal(await store.finish(late, end), false, end.kind)
      }
      t.equal(await store.finish(next, { kind: 'done' }), true)
      t.equal(await store.finish(next, { kind: 'done' }), false, 'once')
      t.equal(store.backlog, 0)
    })

    promise('a late holder may finish what nobody took after it', async (t, { store, clock, accept }) => {
      await accept('a')
      const lease = only(await store.take(1, 1000))
      clock.advance(5000)
      t.equal(await store.keepReply(lease, 'slow'), true)
      t.equal(await store.finish(lease, { kind: 'done' }), true)
      t.strictSame(await store.take(1, 1000), [])
    })

    promise('a run that is to be tried again waits for its time and keeps its reply', async (t, { store, clock, accept }) => {
      await accept('a')
      const first = only(await store.take(1, 1000))
      t.notOk('reply' in first)
      t.equal(await store.keepReply(first, 'the reply'), true)
      t.equal(await store.finish(first, { kind: 'again', at: clock.monotonic() + 5000, error: 'no route to host' }), true)
      t.equal(store.backlog, 1)
      t.equal(await store.finish(first, { kind: 'done' }), false, 'its lease is over')
      clock.advance(4999)
      t.strictSame(await store.take(1, 1000), [])
      clock.advance(1)
      t.match(only(await store.take(1, 1000)), { attempt: 2, interrupted: false, reply: 'the reply' })
    })

    promise('runs tried before come first, by the time they became due', async (t, { store, clock, accept }) => {
      for (const id of ['a', 'b', 'c']) await accept(id)
      const now = clock.monotonic()
      const delays = [30, 10, 10]
      for (const [i, lease] of (await store.take(3, 1000)).entries()) {
        await store.finish(lease, { kind: 'again', at: now + (delays[i] ?? 0), error: 'busy' })
      }
      await accept('d')
      clock.advance(20)
      t.strictSame(ids(await store.take(10, 1000)), ['b', 'c', 'd'])
      clock.advance(20)
      t.strictSame(ids(await store.take(10, 1000)), ['a'])
    })

    promise('a dead run is out of the backlog and never taken again', async (t, { store, clock, accept }) => {
      await accept('a')
      t.equal(await store.finish(only(await store.take(1, 1000)), { kind: 'dead', error: 'out of attempts' }), true)
      t.equal(store.backlog, 0)
      clock.advance(10 * hourMs)
      t.strictSame(await store.take(1, 1000), [])
      t.equal(await store.nextDue(), undefined)
    })

    promise('says when the next run is due', async (t, { store, clock, accept }) => {
      const start = clock.monotonic()
      t.equal(await store.nextDue(), undefined)
      await accept('a')
      await accept('b')
      t.equal(await store.nextDue(), start, 'now')
      const [a, b] = await store.take(2, 1000)
      if (a === undefined || b === undefined) throw new Error('expected two leases')
      t.equal(await store.nextDue(), start + 1000, 'a lease runs out')
      await store.finish(a, { kind: 'again', at: start + 500, error: 'busy' })
      t.equal(await store.nextDue(), start + 500)
      await store.finish(b, { kind: 'done' })
      clock.advance(100)
      await accept('c')
      t.equal(await store.nextDue(), start + 100)
    })

    promise('the backlog is right whenever a call has resolved', async (t, { store, accept }) => {
      t.equal(store.backlog, 0)
      for (const [i, id] of ['a', 'b', 'c'].entries()) {
        await accept(id)
        t.equal(store.backlog, i + 1)
      }
      for (const [i, lease] of (await store.take(3, 1000)).entries()) {
        await store.finish(lease, { kind: 'done' })
        t.equal(store.backlog, 2 - i)
      }
    })

    promise('closing commits what was called before and refuses what comes after', async (t, { store, accept, claimOf }) => {
      const pending = [accept('a'), accept('b')]
      const closed = store.close()
      t.strictSame(await Promise.all(pending), [true, true])
      await closed
      await store.close()
      const calls = [
        () => accept('c'),
        () => store.claim(claimOf('c')),
        () => store.settle('c', true),
        () => store.take(1, 1),
        () => store.nextDue(),
      ]
      for (const call of calls) await t.rejects(async () => void (await call()), StoreFault)
    })

    t.end()
  })
}

t.test('memory: full is refused, never forgotten', async (t) => {
  const clock = fakeClock()
  const store = openMemory({ clock, maxClaims: 2 })
  const accept = (id: string): Promise<boolean> => store.accept(runOf(id), { key: id, expiresAt: clock.monotonic() + hourMs })
  t.strictSame([await accept('a'), await accept('b')], [true, true])
  await t.rejects(accept('c'), StoreFault)
  t.equal(await accept('a'), false, 'a duplicate is still known')
  clock.advance(hourMs)
  await t.rejects(accept('c'), StoreFault, 'the ids are free, the runs still wait')
  for (const lease of await store.take(2, 1000)) await store.finish(lease, { kind: 'done' })
  t.equal(await accept('c'), true)
  t.equal(await store.claim({ key: 'd', expiresAt: clock.monotonic() + hourMs }), true)
  await t.rejects(store.claim({ key: 'e', expiresAt: clock.monotonic() + hourMs }), StoreFault)
})

type Command =
  | { readonly op: 'turn'; readonly calls: readonly { readonly op: 'accept' | 'claim' | 'keep' | 'release'; readonly id: string }[] }
  | { readonly op: 'take'; readonly max: number; readonly leaseMs: number }
  | { readonly op: 'finish'; readonly pick: number; readonly kind: RunEnd['kind']; readonly delayMs: number }
  | { readonly op: 'reply'; readonly pick: number }
  | { readonly op: 'advance'; readonly ms: number }

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const call = fc.record({
  op: fc.constantFrom('accept' as const, 'accept' as const, 'claim' as const, 'keep' as const, 'release' as const),
  id,
})
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('turn' as const), calls: fc.array(call, { minLength: 1, maxLength: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('take' as const), max: fc.nat(3), leaseMs: fc.integer({ min: 1, max: 50 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('finish' as const),
      pick: fc.nat(),
      kind: fc.constantFrom('done' as const, 'again' as const, 'dead' as const),
      delayMs: fc.nat(60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reply' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.constantFrom(1, 10, 40, hourMs / 2, hourMs) }) },
)

/** Runs a command and says all that a caller can see of it. */
const apply = async (store: Store, clock: FakeClock, leases: Lease[], command: Command): Promise<unknown> => {
  const lease = 'pick' in command ? leases[command.pick % Math.max(1, leases.length)] : undefined
  if (command.op === 'advance') return undefined
  if (command.op === 'take') {
    const taken = await store.take(command.max, command.leaseMs)
    leases.push(...taken)
    return taken
  }
  if (command.op === 'turn') {
    const claimOf = (key: string): Claim => ({ key, expiresAt: clock.monotonic() + hourMs })
    return Promise.all(
      command.calls.map(({ op, id }) =>
        op === 'accept'
          ? store.accept(runOf(id), claimOf(id))
          : op === 'claim'
            ? store.claim(claimOf(id))
            : store.settle(id, op === 'keep'),
      ),
    )
  }
  if (lease === undefined) return undefined
  if (command.op === 'reply') return store.keepReply(lease, `reply ${lease.fence}`)
  const end = { kind: command.kind, at: clock.monotonic() + command.delayMs, error: 'x' }
  return store.finish(lease, end)
}

t.test('the stores do the same over any sequence of calls', async (t) => {
  const clock = fakeClock()
  const sqlite = await openSqlite({ folder: t.testdir(), durability: 'commit', clock })
  t.teardown(() => sqlite.close())
  const memory = openMemory({ clock })
  const stores = [sqlite, memory] as const

  /** Back to nothing held and nothing waiting, so that one pair of stores serves all sequences. */
  const empty = async (): Promise<void> => {
    clock.advance(2 * hourMs)
    for (const store of stores) {
      for (const lease of await store.take(1000, 1000)) await store.finish(lease, { kind: 'done' })
    }
  }
  let runs = 0
  const sequence = fc
    .asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), async (commands) => {
      runs++
      const leases: [Lease[], Lease[]] = [[], []]
      for (const command of commands) {
        if (command.op === 'advance') clock.advance(command.ms)
        const seen = [await apply(sqlite, clock, leases[0], command), await apply(memory, clock, leases[1], command)]
        seen.push([sqlite.backlog, await sqlite.nextDue()], [memory.backlog, await memory.nextDue()])
        const [bySqlite, byMemory, sqliteState, memoryState] = seen.map((part) => JSON.stringify(part))
        if (bySqlite !== byMemory || sqliteState !== memoryState) {
          throw new Error(`${JSON.stringify(command)}: ${bySqlite} ${sqliteState} by sqlite, ${byMemory} ${memoryState} by memory`)
        }
      }
    })
    .afterEach(empty)
  await t.resolves(fc.assert(sequence, { numRuns: 60, interruptAfterTimeLimit: 5000, markInterruptAsFailure: false }))
  t.ok(runs >= 10, `${runs} sequences`)
})
