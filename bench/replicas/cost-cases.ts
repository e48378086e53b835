/**
 * The cases of the shared store: the cost of accepting beside SQLite, the cost of more gateways, and the effects of a slow network,
 * of many claims and of an old snapshot.
 */

import { systemClock } from '../../src/core/clock.ts'
import type { Store } from '../../src/store/ports.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { type OwnServer, startPostgresServer, withoutOwnPostgres } from '../../test/fakes/postgres-server.ts'
import { type Case, type Options, rotate } from '../compare.ts'
import { type Contender, type Running, withFolder, withRunning } from '../contender.ts'
import { cpuUs } from '../cpu.ts'
import type { Load } from '../load.ts'
import { median } from '../median.ts'
import { post } from '../payloads.ts'
import { accepting, headgate, type SharedStore } from '../peers.ts'
import { type Figure, judge, type Wanted } from '../report.ts'
import { execute, holdSnapshot } from './database.ts'
import { startDetour } from './detour.ts'
import { acceptRuns, type Cost, costOf, finishRuns, serverUs } from './store-work.ts'

const counts = [1, 2, 4]
const callers = 32
const runs = 20_000
/** The rate at which the gateways on the two stores get the same work, in requests a second. */
const sameRate = 4_000
const oneWayMs = 1
/** One connection for each gateway, so that an answer waits for the network and not for a processor of this machine. */
const slowConnections = 1
/**
 * How long each gateway is loaded before anything is measured, in seconds. Gateways that share a processor share this time, and a gateway
 * that has seen few requests needs several times the processor time for each.
 */
const warmSeconds = 3

/** The measured values of a round, by the name of their figure. */
type Round = Record<string, number>

/**
 * Makes a case that measures in each round, and shows the median of each figure. The keys of `goals` are names of figures. `prepare` is
 * called before the first round; `measure` gets what it returns.
 */
const sharedCase = <Prepared = undefined>(
  name: string,
  goals: Record<string, Wanted>,
  measure: (server: OwnServer, options: Options, round: number, prepared: Prepared) => Promise<Round>,
  prepare: (server: OwnServer) => Promise<Prepared> = async () => undefined as Prepared,
): Case => ({
  name,
  durable: true,
  missing: () => withoutOwnPostgres || undefined,
  run: async (options) => {
    const server = await startPostgresServer(true)
    try {
      const prepared = await prepare(server)
      const rounds: Round[] = []
      for (let round = 0; round < options.rounds; round++) {
        const measured = await measure(server, options, round, prepared)
        rounds.push(measured)
        const shown = Object.entries(measured).map(([figure, value]) => `${figure} ${value.toFixed(2)}`)
        options.note(`${name} ${round + 1}/${options.rounds}: ${shown.join(', ')}`)
      }
      return { rows: [], figures: figuresOf(name, rounds, goals) }
    } finally {
      await server.stop()
    }
  },
})

const figuresOf = (name: string, rounds: readonly Round[], goals: Record<string, Wanted>): Figure[] =>
  Object.keys(rounds[0] ?? {}).map((figure) => {
    const value = median(rounds.map((round) => round[figure] ?? Number.NaN))
    const goal = goals[figure]
    return { case: name, peer: 'headgate', figure, value, ...(goal ? { goal: judge(value, goal) } : {}) }
  })

const gatewayOn = (store: 'sqlite' | SharedStore): Contender => ({
  name: typeof store === 'string' ? store : store.kind,
  peer: 'headgate',
  launch: headgate(() => ({ bench: accepting }), store),
  post: post('push'),
  expected: { status: 202, text: '"status":"accepted"' },
})

/** Starts the contenders one after the other, and hands all running contenders to `use`. */
const withAll = <T>([first, ...others]: readonly Contender[], use: (running: readonly Running[]) => Promise<T>): Promise<T> =>
  first === undefined ? use([]) : withRunning(first, (running) => withAll(others, (rest) => use([running, ...rest])))

type Accepting = { readonly perSecond: number; readonly gatewayUs: number; readonly serverUs: number }

