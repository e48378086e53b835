/** The worker over the real store: what was accepted begins and ends, however the disk behaves. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import { StoreFault } from '../../src/core/fault.ts'
import type { Log } from '../../src/core/log.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { createLogObserver } from '../../src/gateway/log-observer.ts'
import type { RunnerPart } from '../../src/parts/runners/runner.ts'
import type { Toolset, ToolsetPart } from '../../src/parts/tools/tool.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { type Agent, compileRunner } from '../../src/plan/runner.ts'
import { noConversations } from '../../src/runs/conversation.ts'
import { lackOf, type ServedNames } from '../../src/runs/lack-of.ts'
import { policyOf } from '../../src/runs/policy.ts'
import { Worker, type WorkerOptions } from '../../src/runs/worker.ts'
import { createEventRates } from '../../src/serve/limits/event-rates.ts'
import type { Store } from '../../src/store/ports.ts'
import { DurableDatabase } from '../../src/store/sqlite/durable-database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { aheadOf, type FakeClock, fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { openedIn, pollEveryMs, sharedStore } from '../fakes/shared-store.ts'

/** How many commits each opening of the store is good for. */
type Disk = { commits: number; openings: number }

/** The database of a disk, which fails after so many commits, until it is opened again. */
const databaseOn = (disk: Disk, folder: string): DurableDatabase =>
  new (class extends DurableDatabase {
    #made = 0

    override async commit<T>(work: () => T): Promise<T> {
      // The first commit opens the ledger.
      if (this.#made++ === 0) disk.openings++
      else if (this.#made > disk.commits + 1) throw new StoreFault('disk I/O error')
      return super.commit(work)
    }

    // Nothing of a commit that failed here has begun.
    override async recover(): Promise<void> {
      this.#made = 0
    }
  })(folder, 'commit')

/** Opens a store on a disk that fails as the disk says. */
const storeOn = async (t: Test, clock: FakeClock, disk: Disk): Promise<Store> => {
  const folder = newFolder(t)
  return openSqlite({ folder, durability: 'commit', clock }, () => databaseOn(disk, folder))
}

const runOf = (id: string): NewRun => ({
  eventId: id,
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: id,
  prompt: id,
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
})

const accept = (store: Store, id: string) => store.accept(runOf(id), { key: id, holdMs: 3_600_000 })

const open = async (t: Test, clock: FakeClock, disk: Disk) => workOn(t, clock, await storeOn(t, clock, disk))

/** `send` must resolve before a text counts as sent. */
type WorkOptions = Pick<WorkerOptions, 'isShared' | 'lacks' | 'rates'> & {
  readonly timeoutMs: number
  readonly send: () => Promise<void>
  readonly toolsets: readonly string[]
  readonly route: Parameters<typeof policyOf>[1]
  readonly startsOnce: boolean
}

const workOn = (t: Test, clock: FakeClock, store: Store, agent: Agent = async (prompt) => prompt, more: Partial<WorkOptions> = {}) => {
  const { timeoutMs = 60_000, isShared = false, lacks = () => undefined, send, toolsets = [], route, rates, startsOnce = false } = more
  const sent: string[] = []
  const said: string[] = []
  const log: Log = Object.assign((_: unknown, _fields: object, message: string) => void said.push(message), { writes: () => true })
  const facts = createFacts()
  facts.observe(createLogObserver(log, clock))
  const worker = new Worker({
    store,
    clock,
    log,
    facts,
    agent,
    policy: () => ({
      ...policyOf(
        {
          agents: new Map([['default', { timeoutMs, maxSteps: 1, budget: { threadRuns: 30 }, prices: new Map() }]]),
          tools: { ofRuns: toolsets },
          profile: undefined,
        },
        route,
      ),
      startsOnce,
    }),
    conversations: noConversations,
    isShared,
    rates,
    lacks,
    undeliverable: () => undefined,
    send: async ({ deliveryId }) => {
      await send?.()
      sent.push(deliveryId)
      return { ok: true }
    },
    repeatable: () => true,
    comments: () => false,
    maxConcurrent: () => 4,
    redact: (text) => text.replaceAll('hush-hush', '[redacted]'),
  })
  t.teardown(async () => {
    const stopped = worker.stop(0)
    clock.advance(1_000)
    await stopped
    await store.close()
  })
  return { store, worker, sent, said }
}

/** Lets everything happen that is due, for some time of the clock; `each` is done every 50 ms of it. */
const pass = async (clock: FakeClock, ms: number, each: () => void): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) {
    each()
    for (let turns = 0; turns < 20; turns++) await nextTurn()
    clock.advance(50)
  }
}

