/** The scheduler over the real job book and the memory store: each time once, across restarts, clock jumps, changes and failures. */

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import type { Clock } from '../../src/core/clock.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import { StoreFault } from '../../src/core/fault.ts'
import type { Log } from '../../src/core/log.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import { createJournalObserver } from '../../src/journal/journal-observer.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { JobBook, jobParts } from '../../src/plan/jobs.ts'
import { lastTime } from '../../src/schedule/last-time.ts'
import { Scheduler } from '../../src/schedule/scheduler.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import type { Lease, Store } from '../../src/store/ports.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const stored = 'cron_jobs.json'

type Jobs = { readonly [id: string]: unknown }
type Setting = { readonly start: string; readonly config?: string; readonly jobs?: Jobs }

/** A gateway's worth of scheduler: it can be stopped or killed and started again over the same store. */
const open = (t: Test, { start, config = '', jobs = {} }: Setting) => {
  const dir = newFolder(t, { 'config.yaml': config, [stored]: JSON.stringify(jobs) })
  const steady = fakeClock(Date.parse(start))
  let ahead = 0
  const clock: Clock = { ...steady, now: () => steady.now() + ahead }
  const memory = openMemory({ clock })
  const fail = { accept: false, plan: false }
  const runs: NewRun[] = []
  const said: string[] = []
  const held: Lease[] = []
  const world = { hold: false, kill: false }
  const refuse = (): Promise<never> => Promise.reject(new StoreFault('disk full'))
  const store: Pick<Store, 'accept' | 'positions' | 'keepPositions'> = {
    accept: (run, claim, lane) => {
      if (fail.accept) return refuse()
      return memory.accept(run, claim, lane).then((accepted) => {
        if (accepted === 'accepted') runs.push(run)
        return accepted
      })
    },
    keepPositions: (times) => (world.kill ? new Promise(() => {}) : fail.plan ? refuse() : memory.keepPositions(times)),
    positions: () => memory.positions(),
  }
  const log: Log = Object.assign((_: unknown, fields: object, message: string) => void said.push(`${message} ${JSON.stringify(fields)}`), {
    writes: () => true,
  })
  const journal: { at: string; delivery_id: string }[] = []
  const facts = createFacts()
  facts.observe(
    createJournalObserver({
      journal: { add: (entry) => void journal.push(entry as never), flushed: async () => {}, close: async () => {} },
      keepsPayloads: () => false,
      redact: (text) => text,
    }),
  )
  const newScheduler = (): Scheduler => {
    const loaded = loadConfig({ dataDir: dir, env: {} })
    const book = new JobBook({ config: loaded.config, parts: jobParts(loaded.config, builtinCatalogue), report: () => {} })
    return new Scheduler({
      store,
      isShared: false,
      clock,
      log,
      facts,
      book: () => book,
      wake: () => {},
    })
  }
  let scheduler = newScheduler()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  /** Whatever waits is run at once, unless it is held. */
  const finishAll = async (): Promise<void> => {
    const leases = await memory.take(1_000, day)
    if (world.hold) held.push(...leases)
    else for (const lease of leases) await memory.finish(lease, { kind: 'done' })
  }
  return {
    fail,
    world,
    said,
    journal,
    memory,
    clock,
    /** Delivery ids of what was started since the last look. */
    started: (): string[] => runs.splice(0).map(({ deliveryId }) => deliveryId),
    runs,
    write: (next: Jobs | string): void => {
      const file = join(dir, stored)
      writeFileSync(`${file}.new`, typeof next === 'string' ? next : JSON.stringify(next))
      renameSync(`${file}.new`, file)
    },
    start: async (): Promise<void> => {
      await scheduler.start()
      await finishAll()
    },
    stop: () => scheduler.stop(),
    byHand: (reference: string) => scheduler.startByHand('default', reference),
    /** Nobody runs from here on until `start`. */
    replace: async (): Promise<void> => {
      await scheduler.stop()
      scheduler = newScheduler()
    },
    /** The process dies: what waits for the store never comes back. */
    die: (): void => {
      scheduler.stop()
      scheduler = newScheduler()
      world.kill = false
    },
    /** Time passes while nobody looks. */
    sleep: (ms: number): void => steady.advance(ms),
    pass: async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 1_000) {
        steady.advance(Math.min(1_000, left))
        await turn()
        await finishAll()
      }
    },
    setWall: (ms: number): void => {
      ahead += ms
    },
    release: async (): Promise<void> => {
      world.hold = false
      for (const lease of held.splice(0)) await memory.finish(lease, { kind: 'done' })
    },
  }
}

