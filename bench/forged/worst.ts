/** Finds the forged request of a sender that holds the event loop longest. */

import { median } from '../median.ts'
import type { Post } from '../payloads.ts'
import type { Forgery, Sender } from './forgeries.ts'
import type { Gauge, Held } from './held.ts'
import { LIMIT, type Live } from './live.ts'

/** How often all forgeries are sent before any is measured. At the first time, V8 has not compiled what later requests run. */
const LOOKS = 2
/** How many of a sender's forgeries are measured in each round: the worst of those that were sent before. */
const CANDIDATES = 3
/** A forgery that holds the loop longer than this is measured once: more rounds would say the same. */
const CLEAR_MS = 100
/** Above this median, more rounds are measured: a collection of garbage costs 5 to 10 ms, and may come in two rounds of three by chance. */
const UNSURE_MS = 8
const MORE_ROUNDS = 4
const MAX_TRIES = 5

/** `ms`: how long the forgery holds the event loop. */
export type Cost = { readonly forgery: Forgery; readonly ms: number }
/** `limited`: the cost for a client that is past its limit. */
export type Worst = { readonly sender: string; readonly open: Cost; readonly limited: Cost }

const refused = async ({ what }: Forgery, post: Post, { hold }: Gauge): Promise<Held> => {
  const held = await hold(post)
  const { status } = held
  if (status === 0 || (status >= 400 && status < 500 && status !== 404)) return held
  throw new Error(`${post.path}: ${what} was answered with ${status}`)
}

/**
 * Returns what a request costs beyond the coming of its body; never below 0. A body of the same size is measured just before, so that both
 * see the same machine.
 */
const msOf = async (forgery: Forgery, gauge: Gauge): Promise<Held> => {
  const post = forgery.make(Date.now())
  const least = await gauge.unread(post.body.length)
  const { status, ms } = await refused(forgery, post, gauge)
  return { status, ms: Math.max(0, ms - least) }
}

/** Whether a client may be past its limit. Where the connection was cut off, nobody can say. */
const isPastLimit = ({ status }: Held): boolean => status === 429 || status === 0

/** Returns the same cost for a client past its limit. Wrong requests are sent until the client is past it. */
const limitedMsOf = async (forgery: Forgery, { small }: Sender, gauge: Gauge): Promise<number> => {
  for (let sent = 0; sent <= MAX_TRIES * LIMIT; sent++) {
    const held = isPastLimit(await gauge.hold(small.make(Date.now()))) ? await msOf(forgery, gauge) : undefined
    if (held && isPastLimit(held)) return held.ms
  }
  throw new Error(`${forgery.what}: a client that sent many wrong requests is not past its limit`)
}

/**
 * Returns the median cost of some rounds. The first time is not counted: its memory may be the first of its kind that the server asks the
 * system for.
 */
const middle = async (forgery: Forgery, rounds: number, measure: () => Promise<number>): Promise<Cost> => {
  const times: number[] = []
  await measure()
  const measureTo = async (count: number): Promise<void> => {
    while (times.length < count && (times[0] ?? 0) < CLEAR_MS) times.push(await measure())
  }
  await measureTo(rounds)
  if (median(times) > UNSURE_MS) await measureTo(rounds * MORE_ROUNDS)
  return { forgery, ms: median(times) }
}

const falling = (costs: readonly Cost[]): Cost[] => costs.toSorted((a, b) => b.ms - a.ms)
const dearest = (costs: readonly Cost[]): Cost => falling(costs)[0] as Cost

/** Sends all forgeries twice, and measures the worst of them in each round. */
export const worstOf = async ({ open, limited }: Live, sender: Sender, rounds: number): Promise<Worst> => {
  const looked = new Map<Forgery, number>()
  for (let look = 0; look < LOOKS; look++) {
    for (const forgery of sender.forgeries) {
      const { ms } = await refused(forgery, forgery.make(Date.now()), open.gauge)
      looked.set(forgery, Math.min(ms, looked.get(forgery) ?? ms))
    }
  }
  const costs: { open: Cost[]; limited: Cost[] } = { open: [], limited: [] }
  for (const { forgery } of falling([...looked].map(([forgery, ms]) => ({ forgery, ms }))).slice(0, CANDIDATES)) {
    costs.open.push(await middle(forgery, rounds, async () => (await msOf(forgery, open.gauge)).ms))
    costs.limited.push(await middle(forgery, rounds, () => limitedMsOf(forgery, sender, limited.gauge)))
  }
  return { sender: sender.name, open: dearest(costs.open), limited: dearest(costs.limited) }
}
