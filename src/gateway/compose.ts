/**
 * Prepares the gateway of a configuration, without starting it: compiles the configuration with the catalogue (the built-in parts and those
 * of its plugins), and makes what starts and reloads the gateway.
 */

import type { Config } from '../config/config.ts'
import { type Read, readingOf } from '../config/thread/load-in-thread.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { createFacts } from '../core/facts/facts.ts'
import type { Log } from '../core/log.ts'
import { createEventTraces } from '../core/telemetry/trace-context.ts'
import type { KeptSecrets } from '../datadir/secrets/kept-secrets.ts'
import type { Effects } from '../parts/effects.ts'
import { builtinCatalogue, catalogueOf } from '../plan/catalogue.ts'
import type { Catalogue } from '../plan/compile.ts'
import { LoadedPlugins } from '../plan/plugins/load-plugins.ts'
import { createSharedEffects } from '../serve/effects.ts'
import { compileLiveConfig, type LiveConfig } from '../serve/live-config.ts'
import { createReloader } from '../serve/reload.ts'
import { type Gateway, openGateway } from './gateway.ts'
import type { GivenSocket, RequestsShown } from './gateway-options.ts'

/** A gateway that is compiled, and not started. Call either `start` or `close`. */
export type Prepared = {
  readonly diagnostics: readonly Diagnostic[]
  /** Opens the store, listens, on `socket` where it is given, and starts to work. Throws a Fault or a StoreFault. */
  start(socket?: GivenSocket): Promise<Gateway>
  close(): Promise<void>
}

export type GatewayDependencies = {
  readonly log: Log
  readonly clock?: Clock
  /** Removes known secrets from a text before it is stored. */
  readonly redact?: (text: string) => string
  /** Gets the secrets of each subscription, which `redact` should know from then on. */
  readonly learn?: (secrets: readonly string[]) => void
  /** Reads the configuration for a reload. Without this function, a reload finds the first configuration again. */
  readonly read?: Read
  /** The secrets of programs. Absent where no program is asked. */
  readonly secrets?: KeptSecrets
  /** The catalogue of parts. By default it has the built-in parts. */
  readonly parts?: Catalogue
  /** Fetches the keys of senders. By default they are fetched over the network. */
  readonly download?: Effects['download']
  /** An observer that shows each request as it ends, for a user who watches the gateway. */
  readonly requests?: RequestsShown
}

/** Compiles a configuration. Neither the store nor a port is opened before `start`; parts may open files of their own. */
export const prepareGateway = async (config: Config, dependencies: GatewayDependencies): Promise<Prepared> => {
  const {
    log,
    clock = systemClock,
    redact = (text) => text,
    parts = builtinCatalogue,
    read = (_known, _signal, use) => use(readingOf({ config, diagnostics: [] })),
  } = dependencies
  const { requests, download, learn, secrets } = dependencies
  const facts = createFacts()
  const plugins = new LoadedPlugins()
  const shared = createSharedEffects({
    clock,
    log,
    facts,
    traces: config.telemetry?.traces && createEventTraces(config.telemetry.traces.ratio),
    download,
    learn,
    tooOld: secrets?.tooOld,
    askSecrets: secrets?.askNew,
    limits: () => reloader.current().config,
    jobs: () => reloader.current().jobs,
  })
  const compile = async (next: Config, before?: LiveConfig): Promise<LiveConfig> => {
    const { catalogue: plugged, diagnostics } = await catalogueOf(next, parts, plugins)
    const live = await compileLiveConfig(next, plugged, shared, before)
    return { ...live, diagnostics: [...diagnostics, ...live.diagnostics] }
  }
  const first = await compile(config)
  const reloader = createReloader({ first, log, facts, clock, read, compile })
  return {
    diagnostics: first.diagnostics,
    start: (socket) => openGateway({ config, socket, log, clock, redact, shared, reloader, secrets, ...(requests ? { requests } : {}) }),
    close: () => shared.scopes.close(),
  }
}