const every15 = { a: { schedule: '*/15 * * * *', prompt: 'look' } }

t.test('a job is started once at each of its times, as what it says', async (t) => {
  const config = 'jobs: { nightly: { name: The report, schedule: "0 6 * * *", timezone: Europe/Berlin, prompt: Report., deliver: log } }'
  const w = open(t, { start: '2027-01-01T04:58:30Z', config })
  await w.start()
  await w.pass(89_000)
  t.same(w.started(), [], 'not before its time')
  await w.pass(2_000)
  t.match(w.runs, [
    {
      profile: 'default',
      route: '',
      event: 'schedule',
      job: 'nightly',
      prompt: 'Report.',
      deliveryId: 'nightly@2027-01-01T05:00:00.000Z',
      delivery: { target: 'log', extra: {} },
      acceptedAt: Date.parse('2027-01-01T05:00:00Z'),
    },
  ])
  t.match(w.journal, [{ kind: 'started', job: 'nightly', event_id: w.runs[0]?.eventId, at: '2027-01-01T05:00:00.000Z' }])
  w.started()
  await w.pass(hour)
  t.same(w.started(), [], 'and not again')
  t.same([...(await w.memory.positions()).values()], [Date.parse('2027-01-02T05:00:00Z')])
  await w.stop()
  await w.pass(day)
  t.same(w.started(), [], 'nothing after the stop')
})

t.test('a new job never runs for the past, a one-off of the past never at all', async (t) => {
  const jobs = { a: { schedule: '0 0 * * *' }, gone: { schedule: '2027-01-01T11:59:59' }, once: { schedule: '2027-01-01T12:00:05' } }
  const w = open(t, { start: '2027-01-01T12:00:00Z', jobs })
  await w.start()
  await w.pass(minute)
  t.same(w.started(), ['once@2027-01-01T12:00:05.000Z'])
  t.match(w.said, [/the time of this job is past.*"gone"/])
  t.equal((await w.memory.positions()).size, 1, 'what is over needs no plan')
})

t.test('a missed time is started once within its grace, and only the last of several', async (t) => {
  const jobs = {
    quarter: { schedule: '*/15 * * * *' },
    second: { schedule: '* * * * * *' },
    hourly: { schedule: '30 * * * *', grace_seconds: 60 },
    once: { schedule: '2027-01-01T01:00:00' },
    late: { schedule: '2027-01-01T00:30:00', grace_seconds: 3_600 },
  }
  const w = open(t, { start: '2027-01-01T00:00:00Z', jobs })
  await w.start()
  await w.replace()
  w.sleep(hour + 52 * minute + 7_500)
  w.started()
  await w.start()
  t.same(w.started().sort(), ['once@2027-01-01T01:00:00.000Z', 'quarter@2027-01-01T01:45:00.000Z', 'second@2027-01-01T01:52:07.000Z'])
  t.match(
    w.said.filter((line) => line.includes('missed')),
    [/"hourly".*T00:30:00/, /"late".*T00:30:00/],
  )
  await w.pass(1_000)
  t.same(w.started(), ['second@2027-01-01T01:52:08.000Z'])
})

t.test('a crash between the start of a run and the plan of the next one starts nothing twice', async (t) => {
  const w = open(t, { start: '2027-01-01T00:14:00Z', jobs: { ...every15, once: { schedule: '2027-01-01T00:15:00' } } })
  await w.start()
  w.world.kill = true
  await w.pass(minute)
  t.same(w.started().sort(), ['a@2027-01-01T00:15:00.000Z', 'once@2027-01-01T00:15:00.000Z'])
  w.die()
  await w.start()
  await w.pass(14 * minute)
  t.same(w.started(), [], 'its claim is still held')
  await w.pass(minute)
  t.same(w.started(), ['a@2027-01-01T00:30:00.000Z'])
})

t.test('a wall clock that is set back: no time twice, none planned that was started', async (t) => {
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs: every15 })
  await w.start()
  await w.pass(50 * minute)
  t.equal(w.started().length, 3)
  w.setWall(-hour)
  await w.pass(69 * minute)
  t.same(w.started(), [], 'the same hour again')
  await w.pass(2 * minute)
  t.same(w.started(), ['a@2027-01-01T11:00:00.000Z'])
  w.setWall(-hour)
  await w.replace()
  await w.start()
  await w.pass(74 * minute)
  t.same(w.started(), ['a@2027-01-01T11:15:00.000Z'], 'a restart in between changes nothing')
})

