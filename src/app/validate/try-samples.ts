/** Tries samples on routes: each runs through the server's plan, without side effects but those of scripts, where these are asked for. */

import { randomUUID } from 'node:crypto'
import type { Config, RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import type { VerifiedRequest } from '../../core/request.ts'
import { events } from '../../parts/stages/events.ts'
import { filters } from '../../parts/stages/filters.ts'
import { script } from '../../parts/stages/script.ts'
import { quietBook } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { pathsOf } from '../../plan/review/samples/near-paths.ts'
import type { Sampled, TakenSample } from '../../plan/review/samples/sampled.ts'
import { runScript } from '../../process/script.ts'
import { asReceived } from '../routes/prepare-test.ts'
import type { ChosenSample } from '../samples/choose-samples.ts'
import { type DryPlan, type DryWorld, dryPlan, withSecret } from '../trace/dry-plan.ts'
import { type Trace, type Traced, tracePlan } from '../trace/trace.ts'

export type Trial = {
  readonly samples: readonly ChosenSample[]
  /** Whether scripts run on the samples. */
  readonly runScripts: boolean
}

/** Returns the results of the samples for each route. A route that cannot be served is left out. */
export const trySamples = async (
  routes: readonly RouteSource[],
  config: Config,
  catalogue: Catalogue,
  trial: Trial,
): Promise<ReadonlyMap<RouteSource, Sampled>> => {
  const tried = new Map<RouteSource, Sampled>()
  const effects = { jobs: quietBook(config, catalogue), clock: systemClock, ...(trial.runScripts ? { script: runScript } : {}) }
  for (const route of routes) {
    const sampled = await tryRoute({ source: withSecret(route), config, catalogue, effects }, trial)
    if (sampled) tried.set(route, sampled)
  }
  return tried
}

const tryRoute = async (world: DryWorld, { samples, runScripts }: Trial): Promise<Sampled | undefined> => {
  const { source, config } = world
  const plan = planOf(world)
  if (!plan) return undefined
  const unfiltered = createUnfiltered(world)
  const hasScript = source.spec.script !== undefined
  const taken: TakenSample[] = []
  try {
    for (const { name, sample } of samples) {
      const body = Buffer.from(sample.body)
      if (body.length > config.adapter.max_body_bytes) continue
      const traced: Traced = { kind: 'verified', request: sampleRequest(sample.headers, body) }
      const told = await tracePlan(traced, world, plan)
      const texts = told.stoppedAt === filters.name && !hasScript ? await unfiltered.trace(traced) : undefined
      const one = takenOf(name, told, texts ?? told, hasScript, runScripts)
      if (one) taken.push(one)
    }
  } finally {
    await Promise.all([plan.close(), unfiltered.close()])
  }
  const known = new Map<string, readonly string[]>()
  const paths: Sampled['paths'] = (of) => {
    const found = known.get(of) ?? pathsOf(taken.flatMap((each) => each[of]?.payload ?? []))
    known.set(of, found)
    return found
  }
  return { taken, paths }
}

/**
 * Makes a route without its filters, because samples that the filters stop also show how texts are filled in. The plan is made for the
 * first such sample. `trace` resolves to `undefined` where the route has no plan.
 */
const createUnfiltered = (world: DryWorld) => {
  const { filters: _, ...spec } = world.source.spec
  const open = { ...world, source: { ...world.source, spec } }
  let made: { readonly plan: DryPlan | undefined } | undefined
  return {
    trace: async (traced: Traced): Promise<SampleTrace | undefined> => {
      made ??= { plan: planOf(open) }
      return made.plan && tracePlan(traced, open, made.plan)
    },
    close: async (): Promise<void> => made?.plan?.close(),
  }
}

/** Makes the plan of a route; `undefined` for a route with an error, which is reported already. */
const planOf = (world: DryWorld): DryPlan | undefined => {
  try {
    return dryPlan(world)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Makes a verified request of a sample. */
export const sampleRequest = (headers: ChosenSample['sample']['headers'], body: Buffer): VerifiedRequest => ({
  eventId: randomUUID(),
  headers: { 'content-type': 'application/json', ...asReceived(headers) },
  remote: () => '127.0.0.1',
  at: systemClock.now(),
  body,
  verification: { scheme: 'sample', secret: 0, signedId: randomUUID() },
})

type SampleTrace = Omit<Trace, 'starts'>

/** Returns the result of a sample; `undefined` where it is no event, or its type is not one of the route's. */
const takenOf = (
  name: string,
  result: SampleTrace,
  texts: SampleTrace,
  hasScript: boolean,
  runScripts: boolean,
): TakenSample | undefined => {
  const { parsed, stoppedAt, outcome } = result
  if (!parsed || stoppedAt === events.name) return undefined
  const stopped = stoppedAt === script.name && outcome.kind === 'ignored' ? (outcome.detail?.() ?? 'silent') : undefined
  const isRendered = !hasScript || (runScripts && result.ranScript && stopped === undefined)
  return {
    name,
    event: parsed,
    passes: stoppedAt !== filters.name,
    holds: new Map(result.conditions.map(({ path, holds }) => [path.join('.'), holds])),
    ...(runScripts && result.ranScript ? { script: { silent: stopped } } : {}),
    ...(isRendered && texts.event ? { textEvent: texts.event, texts: texts.placeholders, merged: texts.outcome.kind === 'coalesced' } : {}),
  }
}
