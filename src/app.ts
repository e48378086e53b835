/** The composition root: the only place where parts, plans, store, work and HTTP meet. */

import { join } from 'node:path'
import type { Config } from './config/config.ts'
import { subscriptionsFileName } from './config/subscriptions.ts'
import { type Clock, systemClock } from './core/clock.ts'
import type { Diagnostic } from './core/diagnostic.ts'
import type { JsonObject } from './core/json.ts'
import type { Log } from './core/log.ts'
import type { Watch } from './engine/run.ts'
import { endings } from './parts/endings/index.ts'
import { operatorsByName } from './parts/operators/index.ts'
import type { Outgoing } from './parts/part.ts'
import { runnersByName } from './parts/runners/index.ts'
import { schemes } from './parts/schemes/index.ts'
import { stages } from './parts/stages/index.ts'
import { targetsByName } from './parts/targets/index.ts'
import { type Catalogue, compileRoute } from './plan/compile.ts'
import { compileRunner } from './plan/runner.ts'
import { Subscriptions } from './plan/subscriptions.ts'
import { type Served, servedBy, type Table } from './plan/table.ts'
import type { Store } from './store/ports.ts'
import { liveEffects } from './work/effects.ts'
import { policyOf } from './work/policy.ts'
import { createSender } from './work/send.ts'
import { Worker } from './work/worker.ts'

export const catalogue: Catalogue = { stages, endings, schemes, operators: operatorsByName, targets: targetsByName }

export interface Gateway {
  readonly url: string
  readonly routes: number
  /** Answers what is in flight, lets runs finish within `ms`, closes. What is left resumes at the next start. */
  stop(ms: number): Promise<void>
}

export type Prepared = {
  readonly diagnostics: readonly Diagnostic[]
  /** Opens the store, listens, and starts to work. Throws a Fault. */
  start(): Promise<Gateway>
}

/** Compiles everything that a configuration says; nothing is opened before `start`. */
export const prepareGateway = (config: Config, log: Log, clock: Clock = systemClock): Prepared => {
  const diagnostics: Diagnostic[] = []
  let store: Store | undefined
  let worker: Worker | undefined
  const send = createSender({
    targets: targetsByName,
    profile: (name) => config.profiles.get(name),
    written: (route) => served(route)?.spec.deliver_extra as JsonObject | undefined,
    log: ({ route, profile, deliveryId, text }: Outgoing) => log('info', { route, profile, delivery_id: deliveryId, text }, 'delivered'),
    clock,
  })
  const effects = liveEffects({ config, clock, log, send, store: () => store, wake: () => worker?.wake() })

  const configured = new Map<string, Served>()
  for (const route of config.routes.values()) {
    const compiled = compileRoute(route, config, catalogue, effects)
    diagnostics.push(...compiled.diagnostics)
    if (compiled.plan) configured.set(route.name, servedBy(route, compiled.plan))
  }
  const subscriptions = new Subscriptions({
    file: join(config.dataDir, subscriptionsFileName),
    config,
    compile: (route) => compileRoute(route, config, catalogue, effects),
    report: (found) => {
      for (const { code, message, route, severity } of found)
        log(severity === 'info' ? 'info' : 'warn', { route, code }, `subscription: ${message}`)
    },
  })
  const served = (route: string): Served | undefined => configured.get(route) ?? subscriptions.get(route)
  const table: Table = { configured, subscribed: subscriptions, multiplex: config.multiplex, profiles: config.profiles }
  const { runner, notice, diagnostics: agentProblems } = compileRunner(config, runnersByName)
  diagnostics.push(...agentProblems)

  const start = async (): Promise<Gateway> => {
    const [opened, http] = await Promise.all([openStore(config, clock), import('./http/server.ts')])
    store = opened
    subscriptions.refresh()
    worker = new Worker({
      store,
      clock,
      runner,
      send,
      log,
      policy: (route) => policyOf(config.agent.timeoutMs, served(route)?.spec),
      repeatable: (target) => targetsByName.get(target)?.repeatable ?? false,
      maxConcurrent: config.maxConcurrentRuns,
    })
    let stopping = false
    const { createReporter } = await import('./http/report.ts')
    const listener = await http
      .listen({
        host: config.host,
        port: config.port,
        clock,
        table: () => table,
        maxBodyBytes: config.maxBodyBytes,
        trustProxy: config.trustProxy,
        stopping: () => stopping,
        ended: createReporter(log, clock),
        ...(log.writes('debug') ? { watch: stageLog(log) } : {}),
      })
      .catch(async (error) => {
        await opened.close()
        throw error
      })
    if (notice) log('info', { runner: config.agent.runner }, notice)
    worker.wake()
    const running = worker
    return {
      url: listener.url,
      routes: configured.size + subscriptions.size,
      async stop(ms) {
        stopping = true
        // Side by side: a slow sender must not use up the time of the runs, nor let further ones begin.
        await Promise.all([settled(listener.active, clock, ms), running.stop(ms)])
        await listener.close()
        await opened.close()
      },
    }
  }
  return { diagnostics, start }
}

/** One line for each stage of each request: what `--log-level debug` asks for. */
const stageLog =
  (log: Log) =>
  (route: string): Watch =>
  (stage, ended) =>
    log('debug', { route, stage, outcome: ended?.kind ?? 'pass' }, 'stage')

/** Waits until nothing is in flight, for at most `ms`. */
const settled = async (active: () => number, clock: Clock, ms: number): Promise<void> => {
  const deadline = clock.monotonic() + ms
  while (active() > 0 && clock.monotonic() < deadline) await new Promise<void>((resolve) => clock.after(20, resolve))
}

const openStore = async (config: Config, clock: Clock): Promise<Store> => {
  if (config.storage.kind === 'memory') return (await import('./store/memory/memory-store.ts')).openMemory({ clock })
  const { openSqlite } = await import('./store/sqlite/sqlite-store.ts')
  return openSqlite({ folder: join(config.dataDir, 'state'), durability: config.storage.durability, clock })
}
