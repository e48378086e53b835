/**
 * Counts the events of a span of time in equal steps: how they ended, how long they waited for their first attempt, how long their attempts
 * took, and what these cost. The journal is counted, and not the metrics of a gateway, because these begin anew with the gateway, and are
 * off by default.
 */

import { roundMoney } from '../core/money.ts'
import { withRecords } from '../datadir/records/open-records.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { type EventSummary, runEndStates } from '../journal/record.ts'

/** The spans, with the length of each and of its steps in milliseconds. */
const spans = {
  hour: { ms: 3_600_000, stepMs: 60_000 },
  day: { ms: 86_400_000, stepMs: 1_800_000 },
  week: { ms: 604_800_000, stepMs: 10_800_000 },
} as const

export type ChartSpan = keyof typeof spans

/** Milliseconds. Half of the events waited at most `median`, and 95 of a hundred at most `p95`. */
type Duration = { readonly median: number; readonly p95: number }

/** One step of the span. A member is `null` where no event of the step has a value. */
export type ChartStep = {
  /** When the step begins, in milliseconds since 1970. */
  readonly at: number
  /** The number of events by their ending, in the order of `endings`. */
  readonly counts: readonly number[]
  readonly waited: Duration | null
  readonly ran: Duration | null
  readonly cost: number | null
  readonly tokens: number | null
}

export type Charts = {
  readonly stepMs: number
  /**
   * How events ended, the most frequent first: the outcome of an event that was answered without a run, and the state of a run as the
   * journal has it. `isState`: the word is a state.
   */
  readonly endings: readonly { readonly word: string; readonly isState: boolean; readonly count: number }[]
  readonly steps: readonly ChartStep[]
  /** The number of events that were counted. `isCut`: older events of the span are not among them. */
  readonly events: number
  readonly isCut: boolean
}

const maxEvents = 100_000

type Tally = {
  readonly counts: Map<string, number>
  readonly waited: number[]
  readonly ran: number[]
  cost: number | null
  tokens: number | null
}

/** Counts the events of the span that ends at `now`. Its steps begin at whole multiples of their length, in UTC. */
export const readCharts = async (workspace: Workspace, span: ChartSpan, route: string | undefined, now: number): Promise<Charts> => {
  const { ms, stepMs } = spans[span]
  const last = Math.floor(now / stepMs)
  const first = last - ms / stepMs + 1
  const tallies = Array.from({ length: ms / stepMs }, (): Tally => ({ counts: new Map(), waited: [], ran: [], cost: null, tokens: null }))
  let events = 0
  const { truncated } = await withRecords(workspace, (records) =>
    records.events({
      since: first * stepMs,
      limit: 0,
      // Events are only counted, so none of them is kept: the first that is too many ends the reading.
      fits: (event) => {
        const tally = tallies[Math.floor(Date.parse(event.at) / stepMs) - first]
        if (!tally || (route !== undefined && event.route !== route)) return false
        if (events === maxEvents) return true
        events++
        addEvent(tally, event)
        return false
      },
    }),
  )
  const endings = endingsOf(tallies)
  const steps = tallies.map(({ counts, waited, ran, cost, tokens }, i) => ({
    at: (first + i) * stepMs,
    counts: endings.map(({ word }) => counts.get(word) ?? 0),
    waited: durationOf(waited),
    ran: durationOf(ran),
    cost,
    tokens,
  }))
  return { stepMs, endings, steps, events, isCut: truncated }
}

const addEvent = (tally: Tally, { outcome, state, work }: EventSummary): void => {
  const word = state === 'final' ? outcome : state
  tally.counts.set(word, (tally.counts.get(word) ?? 0) + 1)
  if (!work) return
  const { waited_ms, ran_ms, cost, tokens } = work
  if (waited_ms !== undefined) tally.waited.push(waited_ms)
  if (ran_ms !== undefined) tally.ran.push(ran_ms)
  if (cost !== undefined) tally.cost = roundMoney((tally.cost ?? 0) + cost)
  if (tokens !== undefined) tally.tokens = (tally.tokens ?? 0) + tokens
}

const states: ReadonlySet<string> = new Set(['waiting', ...runEndStates, 'merged'])

const endingsOf = (tallies: readonly Tally[]): Charts['endings'] => {
  const sums = new Map<string, number>()
  for (const { counts } of tallies) for (const [word, count] of counts) sums.set(word, (sums.get(word) ?? 0) + count)
  return [...sums].map(([word, count]) => ({ word, isState: states.has(word), count })).sort((a, b) => b.count - a.count)
}

const durationOf = (values: number[]): Duration | null => {
  if (values.length === 0) return null
  values.sort((a, b) => a - b)
  const below = (part: number): number => values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
  return { median: below(0.5), p95: below(0.95) }
}
