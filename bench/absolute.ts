/** The cases that compare with nobody: latency below saturation, and the time and memory of a start. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Case, type Options, rotate } from './compare.ts'
import { type Contender, type Running, withRunning } from './contender.ts'
import { peakRssMib, rssMib } from './cpu.ts'
import { median } from './median.ts'
import { type Figure, judge } from './report.ts'

const OPEN_LOOP_PER_SECOND = 1000

/** Figures of one run by name, and the goals that our server has for them. */
type Values = Record<string, number>
type Goals = Record<string, { must: number; aim: number }>

const absolute = (name: string, all: Contender[], goals: Goals, use: (running: Running, options: Options) => Promise<Values>): Case => ({
  name,
  durable: true,
  run: async (options) => {
    const contenders = all.filter(({ peer }) => options.peers.includes(peer))
    const runs = new Map<Contender, Values[]>(contenders.map((contender) => [contender, []]))
    for (let round = 0; round < options.rounds; round++) {
      for (const contender of rotate(contenders, round)) {
        const values = await withRunning(contender, (running) => use(running, options))
        runs.get(contender)?.push(values)
        const shown = Object.entries(values).map(([figure, value]) => `${figure} ${value.toFixed(2)}`)
        options.note(`${name} ${round + 1}/${options.rounds} ${contender.name}: ${shown.join(', ')}`)
      }
    }
    const figures = [...runs].flatMap(([{ peer, name: shown }, values]) =>
      Object.keys(values[0] ?? {}).map((figure): Figure => {
        const value = median(values.map((run) => run[figure] ?? Number.NaN))
        const goal = peer === 'headgate' ? goals[figure] : undefined
        return { case: name, peer: shown, figure, value, ...(goal ? { goal: judge(value, '<=', goal.must, goal.aim) } : {}) }
      }),
    )
    return { rows: [], figures }
  },
})

/** Posts on a fixed schedule. A slow answer does not delay later posts, so a stall shows in every request that it held up. */
export const openLoop = (name: string, contenders: Contender[], goals: Goals): Case =>
  absolute(name, contenders, goals, async ({ load }, { seconds }) => {
    await load({ seconds: Math.min(1, seconds) })
    const { p50Ms, p99Ms, p999Ms } = await load({ seconds, rate: OPEN_LOOP_PER_SECOND })
    return { 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'p99.9 ms': p999Ms }
  })

/** Measures the time from the start of the process to its first right answer, the memory a second later, and the most memory after a load. */
export const startup = (name: string, contenders: Contender[], goals: Goals): Case =>
  absolute(name, contenders, goals, async ({ pid, startMs, load }, { seconds }) => {
    await wait(1000)
    const idleMib = rssMib(pid)
    await load({ seconds })
    return { 'start ms': startMs, 'idle RSS MiB': idleMib, 'peak RSS MiB': peakRssMib(pid) }
  })
