/** Takes the database away from the replicas. Checks their answers during the outage, and how soon they accept events again. */

import { setTimeout as wait } from 'node:timers/promises'
import type { OwnServer } from '../../test/fakes/postgres-server.ts'
import type { AgentLog } from '../durability/agent-log.ts'
import { type Answer, createClient, type Event } from '../durability/client.ts'
import { until } from '../durability/lab.ts'
import type { Receiver } from '../durability/receiver.ts'
import { signalServer } from './faults.ts'
import { drillRoutes, eventOf, slowRunMs } from './mix.ts'
import type { Replica } from './replica.ts'

export type Drilled = { readonly rows: readonly (readonly (string | number)[])[]; readonly failures: readonly string[] }

type Outage = { readonly name: string; readonly begin: () => Promise<void>; readonly end: () => Promise<void> }
type Timed = Answer & { readonly ms: number }

const refusedMs = 3_000
const servingMs = 1_000
/** A machine without a free processor may add this much to a measured time. */
const busyMs = 1_500
/** Shorter than any wait for the database, so that an event that waited for the database is seen. */
const filteredMs = 1_200

export const outageHead = [
  'the database is away',
  `503 after ms (aim ${refusedMs})`,
  'the next 503',
  'filtered 200 after ms',
  `serves again after ms (aim ${servingMs})`,
]

const outagesOf = (server: OwnServer): Outage[] => [
  { name: 'killed', begin: () => server.kill(), end: () => server.start() },
  {
    name: 'paused',
    begin: async () => signalServer(server, 'SIGSTOP'),
    end: async () => signalServer(server, 'SIGCONT'),
  },
]

/** Tries each outage, and posts to each replica during the outage. */
export const tryOutages = async (server: OwnServer, replicas: readonly Replica[], agents: AgentLog, sink: Receiver): Promise<Drilled> => {
  const drills: Drilled[] = []
  for (const outage of outagesOf(server)) drills.push(await drill(outage, replicas, agents, sink))
  return { rows: drills.flatMap(({ rows }) => rows), failures: drills.flatMap(({ failures }) => failures) }
}

const post = async (replica: Replica, event: Event): Promise<Timed> => {
  const client = createClient(10_000)
  const since = performance.now()
  const answer = await client.post(replica.url, event).catch((error: Error) => ({ status: 0, said: error.message, reason: '' }))
  client.close()
  return { ...answer, ms: performance.now() - since }
}

const drill = async ({ name, begin, end }: Outage, replicas: readonly Replica[], agents: AgentLog, sink: Receiver): Promise<Drilled> => {
  const slow = replicas.map(({ index }) => eventOf(drillRoutes.slow, `slow-${name}-${index}`, 'k'))
  const kept = replicas.map(({ index }) => eventOf('work', `away-${name}-${index}`, 'k'))
  const taken = await Promise.all(replicas.map((replica, i) => post(replica, slow[i] as Event)))
  const isRunning = (): boolean => {
    agents.read()
    return slow.every(({ id }) => agents.starts.has(id))
  }
  await until('the runs in hand have begun', isRunning)
  const hasEnded = (): boolean => {
    agents.read()
    return slow.every(({ id }) => agents.starts.get(id)?.every(({ endSeenAt }) => endSeenAt !== undefined))
  }
  await begin()
  const first = await Promise.all(replicas.map((replica, i) => post(replica, kept[i] as Event)))
  const second = await Promise.all(replicas.map((replica, i) => post(replica, kept[i] as Event)))
  const filtered = await Promise.all(replicas.map((replica) => post(replica, eventOf(drillRoutes.filtered, `filtered-${name}`, 'k'))))
  await until('the runs in hand have ended, while nothing can be stored', () => hasEnded(), 2 * slowRunMs)
  await end()
  const backAt = performance.now()
  const again = await Promise.all(replicas.map((replica, i) => untilAccepted(replica, kept[i] as Event)))
  const postsOf = (id: string): number => sink.posts.filter(({ deliveryId }) => deliveryId === id).length
  const events = [...slow, ...kept]
  const done = await until(`all runs of the outage (${name}) are posted`, () => events.every(({ id }) => postsOf(id) > 0)).then(
    () => [],
    (error: Error) => [error.message],
  )
  agents.read()
  const say = (what: string, of: readonly Timed[]): string[] =>
    of.map(({ status, said, ms }, i) => `database ${name}, replica ${i}: ${what}, answered ${status} ${said} after ${Math.round(ms)} ms`)
  return {
    rows: replicas.map((_, i) => [
      `${name}, replica ${i}`,
      Math.round(first[i]?.ms ?? 0),
      Math.round(second[i]?.ms ?? 0),
      Math.round(filtered[i]?.ms ?? 0),
      Math.round((again[i]?.at ?? 0) - backAt),
    ]),
    failures: [
      ...done,
      ...say(
        'the run in hand was not accepted',
        taken.filter(({ status }) => status !== 202),
      ),
      ...say(
        'no 503 with Retry-After',
        [...first, ...second].filter(({ status, retryAfter }) => status !== 503 || retryAfter === undefined),
      ),
      ...say(
        'the 503 came late',
        [...first, ...second].filter(({ ms }) => ms > refusedMs + busyMs),
      ),
      ...say(
        'the filtered event had to wait',
        filtered.filter(({ status, ms }) => status !== 200 || ms > filteredMs),
      ),
      ...say(
        'not accepted soon after the return',
        again.filter(({ at }) => at - backAt > servingMs + busyMs),
      ),
      ...events.filter(({ id }) => postsOf(id) > 1).map(({ id }) => `database ${name}: ${id} was posted ${postsOf(id)} times`),
      ...slow
        .filter(({ id }) => agents.starts.get(id)?.length !== 1)
        .map(({ id }) => `database ${name}: the run in hand ${id} began ${agents.starts.get(id)?.length} times`),
    ],
  }
}

/**
 * Posts an event until its answer is no 503. A duplicate is as good as a 202: the server may have committed an earlier post that got a 503.
 */
const untilAccepted = async (replica: Replica, event: Event): Promise<Timed & { readonly at: number }> => {
  for (;;) {
    const answer = await post(replica, event)
    if (answer.status !== 503 || answer.ms > 10_000) return { ...answer, at: performance.now() }
    await wait(10)
  }
}
