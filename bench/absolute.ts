/** The cases whose figures are no ratios: latency below saturation, and the time and memory of a start. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Case, type Options, rotate } from './compare.ts'
import { type Contender, chosen, withRunning } from './contender.ts'
import { peakRssMib, rssMib } from './cpu.ts'
import { median } from './median.ts'
import { type Figure, judge, type Wanted } from './report.ts'

const OPEN_LOOP_PER_SECOND = 1000

/** The figures of one run by their names. `Goals`: the goals that our server has for such figures. */
export type Values = Record<string, number>
export type Goals = Record<string, Wanted>
type Measure = (contender: Contender, options: Options) => Promise<Values>

/**
 * Makes a case whose figures are no ratios. `above`: the figures whose difference to the figure of the first contender, in the same round,
 * is a figure too.
 */
export const absolute = (name: string, all: Contender[], goals: Goals, measure: Measure, above: readonly string[] = []): Case => ({
  name,
  durable: true,
  run: async (options) => {
    const contenders = chosen(all, options)
    const runs = new Map<Contender, Values[]>(contenders.map((contender) => [contender, []]))
    for (let round = 0; round < options.rounds; round++) {
      for (const contender of rotate(contenders, round)) {
        const values = await measure(contender, options)
        runs.get(contender)?.push(values)
        const shown = Object.entries(values).map(([figure, value]) => `${figure} ${value.toFixed(2)}`)
        options.note(`${name} ${round + 1}/${options.rounds} ${contender.name}: ${shown.join(', ')}`)
      }
    }
    const [first] = all
    const reference = (first && runs.get(first)) ?? []
    const figures = [...runs].flatMap(([{ name: peer }, own]) => {
      const all = own.map((values, round) => ({
        ...values,
        ...(own === reference ? {} : differences(values, reference[round], first, above)),
      }))
      return figuresOf(name, peer, all, peer === 'headgate' ? goals : {})
    })
    return { rows: [], figures }
  },
})

const differences = (own: Values, reference: Values | undefined, first: Contender | undefined, above: readonly string[]): Values =>
  reference === undefined
    ? {}
    : Object.fromEntries(
        above.map((figure) => [`${figure} above ${first?.name}`, (own[figure] ?? Number.NaN) - (reference[figure] ?? Number.NaN)]),
      )

const figuresOf = (name: string, peer: string, runs: Values[], goals: Goals): Figure[] =>
  Object.keys(runs[0] ?? {}).map((figure) => {
    const value = median(runs.map((run) => run[figure] ?? Number.NaN))
    const goal = goals[figure]
    return { case: name, peer, figure, value, ...(goal ? { goal: judge(value, goal) } : {}) }
  })

/** Posts on a fixed schedule. A slow answer does not delay later posts, so a stall shows in every request that it held up. */
export const openLoop = (name: string, contenders: Contender[], goals: Goals): Case => {
  const measure: Measure = (contender, { seconds }) =>
    withRunning(contender, async ({ load }) => {
      await load({ seconds: Math.min(1, seconds) })
      const { p50Ms, p99Ms, p999Ms } = await load({ seconds, rate: OPEN_LOOP_PER_SECOND })
      return { 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'p99.9 ms': p999Ms }
    })
  return absolute(name, contenders, goals, measure, ['p50 ms', 'p99 ms'])
}

/** Measures the time from the start of the process to its first right answer, the memory a second later, and the most memory after a load. */
export const startup = (name: string, contenders: Contender[], goals: Goals): Case =>
  absolute(name, contenders, goals, (contender, { seconds }) =>
    withRunning(contender, async ({ pid, startMs, load }) => {
      await wait(1000)
      const idleMib = rssMib(pid)
      await load({ seconds })
      return { 'start ms': startMs, 'idle RSS MiB': idleMib, 'peak RSS MiB': peakRssMib(pid) }
    }),
  )
