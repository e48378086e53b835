/** Compiles one route to its plan: each stage puts its gates in, one ending is chosen, and all problems are collected. */

import type { Priced } from '../config/budget.ts'
import { defaultProfile, type RouteSource } from '../config/config.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import type { Held, Owner } from '../core/owner.ts'
import type { Authenticate, EventGate, Handshakes, HeadGate, MaskRequest, Parse, RoutePlan, Step } from '../core/plan.ts'
import type { Route } from '../generated/config.ts'
import { type ChallengeKeys, challengeKeys, type Keyed, sharedChallengeKey } from '../parts/challenge-keys.ts'
import { claimingIgnored } from '../parts/claim-ignored.ts'
import type { Effects } from '../parts/effects.ts'
import type { EndingPart } from '../parts/endings/ending.ts'
import type { OperatorPart } from '../parts/operators/operator.ts'
import type { Report } from '../parts/report.ts'
import { compileRespond } from '../parts/respond.ts'
import type { RunnerPart } from '../parts/runners/runner.ts'
import { describedScheme } from '../parts/schemes/described/described.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import type { StageKit, StagePart } from '../parts/stages/stage.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import type { ToolsetPart } from '../parts/tools/tool.ts'
import { inlineScheme, verifyNames } from '../parts/verify-names.ts'
import type { PlanSettings } from './plan-settings.ts'
import { checkRules } from './route-rules.ts'
import { toolsetNames } from './toolsets.ts'

/** The parts that routes are compiled with. */
export type Catalogue = {
  readonly stages: readonly StagePart[]
  readonly endings: readonly EndingPart[]
  readonly schemes: readonly Scheme[]
  /** Presets, those of the configuration and those of plugins. Each serves only the routes that name it in `verify`: what is there for one must neither open nor change another. */
  readonly namedSchemes: ReadonlyMap<string, Scheme>
  readonly operators: ReadonlyMap<string, OperatorPart>
  readonly runners: ReadonlyMap<string, RunnerPart>
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly toolsets: ReadonlyMap<string, ToolsetPart>
}

export type Compiled = {
  readonly plan?: () => RoutePlan
  /** To be released by whoever asked for the plan. Without a plan nothing is open. */
  readonly owner?: Held
  readonly diagnostics: readonly Diagnostic[]
  /** A reload may keep the plan: the route has no problem, and its plan depends on nothing but the configuration. */
  readonly lasting: boolean
}

/** What is wrong with a route: it is compiled, and whatever that opened is closed. */
export const checkRoute = (...from: Parameters<typeof compileRoute>): readonly Diagnostic[] => {
  const { diagnostics, owner } = compileRoute(...from)
  owner?.release()
  return diagnostics
}

/** Compiles a route; there is no plan when one of its problems stops it. */
export const compileRoute = (
  route: RouteSource,
  config: PlanSettings & { readonly agent: Priced },
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
    agent: config.agent,
  })
  const report: Report = (code, path, message, help) => diagnostics.push(problemAt(route, code, path, message, help))
  // Skills are looked up in files, and prices are the agent's.
  let lasting = (route.spec.skills ?? []).length === 0 && route.spec.agent === undefined
  const recompileAtReload = (): void => {
    lasting = false
  }
  const profile = config.profiles.get(route.profile) ?? unservedProfile(route.profile, config)
  const owner = effects.owners.create({ route: route.name })
  const kit: StageKit = {
    name: route.name,
    profile: route.profile,
    profileDir: profile.dir,
    path: routePath(route),
    secrets: route.secrets,
    adapter: config.adapter,
    effects,
    report,
    recompileAtReload,
    adopt: owner.adopt,
    schemes: schemesFor(route, catalogue),
    operators: catalogue.operators,
    targets,
  }
  const plan = orRelease(owner, () => assemble(route, kit, catalogue, owner))
  if (diagnostics.some(({ stopsStart }) => stopsStart)) {
    owner.release()
    return { diagnostics, lasting: false }
  }
  const lasts = lasting && diagnostics.length === 0
  // What has something open is not let go: opened again for the first event, it would be there twice.
  const mayGo = lasts && owner.isEmpty
  return { plan: mayGo ? onDemand(route, kit, catalogue, owner) : always(plan), owner, diagnostics, lasting: lasts }
}

const orRelease = <T>(owner: Held, make: () => T): T => {
  try {
    return make()
  } catch (error) {
    owner.release()
    throw error
  }
}

/** The schemes that a route's requests are checked with. */
export const checkedWith = (route: Pick<RouteSource, 'spec'>, catalogue: Catalogue): readonly Scheme[] => {
  const named = verifyNames(route.spec)
  const schemes = schemesFor(route, catalogue)
  return named.length === 0 ? schemes : schemes.filter(({ name }) => named.includes(name))
}

/** The keys that answer questions on these routes. */
export const challengeKeysOf = (routes: Iterable<RouteSource>, catalogue: Catalogue): ChallengeKeys =>
  challengeKeys([...routes].map((route) => keyed(route, catalogue)))