t.test('a wall clock that was years ahead does not hold a job up', async (t) => {
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs: every15 })
  await w.start()
  w.setWall(10 * 365 * day)
  await w.pass(15 * minute)
  t.equal(w.started().length, 2, 'the last one that was jumped over, and the next')
  w.setWall(-10 * 365 * day)
  await w.pass(15 * minute)
  t.same(w.started(), ['a@2027-01-01T10:30:00.000Z'])
  w.setWall(10 * 365 * day)
  await w.pass(1_000)
  w.started()
  await w.replace()
  w.setWall(-10 * 365 * day)
  await w.start()
  await w.pass(15 * minute)
  t.same(w.started(), ['a@2027-01-01T10:45:00.000Z'], 'found out at a restart too')
})

t.test('a wall clock that is set forward: what it jumped over is started once, late, as its grace says', async (t) => {
  const jobs = { ...every15, strict: { schedule: '10 10 * * *', grace_seconds: 0 } }
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs })
  await w.start()
  w.setWall(hour + minute)
  await w.pass(1_000)
  t.same(w.started(), ['a@2027-01-01T11:00:00.000Z'])
  t.match(
    w.said.filter((line) => line.includes('missed')),
    [/"strict"/],
  )
  await w.pass(14 * minute)
  t.same(w.started(), ['a@2027-01-01T11:15:00.000Z'])
})

t.test('summer and winter time in Berlin: a daily job once a day, an hourly one each hour that passes', async (t) => {
  const zone = { timezone: 'Europe/Berlin' }
  const jobs = { daily: { schedule: '30 2 * * *', ...zone }, hourly: { schedule: '0 * * * *', ...zone } }
  for (const [start, daily] of [
    ['2027-03-28T00:00:30Z', '2027-03-28T01:00:00.000Z'],
    ['2027-10-31T00:00:30Z', '2027-10-31T00:30:00.000Z'],
  ] as const) {
    const w = open(t, { start, jobs })
    await w.start()
    await w.pass(4 * hour)
    const started = w.started()
    t.same(
      started.filter((id) => id.startsWith('daily')),
      [`daily@${daily}`],
    )
    t.same(
      started.filter((id) => id.startsWith('hourly')),
      [1, 2, 3, 4].map((hours) => `hourly@${start.slice(0, 10)}T0${hours}:00:00.000Z`),
    )
  }
})

t.test('the file changes while the gateway runs: added, changed, paused, resumed, removed', async (t) => {
  const w = open(t, { start: '2027-01-01T10:00:00Z' })
  await w.start()
  w.write({ a: { schedule: 'every 10m' } })
  await w.pass(10 * minute)
  t.same(w.started(), ['a@2027-01-01T10:10:00.000Z'], 'added')
  w.write({ a: { schedule: 'every 25m', prompt: 'new' } })
  await w.pass(10 * minute)
  t.same(w.started(), ['a@2027-01-01T10:15:00.000Z'], 'planned anew')
  w.write({ a: { schedule: 'every 25m', paused: true } })
  await w.pass(25 * minute)
  t.same(w.started(), [], 'paused')
  w.write({ a: { schedule: 'every 25m' } })
  await w.pass(19 * minute)
  t.same(w.started(), [], 'resumed: not for what it was paused over')
  await w.pass(6 * minute)
  t.same(w.started(), ['a@2027-01-01T11:05:00.000Z'])
  w.write('{"a":')
  await w.pass(25 * minute)
  t.same(w.started(), ['a@2027-01-01T11:30:00.000Z'], 'a torn file keeps the last good set')
  w.write({})
  await w.pass(25 * minute)
  t.same(w.started(), [], 'removed')
  t.equal((await w.memory.positions()).size, 0)
})

t.test('plans of jobs in a file that cannot be read yet are kept', async (t) => {
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs: every15 })
  await w.start()
  await w.replace()
  w.write('{')
  w.sleep(20 * minute)
  await w.start()
  await w.pass(minute)
  t.same(w.started(), [])
  w.write(every15)
  await w.pass(1_000)
  t.same(w.started(), ['a@2027-01-01T10:15:00.000Z'], 'the missed run is not lost')
})

