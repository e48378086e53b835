/**
 * The base of all plans of a configuration: everything that plans are made from, besides their routes. Where a reload changes no input of
 * the base, the base is kept, and with it each plan of an unchanged route.
 */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type AgentPricing, pricingOf } from '../config/budget.ts'
import type { Config, RouteSource } from '../config/config.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { NewRun } from '../core/new-run.ts'
import type { HeldScope } from '../core/scope.ts'
import type { Jobs } from '../parts/effects.ts'
import { type Catalogue, type Compiled, compileRoute } from '../plan/compile.ts'
import { secretsOfRoute } from '../plan/known-secrets.ts'
import { type PlanSettings, planSettingsOf } from '../plan/plan-settings.ts'
import { challengeKeysOf, checkChallengeKeys } from '../plan/route-schemes.ts'
import { Subscriptions } from '../plan/subscriptions.ts'
import { createSender, type DeliverySettings, type Sender, whyUndeliverable } from '../runs/sender.ts'
import { LiveEffects, type SharedEffects } from './effects.ts'
import { lookupAccess } from './lookup-access.ts'

export type PlanBase = {
  /** A reload with equal inputs keeps this base. */
  readonly inputs: PlanInputs
  /**
   * The prices of models, for the check of routes with their own `agent`. A reload replaces the prices in the kept base, because the plan
   * of such a route is compiled anew at each reload.
   */
  readonly agents: { now: ReadonlyMap<string, AgentPricing> }
  readonly send: Sender
  /** Returns why the reply of a run could go to none of its targets. `written`: the delivery settings that its route or job has now. */
  readonly undeliverable: (run: NewRun, written: DeliverySettings) => string | undefined
  /** `routes`: those that `dispatch` of the route can name. */
  readonly compile: (route: RouteSource, jobs: Jobs, routes?: Config['routes']) => Compiled
  readonly subscriptions: Subscriptions
  /** Held by each configuration that is made from the base. The last release closes the plans of subscriptions. */
  readonly scope: HeldScope
}

/**
 * Everything in a configuration that plans depend on, except their routes and the prices of models. Jobs are not among it: a plan finds its
 * job when an event comes.
 */
type PlanInputs = {
  readonly settings: PlanSettings
  /**
   * The parts that plans are made of, without the schemes that the configuration describes: a reload makes such schemes anew, so
   * `ownSchemes` has their settings to compare.
   */
  readonly parts: readonly unknown[]
  readonly ownSchemes: Config['schemes']['named']
  /**
   * The secrets with which the configured routes answer handshakes. A subscription that verifies its requests with such a secret is not
   * served, because anybody could ask for a signature.
   */
  readonly challenges: readonly unknown[]
  /** The secrets of programs, to which subscriptions may refer. Their ages do not count. */
  readonly provided: readonly unknown[]
}

const planInputsOf = (config: Config, catalogue: Catalogue): PlanInputs => {
  const { targets, namedSchemes, operators } = catalogue
  const ownSchemes = config.schemes.named
  const others = [...namedSchemes].filter(([name]) => !Object.hasOwn(ownSchemes, name))
  return {
    settings: planSettingsOf(config),
    parts: [[...targets], others, [...operators]],
    ownSchemes,
    challenges: [...challengeKeysOf(config.routes.values(), catalogue)],
    provided: [...(config.secrets.provided ?? [])].map(([name, each]) => [name, 'value' in each ? [each.value, each.before] : []]),
  }
}

export type PlanBaseOptions = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly shared: SharedEffects
  readonly jobs: Jobs
  /** Gets the diagnostics of subscriptions that are not served, and of a subscriptions file that cannot be used. */
  readonly report: (found: readonly Diagnostic[]) => void
}

/**
 * Returns the base of the previous configuration where its inputs are equal, with the prices and budgets of the new configuration, or else
 * a new base. The caller releases the scope of the returned base.
 */
export const planBaseFor = (options: PlanBaseOptions, before: PlanBase | undefined): PlanBase => {
  const inputs = planInputsOf(options.config, options.catalogue)
  if (!before || !isDeepStrictEqual(before.inputs, inputs)) return createPlanBase(options, inputs)
  before.scope.hold()
  before.agents.now = pricingOf(options.config.agents)
  return before
}

/**
 * Creates a base. A base may outlive its configuration. So no function that is made here refers to `config`, which would keep the routes of
 * the configuration in memory.
 */
const createPlanBase = ({ config, catalogue, shared, jobs, report }: PlanBaseOptions, inputs: PlanInputs): PlanBase => {
  const { facts, keep, clock, ownComments, breakers } = shared
  const { dataDir, profiles, globalSecret, globalReference } = config
  const { settings } = inputs
  const agents = { now: pricingOf(config.agents) }
  const world = { targets: catalogue.targets, profile: (name: string) => profiles.get(name) }
  const send = createSender({
    ...world,
    facts,
    keep,
    clock,
    ownComments,
    breakers,
  })
  const lookup: LiveEffects['lookup'] = (question) =>
    shared.lookups.ask(question, lookupAccess(question.part, profiles.get(question.profile)))
  const compile: PlanBase['compile'] = (route, asked, routes) =>
    compileRoute(
      route,
      { ...settings, agents: agents.now, ...(routes ? { routes } : {}) },
      catalogue,
      new LiveEffects(shared, asked, { send: sendingFor(route, send), lookup }),
    )
  const subscriptions = new Subscriptions({
    file: join(dataDir, subscriptionsFileName),
    config: {
      profiles,
      ...(globalSecret === undefined ? {} : { globalSecret }),
      ...(globalReference === undefined ? {} : { globalReference }),
    },
    compile: compilingWith(compile, jobs, (route) => shared.learn(secretsOfRoute(route, profiles.get(route.profile)?.env ?? {}))),
    check: checkingKeys(catalogue, challengeKeysOf(config.routes.values(), catalogue)),
    report,
  })
  const scope = shared.scopes.create({})
  scope.adopt({ run: subscriptions, close: () => subscriptions.close() })
  return { inputs, agents, send, undeliverable: (run, written) => whyUndeliverable(world, run, written), compile, subscriptions, scope }
}

/** Sends with the secrets of the plan's own route, even when the route has been replaced since. */
const sendingFor =
  ({ spec }: RouteSource, send: Sender): LiveEffects['send'] =>
  (outgoing) =>
    send(outgoing, spec)

const checkingKeys =
  (catalogue: Catalogue, keys: ReturnType<typeof challengeKeysOf>) =>
  (route: RouteSource): readonly Diagnostic[] =>
    checkChallengeKeys(route, catalogue, keys)

/** Returns the function that compiles a subscription. A message of the compiling may quote a secret, so its secrets are made known first. */
const compilingWith =
  (compile: PlanBase['compile'], jobs: Jobs, learn: (route: RouteSource) => void) =>
  (route: RouteSource): Compiled => {
    learn(route)
    return compile(route, jobs)
  }
