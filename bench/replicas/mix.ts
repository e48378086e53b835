/** The routes, the jobs and the events that replicas get: every way in which a run is accepted, waits for other runs, and is delivered. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Route } from '../../src/generated/config.ts'
import { writeAgent } from '../durability/agent-log.ts'
import type { Event } from '../durability/client.ts'
import { configOf, writeConfig } from '../durability/mix.ts'
import type { Random } from '../durability/random.ts'

/** The secret of the target `http`. A post without a signature would cause a warning at the start. */
const signing = 'signs what the bench is sent'

/** How many of a hundred events each route gets. */
const shares = { work: 34, direct: 14, group: 16, lane: 14, pair: 8, talk: 8, 'job-queue': 4, 'job-skip': 2 } as const
type MixRoute = keyof typeof shares
const mixRoutes = Object.keys(shares) as MixRoute[]

/** The routes that only the drills before the mix use. */
export const drillRoutes = { slow: 'slow', filtered: 'filtered', repeated: 'repeated', counted: 'counted' } as const

export const scheduledJob = 'every-job'
const eventJob = 'event-job'
/** The most runs of the route `pair` at one time, whatever their keys. */
export const pairLimit = 2
/** How long a run of the route `slow` takes. */
export const slowRunMs = 4_000
const windowMs = 300
/** The window of the route `counted`. All posts of one group fit into the window. */
const countedWindowMs = 2_000
/** The number of lanes, the number of groups, and the number of sessions. */
const keys = 20
/** The length of a burst: all events for groups among so many events in a row are for the same group. */
const burst = 30

/** Returns the job to which a run of the agent belongs. */
export const jobOf = (route: string, id: string): string | undefined => {
  if (route === 'job-queue') return eventJob
  return route === 'job-skip' || id.startsWith(`${scheduledJob}@`) ? scheduledJob : undefined
}

/**
 * Returns the lane of an event of the route `lane`; `undefined` for other routes. The runs of a lane take turns, in the order in which
 * their events were accepted.
 */
export const laneOf = ({ route, id }: Pick<Event, 'route' | 'id'>): string | undefined =>
  route === 'lane' ? id.slice(0, id.lastIndexOf('-')) : undefined

// Many faults may hit one run, and the run must not become dead.
const retry = { max_attempts: 20, backoff: 0.1, max_delay_seconds: 1 }
const coalesce = (ms: number): Route['coalesce'] => ({ key: '{key}', window_seconds: ms / 1000, max_wait_seconds: (ms * 5) / 1000 })

const routesFor = (sink: string): Record<MixRoute | keyof typeof drillRoutes, Route> => {
  const posted: Route = { prompt: 'id={id};', retry, deliver: 'http', deliver_extra: { url: `${sink}/in`, secret: signing } }
  return {
    work: posted,
    direct: { prompt: posted.prompt, deliver: 'http', deliver_extra: posted.deliver_extra, deliver_only: true } as Route,
    group: { ...posted, coalesce: { ...coalesce(windowMs), key: '{key}', keep: 'all' } },
    lane: { ...posted, concurrency: { limit: 1, key: '{key}' } },
    pair: { ...posted, concurrency: { limit: pairLimit } },
    talk: { ...posted, session: { key: '{key}' } },
    'job-queue': { prompt: 'id={id};', cron_job: eventJob, cron_job_running: 'queue' },
    'job-skip': { prompt: 'id={id};', cron_job: scheduledJob },
    slow: posted,
    filtered: { ...posted, filters: [{ field: 'key', equals: 'never' }] },
    repeated: posted,
    counted: { ...posted, prompt: 'key={key};', coalesce: { ...coalesce(countedWindowMs), key: '{key}' } },
  }
}

/** The work of the agent. Most runs are short. Some runs last long enough for a fault to hit. A run of a group replies with its prompt. */
const agentWork = `
reply="id=$HEADGATE_DELIVERY_ID;"
case "$HEADGATE_ROUTE" in group | counted) reply=$(cat) ;; slow) sleep ${slowRunMs / 1000} ;; esac
case "$HEADGATE_DELIVERY_ID" in *7 | ${scheduledJob}@*) sleep 0.05 ;; esac`

/** Makes a data directory for each replica, all with the same configuration. Returns the directories. */
export const prepareReplicas = (folder: string, count: number, sink: string, schema: string): string[] => {
  const deliver = { deliver: 'http', deliver_extra: { url: `${sink}/job`, secret: signing } }
  const jobs: Config['jobs'] = {
    [scheduledJob]: { schedule: 'every 1s', prompt: 'by the clock', ...deliver },
    [eventJob]: { schedule: '2099-01-01T00:00:00', prompt: 'by an event', ...deliver },
  }
  const storage: Config['storage'] = { kind: 'postgres', url: '${DATABASE_URL}', schema }
  const config = configOf(routesFor(sink), writeAgent(folder, agentWork), { jobs, storage })
  return Array.from({ length: count }, (_, i) => {
    const dir = join(folder, `replica-${i}`)
    mkdirSync(dir)
    writeConfig(dir, config)
    writeFileSync(join(dir, '.env'), '')
    return dir
  })
}

export const eventOf = (route: string, id: string, key: string): Event => ({
  id,
  route,
  body: JSON.stringify({ id, key, filler: 'x'.repeat(200) }),
})

/** Makes events in a random order. `shares` says how many events each route gets. */
export const createEvents = (count: number, random: Random): Event[] => {
  const wheel = mixRoutes.flatMap((name) => Array<MixRoute>(shares[name]).fill(name))
  return Array.from({ length: count }, (_, n) => {
    const route = random.pick(wheel)
    const key = route === 'group' ? `g${Math.floor(n / burst) % keys}` : `k${random.whole(keys)}`
    return eventOf(route, `${route}-${key}-${n}`, key)
  })
}
