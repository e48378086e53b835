/** Compiles a route to its plan: each stage adds its gates, one ending is chosen, and all problems are collected. */

import type { AgentPricing } from '../config/budget.ts'
import { defaultProfile, type RouteSource } from '../config/config.ts'
import { placeInJson } from '../config/yaml/place-in-json.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Authenticate, EventGate, EventPlan, HeadGate, Parse, PlanStep, RoutePlan } from '../core/plan.ts'
import type { HeldScope, Scope } from '../core/scope.ts'
import { holdMsOf } from '../parts/claim.ts'
import { compileClaimIgnored } from '../parts/claim-ignored.ts'
import type { Effects } from '../parts/effects.ts'
import type { EndingPart } from '../parts/endings/ending.ts'
import { FailedExpressions } from '../parts/failed-expressions.ts'
import type { LookupPart } from '../parts/lookups/lookup.ts'
import type { ExactOperator } from '../parts/operators/operator.ts'
import { checkPoll } from '../parts/polling/svix.ts'
import type { StageReport } from '../parts/report.ts'
import { compileAnswers } from '../parts/respond/answers.ts'
import { callbackDelivery } from '../parts/respond/callback.ts'
import type { RunnerPart } from '../parts/runners/runner.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import { checkCatchUpSettings } from '../parts/sender-logs/index.ts'
import { dispatchTargets } from '../parts/split/dispatch.ts'
import { compileSplit } from '../parts/split/split.ts'
import type { Gates, StageKit, StagePart } from '../parts/stages/stage.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import type { ToolsetPart } from '../parts/tools/tool.ts'
import { verifyNames } from '../parts/written-names.ts'
import { checkDispatch } from './dispatch-rules.ts'
import { checkLookups } from './lookup-rules.ts'
import type { PlanSettings } from './plan-settings.ts'
import { problemAt } from './problem-at.ts'
import { checkKeys, checkPaths } from './route-paths.ts'
import { checkRules } from './route-rules.ts'
import { allSchemes, schemesFor } from './route-schemes.ts'
import { toolsetNames } from './toolsets.ts'

/** The parts that routes, jobs, alerts and the agent are compiled with. */
export type Catalogue = {
  readonly stages: readonly StagePart[]
  readonly endings: readonly EndingPart[]
  readonly schemes: readonly Scheme[]
  /**
   * The presets, and the schemes of the configuration and of plugins. Each serves only the routes that name it in `verify`, because the
   * scheme of one route must neither open nor change another route.
   */
  readonly namedSchemes: ReadonlyMap<string, Scheme>
  readonly operators: ReadonlyMap<string, ExactOperator>
  readonly runners: ReadonlyMap<string, RunnerPart>
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly toolsets: ReadonlyMap<string, ToolsetPart>
  readonly lookups: ReadonlyMap<string, LookupPart>
}

export type Compiled = {
  /** Returns the plan. Absent where a Diagnostic stops the start. */
  readonly plan?: () => RoutePlan
  /** The scope of the plan, which the caller releases. Absent without a plan, because then nothing is open. */
  readonly scope?: HeldScope
  readonly diagnostics: readonly Diagnostic[]
  /**
   * Whether a reload may keep the plan of a configured route: the route has no problem, and its plan depends on the route and
   * `PlanSettings` alone. The plan of a subscription is kept while its entry and the plan base stay.
   */
  readonly lasting: boolean
}

/** Returns the Diagnostics of a route: compiles it, and closes all that the compiling opened. */
export const checkRoute = (...from: Parameters<typeof compileRoute>): readonly Diagnostic[] => {
  const { diagnostics, scope } = compileRoute(...from)
  scope?.release()
  return diagnostics
}

/** The routes of a configuration, which `dispatch` can name. */
type Routes = ReadonlyMap<string, RouteSource>

