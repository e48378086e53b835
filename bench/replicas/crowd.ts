/**
 * Posts each of many ids many times at once over all replicas, and opens many groups at once. Each id and each group must become one run.
 */

import { createClient, type Event } from '../durability/client.ts'
import type { Receiver } from '../durability/receiver.ts'
import { groupedBy } from '../grouped.ts'
import { drillRoutes, eventOf } from './mix.ts'
import type { Replica } from './replica.ts'

const postsOfAnId = 50
/** The number of ids or groups that are posted at the same time. */
const atOnce = 3
/** The most events of a group. The fewest are one. */
const mostOfAGroup = 4
/** A gateway may close an idle connection at the moment at which a post is sent over it. More lost answers than this are no chance. */
const mostLost = 3

/** The answers to a post and to its repeats. A post is repeated while it gets no answer, as senders do. */
type Answers = { readonly last: string; readonly lost: number }

/** Posts over the replicas in turn, without a balancer, so that equal ids meet in the database and not on a connection. */
const posterOver = (replicas: readonly Replica[]) => {
  const client = createClient()
  let turn = 0
  const post = async (event: Event, lost = 0): Promise<Answers> => {
    const url = (replicas[turn++ % replicas.length] as Replica).url
    const answer = await client.post(url, event).catch((error: Error) => error)
    if (!(answer instanceof Error)) return { last: `${answer.status} ${answer.said}`, lost }
    if (lost === mostLost) throw answer
    return post(event, lost + 1)
  }
  return { post, close: client.close }
}

const inTurns = async <T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = list.values()
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

export type Crowd = { readonly posted: number; readonly failures: string[]; readonly check: (posts: Receiver['posts']) => string[] }

/** Posts each id fifty times at once. One post of each id is accepted, and its other posts are duplicates. */
export const postRepeats = async (count: number, replicas: readonly Replica[]): Promise<Crowd> => {
  const poster = posterOver(replicas)
  const ids = Array.from({ length: count }, (_, i) => `repeated-${i}`)
  const failures: string[] = []
  await inTurns(ids, async (id) => {
    const event = eventOf(drillRoutes.repeated, id, 'k')
    const answers = await Promise.all(Array.from({ length: postsOfAnId }, () => poster.post(event)))
    const accepted = answers.filter(({ last }) => last === '202 accepted').length
    const others = answers.flatMap(({ last }) => (last === '202 accepted' || last === '200 duplicate' ? [] : [last]))
    const isOne = accepted === 1 || (accepted === 0 && answers.some(({ lost }) => lost > 0))
    if (!isOne || others.length > 0)
      failures.push(`${id}: ${accepted} of ${postsOfAnId} posts were accepted, ${others.join(', ') || 'the others duplicates'}`)
  })
  poster.close()
  return {
    posted: count * postsOfAnId,
    failures,
    check(posts) {
      const own = groupedBy(posts, ({ deliveryId }) => deliveryId)
      return ids.filter((id) => own.get(id)?.length !== 1).map((id) => `${id}: its run was posted ${own.get(id)?.length ?? 0} times`)
    },
  }
}

const arrivedInAll = /^key=([\w-]+);(?:.*; (\d+) arrived in all\.)?/s

/** Posts one to four events for each group, over all replicas. The run of each group must name the number of its events. */
export const openGroups = async (count: number, replicas: readonly Replica[]): Promise<Crowd> => {
  const poster = posterOver(replicas)
  const groups = Array.from({ length: count }, (_, i) => ({ key: `counted-${i}`, events: 1 + (i % mostOfAGroup) }))
  const failures: string[] = []
  await inTurns(groups, async ({ key, events }) => {
    const answers = await Promise.all(
      Array.from({ length: events }, (_, n) => poster.post(eventOf(drillRoutes.counted, `${key}-${n}`, key))),
    )
    const others = answers.flatMap(({ last, lost }) => (last === '202 coalesced' || (last === '200 duplicate' && lost > 0) ? [] : [last]))
    if (others.length > 0) failures.push(`${key}: ${others.join(', ')}`)
  })
  poster.close()
  return {
    posted: groups.reduce((sum, { events }) => sum + events, 0),
    failures,
    check(posts) {
      const told = groupedBy(
        posts.filter(({ route }) => route === drillRoutes.counted).map(({ text }) => arrivedInAll.exec(text) ?? []),
        ([, key = '']) => key,
      )
      return groups.flatMap(({ key, events }) => {
        const counts = (told.get(key) ?? []).map(([, , number]) => Number(number ?? 1))
        return counts.length === 1 && counts[0] === events
          ? []
          : [`${key}: ${events} events, its runs speak of ${counts.join(' and ') || 'none'}`]
      })
    },
  }
}
