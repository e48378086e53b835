/**
 * Judges the mix by the posts that the sink got, by the log of the agent, and by the contents of the database. No accepted event may be
 * lost, and no event may become two runs.
 */

import type { AgentLog, Start } from '../durability/agent-log.ts'
import type { Post } from '../durability/receiver.ts'
import { groupedBy } from '../grouped.ts'
import type { Held } from './database.ts'
import { laneOf, pairLimit, scheduledJob } from './mix.ts'
import type { Answered } from './senders.ts'
import { beyond, orderOf, type Turn } from './turns.ts'
import type { Break, Outage } from './world.ts'

export type Facts = {
  readonly answered: ReadonlyMap<string, Answered>
  readonly agents: Pick<AgentLog, 'starts'>
  /** All starts and ends of the agent, in their order. */
  readonly turns: readonly Turn[]
  readonly posts: readonly Post[]
  readonly breaks: readonly Break[]
  readonly outages: readonly Outage[]
  readonly held: Held
  /** The most runs at one time in one replica. */
  readonly maxRuns: number
}

/** A rule, and the ids of the events, or the counts, that break the rule. */
type Broken = { readonly rule: string; readonly ids: readonly string[] }

/**
 * An end of a run, or an answer to a post, is recorded within this time while the database can be reached. A break after this time does not
 * excuse a repeat.
 */
const recordedMs = 2_000
/** The bench may be busy, and may see a start or a post this much later than the start or the post happened. */
const seenMs = 250
/** The errors of a job that a kill or an expired lease broke off. Such a job is not started twice. */
const brokenOff =
  /^(?:the process ended during the run, and a job is not started twice|out of attempts after 3: the process ended during each)$/
const maxShown = 8

/** Returns a sentence for each broken rule, with the facts about the first events that break the rule. */
export const check = (facts: Facts): string[] =>
  [...ends(facts), ...startedAgain(facts), ...postedAgain(facts), ...jobs(facts), ...lanes(facts), ...leftOver(facts)]
    .filter(({ ids }) => ids.length > 0)
    .map(({ rule, ids }) =>
      [`${rule}: ${ids.length}`, ...ids.slice(0, maxShown).map((id) => `    ${id}: ${knownOf(id, facts)}`)].join('\n'),
    )

/** Returns the facts about an event on one line. Times are seconds of the clock of the bench. */
const knownOf = (id: string, { answered, agents, posts, held }: Facts): string => {
  const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : (ms / 1000).toFixed(3))
  const answer = answered.get(id)
  const starts = (agents.starts.get(id) ?? []).map(
    ({ life, seenAt, endSeenAt }) => `life ${life} ${seconds(seenAt)} to ${seconds(endSeenAt)}`,
  )
  const posted = posts.filter(({ deliveryId, text }) => deliveryId === id || text.includes(`id=${id};`))
  const dead = held.dead.find(({ deliveryId }) => deliveryId === id)
  return [
    `answers ${answer ? `${answer.answers.join(' after ')}` : 'none'}`,
    `agent ${starts.join(', ') || 'never'}`,
    `posts ${posted.map(({ at, answeredAt, webhookId }) => `${webhookId} ${seconds(at)} to ${seconds(answeredAt)}`).join(', ') || 'none'}`,
    ...(dead ? [`dead: ${dead.error}`] : []),
  ].join('; ')
}

export type Ends = { readonly done: number; readonly merged: number; readonly dead: number; readonly accepted: number }

const acceptedIds = ({ answered }: Facts): string[] =>
  [...answered.values()].filter(({ state }) => state === 'accepted').map(({ event }) => event.id)

/** Returns the ids in the text of each group. A text that was posted several times counts once. */
const groupTexts = (posts: readonly Post[]): readonly (readonly string[])[] => {
  const texts = new Map(posts.filter(({ route }) => route === 'group').map(({ webhookId, text }) => [webhookId, text]))
  return [...texts.values()].map((text) => [...text.matchAll(/id=([\w-]+);/g)].map(([, id = '']) => id))
}

