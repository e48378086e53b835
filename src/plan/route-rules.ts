/**
 * Checks rules across the keys of a route. Some rules are lists in the schema (`x-conflicts`, `x-requires`, `x-ignored`), which this file
 * applies and words. The others are functions here: targets, schemes, secrets, profile, and the keys for the agent.
 */

import { type AgentPricing, checkPrice } from '../config/budget.ts'
import { insecure, isLoopback, type Profile, type RouteSource } from '../config/config.ts'
import { idleKeys, isSwitchedOn } from '../config/needs.ts'
import { definition } from '../config/schema-walk.ts'
import { type Code, type Diagnostic, diagnostic, isErrorCode, type Path, pointerOf, type ReportOf } from '../core/diagnostic.ts'
import { type Json, type JsonObject, own } from '../core/json.ts'
import { pluginNamePattern, unknownPluginHelp } from '../core/names.ts'
import { nearest } from '../core/text.ts'
import type { Route, SignatureScheme } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { agentNames, agentOverrides, agentRows, defaultAgent } from '../parts/named-agents.ts'
import { problemsIn } from '../parts/schemes/described/description.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import { verifyNames } from '../parts/written-names.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import { checkSkills } from './skills.ts'
import { checkToolsets } from './toolsets.ts'

const routeSchema = definition('Route')
const rules = routeSchema as unknown as {
  readonly 'x-conflicts': readonly Conflict[]
  readonly 'x-requires': readonly Requirement[]
  readonly 'x-ignored': readonly IgnoredKeys[]
}

/** Two keys that exclude each other. */
type Conflict = { readonly code: Code; readonly keys: readonly string[] }
/** Where the key `when` is used, `key` must name a target that is not in `but`. */
type Requirement = { readonly code: Code; readonly when: string; readonly key: string; readonly but: readonly string[] }
/** Where the key `when` is used, and `unless` is not, `keys` have no effect. */
type IgnoredKeys = { readonly when: string; readonly unless?: string; readonly keys: readonly string[] }

const isUsed = (spec: JsonObject, key: string): boolean => isSwitchedOn(own(spec, key))

/** What the rules need to know of the configuration around a route. */
export type RuleContext = {
  readonly host: string
  readonly multiplex: boolean
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'dir'>>
  readonly targets: Targets
  readonly schemes: readonly Scheme[]
  readonly toolsets: ReadonlySet<string>
  readonly agents: ReadonlyMap<string, AgentPricing>
}

type Targets = ReadonlyMap<string, Pick<TargetPart, 'requires'>>

const ignoredIn = (spec: JsonObject): readonly IgnoredKeys[] =>
  rules['x-ignored'].filter(({ when, unless }) => isUsed(spec, when) && (unless === undefined || !isUsed(spec, unless)))

