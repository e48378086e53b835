/** `npm run bench:kill9`: kills the gateway many times under load, and proves that everything it had accepted was done. */

import { join } from 'node:path'
import { AgentLog } from './durability/agent-log.ts'
import { aims, type Kill, type Met } from './durability/aims.ts'
import { check, repeatedPosts, repeatedStarts } from './durability/check.ts'
import { listedStates, untilIdle } from './durability/control.ts'
import { leftIn } from './durability/database.ts'
import { readJournal, sumsOf } from './durability/journal.ts'
import { conclude, folder } from './durability/lab.ts'
import { type Lived, live } from './durability/lives.ts'
import { createEvents, jobOf, prepareMix, routeNames, scheduledJob } from './durability/mix.ts'
import { readOptions } from './durability/options.ts'
import { poison } from './durability/poison.ts'
import { createRandom } from './durability/random.ts'
import { startReceiver } from './durability/receiver.ts'
import { table } from './durability/table.ts'

const idleMs = 300_000
const answerMs = 20

const states: { readonly [state in keyof Met]: string } = {
  accepted: 'accepted, its run not begun',
  agent: 'the agent is running',
  delivery: 'the receiver has the reply and has not answered',
  coalesce: 'an event of a group waits for its window',
  cron: 'a scheduled job is starting or running',
  start: 'the gateway is starting, nobody can post yet',
}

const killsTable = (kills: readonly Kill[]): string => {
  const rows = (Object.keys(states) as (keyof Met)[]).map((state) => {
    const counts = kills.map(({ met }) => met[state])
    const aimed = kills.filter(({ aim }) => aim === state).length
    return [states[state], aimed, counts.filter((count) => count > 0).length, counts.reduce((sum, count) => sum + count, 0)]
  })
  const random = kills.filter(({ aim }) => aim === 'random').length
  return `${table(['state at the kill', 'aimed at', 'kills that met it', 'runs met'], rows)}\n(and ${random} at a random moment)`
}

const main = async (): Promise<readonly string[]> => {
  const {
    events: count,
    kills,
    seed,
  } = readOptions('bench:kill9', {
    events: { usual: 10_000, quick: 500 },
    kills: { usual: 50, quick: 5 },
    seed: { usual: 1, quick: 1 },
  })
  const random = createRandom(seed)
  console.log(`${count} events on ${routeNames.length} routes, ${kills} kills at ${aims.length} kinds of moments, seed ${seed}\n`)
  const poisoned = await poison()
  console.log(`${poisoned.line}\n`)

  const here = folder('mix')
  const receiver = await startReceiver(answerMs, random.number)
  const dir = prepareMix(here, receiver.url)
  const agents = new AgentLog(here, jobOf)
  const lived = await live({ dir, events: createEvents(count, random), kills, random, agents, receiver })
  const stuck = await untilIdle(dir, idleMs).then(
    () => [],
    (error: Error) => [error.message],
  )
  const end = await lived.last.stop()
  agents.read()
  agents.close()
  receiver.close()
  const journal = readJournal(dir)
  const facts = { ...lived, answers: [...lived.senders.answers.values()], agents, posts: receiver.posts, journal }
  console.log(`${killsTable(lived.kills)}\n`)
  console.log(`${figures(lived, facts, join(dir, 'state'))}\n`)
  const failures = [...poisoned.failures, ...stuck, ...lived.senders.wrong, ...check(facts), ...(await leftovers(dir, facts))]
  if (end.code !== 0 || lived.last.complaints() !== '') failures.push(`the last life ended with ${end.code}: ${lived.last.complaints()}`)
  return failures
}

type Facts = Parameters<typeof check>[0] & { journal: ReturnType<typeof readJournal> }

const figures = (lived: Lived, facts: Facts, state: string): string => {
  const sums = sumsOf(facts.journal)
  const accepted = facts.answers.filter((answer) => answer.state === 'accepted')
  const starts = [...facts.agents.starts.keys()].filter((id) => id.startsWith(`${scheduledJob}@`)).length
  const unknown = accepted.length - [...facts.journal.received.values()].filter(({ status }) => status === 202).length
  const starting = lived.startMs.toSorted((a, b) => a - b)
  return table(
    ['figure', 'value'],
    [
      ['accepted', accepted.length],
      ['... of which the answer was lost in a kill, and a repeat said so', accepted.filter(({ unheard }) => unheard).length],
      ['done', sums.done],
      ['merged into another', sums.merged],
      ['dead (jobs that a kill broke off)', sums.dead],
      ['done + merged + dead', sums.done + sums.merged + sums.dead],
      ['runs of the agent begun again after a kill', repeatedStarts(facts)],
      ['posts sent again after a kill, with the same webhook-id', repeatedPosts(facts)],
      ['seconds at which the scheduled job started', starts],
      ['records of arrivals that a kill took (best effort)', Math.max(0, unknown)],
      ['torn journal lines', facts.journal.torn],
      [
        'start until it listens, median and longest ms',
        `${Math.round(starting[starting.length >> 1] ?? 0)}, ${Math.round(starting.at(-1) ?? 0)}`,
      ],
      ...[...lived.warnings].map(([msg, count]): [string, number] => [`log: ${msg}`, count]),
      ['database', leftIn(state.replace(/\/state$/, '')).integrity],
    ],
  )
}

/** Checks what the gateway's own commands and its database say, after the gateway was stopped. */
const leftovers = async (dir: string, { journal }: Facts): Promise<string[]> => {
  const { integrity, live: alive, dead, groups } = leftIn(dir)
  const listed = await listedStates(dir)
  const open = ['waiting', 'running', 'unknown'].filter((state) => listed.has(state))
  const deadRuns = [...journal.ended.values()].filter(({ state }) => state === 'dead').length
  return [
    ...(integrity === 'ok' ? [] : [`the database is damaged: ${integrity}`]),
    ...(alive + groups === 0 ? [] : [`the database still has ${alive} runs and ${groups} groups`]),
    ...(dead === deadRuns ? [] : [`the database has ${dead} dead runs, the journal ${deadRuns}`]),
    ...open.map((state) => `events list has ${listed.get(state)} that are ${state}`),
  ]
}

await conclude(main)