/** Compiles a route with the parts of a catalogue. There is no plan when a Diagnostic stops the start. */
export const compileRoute = (
  route: RouteSource,
  config: PlanSettings & { readonly agents: ReadonlyMap<string, AgentPricing>; readonly routes?: Routes },
  catalogue: Catalogue,
  effects: Effects,
): Compiled => {
  const { host, multiplex, profiles } = config
  const { targets } = catalogue
  const diagnostics = checkRules(route, {
    host,
    multiplex,
    profiles,
    targets,
    schemes: allSchemes(catalogue, route.spec),
    toolsets: toolsetNames(config, catalogue.toolsets),
    agents: config.agents,
  })
  diagnostics.push(...checkPaths(route), ...checkKeys(route), ...checkDispatch(route, config.routes, catalogue), ...checkLookups(route))
  const report: StageReport = (code, path, message, help, inFile) => {
    const place = inFile && placeInJson(inFile.file, inFile.pointer)
    const related = place ? { related: [{ place, message: 'the mistake' }] } : {}
    diagnostics.push({ ...problemAt(route, code, path, message, help), ...related })
  }
  checkCatchUpSettings(route.spec, report)
  checkPoll(route.spec, report)
  callbackDelivery(route.spec, targets, report)
  // A plan with skills depends on files, and a plan with an agent on the agent's prices.
  const dispatched = dispatchTargets(route.spec).flatMap((name) => config.routes?.get(name) ?? [])
  let lasting = [route, ...dispatched].every(({ spec: { skills = [], agent } }) => skills.length === 0 && agent === undefined)
  const recompileAtReload = (): void => {
    lasting = false
  }
  const profile = config.profiles.get(route.profile) ?? unservedProfile(route.profile, config)
  const scope = effects.scopes.create({ route: route.name })
  const kit: StageKit = {
    name: route.name,
    profile: route.profile,
    profileDir: profile.dir,
    openList: (spec) => effects.openList(spec, config.dataDir),
    path: routePath(route),
    secrets: route.secrets,
    overlap: route.overlap,
    provided: route.provided,
    adapter: config.adapter,
    agents: config.agents,
    clientCertificates: config.tls?.clientCertificates,
    effects,
    expressions: new FailedExpressions(route.spec),
    report,
    recompileAtReload,
    adopt: scope.adopt,
    schemes: schemesFor(route, catalogue),
    operators: catalogue.operators,
    targets,
    lookups: catalogue.lookups,
  }
  const plan = makeOrRelease(scope, () => assemblePlan(route, kit, catalogue, scope, dispatched))
  if (diagnostics.some(({ stopsStart }) => stopsStart)) {
    scope.release()
    return { diagnostics, lasting: false }
  }
  const lasts = lasting && diagnostics.length === 0
  // A plan that has something open is kept. If it were made again at the first request, it would open the same thing twice.
  const mayBeDropped = lasts && scope.isEmpty
  return { plan: mayBeDropped ? onDemand(route, kit, catalogue, scope, dispatched) : always(plan), scope, diagnostics, lasting: lasts }
}

/** Returns the result of `make`. Where `make` throws, what it has opened is closed. */
const makeOrRelease = <T>(scope: HeldScope, make: () => T): T => {
  try {
    return make()
  } catch (error) {
    scope.release()
    throw error
  }
}

export const routePath = ({ name, profile }: Pick<RouteSource, 'name' | 'profile'>): string =>
  profile === defaultProfile ? `/webhooks/${name}` : `/p/${profile}/webhooks/${name}`

// `always` and `onDemand` are no closures of `compileRoute`, because all closures of one function keep alive what any of them captures.
const always = (plan: RoutePlan) => (): RoutePlan => plan

/**
 * Returns a function that makes a plan at its first request. Ten thousand plans take 90 MB, and most may never be needed, so the plan that
 * `compileRoute` made to find mistakes is dropped.
 */