/** Returns a Diagnostic for every rule that a route breaks (rules: Start-up 2, 3). */
export const checkRules = (route: RouteSource, context: RuleContext): Diagnostic[] => {
  const spec = route.spec as JsonObject
  const diagnostics: Diagnostic[] = []
  const report = (code: Code, path: Path, message: string, help: string, of: 'key' | 'value' = 'key'): void => {
    const full = [...route.base, ...path]
    diagnostics.push(
      diagnostic(code, message, { route: route.name, pointer: pointerOf(full), place: route.place(full, of), ...(help ? { help } : {}) }),
    )
  }

  for (const { code, keys } of rules['x-conflicts']) {
    const [first, second] = keys as [string, string]
    if (keys.every((key) => isUsed(spec, key)))
      report(code, [second], `"${first}" and "${second}" cannot be used together`, `remove one of the two`)
  }
  for (const { code, when, key, but } of rules['x-requires']) {
    const value = own(spec, key)
    if (!isUsed(spec, when) || (value !== undefined && writtenTargets(route.spec).some(({ target }) => !but.includes(target)))) continue
    const fact = value === undefined ? `"${key}" is absent` : `"${key}" is ${JSON.stringify(value)}`
    report(code, [when], `"${when}" needs a real target, but ${fact}`, `name the target in "${key}", for example github_comment or http`)
  }
  for (const { when, keys } of ignoredIn(spec)) {
    // An entry that `webhook subscribe` makes always names a target, so the default target does not count as written.
    const asks = (key: string): boolean => isUsed(spec, key) && !(key === 'deliver' && spec.deliver === defaults.route.deliver)
    for (const key of keys.filter(asks)) report('WH210', [key], `"${key}" has no effect beside "${when}"`, 'remove it')
  }
  const idle = idleKeys(routeSchema, spec, { top: runnersIn(context.agents), env: {} })
  // Most keys that have no effect are left to the review. Only a key that is to protect something, and would protect nothing, stops the
  // start (an error code).
  for (const { code, path, message, help } of idle) if (isErrorCode(code)) report(code, path, message, help)
  checkOfAgent(route, context, report)
  checkDeliveryTarget(route.spec, context.targets, report)
  checkVerify(route.spec, context.schemes, report)
  checkSecrets(route, context, report)
  checkProfile(route, context, report)
  return diagnostics
}

/** Checks the keys for the agent: skills, toolsets and prices. A key that the route's other keys make idle is not checked. */
const checkOfAgent = ({ spec, profile: name }: RouteSource, { profiles, toolsets, agents }: RuleContext, report: ReportOf): void => {
  const ignored = ignoredIn(spec as JsonObject).flatMap(({ keys }) => keys)
  const profile = profiles.get(name)
  if (profile && !ignored.includes('skills')) checkSkills(spec.skills ?? [], profile.dir, report)
  if (!ignored.includes('toolsets')) checkToolsets(spec.toolsets ?? [], ['toolsets'], toolsets, report)
  if (spec.agent === undefined || ignored.includes('agent')) return
  checkAgentNames(spec.agent, agents, report)
  for (const name of agentNames(spec.agent)) {
    const agent = agents.get(name)
    if (agent) checkPrice(agentOverrides(spec.agent), name, agent, (code, path, ...more) => report(code, ['agent', ...path], ...more))
  }
}

/** Returns the runners of agents, in the shape of `config.yaml`. */
const runnersIn = (agents: RuleContext['agents']): JsonObject => {
  const runnerOf = (name: string): JsonObject => ({ runner: agents.get(name)?.runner ?? defaults.agent.runner })
  const named = [...agents.keys()].filter((name) => name !== defaultAgent)
  return { agent: runnerOf(defaultAgent), agents: Object.fromEntries(named.map((name) => [name, runnerOf(name)])) }
}

/** Reports agents that a route or job names and the configuration does not have. */
export const checkAgentNames = (written: Route['agent'], agents: RuleContext['agents'], report: ReportOf): void => {
  for (const [row, { use }] of agentRows(written).entries()) {
    if (agents.has(use)) continue
    const path = Array.isArray(written)
      ? typeof written[row] === 'string'
        ? [row]
        : [row, 'use']
      : typeof written === 'string'
        ? []
        : ['use']
    const near = nearest(use, [...agents.keys()])
    const help = near.length > 0 ? `did you mean ${near[0]}?` : `describe it under agents; there are: ${[...agents.keys()].join(', ')}`
    report('WH250', ['agent', ...path], `there is no agent "${use}"`, help, 'value')
  }
}

