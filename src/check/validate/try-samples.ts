/**
 * Tries samples on routes: each sample runs through the plan of the route. Nothing is stored or sent. Scripts run only where the caller
 * asks for them.
 */

import { randomUUID } from 'node:crypto'
import type { Config, RouteSource } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import type { Event, VerifiedRequest } from '../../core/request.ts'
import { asReceived, withQuery } from '../../dryrun/requests/prepare-test.ts'
import type { ChosenSample } from '../../dryrun/samples/choose-samples.ts'
import { isOfOtherSender } from '../../dryrun/samples/sender-folders.ts'
import { type DryPlan, type DryWorld, dryPlan, withSecret } from '../../dryrun/trace/dry-plan.ts'
import { type Trace, type Traced, tracePlan } from '../../dryrun/trace/trace.ts'
import { compileCondition } from '../../parts/operators/jsonata.ts'
import { events } from '../../parts/stages/events.ts'
import { filters } from '../../parts/stages/filters.ts'
import { lookup } from '../../parts/stages/lookup.ts'
import { script } from '../../parts/stages/script.ts'
import { compileTransform, transform, whyFailed } from '../../parts/stages/transform.ts'
import { quietBook } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { routePath } from '../../plan/compile.ts'
import { expressionsOf } from '../../plan/review/filters/fields.ts'
import { type ExpressionResult, kindOf, type Sampled, type TakenSample } from '../../plan/review/sampled.ts'
import { pathsOf } from '../../plan/review/samples/near-paths.ts'
import { runScript } from '../../process/script.ts'

export type Trial = {
  readonly samples: readonly ChosenSample[]
  /** Whether scripts run on the samples. */
  readonly runScripts: boolean
}

/** Returns the results of the samples for each route. Left out are routes that cannot be served, and samples above `max_body_bytes` or of
 * senders that the route does not verify. */
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
  const plan = planOrNone(world)
  if (!plan) return undefined
  const unfiltered = createUnfiltered(world)
  const hasScript = source.spec.script !== undefined
  const conditions = expressionsOf(source.spec.filters).map((each) => ({ ...each, evaluate: compileCondition(each.source) }))
  const evaluateTransform = hasScript || source.spec.transform === undefined ? undefined : compileTransform(source.spec.transform)
  const taken: TakenSample[] = []
  try {
    for (const { name, sample } of samples) {
      const body = Buffer.from(sample.body)
      if (body.length > config.adapter.max_body_bytes || isOfOtherSender(source.spec, sample)) continue
      const traced: Traced = { kind: 'verified', request: sampleRequest(source, sample, body) }
      const told = await tracePlan(traced, world, plan)
      const texts =
        (told.stoppedAt === filters.name || told.stoppedAt === lookup.name) && !hasScript ? await unfiltered.trace(traced) : undefined
      const one = takenSample(name, told, texts ?? told, hasScript, runScripts)
      if (!one) continue
      const transformed = evaluateTransform ? await resultOf(evaluateTransform, one.event) : undefined
      taken.push({ ...one, results: await resultsOn(one.event, conditions), ...(transformed ? { transformed } : {}) })
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

type EvaluatedCondition = { readonly source: string; readonly evaluate: ReturnType<typeof compileCondition> }

/** Evaluates the expressions of conditions on an event, each alone. */
const resultsOn = async (event: Event, conditions: readonly EvaluatedCondition[]): Promise<ReadonlyMap<string, ExpressionResult>> => {
  const results = new Map<string, ExpressionResult>()
  for (const { source, evaluate } of conditions) results.set(source, await resultOf(evaluate, event))
  return results
}

const resultOf = async (evaluate: EvaluatedCondition['evaluate'], event: Event): Promise<ExpressionResult> => {
  try {
    const value = await evaluate(event)
    return value === undefined ? { missing: true } : { kind: kindOf(value) }
  } catch (error) {
    return { missing: true, failed: whyFailed(error) }
  }
}

/**
 * Traces samples through the route without its filters, because a sample that the filters stop also shows how the texts of the route are
 * filled in. The plan without filters is made when the first such sample comes. `trace` resolves to `undefined` where the route has no
 * plan.
 */
const createUnfiltered = (world: DryWorld) => {
  const { filters: _, ...spec } = world.source.spec
  const open = { ...world, source: { ...world.source, spec } }
  let made: { readonly plan: DryPlan | undefined } | undefined
  return {
    trace: async (traced: Traced): Promise<SampleTrace | undefined> => {
      made ??= { plan: planOrNone(open) }
      return made.plan && tracePlan(traced, open, made.plan)
    },
    close: async (): Promise<void> => made?.plan?.close(),
  }
}

/** Makes the plan of a route; `undefined` for a route with an error, which is reported already. */
const planOrNone = (world: DryWorld): DryPlan | undefined => {
  try {
    return dryPlan(world)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Makes a verified request of a sample to a route. */
export const sampleRequest = (
  route: Pick<RouteSource, 'name' | 'profile'>,
  { query, headers }: Pick<ChosenSample['sample'], 'query' | 'headers'>,
  body: Buffer,
): VerifiedRequest => ({
  eventId: randomUUID(),
  pathAndQuery: withQuery(routePath(route), query),
  headers: { 'content-type': 'application/json', ...asReceived(headers) },
  remote: () => '127.0.0.1',
  at: systemClock.now(),
  body,
  verification: { scheme: 'sample', secret: 0, signedId: randomUUID() },
})

type SampleTrace = Omit<Trace, 'starts'>

/**
 * Returns the result of a sample; `undefined` where the sample is no event, or the route does not take its event type. `result`: the trace
 * through the plan. `texts`: the trace that shows how texts are filled in, which may be without filters.
 */
const takenSample = (
  name: string,
  result: SampleTrace,
  texts: SampleTrace,
  hasScript: boolean,
  runScripts: boolean,
): TakenSample | undefined => {
  const { parsed, stoppedAt, outcome } = result
  if (!parsed || stoppedAt === events.name) return undefined
  const stopped = stoppedAt === script.name && outcome.kind === 'ignored' ? (outcome.detail?.() ?? 'silent') : undefined
  const isRendered = texts.stoppedAt !== transform.name && (!hasScript || (runScripts && result.ranScript && stopped === undefined))
  return {
    name,
    event: parsed,
    passes: stoppedAt !== filters.name,
    ...(result.undeliverable === undefined ? {} : { undeliverable: result.undeliverable }),
    holds: new Map(result.conditions.map(({ path, holds }) => [path.join('.'), holds])),
    ...(runScripts && result.ranScript ? { script: { silent: stopped } } : {}),
    ...(isRendered && texts.event ? { textEvent: texts.event, texts: texts.placeholders, merged: texts.outcome.kind === 'coalesced' } : {}),
  }
}
