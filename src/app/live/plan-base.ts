/** What all plans of a configuration are made from: where a reload changes none of it, each plan is kept whose route says the same. */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Priced, pricedOf } from '../../config/budget.ts'
import type { Config, RouteSource } from '../../config/config.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Held } from '../../core/owner.ts'
import type { Jobs } from '../../parts/effects.ts'
import { type Catalogue, type Compiled, challengeKeysOf, checkChallengeKeys, compileRoute } from '../../plan/compile.ts'
import { type PlanSettings, planSettingsOf } from '../../plan/plan-settings.ts'
import { Subscriptions } from '../../plan/subscriptions.ts'
import { createSender, type Sender } from '../../runs/sender.ts'
import { LiveEffects, type SharedEffects } from './effects.ts'

export type PlanBase = {
  /** A reload with equal inputs keeps this base. */
  readonly inputs: PlanInputs
  /** What routes with an agent of their own are checked against: the present prices, which no plan keeps. */
  readonly agent: { now: Priced }
  readonly send: Sender
  readonly compile: (route: RouteSource, jobs: Jobs) => Compiled
  readonly subscriptions: Subscriptions
  /** Held by each configuration that is made from it; the last release closes the plans of subscriptions. */
  readonly owner: Held
}

/** Everything of a configuration that plans depend on beside their routes. Jobs are looked up as they are when an event comes. */
type PlanInputs = {
  readonly settings: PlanSettings
  /** The parts that plans are made of. Schemes of the configuration are made anew with each; what they are made of tells whether they are the same. */
  readonly parts: readonly unknown[]
  readonly ownSchemes: Config['schemes']['named']
  /** Keys that answer senders' questions: a subscription with one of them is not served. */
  readonly challenges: readonly unknown[]
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
  }
}

export type PlanBaseOptions = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly shared: SharedEffects
  readonly jobs: Jobs
  /** Told of subscriptions that are not served, and of a file that is not usable. */
  readonly report: (found: readonly Diagnostic[]) => void
}

/** The base of the configuration before, where its inputs are the same, or a new one. The caller releases it. */
export const planBaseFor = (options: PlanBaseOptions, before: PlanBase | undefined): PlanBase => {
  const inputs = planInputsOf(options.config, options.catalogue)
  if (!before || !isDeepStrictEqual(before.inputs, inputs)) return createPlanBase(options, inputs)
  before.owner.hold()
  before.agent.now = pricedOf(options.config.agent)
  return before
}

/** It outlives its configuration: nothing here may hold on to the routes. */
const createPlanBase = ({ config, catalogue, shared, jobs, report }: PlanBaseOptions, inputs: PlanInputs): PlanBase => {
  const { facts, keep, clock, ownComments } = shared
  const { dataDir, profiles, globalSecret } = config
  const { settings } = inputs
  const agent = { now: pricedOf(config.agent) }
  const send = createSender({
    targets: catalogue.targets,
    profile: (name) => profiles.get(name),
    facts,
    keep,
    clock,
    ownComments,
  })
  const compile: PlanBase['compile'] = (route, asked) =>
    compileRoute(route, { ...settings, agent: agent.now }, catalogue, new LiveEffects(shared, asked, sendingFor(route, send)))
  const subscriptions = new Subscriptions({
    file: join(dataDir, subscriptionsFileName),
    config: { profiles, ...(globalSecret === undefined ? {} : { globalSecret }) },
    compile: compilingWith(compile, jobs),
    check: checkingKeys(catalogue, challengeKeysOf(config.routes.values(), catalogue)),
    report,
  })
  const owner = shared.owners.create({})
  owner.adopt({ run: subscriptions, close: () => subscriptions.close() })
  return { inputs, agent, send, compile, subscriptions, owner }
}

/** A plan sends with the secrets of its own route, also when that has been replaced since. */
const sendingFor =
  ({ spec }: RouteSource, send: Sender): LiveEffects['send'] =>
  (outgoing) =>
    send(outgoing, spec)

const checkingKeys =
  (catalogue: Catalogue, keys: ReturnType<typeof challengeKeysOf>) =>
  (route: RouteSource): readonly Diagnostic[] =>
    checkChallengeKeys(route, catalogue, keys)

const compilingWith =
  (compile: PlanBase['compile'], jobs: Jobs) =>
  (route: RouteSource): Compiled =>
    compile(route, jobs)