/** Counts the accepted events that are done, merged into the run of another event, or dead. */
export const endsOf = (facts: Facts): Ends => {
  const merged = groupTexts(facts.posts).reduce((sum, { length }) => sum + Math.max(0, length - 1), 0)
  const dead = new Set(facts.held.dead.map(({ deliveryId }) => deliveryId))
  const posted = new Set(facts.posts.map(({ deliveryId }) => deliveryId))
  const accepted = acceptedIds(facts)
  return {
    accepted: accepted.length,
    done: accepted.filter((id) => posted.has(id)).length,
    merged,
    dead: accepted.filter((id) => dead.has(id) && !posted.has(id)).length,
  }
}

const ends = (facts: Facts): Broken[] => {
  const { posts, held } = facts
  const grouped = groupTexts(posts).flat()
  const named = new Set([...grouped, ...posts.map(({ deliveryId }) => deliveryId), ...held.dead.map(({ deliveryId }) => deliveryId)])
  const runs = new Map<string, Set<string>>()
  for (const { deliveryId, webhookId } of posts) runs.set(deliveryId, (runs.get(deliveryId) ?? new Set()).add(webhookId))
  return [
    { rule: 'accepted, and neither posted, nor merged, nor dead', ids: acceptedIds(facts).filter((id) => !named.has(id)) },
    { rule: 'in two runs of groups', ids: grouped.filter((id, i) => grouped.indexOf(id) !== i) },
    { rule: 'accepted as two events', ids: [...runs].filter(([, ids]) => ids.size > 1).map(([id]) => id) },
    {
      rule: 'dead, and no job that a fault broke off',
      ids: held.dead.filter(({ job, error }) => job === undefined || !brokenOff.test(error)).map(({ deliveryId }) => deliveryId),
    },
  ]
}

/**
 * Returns the time by which an end was recorded that came at `at`: a while later, or a while after the outage of the server, or the short
 * pause of a replica, that was in the way.
 */
const recordedBy = ({ outages }: Facts, at: number): number =>
  outages.reduce((by, { from, until }) => (from < by && until > at ? Math.max(by, until + recordedMs) : by), at + recordedMs)

/** Whether a run may be begun again after this start: the life of the replica broke before the end of the run was recorded. */
const isExcused = (facts: Facts, { life, seenAt, endSeenAt = Number.POSITIVE_INFINITY }: Start): boolean =>
  facts.breaks.some(({ life: broken, from, until }) => broken === life && until > seenAt - seenMs && from < recordedBy(facts, endSeenAt))

/**
 * Whether a replica begins a run as it goes on after a pause. The pause hit between its last look at the lease and the start of the program,
 * and no program can close this gap. Nothing is posted then, because the lease is looked at again.
 */
const isOverhang = ({ breaks }: Facts, { life, seenAt }: Start): boolean =>
  breaks.some(({ life: paused, from, until }) => paused === life && from < until && seenAt > until - seenMs && seenAt < until + recordedMs)

const startedAgain = (facts: Facts): Broken[] => {
  const isGuilty = (starts: readonly Start[]): boolean =>
    starts.slice(0, -1).some((start, i) => !isExcused(facts, start) && !isOverhang(facts, starts[i + 1] as Start))
  return [
    {
      rule: 'the agent started again though nothing had broken its run off',
      ids: [...facts.agents.starts].filter(([, starts]) => isGuilty(starts)).map(([id]) => id),
    },
  ]
}

export const repeatedStarts = ({ agents }: Facts): number => [...agents.starts.values()].reduce((sum, { length }) => sum + length - 1, 0)
export const repeatedPosts = ({ posts }: Facts): number => posts.length - new Set(posts.map(({ webhookId }) => webhookId)).size