const ids = Array.from({ length: 8 }, (_, i) => `id-${i}`)

t.test('with a disk that fails again after each commit, what was accepted is worked off beside the posts that go on', async (t) => {
  const clock = fakeClock()
  const disk: Disk = { commits: Number.POSITIVE_INFINITY, openings: 0 }
  const { store, worker, sent, said } = await open(t, clock, disk)
  for (const id of ids) await accept(store, id)
  disk.commits = 1
  worker.wake()
  let posts = 0
  await pass(clock, 20_000, () => {
    // Each wakes the worker, also when it was refused: it may have been committed all the same.
    void accept(store, `other-${posts++}`)
      .catch(() => {})
      .finally(() => worker.wake())
  })
  t.strictSame(
    ids.filter((id) => !sent.includes(id)),
    [],
    'all of them began and ended',
  )
  t.equal(new Set(sent).size, sent.length, 'each once')
  t.ok(disk.openings > 10, 'the disk failed all the time')
  t.ok(said.filter((message) => message === 'cannot take work').length <= disk.openings, 'said once in each outage, not for each post')
})

t.test('what was accepted begins as soon as the store works again, without another post', async (t) => {
  const clock = fakeClock()
  const disk: Disk = { commits: 1, openings: 0 }
  const { store, worker, sent } = await open(t, clock, disk)
  await accept(store, 'a')
  disk.commits = 0
  worker.wake()
  await pass(clock, 10_000, () => {})
  t.strictSame(sent, [])
  disk.commits = Number.POSITIVE_INFINITY
  await pass(clock, 500, () => {})
  t.strictSame(sent, ['a'])
})

t.test('a run begins after its delay, and one that could not begin in time has expired: its agent is not asked', async (t) => {
  const clock = fakeClock()
  let asked = 0
  const disk: Disk = { commits: Number.POSITIVE_INFINITY, openings: 0 }
  const store = await storeOn(t, clock, disk)
  const agent: Agent = async () => {
    asked++
    throw new Error('no')
  }
  const route = { delay_seconds: 5, expires_seconds: 10, retry: { max_attempts: 2, backoff: 60 } }
  const { worker, said } = workOn(t, clock, store, agent, { route })
  const acceptAt = (id: string, acceptedAt: number) => store.accept({ ...runOf(id), acceptedAt }, { key: id, holdMs: 3_600_000 })
  await acceptAt('new', clock.now())
  worker.wake()
  await pass(clock, 4_900, () => {})
  t.equal(asked, 0)
  t.match(await store.standings(['new']), [{ state: 'waiting', attempt: 0, error: 'the run waits until its delay is over' }])
  await pass(clock, 300, () => {})
  t.equal(asked, 1)
  await acceptAt('late', clock.now() - 15_100)
  worker.wake()
  await pass(clock, 300, () => {})
  t.equal(asked, 1)
  t.strictSame(await store.standings(['late']), [], 'it is forgotten')
  t.ok(said.includes('run is expired'))
  await pass(clock, 120_000, () => {})
  t.equal(asked, 2, 'a run that has begun is tried again, however late')
})

/** A store on a machine whose clock is an hour ahead, and as many connections to it as are asked for. */
const shared = (t: Test, clock: FakeClock) => {
  const part = sharedStore(aheadOf(clock, 3_600_000))
  return (): Promise<Store> => part.open(openedIn(t.testdirName, clock))
}

t.test('of two processes on one store each run is worked by one, also when nobody tells the other of it', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  const one = workOn(t, clock, await connect(), undefined, { isShared: true })
  const other = workOn(t, clock, await connect(), undefined, { isShared: true })
  for (const id of ids) await accept(one.store, id)
  one.worker.wake()
  other.worker.wake()
  await pass(clock, 1_000, () => {})
  t.strictSame([...one.sent, ...other.sent].sort(), ids)
  t.ok(one.sent.length > 0 && other.sent.length > 0, 'both had a part in it')
  await accept(one.store, 'left')
  clock.advance(pollEveryMs)
  await pass(clock, 50, () => {})
  t.strictSame([...one.sent, ...other.sent].sort(), [...ids, 'left'])
  t.strictSame([...one.said, ...other.said], [])
  t.equal(await one.store.backlog(), 0)
})

