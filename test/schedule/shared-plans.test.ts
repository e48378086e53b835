/**
 * Schedulers of several gateways on one store: each time of a job starts the job once, whatever the clocks of the gateways say. A gateway
 * that does not have a job does not remove the plan of the job.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import type { Log } from '../../src/core/log.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { JobBook, jobParts } from '../../src/plan/jobs.ts'
import { Scheduler } from '../../src/schedule/scheduler.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { aheadOf, fakeClock } from '../fakes/clock.ts'
import { sameFolder } from '../fakes/folder.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const hourly = { schedule: '0 * * * *', prompt: 'look' }
const log: Log = Object.assign(() => {}, { writes: () => true })

type Jobs = { readonly [id: string]: unknown }

/** Makes a store. `gateway` starts a scheduler on the store, with a data directory and a clock of its own. */
const open = (t: Test, start: string) => {
  const time = fakeClock(Date.parse(start))
  const store = openMemory({ clock: time })
  const started: string[] = []
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const finishAll = async (): Promise<void> => {
    for (const lease of await store.take(1_000, day)) {
      started.push(lease.run.deliveryId)
      await store.finish(lease, { kind: 'done' })
    }
  }
  return {
    store,
    started: (): string[] => started.splice(0),
    plans: async () => [...(await store.positions()).values()].map((at) => new Date(at).toISOString()),
    gateway: async (name: string, jobs: Jobs, aheadMs = 0) => {
      const dir = join(t.testdirName, name)
      const write = (next: Jobs): void => writeFileSync(join(dir, 'cron_jobs.json'), JSON.stringify(next))
      write(jobs)
      const { config } = loadConfig({ dataDir: dir, env: {} })
      const book = new JobBook({ config, parts: jobParts(config, builtinCatalogue), report: () => {} })
      const clock = aheadOf(time, aheadMs)
      const scheduler = new Scheduler({ store, isShared: true, clock, log, facts: createFacts(), book: () => book, wake: () => {} })
      await scheduler.start()
      await finishAll()
      return { write, stop: () => scheduler.stop() }
    },
    sleep: time.advance,
    pass: async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 1_000) {
        time.advance(1_000)
        await turn()
        await finishAll()
      }
    },
  }
}

t.beforeEach((t) => void sameFolder(t, { a: {}, b: {} }))

t.test('two clocks that differ by ten minutes start each time once', async (t) => {
  const w = open(t, '2027-01-01T00:30:00Z')
  await w.gateway('a', { tick: hourly })
  await w.gateway('b', { tick: hourly }, 10 * minute)
  await w.pass(2 * hour)
  t.same(w.started(), ['tick@2027-01-01T01:00:00.000Z', 'tick@2027-01-01T02:00:00.000Z'])
})

t.test('a job that one gateway lacks keeps its plan, and its missed time is started', async (t) => {
  const w = open(t, '2027-01-01T00:30:00Z')
  const first = await w.gateway('a', { tick: hourly })
  await w.gateway('b', { other: { schedule: '@yearly' } })
  await w.pass(2_000)
  t.equal((await w.plans()).length, 2)
  await first.stop()
  await w.pass(hour)
  t.same(w.started(), [])
  await w.gateway('a', { tick: hourly })
  t.same(w.started(), ['tick@2027-01-01T01:00:00.000Z'])
})

t.test('a job that is new here takes the plan of another gateway, and never makes up for the past', async (t) => {
  const w = open(t, '2027-01-01T00:59:50Z')
  const ahead = await w.gateway('a', {}, 10 * minute)
  const here = await w.gateway('b', {})
  ahead.write({ tick: hourly })
  await w.pass(2_000)
  here.write({ tick: hourly })
  await w.pass(minute)
  t.same(w.started(), [], 'by the clock of the first, 01:00 was past when the job was made')
  await w.pass(hour)
  t.same(w.started(), ['tick@2027-01-01T02:00:00.000Z'])
  ahead.write({})
  here.write({})
  await w.pass(2 * hour)
  here.write({ tick: hourly })
  await w.pass(minute)
  t.same(w.started(), [], 'the plan from before it was removed counts no more')
})

t.test('a plan that no gateway follows is forgotten after its grace, and none before', async (t) => {
  const w = open(t, '2027-01-01T00:30:00Z')
  const first = await w.gateway('a', { tick: hourly })
  await first.stop()
  w.sleep(7 * day)
  const second = await w.gateway('b', { other: { schedule: '@yearly' } })
  t.equal((await w.plans()).length, 2)
  await second.stop()
  w.sleep(2 * day)
  await w.gateway('b', { other: { schedule: '@yearly' } })
  t.same(await w.plans(), ['2028-01-01T00:00:00.000Z'])
})