/** Loads all gateways at the same time. Returns the processor times for each event. */
const accept = (
  contenders: readonly Contender[],
  server: OwnServer,
  wanted: Pick<Load, 'seconds' | 'connections' | 'rate'>,
): Promise<Accepting> =>
  withAll(contenders, async (running) => {
    const loadAll = (options: typeof wanted) => Promise.all(running.map(({ load }) => load(options)))
    const gatewaysUs = (): number => running.reduce((sum, { pid }) => sum + cpuUs(pid), 0)
    await loadAll({ seconds: warmSeconds * running.length, connections: callers })
    const [gateways, database] = [gatewaysUs(), serverUs(server)]
    const loaded = await loadAll(wanted)
    const requests = loaded.reduce((sum, each) => sum + each.requests, 0)
    return {
      perSecond: loaded.reduce((sum, each) => sum + each.requests / each.seconds, 0),
      gatewayUs: (gatewaysUs() - gateways) / requests,
      serverUs: (serverUs(server) - database) / requests,
    }
  })

const openShared = (server: OwnServer, schema: string): Promise<Store> =>
  openPostgres({ url: () => server.url, schema, durability: 'fsync', clock: systemClock })

const closing = async <T>(stores: readonly Store[], use: () => Promise<T>): Promise<T> => {
  try {
    return await use()
  } finally {
    for (const store of stores) await store.close()
  }
}

const acceptIn = (stores: readonly Store[], server: OwnServer, each: number): Promise<Cost> =>
  closing(stores, async () => {
    await acceptRuns(stores, runs / 10, each)
    return costOf(server, runs, () => acceptRuns(stores, runs, each))
  })

/** Accepts with one caller for each store. Each caller waits for the answer to its call, so each statement accepts one event. */
const acceptOneByOne = async (server: OwnServer): Promise<Cost> => {
  const schema = server.newSchema()
  const stores: Store[] = []
  for (let i = 0; i < 8; i++) stores.push(await openShared(server, schema))
  return acceptIn(stores, server, stores.length)
}

const postgres = sharedCase(
  'postgres',
  {
    'accept, node: ratio to sqlite': { must: 1.4, aim: 1.1 },
    'end to end, gateway: ratio to sqlite': { must: 1.15, aim: 1.15 },
    'end to end at the same rate, gateway: ratio to sqlite': { must: 1.15, aim: 1.15 },
    'accept, server: ratio to a statement an event': { must: 0.25, aim: 0.15 },
  },
  async (server, { seconds }) => {
    const sqlite = await withFolder(async (folder) =>
      acceptIn([await openSqlite({ folder, durability: 'fsync', clock: systemClock })], server, callers),
    )
    const shared = await acceptIn([await openShared(server, server.newSchema())], server, callers)
    const oneByOne = await acceptOneByOne(server)
    const endToEnd = async (wanted: Pick<Load, 'connections' | 'rate'>) => {
      const embedded = await accept([gatewayOn('sqlite')], server, { seconds, ...wanted })
      const ours = await accept([gatewayOn({ kind: 'postgres', url: server.url, schema: server.newSchema() })], server, {
        seconds,
        ...wanted,
      })
      return { ours, ratio: ours.gatewayUs / embedded.gatewayUs }
    }
    const { ours, ratio } = await endToEnd({ connections: callers })
    const paced = await endToEnd({ rate: sameRate })
    return {
      'accept, node µs': shared.nodeUs,
      'accept, node: ratio to sqlite': shared.nodeUs / sqlite.nodeUs,
      'accept, server µs': shared.serverUs,
      'accept, server: ratio to a statement an event': shared.serverUs / oneByOne.serverUs,
      'end to end, accepted/s': ours.perSecond,
      'end to end, gateway µs': ours.gatewayUs,
      'end to end, gateway: ratio to sqlite': ratio,
      'end to end, server µs': ours.serverUs,
      'end to end at the same rate, gateway µs': paced.ours.gatewayUs,
      'end to end at the same rate, gateway: ratio to sqlite': paced.ratio,
    }
  },
)

/**
 * Measures one, two and four gateways, each number of gateways on a new schema. The order changes with the round. `databaseUrl`: the
 * address at which the gateways reach the server.
 */
const acceptWith = async (
  server: OwnServer,
  databaseUrl: string,
  { seconds, round, connections }: { readonly seconds: number; readonly round: number; readonly connections: number },
): Promise<readonly Accepting[]> => {
  const measured = new Map<number, Accepting>()
  for (const count of rotate(counts, round)) {
    const gateway = gatewayOn({ kind: 'postgres', url: databaseUrl, schema: server.newSchema() })
    measured.set(count, await accept(Array<Contender>(count).fill(gateway), server, { seconds, connections }))
  }
  return counts.flatMap((count) => measured.get(count) ?? [])
}