const keyed = (route: RouteSource, catalogue: Catalogue): Keyed => ({
  name: route.name,
  secrets: route.secrets,
  schemes: checkedWith(route, catalogue),
})

/** Says where a key of a route answers questions for another scheme. */
export const checkChallengeKeys = (route: RouteSource, catalogue: Catalogue, keys: ChallengeKeys): Diagnostic[] => {
  const shared = keys.size === 0 ? undefined : sharedChallengeKey(keyed(route, catalogue), keys)
  if (!shared) return []
  const { scheme, asked } = shared
  const whose = asked.route === route.name ? 'it' : `the route "${asked.route}"`
  const message = `${whose} answers questions of ${asked.scheme} with a key that ${scheme} checks here: anybody could ask for a signature`
  return [problemAt(route, 'WH318', [], message, `give ${asked.scheme} a key that no other scheme or route has`)]
}

/** The schemes that may decide on a route: the same list for all routes that name no plugin's. */
export const schemesFor = ({ spec }: Pick<RouteSource, 'spec'>, { schemes, namedSchemes }: Catalogue): readonly Scheme[] => {
  const named = [...inlineOf(spec), ...verifyNames(spec).flatMap((name) => namedSchemes.get(name) ?? [])]
  return named.length === 0 ? schemes : [...schemes, ...named]
}

/** The signature schemes that `verify` can name, and the one that it describes itself, if it does. */
export const allSchemes = ({ schemes, namedSchemes }: Catalogue, spec: Pick<Route, 'verify'> = {}): readonly Scheme[] => [
  ...schemes,
  ...namedSchemes.values(),
  ...inlineOf(spec),
]

const inlineOf = ({ verify }: Pick<Route, 'verify'>): readonly Scheme[] =>
  verify === undefined || typeof verify === 'string' || Array.isArray(verify) ? [] : [describedScheme(inlineScheme, verify)]

/** Where a route receives. */
export const routePath = ({ name, profile }: Pick<RouteSource, 'name' | 'profile'>): string =>
  profile === defaultProfile ? `/webhooks/${name}` : `/p/${profile}/webhooks/${name}`

// These are functions of their own, because all closures of one function keep what any of them captures.
const always = (plan: RoutePlan) => (): RoutePlan => plan

/** Makes a plan that was checked again, for its first event. Ten thousand plans take 90 MB, and most may never be needed. */
const onDemand = (...from: Parameters<typeof assemble>): (() => RoutePlan) => {
  let plan: RoutePlan | undefined
  return () => {
    plan ??= assemble(...from)
    return plan
  }
}

/** Stands for a profile that is not served, so that its routes compile. Their requests are refused before a plan is needed. */
const unservedProfile = (name: string, { dataDir }: PlanSettings) => ({ name, dir: `${dataDir}/profiles/${name}`, env: {}, platforms: {} })

const problemAt = (route: RouteSource, code: Diagnostic['code'], path: Path, message: string, help?: string): Diagnostic => {
  const full = [...route.base, ...path]
  return diagnostic(code, message, {
    route: route.name,
    pointer: pointerOf(full),
    place: route.place(full),
    ...(help === undefined ? {} : { help }),
  })
}

const assemble = ({ spec, name, profile }: RouteSource, kit: StageKit, { stages, endings }: Catalogue, owner: Owner): RoutePlan => {
  const onHead: Step<HeadGate>[] = []
  const onEvent: Step<EventGate>[] = []
  let authenticate: Step<Authenticate> | undefined
  let handshakes: Handshakes | undefined
  let mask: MaskRequest | undefined
  let parse: Step<Parse> | undefined
  for (const { name: stage, compile } of stages) {
    const gates = kit.adopt(compile(spec, kit))
    if (gates.onHead) onHead.push({ stage, run: gates.onHead })
    if (gates.authenticate) authenticate = { stage, run: gates.authenticate }
    if (gates.handshakes) handshakes = gates.handshakes
    if (gates.mask) mask = gates.mask
    if (gates.parse) parse = { stage, run: gates.parse }
    if (gates.onEvent) onEvent.push({ stage, run: gates.onEvent })
  }
  const part = endings.find(({ fits }) => fits(spec))
  const named = verifyNames(spec)
  const respond = spec.respond ?? kit.schemes.find((scheme) => scheme.respond && named.includes(scheme.name))?.respond
  const claimIgnored = claimingIgnored(
    kit.schemes.filter((scheme) => named.includes(scheme.name)),
    kit.effects,
  )
  if (!authenticate || !parse || !part) throw new Error('the catalogue lacks a stage or an ending that every route needs')
  return {
    name,
    profile,
    onHead,
    authenticate,
    ...(handshakes ? { handshakes } : {}),
    ...(claimIgnored ? { claimIgnored } : {}),
    ...(mask ? { mask } : {}),
    parse,
    onEvent,
    ending: { stage: 'dispatch', run: kit.adopt(part.compile(spec, kit)) },
    ...(respond ? { respond: compileRespond(respond, kit) } : {}),
    owner,
  }
}
