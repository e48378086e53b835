/** `npm run bench:faults`: breaks the disk under load, and proves that no accepted event is lost and that the gateway recovers. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AgentLog } from './durability/agent-log.ts'
import { check, repeatedPosts, repeatedStarts } from './durability/check.ts'
import { healthOf } from './durability/client.ts'
import { untilIdle } from './durability/control.ts'
import { leftIn } from './durability/database.ts'
import { type DiskFault, diskFaults } from './durability/disk-faults.ts'
import { type Gateway, type Line, launch } from './durability/gateway.ts'
import { readJournal } from './durability/journal.ts'
import { conclude, folder, NotPossible, until } from './durability/lab.ts'
import { createEvents, isCoalesced, jobOf, prepareMix, windowMs } from './durability/mix.ts'
import { readOptions } from './durability/options.ts'
import { createRandom, type Random } from './durability/random.ts'
import { type Receiver, startReceiver } from './durability/receiver.ts'
import { Senders } from './durability/senders.ts'
import { type Cell, table } from './durability/table.ts'

const faultMs = 2_500
const betweenMs = 1_500
const connections = 16
const answerMs = 10
const recoveryMs = 10_000
const idleMs = 300_000

type Arguments = { readonly events: number; readonly rounds: number; readonly seed: number }

type Outcome = { readonly row: readonly Cell[]; readonly failures: readonly string[] }
/** What was seen while the disk was broken once. */
type Round = { readonly refused: number; readonly recoveredMs: number; readonly sick: number; readonly grouped: number }

/** Returns the number of events that wait for the window of their group. */
const waitingInGroups = ({ answers }: Senders): number =>
  [...answers.values()].filter(({ event, at }) => isCoalesced(event.route) && performance.now() - at < windowMs).length

/** Breaks the disk for a while, mends it, and waits for the first event that is accepted again. */
const round = async (fault: DiskFault, gateway: Gateway, senders: Senders): Promise<Round> => {
  const url = await gateway.listening
  const refusedBefore = senders.statuses.get(503) ?? 0
  const grouped = waitingInGroups(senders)
  const mend = await fault.begin(gateway)
  let sick = 0
  for (const end = performance.now() + faultMs; performance.now() < end; await wait(100)) if ((await healthOf(url)) !== 200) sick++
  const refused = (senders.statuses.get(503) ?? 0) - refusedBefore
  await mend()
  const [mendedAt, answered] = [performance.now(), senders.answers.size]
  await until('an event is accepted again', () => senders.answers.size > answered || !gateway.isRunning(), recoveryMs, 5)
  return { refused, sick, grouped, recoveredMs: performance.now() - mendedAt }
}

type World = {
  readonly here: string
  readonly dir: string
  readonly agents: AgentLog
  readonly receiver: Receiver
  readonly random: Random
}

const prepare = async (name: string, seed: number): Promise<World> => {
  const random = createRandom(seed)
  const here = folder(name)
  const receiver = await startReceiver(answerMs, random.number)
  const dir = prepareMix(here, receiver.url)
  // The folder is made first, because a fault may mount a file system there.
  mkdirSync(join(dir, 'state'), { mode: 0o700 })
  return { here, dir, agents: new AgentLog(here, jobOf), receiver, random }
}

type Broken = {
  readonly senders: Senders
  readonly seen: readonly Round[]
  readonly logged: ReadonlySet<string>
  /** How often the journal said that it could not write. */
  readonly complaints: number
  /** How the process ended, or what it left undone. */
  readonly failures: readonly string[]
}