t.test('the runs of a route with a pace begin at that pace on all gateways together, those of each gateway in their order', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  let window = { until: 0, used: 0 }
  const takeRateShare = async (_: string, wanted: number, limit: number) => {
    await nextTurn()
    if (clock.monotonic() >= window.until) window = { until: clock.monotonic() + 60_000, used: 0 }
    const requests = Math.min(wanted, limit - window.used)
    window.used += requests
    return { requests, leftMs: window.until - clock.monotonic() }
  }
  const route = { rate_limit: { per_minute: 4, when_over: 'queue' as const } }
  let looks = 0
  const gateways = await Promise.all(
    [0, 1, 2].map(async () => {
      const own = await connect()
      const store: Store = {
        ...own,
        take: async (...args) => {
          const taken = await own.take(...args)
          looks += taken.length
          return taken
        },
      }
      const rates = createEventRates(clock, 'all routes', () => ({ takeRateShare }))
      return workOn(t, clock, store, undefined, { isShared: true, route, rates })
    }),
  )
  const [first] = gateways
  const all = Array.from({ length: 24 }, (_, i) => `run-${String(i).padStart(2, '0')}`)
  for (const id of all) await accept(first?.store as Store, id)
  const begun: number[] = []
  for (let minutes = 0; minutes < 8; minutes++) {
    await pass(clock, 60_000, () => gateways.forEach(({ worker }) => void worker.wake()))
    begun.push(gateways.reduce((sum, { sent }) => sum + sent.length, 0))
  }
  for (const [i, count] of begun.entries()) t.ok(count - (begun[i - 1] ?? 0) <= 4, `${begun}`)
  t.equal(begun.at(-1), 24, `all have begun: ${begun}`)
  t.strictSame(gateways.flatMap(({ sent }) => sent).sort(), all, 'each once')
  t.ok(looks < 24 * 6, `a run is looked at a few times: ${looks} looks at 24 runs`)
})

t.test('a dead process keeps its run until the lease runs out, and is refused when it was only late', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  let wakeUp = (_reply: string): void => {}
  const sleeps: Agent = () =>
    new Promise((resolve) => {
      wakeUp = resolve
    })
  // Its time stands still, as that of a machine that was suspended.
  const asleep = workOn(t, fakeClock(), await connect(), sleeps, { isShared: true })
  const other = workOn(t, clock, await connect(), undefined, { isShared: true })
  await accept(asleep.store, 'a')
  asleep.worker.wake()
  await pass(clock, 50, () => {})
  other.worker.wake()
  await pass(clock, 50, () => {})
  clock.advance(59_000)
  await pass(clock, 50, () => {})
  t.strictSame(other.sent, [])
  clock.advance(1_000)
  await pass(clock, 50, () => {})
  t.strictSame(other.sent, ['a'])
  wakeUp('late')
  await pass(clock, 50, () => {})
  t.strictSame([asleep.sent, asleep.said], [[], ['a run that took too long was taken over by another']])
  t.equal(await asleep.store.backlog(), 0)
})

/** An agent that says nothing for as long as it may. */
const silent = (asked: string[], who: string): Agent => {
  return (_prompt, { signal }) => {
    asked.push(who)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
}

t.test('a run whose process died during it is dead where it may not begin once more', async (t) => {
  for (const [why, more] of [
    ['the process ended during the run, and a job is not started twice', { startsOnce: true }],
    ['out of attempts after 1: the process ended during each', { route: { retry: { max_attempts: 1 } } }],
  ] as const) {
    const clock = fakeClock()
    const connect = shared(t, clock)
    const asked: string[] = []
    const dead = workOn(t, fakeClock(), await connect(), silent(asked, 'dead'), { isShared: true, ...more })
    const other = workOn(t, clock, await connect(), silent(asked, 'other'), { isShared: true, ...more })
    await accept(dead.store, 'a')
    dead.worker.wake()
    await pass(clock, 50, () => {})
    clock.advance(61_000)
    other.worker.wake()
    await pass(clock, 100, () => {})
    t.strictSame(asked, ['dead'])
    t.match(await other.store.standings(['a']), [{ state: 'dead', error: why }])
  }
})

const dayMs = 86_400_000

t.test('a run that takes hours stays with the process that has it', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  const asked: string[] = []
  const one = workOn(t, clock, await connect(), silent(asked, 'one'), { timeoutMs: dayMs, isShared: true })
  await accept(one.store, 'a')
  one.worker.wake()
  await pass(clock, 50, () => {})
  const other = workOn(t, clock, await connect(), silent(asked, 'other'), { timeoutMs: dayMs, isShared: true })
  for (let seconds = 0; seconds < 7_200; seconds += 10) {
    clock.advance(10_000)
    await pass(clock, 50, () => other.worker.wake())
  }
  t.strictSame(asked, ['one'])
})

