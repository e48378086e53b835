/**
 * `npm run bench:replicas` runs three gateways on one PostgreSQL behind a balancer, under load and aimed faults. The program proves that
 * every accepted event was done, once.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { withoutOwnPostgres } from '../test/fakes/postgres-server.ts'
import { AgentLog } from './durability/agent-log.ts'
import { conclude, folder, NotPossible } from './durability/lab.ts'
import { maxRuns } from './durability/mix.ts'
import { readOptions } from './durability/options.ts'
import { createRandom, type Random } from './durability/random.ts'
import { startReceiver } from './durability/receiver.ts'
import { table } from './durability/table.ts'
import { outageHead, tryOutages } from './replicas/away.ts'
import { startBalancer } from './replicas/balancer.ts'
import { check, endsOf, type Facts, repeatedPosts, repeatedStarts } from './replicas/check.ts'
import { type Crowd, openGroups, postRepeats } from './replicas/crowd.ts'
import { heldIn, sharesEntries } from './replicas/database.ts'
import { type FaultName, faultNames, faults, leaseMs } from './replicas/faults.ts'
import { createEvents, jobOf, prepareReplicas, scheduledJob } from './replicas/mix.ts'
import { Replica } from './replicas/replica.ts'
import { Senders } from './replicas/senders.ts'
import { ServerPair } from './replicas/server-pair.ts'
import { Subscriptions } from './replicas/subscriptions.ts'
import { readTurns } from './replicas/turns.ts'
import type { World } from './replicas/world.ts'

const replicaCount = 3
const answerMs = 10
const readEveryMs = 10
/** A subscription is made after the first fault, and then after each group of this many faults. */
const faultsOfASubscription = 5
/** Longer than a lease, because the runs of a dead gateway rest for so long. */
const idleMs = 2 * leaseMs
const countEveryMs = 100

/** `only`: the kind of all faults; otherwise the kinds come in turn. */
type Arguments = Record<'events' | 'faults' | 'ids' | 'groups' | 'seed', number> & { readonly only?: FaultName }

type Scene = Pick<World, 'replicas' | 'servers' | 'schema' | 'agents'> & {
  readonly here: string
  readonly sink: Awaited<ReturnType<typeof startReceiver>>
  /** The number of log lines of level warn and above over all replicas, by their message. */
  readonly warnings: ReadonlyMap<string, number>
}

const prepare = async (random: Random): Promise<Scene> => {
  const here = folder('replicas')
  const servers = await ServerPair.start()
  const schema = servers.primary.newSchema()
  const sink = await startReceiver(answerMs, random.number)
  const warnings = new Map<string, number>()
  const dirs = prepareReplicas(here, replicaCount, sink.url, schema)
  const agents = new AgentLog(here, jobOf)
  const replicas: Replica[] = []
  for (const [index, dir] of dirs.entries()) {
    const heard = ({ level, msg }: { readonly level?: unknown; readonly msg: string }): void => {
      if (level === 'warn' || level === 'error') warnings.set(msg, (warnings.get(msg) ?? 0) + 1)
    }
    replicas.push(await Replica.start({ index, dir, hosts: servers.hosts, heard }))
  }
  return { here, servers, schema, sink, agents, replicas, warnings }
}

/** Waits until the database holds no unfinished run and no group. Returns a sentence when their number does not sink for too long. */
const untilIdle = async ({ servers, schema }: Scene): Promise<string[]> => {
  let least = Number.POSITIVE_INFINITY
  for (let sunkAt = performance.now(); performance.now() - sunkAt < idleMs; await wait(countEveryMs)) {
    const { runs, groups } = await heldIn(servers.primary.url, schema)
    if (runs + groups === 0) return []
    if (runs + groups < least) sunkAt = performance.now()
    least = Math.min(least, runs + groups)
  }
  return [`${least} runs and groups are left, and have not become fewer for ${idleMs / 1000} s`]
}

const gather = async (scene: Scene, { ids, groups }: Arguments): Promise<string[]> => {
  const crowds: Crowd[] = []
  for (const [make, count] of [
    [postRepeats, ids],
    [openGroups, groups],
  ] as const)
    crowds.push(await make(count, scene.replicas))
  const stuck = await untilIdle(scene)
  const failures = crowds.flatMap((crowd) => [...crowd.failures, ...crowd.check(scene.sink.posts)])
  const [repeats, opened] = crowds
  console.log(
    `\n${ids} ids, ${repeats?.posted} posts at once over ${replicaCount} replicas; ${groups} groups of ${opened?.posted} events: ${failures.length} wrong`,
  )
  return [...stuck, ...failures]
}

type Mixed = {
  readonly senders: Senders
  readonly subscriptions: Subscriptions
  readonly world: World
  readonly hits: ReadonlyMap<FaultName, readonly number[]>
}

