/** The cases: who is compared with whom, on what, and which goal our server has. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formNames } from '../src/node-internals/forms.ts'
import { openLoop, startup } from './absolute.ts'
import { type Case, compare, type RatioGoal } from './compare.ts'
import type { Contender } from './contender.ts'
import { finished } from './finished.ts'
import { forged } from './forged/forged.ts'
import { tools } from './machine.ts'
import { curiousFiles } from './megabytes.ts'
import { otlpSink } from './otlp-sink.ts'
import { type PayloadName, post } from './payloads.ts'
import {
  accepting,
  awake,
  base,
  echoed,
  fastify,
  filtering,
  headgate,
  type Launcher,
  noStrace,
  plainly,
  prototype,
  slowed,
  webhook,
} from './peers.ts'
import { sharedStoreCases } from './replicas/cost-cases.ts'
import { stall, stallRoutes } from './stall.ts'

const ROUTES = 10_000
const FILTERS = 100
/** The number of runs at the same time in the case `finished`. */
const RUNS = 32

const accepted = { status: 200, text: '"status":"accepted"' }
const queued = { status: 202, text: '"status":"accepted"' }
const filtered = { status: 200, text: '"reason":"filter"' }
const refused = { status: 401, text: 'Invalid signature' }
const unmatched = { status: 200, text: 'Hook rules were not satisfied' }

const basePeer = (payload: PayloadName): Contender => ({
  name: 'base',
  peer: 'base',
  launch: base,
  post: post(payload),
  expected: accepted,
})
const others = (payload: PayloadName): Contender[] => [
  { name: 'webhook', peer: 'webhook', launch: webhook, post: post(payload), expected: unmatched },
  { ...basePeer(payload), name: 'fastify', peer: 'fastify', launch: fastify },
]

const oneRoute = headgate(() => ({ bench: filtering() }), 'memory')
const durableRoute = headgate(() => ({ bench: accepting }), 'sqlite')

const ours = (payload: PayloadName, name = 'headgate', launch = oneRoute): Contender => ({
  name,
  peer: 'headgate',
  launch,
  post: post(payload),
  expected: filtered,
})
const oursDurable = (payload: PayloadName): Contender => ({ ...ours(payload, 'headgate', durableRoute), expected: queued })
const durables = (payload: PayloadName): Contender[] => [
  basePeer(payload),
  oursDurable(payload),
  { ...basePeer(payload), name: 'prototype', peer: 'prototype', launch: prototype, expected: queued },
]
const atLeast = (must: number, aim: number): RatioGoal => ({ of: 'headgate', metric: 'rate', must, aim })
const atMostCpu = (of: string, must: number, aim: number): RatioGoal => ({ of, metric: 'cpu', must, aim })

const pipeline = (payload: PayloadName, goal: RatioGoal): Case =>
  compare(payload, [basePeer(payload), ours(payload), ...others(payload)], goal)

const metrics = { enabled: true, port: 0 }
const unmetered = headgate(() => ({ bench: filtering() }), 'memory', awake(1))
/** Our server with metrics, for which nobody asks. */
const metered = headgate(() => ({ bench: filtering() }), 'memory', { ...awake(1), metrics })
/** Our server with metrics, and with traces of one event in ten. */
const traced: Launcher = async (folder) => {
  const telemetry = { otlp: { endpoint: await otlpSink() }, traces: { ratio: 0.1 } }
  return headgate(() => ({ bench: filtering() }), 'memory', { ...awake(1), metrics, telemetry })(folder)
}

/** Our server with 10,000 routes, of which only one gets requests. It gives the same answer as the route of the other cases. */
const manyRoutes = headgate(() => {
  const rest = Array.from({ length: ROUTES - 1 }, (_, i) => [`route-${i}`, filtering()] as const)
  return Object.fromEntries([...rest, ['bench', filtering()]])
}, 'memory')
const filters = (count: number): Contender =>
  ours(
    'pr',
    `${count} ${count === 1 ? 'filter' : 'filters'}`,
    headgate(() => ({ bench: filtering(count) }), 'memory'),
  )