/** A post may be repeated, with the same text, where a replica broke before the answer to the first post was recorded. */
const postedAgain = (facts: Facts): Broken[] => {
  const { posts, breaks, maxRuns } = facts
  const guilty: string[] = []
  const changed: string[] = []
  const firsts = new Map<string, Post>()
  for (const post of posts) {
    const before = firsts.get(post.webhookId)
    firsts.set(post.webhookId, post)
    if (before === undefined) continue
    if (before.text !== post.text) changed.push(post.deliveryId)
    const until = Math.min(recordedBy(facts, before.answeredAt ?? Number.POSITIVE_INFINITY), post.at)
    if (!breaks.some(({ from }) => from > before.at - seenMs && from < until)) guilty.push(post.deliveryId)
  }
  const repeats = repeatedPosts(facts)
  return [
    { rule: 'posted again though no replica had broken before its record', ids: guilty },
    { rule: 'posted again with another text', ids: changed },
    { rule: `repeated more than the ${maxRuns} runs of each break`, ids: repeats > breaks.length * maxRuns ? [String(repeats)] : [] },
  ]
}

/** Each time of a job, and each event for a job, starts the job once. No job runs beside itself. */
const jobs = ({ agents, turns }: Facts): Broken[] => {
  const started = [...agents.starts].filter(([id]) => id.includes('@') || id.startsWith('job-'))
  const jobTurns = (of: (id: string) => boolean): readonly Turn[] => turns.filter(({ id }) => of(id))
  return [
    { rule: 'a job was started twice for one time or event', ids: started.filter(([, { length }]) => length > 1).map(([id]) => id) },
    {
      rule: 'the scheduled job ran beside itself',
      ids: beyond(
        jobTurns((id) => id.includes('@') || id.startsWith('job-skip-')),
        1,
      ),
    },
    {
      rule: 'the job of events ran beside itself',
      ids: beyond(
        jobTurns((id) => id.startsWith('job-queue-')),
        1,
      ),
    },
  ]
}

const lanes = ({ turns, posts }: Facts): Broken[] => {
  const byLane = groupedBy(
    turns.filter(({ route }) => route === 'lane'),
    (turn) => laneOf(turn) ?? '',
  )
  const firstPosts = groupedBy(
    posts.filter(({ route }) => route === 'lane'),
    ({ deliveryId: id }) => laneOf({ route: 'lane', id }) ?? '',
  )
  const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('-') + 1))
  return [
    { rule: 'runs of one lane ran at the same time', ids: [...byLane.values()].flatMap((own) => beyond(own, 1)) },
    {
      rule: `more than ${pairLimit} runs of the route pair at the same time`,
      ids: beyond(
        turns.filter(({ route }) => route === 'pair'),
        pairLimit,
      ),
    },
    {
      rule: 'begun before an earlier run of its lane',
      ids: [...byLane.values()].flatMap((own) =>
        orderOf(
          own.map(({ id }) => id),
          numberOf,
        ),
      ),
    },
    {
      rule: 'posted before an earlier run of its lane',
      ids: [...firstPosts.values()].flatMap((own) =>
        orderOf(
          own.map(({ deliveryId }) => deliveryId),
          numberOf,
        ),
      ),
    },
  ]
}

const leftOver = (facts: Facts): Broken[] => {
  const { runs, unfinished, groups, lanes: turns, messages } = facts.held
  // The schedule goes on until the replicas stop. A run that it made last, with its turn of a lane, waits for the next start.
  const scheduled = unfinished.filter((id) => id.startsWith(`${scheduledJob}@`)).length
  const talks = acceptedIds(facts).filter((id) => id.startsWith('talk-')).length
  const count = (rule: string, found: number, wanted = 0): Broken => ({ rule, ids: found === wanted ? [] : [String(found)] })
  return [
    { rule: 'runs that are left in the database', ids: runs === scheduled ? [] : unfinished },
    count('groups that are left in the database', groups),
    count('turns of lanes that are left in the database', turns, Math.min(turns, scheduled)),
    count(`messages in sessions, for ${talks} turns`, messages, 2 * talks),
  ]
}
