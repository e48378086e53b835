/** What all plans of a configuration stand on: where a reload changes none of it, each plan is kept whose route says the same. */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config, RouteSource } from '../../config/config.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Held } from '../../core/owner.ts'
import type { Jobs } from '../../parts/effects.ts'
import { type Catalogue, type Compiled, compileRoute } from '../../plan/compile.ts'
import { Subscriptions } from '../../plan/subscriptions.ts'
import { createSender, type Sender } from '../../runs/sender.ts'
import { LiveEffects, type SharedEffects } from './effects.ts'

export type Foundation = {
  /** Two foundations of equal terms are the same one. */
  readonly terms: unknown
  readonly send: Sender
  readonly compile: (route: RouteSource, jobs: Jobs) => Compiled
  readonly subscriptions: Subscriptions
  /** Held by each configuration that stands on it; the last one lets the plans of subscriptions go. */
  readonly owner: Held
}

/** Everything of a configuration that plans depend on beside their routes. Jobs are looked up as they are when an event comes. */
const termsOf = (config: Config, { targets, pluginSchemes, operators }: Catalogue): unknown => {
  const { dataDir, host, multiplex, globalSecret, maxBodyBytes, scriptTimeoutMs } = config
  const profiles = [...config.profiles.values()].map(({ name, dir, env, platforms }) => ({ name, dir, env, platforms }))
  const toolsets = Object.keys(config.tools.servers)
  const parts = [targets, pluginSchemes, operators].map((named) => [...named])
  return { dataDir, host, multiplex, globalSecret, maxBodyBytes, scriptTimeoutMs, profiles, toolsets, parts }
}

export type FoundationOptions = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly shared: SharedEffects
  readonly jobs: Jobs
  /** Told of subscriptions that are not served, and of a file that is not usable. */
  readonly report: (found: readonly Diagnostic[]) => void
}

/** The foundation before, where it bears this configuration too; to be released by the caller. */
export const foundationFor = (options: FoundationOptions, before: Foundation | undefined): Foundation => {
  const terms = termsOf(options.config, options.catalogue)
  if (!before || !isDeepStrictEqual(before.terms, terms)) return layFoundation(options, terms)
  before.owner.hold()
  return before
}

/** It outlives its configuration: nothing here may hold on to the routes. */
const layFoundation = ({ config, catalogue, shared, jobs, report }: FoundationOptions, terms: unknown): Foundation => {
  const { facts, keep, clock } = shared
  const { dataDir, host, multiplex, profiles, maxBodyBytes, scriptTimeoutMs, globalSecret, tools } = config
  const settings = { dataDir, host, multiplex, profiles, maxBodyBytes, scriptTimeoutMs, tools }
  const send = createSender({
    targets: catalogue.targets,
    profile: (name) => profiles.get(name),
    facts,
    keep,
    clock,
  })
  const compile: Foundation['compile'] = (route, asked) =>
    compileRoute(route, settings, catalogue, new LiveEffects(shared, asked, sendingFor(route, send)))
  const subscriptions = new Subscriptions({
    file: join(dataDir, subscriptionsFileName),
    config: { profiles, ...(globalSecret === undefined ? {} : { globalSecret }) },
    compile: compilingWith(compile, jobs),
    report,
  })
  const owner = shared.owners.create({})
  owner.adopt({ run: subscriptions, close: () => subscriptions.close() })
  return { terms, send, compile, subscriptions, owner }
}

/** A plan sends with the secrets of its own route, also when that has been replaced since. */
const sendingFor =
  ({ spec }: RouteSource, send: Sender): LiveEffects['send'] =>
  (outgoing) =>
    send(outgoing, spec)

const compilingWith =
  (compile: Foundation['compile'], jobs: Jobs) =>
  (route: RouteSource): Compiled =>
    compile(route, jobs)
