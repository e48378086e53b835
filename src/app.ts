/** The composition root: registries, the compiled configuration, and the gateway that runs on it. */

import { type Read, readingOf } from './config/apart.ts'
import type { Config } from './config/config.ts'
import { type Clock, systemClock } from './core/clock.ts'
import type { Diagnostic } from './core/diagnostic.ts'
import type { Log } from './core/log.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { endings } from './parts/endings/index.ts'
import { operatorsByName } from './parts/operators/index.ts'
import { runnersByName } from './parts/runners/index.ts'
import { schemes } from './parts/schemes/index.ts'
import { platformOf } from './parts/settings.ts'
import { stages } from './parts/stages/index.ts'
import { targetsByName } from './parts/targets/index.ts'
import type { Catalogue } from './plan/compile.ts'
import { loadPlugins } from './plan/plugins.ts'
import { unreadSettings } from './plan/settings.ts'
import type { Store } from './store/ports.ts'
import { createMachine } from './work/effects.ts'
import { createReloader } from './work/reload.ts'
import { compileSnapshot, type Snapshot } from './work/snapshot.ts'
import type { Worker } from './work/worker.ts'

export const catalogue: Catalogue = { stages, endings, schemes, operators: operatorsByName, targets: targetsByName }

export type Prepared = {
  readonly diagnostics: readonly Diagnostic[]
  /** Opens the store, listens, and starts to work. Throws a Fault. */
  start(): Promise<Gateway>
}

export type Surroundings = {
  readonly log: Log
  readonly clock?: Clock
  /** Takes known secrets out of a text that is kept. */
  readonly redact?: (text: string) => string
  /** Absent: a reload finds what was there at the start. */
  readonly read?: Read
}

/** The parts that a configuration can use: those that are built in, and the targets of its plugins, which are loaded for it. */
export const catalogueOf = async (
  config: Config,
): Promise<{ readonly catalogue: Catalogue; readonly diagnostics: readonly Diagnostic[] }> => {
  const { targets, diagnostics } = await loadPlugins(config, catalogue.targets)
  // Of a platform that a plugin's target reads too, the plugin knows more.
  const plugged = new Set([...targets.values()].filter(({ name }) => !catalogue.targets.has(name)).map(platformOf))
  const builtin = [...catalogue.targets.values()].filter((part) => !plugged.has(platformOf(part)))
  const unread = [...config.profiles.values()].flatMap((profile) => unreadSettings(profile, builtin))
  return { catalogue: { ...catalogue, targets }, diagnostics: [...diagnostics, ...unread] }
}

/** Compiles everything that a configuration says; nothing is opened before `start`. */
export const prepareGateway = async (config: Config, surroundings: Surroundings): Promise<Prepared> => {
  const {
    log,
    clock = systemClock,
    redact = (text) => text,
    read = (_known, _signal, use) => use(readingOf({ config, diagnostics: [] })),
  } = surroundings
  let store: Store | undefined
  let worker: Worker | undefined
  const machine = createMachine({
    clock,
    log,
    limits: () => reloader.current().config,
    store: () => store,
    jobs: () => reloader.current().jobs,
    wake: () => worker?.wake(),
  })
  const compile = async (next: Config, before?: Snapshot): Promise<Snapshot> => {
    const { catalogue, diagnostics } = await catalogueOf(next)
    const snapshot = await compileSnapshot(next, { ...catalogue, runners: runnersByName }, machine, before)
    return { ...snapshot, diagnostics: [...diagnostics, ...snapshot.diagnostics] }
  }
  const first = await compile(config)
  const reloader = createReloader({ first, log, clock, read, compile })
  const opened = (running: { store: Store; worker: Worker }): void => {
    store = running.store
    worker = running.worker
  }
  return { diagnostics: first.diagnostics, start: () => openGateway({ config, log, clock, redact, machine, reloader, opened }) }
}
