/** Counts for how many samples each condition of a route holds. Each sample is posted to the route's plan as its sender would post it. */

import { statSync } from 'node:fs'
import { Fault } from '../core/fault.ts'
import { isJson } from '../core/json.ts'
import { asReceived } from '../dryrun/requests/prepare-test.ts'
import type { KnownSample } from '../dryrun/samples/gallery.ts'
import { asPosted } from '../dryrun/trace/as-posted.ts'
import { type DryPlan, type DryWorld, dryPlan } from '../dryrun/trace/dry-plan.ts'
import type { Judged } from '../dryrun/trace/plan-observer.ts'
import { type Traced, tracePlan } from '../dryrun/trace/trace.ts'
import { allSchemes } from '../plan/route-schemes.ts'
import { isOfSenders } from './payload/ranked-samples.ts'
import type { SampleReader } from './payload/sample-reader.ts'
import type { ConditionTally, Preview } from './service.ts'

/**
 * The bounds on trying samples: their number, the size of a sample's file in bytes, and the time in milliseconds after which no further
 * sample is begun.
 */
const bounds = { samples: 120, bytes: 100_000, ms: 300 }

const maxSeen = 12

/** The tally of one condition while samples are tried. `seen`: the values of its field, as JSON. */
type Counts = { holds: number; of: number; readonly seen: Set<string> }

/**
 * Returns the tallies by the names of the conditions, and the number of samples that were not tried. A sample counts only if it reaches the
 * filters: a sample that the route's scheme or its `events` keep out shows nothing about a condition. The user's own samples are tried
 * first. Scripts do not run. Throws a Fault for a route whose plan cannot be compiled.
 */
export const talliesOf = async (
  samples: readonly KnownSample[],
  read: SampleReader,
  world: DryWorld,
): Promise<Pick<Preview, 'tallies' | 'untallied'>> => {
  if (world.source.spec.filters === undefined) return { tallies: {} }
  const { script: _, ...effects } = world.effects
  const dry: DryWorld = { ...world, effects }
  const plan = dryPlan(dry)
  const counts = new Map<string, Counts>()
  const end = effects.clock.monotonic() + bounds.ms
  let tried = 0
  try {
    for (const sample of ownFirst(samples).slice(0, bounds.samples)) {
      if (effects.clock.monotonic() >= end) break
      if (fileSize(sample) > bounds.bytes) continue
      tried++
      for (const judged of await judgedOn(sample, read, dry, plan)) addToCounts(judged, counts)
    }
  } finally {
    await plan.close()
  }
  return { tallies: Object.fromEntries([...counts].map(tallyOf)), untallied: samples.length - tried }
}

const ownFirst = (samples: readonly KnownSample[]): readonly KnownSample[] =>
  [...samples].sort((a, b) => Number(a.source === 'built-in') - Number(b.source === 'built-in'))

const fileSize = ({ file }: KnownSample): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const judgedOn = async (sample: KnownSample, read: SampleReader, world: DryWorld, plan: DryPlan): Promise<readonly Judged[]> => {
  const traced = postOf(sample, read, world)
  if (!traced) return []
  const { stages, stage, conditions } = await tracePlan(traced, world, plan)
  const place = (name: string): number => stages.findIndex((each) => each.stage === name)
  return place(stage) >= place('filters') ? conditions : []
}

/**
 * Returns the request that the sender of a sample would post; `undefined` if the route does not verify that sender, or the sample cannot be
 * read or signed.
 */
const postOf = (known: KnownSample, read: SampleReader, world: DryWorld): Traced | undefined => {
  const { source, catalogue, effects } = world
  try {
    const sample = read(known)
    if (!isOfSenders(source.spec, asReceived(sample.headers), allSchemes(catalogue, source.spec))) return undefined
    return asPosted(source, world, { of: sample, set: [], unset: [], at: effects.clock.now() })
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

const addToCounts = ({ name, holds, seen }: Judged, counts: Map<string, Counts>): void => {
  const known = counts.get(name) ?? { holds: 0, of: 0, seen: new Set() }
  counts.set(name, known)
  known.of++
  if (holds) known.holds++
  // A value that is missing, hidden or cut is not JSON.
  if (seen !== undefined && known.seen.size < maxSeen && isJson(seen)) known.seen.add(seen)
}

const tallyOf = ([name, { holds, of, seen }]: readonly [string, Counts]): [string, ConditionTally] => [name, { holds, of, seen: [...seen] }]