const titleOf = (count: number): string => (count === 1 ? '1 gateway' : `${count} gateways`)

const replicas = sharedCase(
  'replicas',
  {
    '2 gateways, server: ratio to 1': { must: 1.4, aim: 1.2 },
    '4 gateways, server: ratio to 1': { must: 1.4, aim: 1.2 },
  },
  async (server, { seconds }, round) => {
    const measured = await acceptWith(server, server.url, { seconds, round, connections: callers })
    return Object.fromEntries(
      measured.flatMap(({ perSecond, gatewayUs, serverUs }, i) => {
        const title = titleOf(counts[i] ?? 0)
        return [
          [`${title}, accepted/s`, perSecond],
          [`${title}, gateway µs`, gatewayUs],
          [`${title}, server µs`, serverUs],
          ...(i === 0 ? [] : [[`${title}, server: ratio to 1`, serverUs / (measured[0]?.serverUs ?? Number.NaN)] as const]),
        ]
      }),
    )
  },
)

const slowNet = sharedCase(
  'slow-net',
  {
    '2 gateways: times the rate of 1': { sense: '>=', must: 1.7, aim: 1.9 },
    '4 gateways: times the rate of 1': { sense: '>=', must: 3.2, aim: 3.6 },
  },
  async (server, { seconds }, round) => {
    const address = new URL(server.url)
    const port = Number(address.port)
    const detour = await startDetour([() => port], oneWayMs)
    address.port = String(detour.ports[0])
    try {
      const measured = await acceptWith(server, address.href, { seconds, round, connections: slowConnections })
      return Object.fromEntries(
        measured.flatMap(({ perSecond }, i) => {
          const title = titleOf(counts[i] ?? 0)
          const ratio = perSecond / (measured[0]?.perSecond ?? Number.NaN)
          return [[`${title}, accepted/s`, perSecond], ...(i === 0 ? [] : [[`${title}: times the rate of 1`, ratio] as const])]
        }),
      )
    } finally {
      detour.close()
    }
  },
)

const manyClaims = 10_000_000

/** Makes a schema with ids that were claimed before. Returns its name. */
const claimedSchema = async (server: OwnServer): Promise<string> => {
  const schema = server.newSchema()
  await (await openShared(server, schema)).close()
  await execute(server.url, schema, [
    `insert into claims (key, until, mark) select gen_random_uuid(), clock() + interval '1 day', n from generate_series(1, ${manyClaims}) as n`,
    'analyze claims',
  ])
  return schema
}

const claims = sharedCase(
  'claims',
  { '10 M claims, server: ratio to none': { must: 2, aim: 1.6 } },
  async (server, _options, _round, schema) => {
    const none = await acceptIn([await openShared(server, server.newSchema())], server, callers)
    const many = await acceptIn([await openShared(server, schema)], server, callers)
    return {
      'no claims, server µs': none.serverUs,
      '10 M claims, server µs': many.serverUs,
      '10 M claims, server: ratio to none': many.serverUs / none.serverUs,
    }
  },
  claimedSchema,
)

const finishedBefore = 60_000
const finishedNow = 4_000

/** Takes and finishes runs as they come, while a transaction from before still sees all runs that were finished meanwhile. */
const oldSnapshot = sharedCase('old-snapshot', { 'old snapshot, server: ratio to fresh': { must: 1.5, aim: 1.5 } }, async (server) => {
  const schema = server.newSchema()
  const store = await openShared(server, schema)
  const finishNew = async (): Promise<Cost> => {
    // One call in twenty accepts nothing.
    await acceptRuns([store], 1.1 * finishedNow, callers)
    return costOf(server, finishedNow, () => finishRuns(store, finishedNow))
  }
  return closing([store], async () => {
    await finishNew()
    const fresh = await finishNew()
    const release = await holdSnapshot(server.url, schema)
    for (let finished = 0; finished < finishedBefore; finished += finishedNow) await finishNew()
    const under = await finishNew()
    await release()
    return {
      'fresh, server µs': fresh.serverUs,
      'old snapshot, server µs': under.serverUs,
      'old snapshot, server: ratio to fresh': under.serverUs / fresh.serverUs,
    }
  })
})

export const sharedStoreCases: readonly Case[] = [postgres, replicas, slowNet, claims, oldSnapshot]