/** Sends the events. A fault hits each time that another share of the events has been answered. */
const mix = async (scene: Scene, { events: count, faults: faultCount, only }: Arguments, random: Random): Promise<Mixed> => {
  let lastAcceptedAt = Number.NEGATIVE_INFINITY
  const senders = new Senders(createEvents(count, random), ({ at }) => {
    lastAcceptedAt = at
  })
  const hits = new Map<FaultName, number[]>()
  const balancer = await startBalancer(scene.replicas.map((replica) => () => replica.port))
  const world: World = { ...scene, random, lastAcceptedAt: () => lastAcceptedAt, background: [], breaks: [], outages: [], failures: [] }
  const subscriptions = new Subscriptions(scene.replicas, scene.sink)
  const isShared = await sharesEntries(scene.servers.primary.url, scene.schema)
  const sending = senders.run(balancer.url)
  for (let n = 0; n < faultCount; n++) {
    const share = (count * (n + 0.5)) / (faultCount + 1)
    while (senders.answered.size < share) await wait(2)
    const name = only ?? (faultNames[n % faultNames.length] as FaultName)
    const since = performance.now()
    await faults[name](world)
    if (isShared && n % faultsOfASubscription === 0) await subscriptions.make(random)
    hits.set(name, [...(hits.get(name) ?? []), performance.now() - since])
    const [from, until] = [since, performance.now()].map((ms) => (ms / 1000).toFixed(3))
    console.error(`${senders.answered.size} of ${count} events answered; ${from} to ${until}: ${name}`)
  }
  await sending
  await Promise.all(world.background)
  balancer.close()
  return { senders, subscriptions, world, hits }
}

/** Shows the breaks, because a break may explain a repeat. The times are of the same clock as the times in the failures. */
const breaksTable = ({ breaks }: World): string => {
  const seconds = (ms: number): string => (ms / 1000).toFixed(3)
  return table(
    ['life that was killed or paused', 'from s', 'until s'],
    breaks.map(({ life, from, until }) => [life, seconds(from), seconds(until)]),
  )
}

const figures = (facts: Facts, { senders, subscriptions }: Mixed, warnings: ReadonlyMap<string, number>): string => {
  const { accepted, done, merged, dead } = endsOf(facts)
  const seconds = [...facts.agents.starts.keys()].filter((id) => id.startsWith(`${scheduledJob}@`)).length
  return table(
    ['figure', 'value'],
    [
      ['accepted', accepted],
      ['done', done],
      ['merged into another', merged],
      ['dead (jobs that a fault broke off)', dead],
      ['runs of the agent begun again', repeatedStarts(facts)],
      ['posts sent again, with the same webhook-id', repeatedPosts(facts)],
      ['seconds at which the scheduled job started', seconds],
      ['subscriptions made meanwhile', subscriptions.servedMs.length],
      ['longest ms until another gateway served one (aim 2,000)', Math.round(Math.max(0, ...subscriptions.servedMs))],
      ...[...senders.statuses].toSorted().map(([said, count]): [string, number] => [`answers: ${said}`, count]),
      ...[...warnings].map(([said, count]): [string, number] => [`log: ${said}`, count]),
    ],
  )
}

/** Returns a sentence for each kind of refusal, where the only faults are rolling upgrades: these refuse no post. */
const refusals = ({ only }: Arguments, { statuses }: Senders): string[] =>
  only === 'rolling upgrade'
    ? [...statuses].filter(([said]) => /^(?:none|503)/.test(said)).map(([said, count]) => `${count} posts were refused: ${said}`)
    : []

const main = async (): Promise<readonly string[]> => {
  if (withoutOwnPostgres) throw new NotPossible(withoutOwnPostgres)
  const numbers = {
    events: { usual: 20_000, quick: 2_000 },
    faults: { usual: 60, quick: 7 },
    ids: { usual: 1_000, quick: 20 },
    groups: { usual: 10_000, quick: 100 },
    seed: { usual: 1, quick: 1 },
  }
  const given = readOptions('bench:replicas', numbers, { only: faultNames })
  const random = createRandom(given.seed)
  const scene = await prepare(random)
  const reading = setInterval(() => scene.agents.read(), readEveryMs)
  const outages = await tryOutages(scene.servers.primary, scene.replicas, scene.agents, scene.sink)
  console.log(table(outageHead, outages.rows))
  const gathered = await gather(scene, given)
  const mixed = await mix(scene, given, random)
  const { senders, subscriptions, world, hits } = mixed
  const stuck = await untilIdle(scene)
  const ends = (await Promise.all(scene.replicas.map((replica) => replica.stop()))).flat()
  clearInterval(reading)
  scene.agents.read()
  const held = await heldIn(scene.servers.primary.url, scene.schema)
  const facts: Facts = {
    answered: senders.answered,
    agents: scene.agents,
    turns: readTurns(scene.here),
    posts: scene.sink.posts,
    breaks: world.breaks,
    outages: world.outages,
    held,
    maxRuns,
  }
  const failures = [
    ...outages.failures,
    ...gathered,
    ...stuck,
    ...ends,
    ...world.failures,
    ...senders.wrong,
    ...refusals(given, senders),
    ...subscriptions.failures,
    ...subscriptions.check(),
    ...check(facts),
  ]
  for (const replica of scene.replicas) replica.close()
  await scene.servers.stop()
  if (failures.length > 0) console.log(`\n${breaksTable(world)}`)
  const rows = [...hits].map(([name, ms]) => [name, ms.length, Math.round(Math.max(...ms))])
  console.log(`\n${table(['fault', 'times', 'longest ms'], rows)}\n\n${figures(facts, mixed, scene.warnings)}\n`)
  return failures
}

await conclude(main)
