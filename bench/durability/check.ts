/** Judges a run of the mix by the journal, the agent and the receiver: nothing is lost, and only what a kill broke off comes twice. */

import type { AgentLog, Start } from './agent-log.ts'
import type { Kill } from './aims.ts'
import { type Journal, sumsOf } from './journal.ts'
import { isCoalesced, maxRuns, startsJob } from './mix.ts'
import type { Post } from './receiver.ts'
import type { Answered } from './senders.ts'

export type Facts = {
  readonly answers: readonly Answered[]
  readonly agents: AgentLog
  readonly posts: readonly Post[]
  /** The delivery ids of the lines that the `log` target wrote. */
  readonly logged: ReadonlySet<string>
  readonly kills: readonly Kill[]
  /** Absent where the journal could not write all its lines. */
  readonly journal?: Journal
}

/** A rule, and the ids for which it is broken. */
export type Broken = { readonly rule: string; readonly ids: readonly string[] }

/** How long recording takes at most. What ended longer than this before a kill had been recorded, so the kill is no excuse for a repeat. */
const recordedMs = 1_000
/** How much later than it came a post may be seen, because the program may be busy. */
const seenMs = 250
const idShown = 8

const sentenceOf = ({ rule, ids }: Broken): string =>
  `${rule}: ${ids.length} (${ids.slice(0, idShown).join(', ')}${ids.length > idShown ? ', …' : ''})`

export const check = (facts: Facts): readonly string[] =>
  [...lost(facts), ...merged(facts), ...startedAgain(facts), ...postedAgain(facts), ...jobs(facts), ...byJournal(facts)]
    .filter(({ ids }) => ids.length > 0)
    .map(sentenceOf)

const accepted = ({ answers }: Facts, of: (route: string) => boolean): string[] =>
  answers.filter(({ state, event }) => state === 'accepted' && of(event.route)).map(({ event }) => event.id)

const isWork = (route: string): boolean => !isCoalesced(route) && !startsJob(route)

/** Finds what was accepted and not done, by the agent's file and the receiver's posts. Asks the gateway nothing. */
const lost = (facts: Facts): Broken[] => {
  const posted = new Set(facts.posts.map(({ deliveryId }) => deliveryId))
  const without = (ids: string[], of: { has(id: string): boolean }): string[] => ids.filter((id) => !of.has(id))
  return [
    { rule: 'accepted, and the agent never started', ids: without(accepted(facts, isWork), facts.agents.starts) },
    {
      rule: 'accepted for http, and never delivered',
      ids: without(
        accepted(facts, (route) => route === 'work-http'),
        posted,
      ),
    },
    {
      rule: 'accepted for the log, and never delivered',
      ids: without(
        accepted(facts, (route) => route === 'work-log'),
        facts.logged,
      ),
    },
  ]
}

const arrivedInAll = /\[headgate\] .*; (\d+) arrived in all\./

/** Returns the texts that a route posted. A text that was posted again counts once. */
const texts = (posts: readonly Post[], route: string): string[] => [
  ...new Map(posts.filter((post) => post.route === route).map(({ webhookId, text }) => [webhookId, text])).values(),
]

const merged = (facts: Facts): Broken[] => {
  const all = accepted(facts, (route) => route === 'burst-all')
  const named = texts(facts.posts, 'burst-all').flatMap((text) => [...text.matchAll(/id=([\w-]+);/g)].map(([, id = '']) => id))
  const burst = accepted(facts, (route) => route === 'burst')
  const told = texts(facts.posts, 'burst').reduce((sum, text) => sum + Number(arrivedInAll.exec(text)?.[1] ?? 1), 0)
  return [
    { rule: 'coalesced (keep: all), and in no run', ids: all.filter((id) => !new Set(named).has(id)) },
    { rule: 'coalesced (keep: all), and in two runs', ids: named.filter((id, i) => named.indexOf(id) !== i) },
    { rule: `coalesced ${burst.length}, but the runs speak of`, ids: told === burst.length ? [] : [String(told)] },
  ]
}

/** Returns the time of the kill that ended a life. */
const killOf = ({ kills }: Facts, life: number): number => kills.find((kill) => kill.life === life)?.at ?? Number.NEGATIVE_INFINITY

const isExcused = (facts: Facts, { life, endSeenAt = Number.POSITIVE_INFINITY }: Start, next: Start, posts: readonly Post[]): boolean => {
  const killedAt = killOf(facts, life)
  // A reply is stored before it is posted. After that, the agent is not asked again.
  const wasReplied = posts.some(({ at }) => at < killedAt)
  return next.life > life && endSeenAt > killedAt - recordedMs && !wasReplied
}