t.test('a process that stood still for longer than its lease asks before it sends', async (t) => {
  for (const isTaken of [true, false]) {
    const clock = fakeClock()
    const connect = shared(t, clock)
    const own = fakeClock()
    let wakeUp = (): void => {}
    const first = await connect()
    const slow = Object.assign(Object.create(first), {
      keepReply: async (...args: Parameters<Store['keepReply']>) => {
        const kept = await first.keepReply(...args)
        await new Promise<void>((resolve) => {
          wakeUp = resolve
        })
        return kept
      },
    }) as Store
    const one = workOn(t, own, slow, undefined, { isShared: true })
    const other = workOn(t, clock, await connect(), undefined, { isShared: true })
    await accept(one.store, 'a')
    one.worker.wake()
    await pass(own, 100, () => {})
    clock.advance(61_000)
    if (isTaken) other.worker.wake()
    await pass(clock, 100, () => {})
    t.strictSame(other.sent, isTaken ? ['a'] : [])
    own.standStill(61_000)
    for (let turns = 0; turns < 3; turns++) {
      wakeUp()
      await pass(own, 100, () => {})
    }
    t.strictSame(one.sent, isTaken ? [] : ['a'], 'a lease that ran out may still be its own')
    t.strictSame(one.said, isTaken ? ['a run that took too long was taken over by another'] : [])
    t.equal(await other.store.backlog(), 0)
  }
})

t.test('a process that stood still between the taking of a run and its beginning begins nothing that another has', async (t) => {
  for (const isTaken of [true, false]) {
    const clock = fakeClock()
    const connect = shared(t, clock)
    const own = fakeClock()
    const asked: string[] = []
    const agent =
      (who: string): Agent =>
      async (prompt) => {
        asked.push(who)
        return prompt
      }
    const other = workOn(t, clock, await connect(), agent('other'), { isShared: true })
    const first = await connect()
    let stood = false
    const slow = Object.assign(Object.create(first), {
      take: async (...args: Parameters<Store['take']>) => {
        const leases = await first.take(...args)
        if (leases.length === 0 || stood) return leases
        stood = true
        clock.advance(61_000)
        if (isTaken) other.worker.wake()
        await pass(clock, 50, () => {})
        own.standStill(61_000)
        return leases
      },
    }) as Store
    const one = workOn(t, own, slow, agent('one'), { isShared: true })
    await accept(one.store, 'a')
    one.worker.wake()
    await pass(own, 500, () => {})
    t.strictSame(asked, [isTaken ? 'other' : 'one'])
    t.strictSame(one.said, isTaken ? ['a run that took too long was taken over by another'] : [])
  }
})

t.test('a process that stood still while the tools of a run were opened begins nothing that another has', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  const own = fakeClock()
  const asked: string[] = []
  const other = workOn(t, clock, await connect(), async (prompt) => `${asked.push('other')} ${prompt}`, { isShared: true })
  const runner: RunnerPart = { name: 'echo', title: '', compile: () => async (prompt) => `${asked.push('one')} ${prompt}` }
  const openSlowly: Toolset = async () => {
    // The worker looks for more runs once more, and must not find this run.
    await pass(clock, 50, () => {})
    clock.advance(61_000)
    other.worker.wake()
    await pass(clock, 50, () => {})
    own.standStill(61_000)
    return []
  }
  const toolset: ToolsetPart = { name: 'slow', title: '', compile: () => openSlowly }
  const { config } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': 'agent: { runner: echo }\n' }), env: {} })
  const parts = { runners: new Map([['echo', runner]]), toolsets: new Map([['slow', toolset]]) }
  const { agent } = compileRunner(config, parts, createDryEffects(own))
  const one = workOn(t, own, await connect(), agent, { isShared: true, toolsets: ['slow'] })
  await accept(one.store, 'a')
  one.worker.wake()
  await pass(own, 500, () => {})
  t.strictSame(asked, ['other'])
  t.strictSame(one.said, ['a run that took too long was taken over by another'])
})

