/** The routes, the jobs and the events of the durability programs: every way in which work is accepted and delivered. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Route } from '../../src/generated/config.ts'
import { writeAgent } from './agent-log.ts'
import { type Event, secret } from './client.ts'
import type { Random } from './random.ts'

/** The secret of the target `http`. A post without a signature would cause a warning at the start. */
const signing = 'signs what the bench is sent'

/** How many of a hundred events each route gets. */
const shares = { 'work-log': 40, 'work-http': 28, burst: 14, 'burst-all': 10, 'job-queue': 6, 'job-skip': 2 } as const
export type RouteName = keyof typeof shares
export const routeNames = Object.keys(shares) as RouteName[]

export const windowMs = 200
const coalesceKeys = 50
/** The length of a burst: so many events in a row have the same key. */
const burst = 40
export const scheduledJob = 'every-job'
const eventJob = 'event-job'

export const isCoalesced = (route: string): boolean => route.startsWith('burst')
export const startsJob = (route: string): boolean => route.startsWith('job-')

/** Returns the scheduled job to which a run of the agent belongs. */
export const jobOf = (route: string, id: string): string | undefined => {
  if (route === 'job-queue') return eventJob
  return route === 'job-skip' || id.startsWith(`${scheduledJob}@`) ? scheduledJob : undefined
}

/** The most runs that one kill can break off. */
export const maxRuns = 8
// Many kills may hit one run, and they must not make it dead.
const retry = { max_attempts: 20, backoff: 0.1, max_delay_seconds: 1 }
const coalesce = { key: '{key}', window_seconds: windowMs / 1000, max_wait_seconds: 1 }

const routesFor = (receiver: string): Record<RouteName, Route> => {
  const work: Route = { prompt: 'id={id};', retry }
  const http: Route = { ...work, deliver: 'http', deliver_extra: { url: `${receiver}/in`, secret: signing } }
  return {
    'work-log': work,
    'work-http': http,
    burst: { ...http, coalesce },
    'burst-all': { ...http, coalesce: { ...coalesce, keep: 'all', single_flight: true } },
    'job-queue': { prompt: 'id={id};', cron_job: eventJob, cron_job_running: 'queue' },
    'job-skip': { prompt: 'id={id};', cron_job: scheduledJob },
  }
}

/** The work of the agent. Most runs are short, and some last long enough for a kill to hit them. A merged run replies with its prompt. */
const agentWork = `
reply=done
case "$HEADGATE_ROUTE" in burst*) reply=$(cat) ;; esac
case "$HEADGATE_DELIVERY_ID" in *7 | ${scheduledJob}@*) sleep 0.05 ;; esac`

export const configOf = (routes: Record<string, Route>, command: string[], more: Partial<Config> = {}): Config => ({
  platforms: { webhook: { enabled: true, extra: { secret, rate_limit: 1_000_000_000, routes } } },
  gateway: { max_concurrent_runs: maxRuns, drain_seconds: 60 },
  agent: { runner: 'command', env: ['HEADGATE_BENCH_LIFE'], command },
  ...more,
})

/** Writes the configuration as JSON, which is YAML too. */
export const writeConfig = (dir: string, config: Config): void =>
  writeFileSync(join(dir, 'config.yaml'), JSON.stringify(config, undefined, 1))

/** Makes a data directory for the whole mix, with its agent beside it. */
export const prepareMix = (folder: string, receiver: string): string => {
  const dir = join(folder, 'data')
  mkdirSync(dir)
  const jobs: Config['jobs'] = {
    [scheduledJob]: { schedule: 'every 1s', prompt: 'by the clock' },
    [eventJob]: {
      schedule: '2099-01-01T00:00:00',
      prompt: 'by an event',
      deliver: 'http',
      deliver_extra: { url: `${receiver}/job`, secret: signing },
    },
  }
  writeConfig(dir, configOf(routesFor(receiver), writeAgent(folder, agentWork), { jobs }))
  return dir
}

/** Makes events in the shares of the mix, in a random order. */
export const createEvents = (count: number, random: Random, names: readonly RouteName[] = routeNames): Event[] => {
  const wheel = names.flatMap((name) => Array<RouteName>(shares[name]).fill(name))
  return Array.from({ length: count }, (_, n) => {
    const route = random.pick(wheel)
    const id = `${route}-${n}`
    return { id, route, body: JSON.stringify({ id, key: `k${Math.floor(n / burst) % coalesceKeys}`, filler: 'x'.repeat(200) }) }
  })
}
