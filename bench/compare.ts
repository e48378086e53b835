/** Makes cases that compare. Each round measures every contender once and begins with another one; ratios are taken within a round. */

import { type Contender, chosen, withRunning } from './contender.ts'
import { cpuUs, peakRssMib } from './cpu.ts'
import { median } from './median.ts'
import type { PeerName } from './peers.ts'
import { type Findings, type Goal, judge, type Row } from './report.ts'

export type Options = {
  rounds: number
  seconds: number
  /** The number of accepted events that the case `finished` works off. */
  queued: number
  peers: readonly PeerName[]
  /** The `main.js` of another build, measured beside ours. */
  other?: string
  note: (line: string) => void
}
/** `missing` says what a case needs that is not here. */
export type Case = { name: string; durable?: boolean; missing?: () => string | undefined; run: (options: Options) => Promise<Findings> }

/** The goal: the contender `of` reaches this share of the first one's requests per second, or of its processor time per request. */
export type RatioGoal = { of: string; metric: 'rate' | 'cpu'; must: number; aim: number }

type Sample = { perSecond: number; cpuUs: number; p50Ms: number; p99Ms: number; peakMib: number }

/** Returns the same list, begun `by` places later. */
export const rotate = <T>(list: readonly T[], by: number): T[] => {
  const at = by % Math.max(1, list.length)
  return [...list.slice(at), ...list.slice(0, at)]
}

/**
 * How a case is measured. `close`: each request has a connection of its own. `warmUps`: for how many times the measured time the server is
 * loaded before; 1 by default.
 */
type How = Pick<Case, 'durable' | 'missing'> & { close?: boolean; warmUps?: number }

const measure = (contender: Contender, seconds: number, { close = false, warmUps = 1 }: How): Promise<Sample> =>
  withRunning(contender, async ({ pid, load }) => {
    // Node compiles for the first two or three seconds, in which a request takes up to eight times the processor time.
    await load({ seconds: warmUps * seconds, close })
    const before = cpuUs(pid)
    const { requests, seconds: took, p50Ms, p99Ms } = await load({ seconds, close })
    const used = cpuUs(pid) - before
    return { perSecond: requests / took, cpuUs: used / requests, p50Ms, p99Ms, peakMib: peakRssMib(pid) }
  })

const row = (name: string, peer: string, own: Sample[], reference: Sample[], goal: RatioGoal | undefined): Row => {
  const mid = (pick: (sample: Sample) => number): number => median(own.map(pick))
  const ratio = (pick: (sample: Sample) => number): number =>
    median(own.flatMap((sample, round) => (reference[round] ? [pick(sample) / pick(reference[round])] : [])))
  const [rate, cpu] = [ratio((sample) => sample.perSecond), ratio((sample) => sample.cpuUs)]
  const judged = (given: RatioGoal): Goal => (given.metric === 'rate' ? judge(rate, { ...given, sense: '>=' }) : judge(cpu, given, ' CPU'))
  return {
    case: name,
    peer,
    perSecond: mid((sample) => sample.perSecond),
    cpuUs: mid((sample) => sample.cpuUs),
    p50Ms: mid((sample) => sample.p50Ms),
    p99Ms: mid((sample) => sample.p99Ms),
    peakMib: Math.max(...own.map((sample) => sample.peakMib)),
    ratio: rate,
    cpuRatio: cpu,
    ...(goal ? { goal: judged(goal) } : {}),
  }
}

/** Makes a case that compares the other contenders with the first. */
export const compare = (name: string, all: Contender[], goal?: RatioGoal, how: How = {}): Case => ({
  name,
  durable: how.durable ?? false,
  ...(how.missing ? { missing: how.missing } : {}),
  run: async (options) => {
    const { rounds, seconds, note } = options
    const contenders = chosen(all, options)
    if (contenders[0] !== all[0]) throw new Error(`it needs the peer ${all[0]?.peer}`)
    const samples = new Map<string, Sample[]>(contenders.map((contender) => [contender.name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const contender of rotate(contenders, round)) {
        const sample = await measure(contender, seconds, how)
        samples.get(contender.name)?.push(sample)
        note(`${name} ${round + 1}/${rounds} ${contender.name}: ${sample.perSecond.toFixed(0)}/s, ${sample.cpuUs.toFixed(1)} us`)
      }
    }
    const reference = samples.get(all[0]?.name ?? '') ?? []
    return { rows: [...samples].map(([peer, own]) => row(name, peer, own, reference, goal?.of === peer ? goal : undefined)), figures: [] }
  },
})
