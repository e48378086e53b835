/** Looks each second at how much memory, disk and how many file descriptors a gateway uses. */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { peakRssMib, rssMib } from '../cpu.ts'
import type { Gateway } from './gateway.ts'

export const mib = 1024 * 1024

export type Sample = {
  readonly second: number
  /** The number of events that were answered by then. */
  readonly events: number
  readonly rssMib: number
  readonly fds: number
  readonly databaseMib: number
  readonly walMib: number
  readonly journalMib: number
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Returns the size of a folder. A segment may be deleted while it is counted. */
const folderSize = (path: string): number => {
  try {
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
  } catch {
    return 0
  }
}

const take = ({ pid, dir }: Gateway, second: number, events: number): Sample => ({
  second,
  events,
  rssMib: rssMib(pid),
  fds: readdirSync(`/proc/${pid}/fd`).length,
  databaseMib: sizeOf(join(dir, 'state', 'headgate.db')) / mib,
  walMib: sizeOf(join(dir, 'state', 'headgate.db-wal')) / mib,
  journalMib: folderSize(join(dir, 'state', 'events')) / mib,
})

export type Sampling = { readonly samples: readonly Sample[]; readonly peakRssMib: () => number; stop(): void }

export const startSampling = (gateway: Gateway, events: () => number): Sampling => {
  const samples: Sample[] = [take(gateway, 0, 0)]
  const timer = setInterval(() => {
    if (gateway.isRunning()) samples.push(take(gateway, samples.length, events()))
  }, 1_000)
  return {
    samples,
    peakRssMib: () => peakRssMib(gateway.pid),
    stop() {
      clearInterval(timer)
      samples.push(take(gateway, samples.length, events()))
    },
  }
}

/** Returns the samples that were taken while the last half of the events was answered. */
export const lastHalf = (samples: readonly Sample[]): readonly Sample[] => {
  const half = (samples.at(-1)?.events ?? 0) / 2
  return samples.filter(({ events }) => events >= half)
}

/** Returns how a figure rises with the events: the slope of the least-squares line, for 100,000 events. */
export const slopePer100k = (samples: readonly Sample[], figure: (sample: Sample) => number): number => {
  const mean = (of: (sample: Sample) => number): number => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [x, y] = [mean(({ events }) => events), mean(figure)]
  const spread = samples.reduce((sum, { events }) => sum + (events - x) ** 2, 0)
  const common = samples.reduce((sum, sample) => sum + (sample.events - x) * (figure(sample) - y), 0)
  return spread === 0 ? 0 : (common / spread) * 100_000
}