t.test('a run that this process lacks something for is left to another, and counts no attempt', async (t) => {
  const clock = fakeClock()
  const connect = shared(t, clock)
  const lacks = ({ deliveryId }: NewRun): string | undefined => (deliveryId === 'a' ? 'the route "hush-hush"' : undefined)
  const one = workOn(t, clock, await connect(), undefined, { isShared: true, lacks })
  for (const id of ['a', 'b']) await accept(one.store, id)
  one.worker.wake()
  await pass(clock, 12_000, () => one.worker.wake())
  t.strictSame(one.sent, ['b'])
  t.strictSame(one.said, ['runs wait for a gateway whose configuration has what they need'], 'said once')
  t.match(await one.store.standings([runOf('a').eventId]), [{ state: 'waiting', attempt: 0 }])
  const [standing] = await one.store.standings([runOf('a').eventId])
  t.match(standing?.error, /the route "\[redacted\]"/, 'why it waits is stored without known secrets')
  await one.worker.stop(0)
  const other = workOn(t, clock, await connect(), undefined, { isShared: true })
  await pass(clock, 6_000, () => other.worker.wake())
  t.strictSame(other.sent, ['a'])
})

t.test('what a configuration lacks for a run: its profile, route or job, a target, or a setting of that', (t) => {
  const profile = { name: 'default', dir: '/', env: {}, platforms: {}, jobs: new Map() }
  const known: ServedNames = {
    profiles: new Map([['default', profile]]),
    targets: builtinCatalogue.targets,
    hasRoute: (name) => name === 'r',
    hasJob: (_, id) => id === 'j',
    hasAgent: (name) => name === 'a',
  }
  const run = runOf('a')
  const to = (target: string) => ({ target, extra: {} })
  t.equal(lackOf(run, known), undefined)
  t.equal(lackOf({ ...run, profile: 'other' }, known), 'the profile "other"')
  t.equal(lackOf({ ...run, route: 'other' }, known), 'the route "other"')
  t.equal(lackOf({ ...run, route: '', job: 'j' }, known), undefined)
  t.equal(lackOf({ ...run, route: '', job: 'k' }, known), 'the job "k"')
  t.equal(lackOf({ ...run, delivery: to('elsewhere') }, known), 'the target "elsewhere"')
  t.match(lackOf({ ...run, delivery: { mode: 'all', to: [to('log'), to('slack')] } }, known), /^a setting of the target "slack": /)
  t.end()
})

t.test('a stop leaves the groups of a shared store to those that go on', async (t) => {
  for (const isShared of [true, false]) {
    const clock = fakeClock()
    const { store, worker, sent } = workOn(t, clock, await shared(t, clock)(), undefined, { isShared })
    const group = { key: 'g', windowMs: 30_000, maxWaitMs: 60_000, keep: 'latest' as const }
    await store.join(runOf('a'), { key: 'a', holdMs: 3_600_000 }, group)
    const stopped = worker.stop(1_000)
    await pass(clock, 200, () => {})
    await stopped
    t.strictSame(sent, isShared ? [] : ['a'])
  }
})

t.test('a store that fails for longer than a lease gives no run to be begun twice', async (t) => {
  const clock = fakeClock()
  const disk: Disk = { commits: Number.POSITIVE_INFINITY, openings: 0 }
  const opened = await storeOn(t, clock, disk)
  const asked: string[] = []
  const { store, worker } = workOn(t, clock, opened, silent(asked, 'one'), { timeoutMs: dayMs })
  await accept(store, 'a')
  worker.wake()
  await pass(clock, 500, () => {})
  disk.commits = 0
  for (let minutes = 0; minutes < 11; minutes++) {
    clock.advance(60_000)
    await pass(clock, 50, () => {})
  }
  disk.commits = Number.POSITIVE_INFINITY
  await pass(clock, 1_000, () => {})
  await accept(store, 'b')
  worker.wake()
  await pass(clock, 1_000, () => {})
  t.strictSame(asked, ['one', 'one'], 'for the one in hand, and for the new one')
  t.match(await store.standings(['a', 'b']), [{ attempt: 1 }, { attempt: 1 }])
})
