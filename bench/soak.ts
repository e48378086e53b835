/** `npm run bench:soak`: sends very many deliveries through one process, and proves that memory, files and disk stay within their bounds. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tableBytes } from '../src/store/sqlite/recent-claims.ts'
import { createBrake } from './durability/brake.ts'
import { untilIdle } from './durability/control.ts'
import { leftIn } from './durability/database.ts'
import { flood } from './durability/flood.ts'
import { launch } from './durability/gateway.ts'
import { conclude, folder } from './durability/lab.ts'
import { configOf, writeConfig } from './durability/mix.ts'
import { readOptions } from './durability/options.ts'
import { restarts } from './durability/restart.ts'
import { lastHalf, mib, type Sample, slopePer100k, startSampling } from './durability/samples.ts'
import { type Cell, table } from './durability/table.ts'

const journalBytes = 64 * mib
const journalEvents = 50_000
const idleMs = 300_000
const shownSamples = 10
const longRun = 1_000_000

const limits = {
  rssMib: 256,
  restartMs: 2_000,
  journalMib: (journalBytes * 1.2) / mib,
  walMib: 80,
  moreFds: 8,
  /** Memory is judged only in the last half of a long run, because the database's page cache fills until then. */
  rssSlopeMib: 2,
  /** This is room for runs that wait, and for what the size of the write-ahead log adds. */
  databaseMib: 16,
  /** An accepted event leaves only its id, for an hour. */
  databaseBytesPerEvent: 160,
}

const prepare = (): string => {
  const dir = join(folder('soak'), 'data')
  mkdirSync(dir)
  const work = { prompt: '{action} #{number}' }
  const never = { ...work, filters: [{ field: 'action', equals: 'closed' }] }
  const agent = { runner: 'echo' as const }
  const storage = { retention: { max_events: journalEvents, max_bytes: journalBytes } }
  writeConfig(dir, configOf({ work, never }, [], { agent, storage }))
  return dir
}

type Limit = { readonly what: string; readonly value: number; readonly atMost: number }
type Soaked = { readonly samples: readonly Sample[]; readonly limits: readonly Limit[]; readonly failures: readonly string[] }

const soak = async (events: number): Promise<Soaked> => {
  const dir = prepare()
  const gateway = launch(dir, { args: ['--log-level', 'warn'] })
  const url = await gateway.listening
  let answered = 0
  const sampling = startSampling(gateway, () => answered)
  const brake = createBrake(dir)
  const began = performance.now()
  const count = (status: number): void => {
    if (status !== 503) answered++
  }
  const statuses = await flood({ url, routes: ['work', 'never'], count: events, name: 'soak', hold: brake.hold, answered: count })
  const seconds = (performance.now() - began) / 1000
  brake.stop()
  await untilIdle(dir, idleMs)
  sampling.stop()
  const peak = sampling.peakRssMib()
  const end = await gateway.stop()
  const left = leftIn(dir)
  const said = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')
  console.log(`${events} events in ${seconds.toFixed(0)} s, ${(events / seconds).toFixed(0)}/s: ${said}\n`)
  const failures = [
    ...(end.code === 0 && gateway.complaints() === '' ? [] : [`the process ended with ${end.signal ?? end.code}: ${gateway.complaints()}`]),
    ...(left.integrity === 'ok' && left.live === 0 && left.dead === 0 ? [] : [`the database: ${JSON.stringify(left)}`]),
    ...(statuses.get(202) === Math.ceil(events / 2) && statuses.get(200) === Math.floor(events / 2) ? [] : [`wrong answers: ${said}`]),
  ]
  return { samples: sampling.samples, limits: judged(sampling.samples, peak), failures }
}

const judged = (samples: readonly Sample[], peak: number): Limit[] => {
  const half = lastHalf(samples)
  const first = samples.filter((sample) => !half.includes(sample))
  const most = (of: readonly Sample[], figure: (sample: Sample) => number): number => Math.max(...of.map(figure))
  const accepted = (samples.at(-1)?.events ?? 0) / 2
  // The table of ids doubles at 628,000 events, by 8 MiB. That is intended and bounded, so it is left out.
  const slope = slopePer100k(half, ({ rssMib, events }) => rssMib - tableBytes(events / 2) / mib)
  const isLong = (samples.at(-1)?.events ?? 0) >= longRun
  return [
    {
      what: 'memory in the last half without the table of ids, MiB more per 100,000 events',
      value: slope,
      atMost: isLong ? limits.rssSlopeMib : Number.POSITIVE_INFINITY,
    },
    { what: 'highest memory, MiB', value: peak, atMost: limits.rssMib },
    { what: 'journal folder at its largest, MiB', value: most(samples, (sample) => sample.journalMib), atMost: limits.journalMib },
    { what: "database's log at its largest, MiB", value: most(samples, (sample) => sample.walMib), atMost: limits.walMib },
    {
      what: 'database at its largest, MiB',
      value: most(samples, (sample) => sample.databaseMib),
      atMost: limits.databaseMib + (limits.databaseBytesPerEvent * accepted) / mib,
    },
    {
      what: 'more file descriptors in the last half',
      value: most(half, ({ fds }) => fds) - most(first, ({ fds }) => fds),
      atMost: limits.moreFds,
    },
  ]
}

const cells = (sample: Sample): Cell[] => [
  sample.second,
  sample.events,
  ...[sample.rssMib, sample.databaseMib, sample.walMib, sample.journalMib].map((value) => value.toFixed(1)),
  sample.fds,
]

const samplesTable = (samples: readonly Sample[]): string => {
  const step = Math.max(1, Math.ceil(samples.length / shownSamples))
  const shown = samples.filter((_, i) => i % step === 0 || i === samples.length - 1)
  return table(['second', 'events', 'memory MiB', 'database MiB', 'its log MiB', 'journal MiB', 'fds'], shown.map(cells))
}

const main = async (): Promise<readonly string[]> => {
  const { events, queued } = readOptions('bench:soak', {
    events: { usual: 1_000_000, quick: 20_000 },
    queued: { usual: 100_000, quick: 10_000 },
  })
  const { samples, limits: soaked, failures } = await soak(events)
  console.log(`${samplesTable(samples)}\n`)
  console.log('what bounds the database: the ids of an hour, and the runs that wait; pages of runs that ended are used again\n')

  const found = await restarts(queued)
  const rows = found.map(({ after, queued, healthMs, acceptedMs, rssMib }) => [
    after,
    queued,
    ...[healthMs, acceptedMs, rssMib].map((value) => value.toFixed(0)),
  ])
  console.log(`${table(['restart after', 'queued', '/health ms', 'first 202 ms', 'memory MiB'], rows)}\n`)
  const slowest = Math.max(...found.map(({ acceptedMs }) => acceptedMs))
  const all: Limit[] = [...soaked, { what: 'restart until the first 202, slowest, ms', value: slowest, atMost: limits.restartMs }]
  console.log(
    table(
      ['figure', 'value', 'at most', ''],
      all.map(({ what, value, atMost }) => [
        what,
        value.toFixed(1),
        Number.isFinite(atMost) ? atMost.toFixed(1) : '-',
        value <= atMost ? 'ok' : 'MISSED',
      ]),
    ),
  )
  return [
    ...failures,
    ...all
      .filter(({ value, atMost }) => value > atMost)
      .map(({ what, value, atMost }) => `${what}: ${value.toFixed(1)}, at most ${atMost.toFixed(1)}`),
    ...found.filter((each) => each.queued < queued).map((each) => `after ${each.after} only ${each.queued} of ${queued} are queued`),
  ]
}

await conclude(main)