/** Reports targets of a route, a job or a rule of alerts that do not exist, or lack a key of `deliver_extra` that they need. */
export const checkDeliveryTarget = (spec: Pick<Route, 'deliver' | 'deliver_extra'>, targets: Targets, report: ReportOf): void => {
  for (const { target, extra, path, extraPath } of writtenTargets(spec)) {
    if (pluginNamePattern.test(target)) {
      if (!targets.has(target))
        report('WH711', path, `no plugin brings the target "${target}"`, unknownPluginHelp(target, targets.keys()), 'value')
    } else if (!targets.has(target)) {
      report('WH220', path, `the target "${target}" is not built in this version`, `built: ${[...targets.keys()].join(', ')}`, 'value')
    }
    for (const key of targets.get(target)?.requires ?? []) {
      const value: Json | undefined = own(extra, key)
      if (value !== undefined && value !== null && value !== '') continue
      const at = extraPath.length > 1 || spec.deliver_extra !== undefined ? extraPath : path
      report('WH705', at, `the target "${target}" needs deliver_extra.${key}`, `add deliver_extra: { ${key}: … }`)
    }
  }
}

/**
 * Checks a scheme that `verify` describes, or that the schemes which `verify` names exist. The schema checks the names of built-in schemes.
 */
const checkVerify = (route: Route, schemes: readonly Scheme[], report: ReportOf): void => {
  if (isDescribed(route)) {
    for (const { code, path, message, help } of problemsIn(route.verify)) report(code, ['verify', ...path], message, help)
    return
  }
  for (const [i, wanted] of verifyNames(route).entries()) {
    if (!pluginNamePattern.test(wanted) || schemes.some(({ name }) => name === wanted)) continue
    const path = Array.isArray(route.verify) ? ['verify', i] : ['verify']
    const known = schemes.map(({ name }) => name)
    report('WH711', path, `neither signature_schemes nor a plugin has the scheme "${wanted}"`, unknownPluginHelp(wanted, known), 'value')
  }
}

type DescribedRoute = Route & { readonly verify: SignatureScheme }
const isDescribed = (route: Route): route is DescribedRoute => typeof route.verify === 'object' && !Array.isArray(route.verify)

const checkSecrets = (route: RouteSource, context: RuleContext, report: ReportOf): void => {
  const wanted = context.schemes.filter(({ name }) => verifyNames(route.spec).includes(name))
  const isKeyless = wanted.length > 0 && wanted.every(({ keys }) => keys === 'none')
  const isPublic = route.spec.public_key !== undefined || (wanted.length > 0 && wanted.every(({ keys }) => keys === 'public'))
  const at = isPublic ? 'public_key' : route.spec.secrets ? 'secrets' : 'secret'
  // A route that polls may have no secret: its address refuses every post then. So may one without an address.
  if (route.secrets.length === 0 && !isKeyless && !route.spec.poll && route.spec.address !== false) {
    const lacks = isPublic ? 'it has no public_key' : 'it has no secret, and there is no global one'
    const own = route.spec[at] === undefined ? lacks : `its ${at} is empty`
    const help = isPublic ? 'set "public_key" on the route' : 'set "secret" on the route, or the global one (WEBHOOK_SECRET)'
    report('WH201', [at], `route "${route.name}" cannot verify anybody: ${own}`, help)
  }
  if (!route.secrets.includes(insecure)) return
  if (!isLoopback(context.host)) {
    report(
      'WH205',
      [at],
      `${insecure} is accepted on loopback only, but the host is "${context.host}"`,
      'set a real secret, or bind to 127.0.0.1',
    )
  } else {
    report('WH304', [at], `route "${route.name}" accepts requests from anybody on this machine`, 'use this for tests only')
  }
  if (route.secrets.length > 1) report('WH207', [at], `${insecure} cannot stand beside other secrets`, 'remove it')
}

const checkProfile = (route: RouteSource, context: RuleContext, report: ReportOf): void => {
  if (route.spec.profile === undefined || context.profiles.has(route.profile)) return
  if (context.multiplex) {
    report(
      'WH214',
      ['profile'],
      `profile "${route.profile}" is not served`,
      `create profiles/${route.profile}/config.yaml (it may be empty)`,
      'value',
    )
  } else {
    report(
      'WH213',
      ['profile'],
      `route "${route.name}" cannot be reached: profiles are off`,
      'set gateway.multiplex_profiles: true',
      'value',
    )
  }
}