const grouped = (posts: readonly Post[], by: 'deliveryId' | 'webhookId'): Map<string, Post[]> => {
  const groups = new Map<string, Post[]>()
  for (const post of posts) groups.set(post[by], [...(groups.get(post[by]) ?? []), post])
  return groups
}

export const repeatedStarts = ({ agents }: Pick<Facts, 'agents'>): number =>
  [...agents.starts.values()].reduce((sum, starts) => sum + starts.length - 1, 0)

const startedAgain = (facts: Facts): Broken[] => {
  const posts = grouped(facts.posts, 'deliveryId')
  const guilty = [...facts.agents.starts].filter(([id, starts]) =>
    starts.some((start, i) => {
      const next = starts[i + 1]
      return next !== undefined && !isExcused(facts, start, next, posts.get(id) ?? [])
    }),
  )
  return [{ rule: 'the agent started again though no kill had hit its run', ids: guilty.map(([id]) => id) }]
}

export const repeatedPosts = ({ posts }: Pick<Facts, 'posts'>): number =>
  posts.length - new Set(posts.map(({ webhookId }) => webhookId)).size

/**
 * Finds posts that came again without an excuse. The excuse is a kill between the two posts, before the first answer could be recorded. The
 * text must be the same.
 */
const postedAgain = (facts: Facts): Broken[] => {
  const { posts, kills } = facts
  const guilty: string[] = []
  const changed: string[] = []
  for (const [id, same] of grouped(posts, 'webhookId')) {
    for (const [i, post] of same.entries()) {
      const next = same[i + 1]
      if (next === undefined) break
      if (next.text !== post.text) changed.push(next.deliveryId)
      const until = (post.answeredAt ?? Number.POSITIVE_INFINITY) + recordedMs
      if (!kills.some(({ at }) => at > post.at - seenMs && at < Math.min(until, next.at))) guilty.push(`${next.deliveryId} ${id}`)
    }
  }
  const repeats = repeatedStarts(facts) + repeatedPosts(facts)
  return [
    {
      rule: `repeated more than the ${maxRuns} runs that each kill can break off`,
      ids: repeats > kills.length * maxRuns ? [String(repeats)] : [],
    },
    { rule: 'posted again though no kill had come before its record', ids: guilty },
    { rule: 'posted again with another text', ids: changed },
  ]
}

const jobs = (facts: Facts): Broken[] => {
  const all = [...facts.agents.starts].filter(([id]) => id.includes('@') || id.startsWith('job-'))
  return [
    { rule: 'a job was started twice for one time or event', ids: all.filter(([, starts]) => starts.length > 1).map(([id]) => id) },
    {
      rule: 'a job ran beside itself',
      ids: all.flatMap(([id, starts]) => starts.flatMap(({ beside }) => beside.map((other) => `${id} beside ${other}`))),
    },
  ]
}

/**
 * Matches the errors of a job that kills excuse: one kill while the job ran, or three in a row while its reply was delivered. A job has
 * three attempts, and no setting gives it more.
 */
const brokenOff =
  /^(?:the process ended during the run, and a job is not started twice|out of attempts after 3: the process ended during each)$/

const byJournal = (facts: Facts): Broken[] => {
  const { journal } = facts
  if (!journal) return []
  const sums = sumsOf(journal)
  const count = accepted(facts, () => true).length
  const total = sums.done + sums.merged + sums.dead
  const ended = new Set([...journal.ended.values()].map(({ delivery_id }) => delivery_id))
  const unexpected = sums.deadRuns.filter(({ job, error = '' }) => job === undefined || !brokenOff.test(error))
  const groups = new Set([...journal.ended.values()].flatMap(({ group }) => group ?? []))
  const ungrouped = [...journal.received.values()].filter(
    ({ outcome, group, delivery_id = '' }) => outcome === 'coalesced' && !groups.has(group ?? '') && !ended.has(delivery_id),
  )
  return [
    { rule: `accepted ${count}, but the journal's ends sum up to`, ids: total === count ? [] : [String(total)] },
    { rule: 'accepted, and no end in the journal', ids: accepted(facts, (route) => !isCoalesced(route)).filter((id) => !ended.has(id)) },
    { rule: 'coalesced, and the journal knows no end of its group', ids: ungrouped.map(({ delivery_id = '' }) => delivery_id) },
    { rule: 'dead, and no job that a kill broke off', ids: unexpected.map(({ delivery_id, error }) => `${delivery_id}: ${error}`) },
    {
      rule: 'scheduled, and no end in the journal',
      ids: [...journal.started.values()].map(({ delivery_id }) => delivery_id).filter((id) => !ended.has(id)),
    },
  ]
}