const onDemand = (...from: Parameters<typeof assemblePlan>): (() => RoutePlan) => {
  let plan: RoutePlan | undefined
  return () => {
    plan ??= assemblePlan(...from)
    return plan
  }
}

/**
 * Returns a stand-in for a profile that is not served, so that the routes of the profile compile. A request to such a route is refused
 * before a plan is needed.
 */
const unservedProfile = (name: string, { dataDir }: PlanSettings) => ({ name, dir: `${dataDir}/profiles/${name}`, env: {}, platforms: {} })

/** Makes the plan of a route. `dispatched`: the routes that its `dispatch` names. */
const assemblePlan = (
  { spec, name, profile }: RouteSource,
  kit: StageKit,
  catalogue: Catalogue,
  scope: Scope,
  dispatched: readonly RouteSource[],
): RoutePlan => {
  const { stages, endings } = catalogue
  const onHead: PlanStep<HeadGate>[] = []
  const onEvent: PlanStep<EventGate>[] = []
  let authenticate: PlanStep<Authenticate> | undefined
  let parse: PlanStep<Parse> | undefined
  /**
   * The members of the plan that are no steps: how handshakes are answered, the mask, what is redacted, and what may be delivered. At most one stage gives each of
   * them.
   */
  let others: Pick<Gates, 'handshakes' | 'mask' | 'redact' | 'mayDeliver'> = {}
  // The gates of a request's items hand in their work as the ending does, so that all of it is one commit.
  const split = compileSplit(spec, kit, (target, effects) => {
    const source = dispatched.find((each) => each.name === target)
    return source && { name: target, plan: source.enabled ? targetPlan(source, { ...kit, effects }, catalogue, scope) : undefined }
  })
  const itemKit = split?.kit ?? kit
  for (const { name: stage, compile } of stages) {
    const { onHead: checkHead, authenticate: verify, parse: read, onEvent: gate, ...more } = kit.adopt(compile(spec, itemKit))
    others = { ...others, ...more }
    if (checkHead) onHead.push({ stage, run: checkHead })
    if (verify) authenticate = { stage, run: verify }
    if (read) parse = { stage, run: read }
    if (gate) onEvent.push({ stage, run: gate })
  }
  const part = endings.find(({ fits }) => fits(spec))
  const named = verifyNames(spec)
  const claimIgnored = compileClaimIgnored(
    kit.schemes.filter((scheme) => named.includes(scheme.name)),
    holdMsOf(spec),
    kit.effects,
  )
  if (!authenticate || !parse || !part) throw new Error('the catalogue lacks a stage or an ending that every route needs')
  return {
    name,
    profile,
    ...(spec.methods ? { methods: new Set(spec.methods) } : {}),
    onHead,
    authenticate,
    inflate: (head, body) => kit.effects.inflate(head, body, kit.adapter.max_body_bytes),
    ...others,
    ...(claimIgnored ? { claimIgnored } : {}),
    parse,
    ...(split ? { split: split.split } : {}),
    onEvent,
    ending: { stage: 'dispatch', run: kit.expressions.around(kit.adopt(part.compile(spec, itemKit))) },
    ...compileAnswers(spec, kit, split !== undefined),
    scope,
  }
}

/**
 * Makes the plan of a route for the events that another route dispatches to it. It shares what the other route has open, and hands its work
 * to `kit.effects`. Its own plan reports its mistakes, and a trace shows the conditions of the traced route alone.
 */
const targetPlan = (target: RouteSource, kit: StageKit, catalogue: Catalogue, scope: Scope): EventPlan => {
  const { name, spec } = target
  const effects = Object.create(kit.effects, { onlooker: { value: undefined } }) as Effects
  const own = { name, path: routePath(target), secrets: [], overlap: undefined, provided: [], schemes: schemesFor(target, catalogue) }
  return assemblePlan(target, { ...kit, ...own, effects, expressions: new FailedExpressions(spec), report: () => {} }, catalogue, scope, [])
}