/** Runs the rounds under load, waits until everything that was accepted has ended, and stops the gateway in order. */
const endure = async (fault: DiskFault, { events, rounds }: Arguments, { dir, random }: World): Promise<Broken> => {
  const logged = new Set<string>()
  let complaints = 0
  const heard = ({ msg, delivery_id: id }: Line): void => {
    if (msg === 'delivered') logged.add(String(id))
    if (msg === 'event records') complaints++
  }
  const gateway = launch(dir, { heard, env: { HEADGATE_BENCH_LIFE: '0' }, before: fault.before?.(dir) ?? '' })
  const url = await gateway.listening
  const senders = new Senders(createEvents(events, random))
  // The load lasts as long as the rounds do, and a little longer.
  const pauseMs = (connections * (rounds + 1) * (faultMs + betweenMs)) / events
  const sending = senders.run({ url, connections, pauseMs: () => random.number(2 * pauseMs), goesOn: gateway.isRunning })
  const seen: Round[] = []
  for (let i = 0; i < rounds && gateway.isRunning(); i++) {
    await wait(betweenMs)
    seen.push(await round(fault, gateway, senders))
  }
  await sending
  if (gateway.isRunning()) await untilIdle(fault.reach(gateway), idleMs)
  const exited = !gateway.isRunning()
  const { code, signal } = await gateway.stop()
  const failures = [
    ...(exited || code !== 0 || gateway.complaints() !== '' ? [`the process ended with ${signal ?? code}: ${gateway.complaints()}`] : []),
    ...(senders.left === 0 ? [] : [`${senders.left} events were never answered`]),
    ...(seen.every(({ refused }) => refused > 0) ? [] : ['the fault did not show: there was a round without a 503']),
    ...(seen.some(({ grouped }) => grouped > 0) ? [] : ['no group was waiting when the disk broke']),
    ...(seen.every(({ sick }) => sick === 0) ? [] : ['/health did not answer 200 while the disk was broken']),
  ]
  return { senders, seen, logged, complaints, failures: [...senders.wrong, ...failures] }
}

/** Checks that the database holds no work after its gateway has stopped. */
const leftovers = (dir: string): string[] => {
  const { integrity, live, groups } = leftIn(dir)
  return integrity === 'ok' && live + groups === 0 ? [] : [`the database: ${integrity}, ${live} runs and ${groups} groups are left`]
}

const tryFault = async (fault: DiskFault, given: Arguments, index: number): Promise<Outcome> => {
  const world = await prepare(`fault-${index}`, given.seed + index)
  const { agents, receiver, dir } = world
  const { senders, seen, logged, complaints, failures } = await endure(fault, given, world)
  agents.read()
  agents.close()
  receiver.close()
  const journal = fault.keepsJournal ? { journal: readJournal(dir) } : {}
  const facts = { answers: [...senders.answers.values()], agents, posts: receiver.posts, logged, kills: [], ...journal }
  const all = [...failures, ...check(facts), ...(fault.keepsJournal ? leftovers(dir) : [])]
  const accepted = facts.answers.filter(({ state }) => state === 'accepted')
  const row = [
    fault.name,
    seen.length,
    seen.reduce((sum, { grouped }) => sum + grouped, 0),
    accepted.length,
    senders.statuses.get(503) ?? 0,
    accepted.filter(({ unheard }) => unheard).length,
    Math.round(Math.max(...seen.map(({ recoveredMs }) => recoveredMs))),
    repeatedStarts(facts) + repeatedPosts(facts),
    complaints,
    all.length,
  ]
  return { row, failures: all.map((failure) => `${fault.name}: ${failure}`) }
}

const head = [
  'fault',
  'times',
  'events in groups',
  'accepted',
  '503',
  'refused, yet kept',
  'recovered ms',
  'repeats',
  'journal complaints',
  'failures',
]

const main = async (): Promise<readonly string[]> => {
  const given = readOptions('bench:faults', {
    events: { usual: 3_000, quick: 600 },
    rounds: { usual: 3, quick: 1 },
    seed: { usual: 1, quick: 1 },
  })
  const possible = diskFaults.filter(({ missing }) => missing === undefined)
  for (const { name, missing } of diskFaults) if (missing !== undefined) console.log(`${name}: not possible here, ${missing}`)
  if (possible.length === 0) throw new NotPossible('not possible here')
  const outcomes: Outcome[] = []
  for (const [index, fault] of possible.entries()) {
    console.error(fault.name)
    outcomes.push(await tryFault(fault, given, index))
  }
  console.log(
    `\n${table(
      head,
      outcomes.map(({ row }) => row),
    )}\n`,
  )
  const failures = outcomes.flatMap(({ failures }) => failures)
  if (failures.length === 0 && possible.length < diskFaults.length) throw new NotPossible('a part is not possible here; the rest is ok')
  return failures
}

await conclude(main)