t.test('a pause note stops a configured job; a disabled one is not started, though planned on', async (t) => {
  const config = 'jobs: { a: { schedule: "*/15 * * * *" }, off: { schedule: "*/15 * * * *", enabled: false } }'
  const w = open(t, { start: '2027-01-01T10:00:00Z', config, jobs: { a: { paused: true } } })
  await w.start()
  await w.pass(20 * minute)
  t.same(w.started(), [])
  t.same([...(await w.memory.positions()).values()], Array(2).fill(Date.parse('2027-01-01T10:30:00Z')))
  w.write({})
  await w.pass(10 * minute)
  t.same(w.started(), ['a@2027-01-01T10:30:00.000Z'])
})

t.test('a job that still runs is skipped, by the clock and by hand', async (t) => {
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs: every15 })
  w.world.hold = true
  await w.start()
  await w.pass(31 * minute)
  t.same(w.started(), ['a@2027-01-01T10:15:00.000Z'])
  t.match(w.said, [/still running.*T10:30:00/])
  t.same(await w.byHand('a'), { started: false, reason: 'job_running' })
  await w.release()
  await w.pass(14 * minute)
  t.same(w.started(), ['a@2027-01-01T10:45:00.000Z'], 'the skipped time does not come later')
})

t.test('by hand: paused ones too, disabled ones not; by id or by a name that is one job', async (t) => {
  const jobs = {
    a: { name: 'one', schedule: '@daily', paused: true, prompt: 'p' },
    off: { name: 'twin', schedule: '@daily', enabled: false },
    b: { name: 'twin', schedule: '@daily' },
  }
  const w = open(t, { start: '2027-01-01T10:00:00Z', jobs })
  await w.start()
  const first = await w.byHand('one')
  t.match(first, { started: true, job: 'a', event_id: /./ })
  t.match(w.runs, [{ event: 'manual', job: 'a', prompt: 'p', route: '' }])
  t.match(w.journal, [{ kind: 'started', job: 'a' }])
  await w.pass(1_000)
  t.match(await w.byHand('a'), { started: true }, 'as often as one likes')
  t.same(await w.byHand('off'), { started: false, reason: 'job_disabled' })
  t.same(await w.byHand('twin'), { started: false, reason: 'job_ambiguous', jobs: ['off', 'b'] })
  t.same(await w.byHand('nope'), { started: false, reason: 'job_missing' })
  w.fail.accept = true
  await t.rejects(w.byHand('b'), StoreFault)
})

t.test('a store that fails: said once, tried at each tick, started late', async (t) => {
  const w = open(t, { start: '2027-01-01T10:14:00Z', jobs: every15 })
  await w.start()
  w.fail.accept = true
  await w.pass(5 * minute)
  t.same(w.started(), [])
  t.match(w.said, [/cannot start scheduled jobs.*disk full/])
  w.fail.accept = false
  await w.pass(2_000)
  t.same(w.started(), ['a@2027-01-01T10:15:00.000Z'])
  w.fail.plan = true
  await w.pass(15 * minute)
  t.same(w.started(), ['a@2027-01-01T10:30:00.000Z'])
  t.equal(w.said.length, 2, 'said again after it worked in between')
  w.fail.plan = false
  await w.pass(1_000)
  t.same([...(await w.memory.positions()).values()], [Date.parse('2027-01-01T10:45:00Z')], 'the plan is made up for')
})

t.test('many jobs at one time are all started', async (t) => {
  const jobs = Object.fromEntries(Array.from({ length: 350 }, (_, i) => [`j${i}`, { schedule: 'every 1h' }]))
  const w = open(t, { start: '2027-01-01T09:59:50Z', jobs })
  await w.start()
  await w.pass(15_000)
  t.equal(new Set(w.started()).size, 350)
})

t.test('the last time in a span is found in few steps', async (t) => {
  let calls = 0
  const next = (after: number): number => {
    calls++
    return (Math.floor(after / 1_000) + 1) * 1_000
  }
  t.equal(lastTime({ next }, 0, 365 * day + 999), 365 * day)
  t.ok(calls < 50, `${calls} calls`)
  t.equal(lastTime({ next }, 1_000, 1_000), 1_000, 'both ends are included')
  t.equal(lastTime({ next }, 1_001, 1_999), undefined)
  t.equal(lastTime({ next: (after) => (after < 5_000 ? 5_000 : undefined) }, 0, 100_000), 5_000, 'one that does not come again')
  t.equal(lastTime({ next: () => undefined }, 0, 100_000), undefined)
})