/** The contenders of `durable` on a slow disk. A server that stores nothing runs without that disk. */
const slowDurables = durables('pr').map((each) => (each.peer === 'base' ? each : { ...each, launch: slowed(each.launch) }))

/** A server that accepts its events while one run sleeps. When it is started again, the runs echo their prompts. */
const echoing: Contender = {
  ...oursDurable('pr'),
  fill: headgate(() => ({ bench: echoed }), 'sqlite'),
  launch: headgate(() => ({ bench: echoed }), 'sqlite', awake(RUNS)),
}

/** Our server with the routes that look at large bodies, and with one more route that shows that the server is up. */
const curious = ours('pr', 'headgate', (folder) => {
  const launch = headgate(() => ({ ...stallRoutes(), bench: filtering() }), 'memory')(folder)
  for (const [name, text] of Object.entries(curiousFiles)) writeFileSync(join(folder, 'data', name), text)
  return launch
})

/** Our server with the parts that use Node's internals, beside the same server with one of their plain forms, or all of them. */
const forms = (payload: PayloadName): Contender[] => [
  ours(payload),
  ...['all', ...formNames.filter((name) => name !== 'socket')].map((name) => ours(payload, `plain ${name}`, plainly(oneRoute, name))),
]
const noWrk = (): string | undefined => (tools.wrk ? undefined : 'needs wrk')

export const cases: Case[] = [
  pipeline('pr', atLeast(1, 1.13)),
  pipeline('push', atLeast(1, 1.3)),
  pipeline('pru', atLeast(1.1, 1.35)),
  compare('durable', durables('pr'), atLeast(0.82, 0.95), { durable: true }),
  compare('durable-push', durables('push'), atLeast(0.75, 0.9), { durable: true }),
  compare('slow-disk', slowDurables, undefined, { durable: true, missing: noStrace }),
  compare('close', [basePeer('pr'), ours('pr')], atLeast(0.9, 1), { close: true, missing: noWrk }),
  compare(
    'bad-sig',
    [ours('pr', 'right signature'), { ...ours('pr', 'wrong signature'), post: post('pr', undefined, 'not the secret'), expected: refused }],
    atMostCpu('wrong signature', 0.65, 0.5),
  ),
  compare('forms', forms('pru')),
  compare('forms-close', forms('pr'), undefined, { close: true, missing: noWrk }),
  forged('forged', ours('pr')),
  compare('routes', [ours('pr', '1 route'), ours('pr', `${ROUTES} routes`, manyRoutes)], atMostCpu(`${ROUTES} routes`, 1.1, 1.05)),
  compare('metrics', [ours('pr', 'metrics off', unmetered), ours('pr', 'metrics', metered)], atMostCpu('metrics', 1.03, 1.02)),
  // A batch of spans goes out once in 2,560 requests, so Node takes longer to compile what encodes it.
  compare('traces', [ours('pr', 'traces off', unmetered), ours('pr', 'traces', traced)], atMostCpu('traces', 1.06, 1.04), { warmUps: 6 }),
  compare('filters', [filters(1), filters(FILTERS)], atMostCpu(`${FILTERS} filters`, 1.1, 1.05)),
  openLoop('open-loop', durables('pr'), { 'p50 ms above base': { must: 0.4, aim: 0.2 }, 'p99 ms above base': { must: 3, aim: 1.5 } }),
  finished('finished', [echoing], { 'runs/s': { sense: '>=', aim: 5_000 } }),
  stall('stall', curious, 100, 50),
  startup('startup', [basePeer('pr'), oursDurable('pr'), ...others('pr')], {
    'start ms': { must: 280, aim: 200 },
    'idle RSS MiB': { must: 85, aim: 75 },
    'peak RSS MiB': { must: 145, aim: 125 },
  }),
  ...sharedStoreCases,
]
