/** One configuration, compiled: replaced whole by a reload, so that a request or a run sees one from end to end. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Route } from '../generated/config.ts'
import type { Outgoing, Runner, RunnerPart, Sent } from '../parts/part.ts'
import { type Catalogue, compileRoute } from '../plan/compile.ts'
import { JobBook } from '../plan/jobs.ts'
import { compileRunner } from '../plan/runner.ts'
import { Subscriptions } from '../plan/subscriptions.ts'
import { servedAs, servedBy, type Table } from '../plan/table.ts'
import type { NewRun } from '../store/ports.ts'
import { liveEffects, type Machine } from './effects.ts'
import { jobPolicyOf, policyOf, type RunPolicy } from './policy.ts'
import { createSender } from './send.ts'

/** The registries, handed down from the composition root. */
export type Parts = Catalogue & { readonly runners: ReadonlyMap<string, RunnerPart> }

export type Snapshot = {
  readonly config: Config
  /** The parts it was compiled with, targets of plugins among them. */
  readonly catalogue: Catalogue
  readonly maxBodyBytes: number
  readonly trustProxy: Config['trustProxy']
  readonly diagnostics: readonly Diagnostic[]
  readonly table: Table
  readonly jobs: JobBook
  readonly runner: Runner
  /** Said once when the gateway starts. */
  readonly notice: string | undefined
  /** Whether the files of run-time routes and jobs could be read: else some are not known. */
  readonly complete: () => boolean
  /** Routes that are served as things are now, subscriptions among them. */
  readonly routes: () => number
  policy(run: NewRun): RunPolicy
  send(outgoing: Outgoing): Promise<Sent>
}

/** Compiles everything that a configuration says; what is wrong with it is in `diagnostics`. */
export const compileSnapshot = (config: Config, parts: Parts, machine: Machine): Snapshot => {
  const { log, clock } = machine
  const tell =
    (what: string) =>
    (found: readonly Diagnostic[]): void => {
      for (const { code, message, route, severity } of found)
        log(severity === 'info' ? 'info' : 'warn', { route, code }, `${what}: ${message}`)
    }
  const jobs = new JobBook({ config, targets: parts.targets, report: tell('job') })
  const specOf = (route: string): Route | undefined => servedAs(table, route)?.source.spec
  const send = createSender({
    targets: parts.targets,
    profile: (name) => config.profiles.get(name),
    written: ({ profile, route, job }) => (job === undefined ? specOf(route) : jobs.get(profile, job)?.spec),
    log: (outgoing) => log('info', { ...aboutOf(outgoing), text: outgoing.text }, 'delivered'),
    warn: (outgoing, reason) =>
      log('warn', { ...aboutOf(outgoing), target: outgoing.delivery.target, reason }, 'delivery goes out only once'),
    clock,
  })
  const effects = liveEffects(machine, jobs, send)
  const compiled = [...config.routes.values()].map((route) => ({ route, ...compileRoute(route, config, parts, effects) }))
  const configured = new Map(compiled.flatMap(({ route, plan }) => (plan ? [[route.name, servedBy(route, plan)] as const] : [])))
  const subscriptions = new Subscriptions({
    file: join(config.dataDir, subscriptionsFileName),
    config,
    compile: (route) => compileRoute(route, config, parts, effects),
    report: tell('subscription'),
  })
  const table: Table = { configured, subscribed: subscriptions, multiplex: config.multiplex, profiles: config.profiles }
  const { runner, notice, diagnostics: agentProblems } = compileRunner(config, parts.runners)
  return {
    config,
    catalogue: parts,
    maxBodyBytes: config.maxBodyBytes,
    trustProxy: config.trustProxy,
    diagnostics: [...jobs.diagnostics, ...compiled.flatMap(({ diagnostics }) => diagnostics), ...agentProblems],
    table,
    jobs,
    runner,
    notice,
    complete: () => {
      subscriptions.refresh()
      jobs.refresh()
      return subscriptions.ready && jobs.complete
    },
    routes: () => {
      subscriptions.refresh()
      return configured.size + subscriptions.size
    },
    send,
    policy: ({ job, profile, route }) =>
      job === undefined
        ? policyOf(config.agent.timeoutMs, specOf(route))
        : jobPolicyOf(
            config.agent.timeoutMs,
            jobs.find(profile, job).find(({ id }) => id === job),
          ),
  }
}

/** What the log says of every text that goes out. */
const aboutOf = ({ route, profile, job, deliveryId }: Outgoing) => ({ route: route || undefined, profile, job, delivery_id: deliveryId })
