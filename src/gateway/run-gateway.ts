/** Runs a gateway in the foreground, from the reading of its files to its stop. It prints nothing: its caller tells the user. */

import type { Config } from '../config/config.ts'
import type { FileDigests } from '../config/file-digests.ts'
import { type Loaded, type LoadOptions, loadConfig } from '../config/load.ts'
import { type ConfigReading, loadInThread, type Read } from '../config/thread/load-in-thread.ts'
import { systemClock } from '../core/clock.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { adapterDisabled } from '../datadir/refusal.ts'
import { KeptSecrets } from '../datadir/secrets/kept-secrets.ts'
import { setV8Flags } from '../node-internals/v8-flags.ts'
import { requireDataFolder } from '../operate/gateway/data-folder.ts'
import { closeSecretFiles } from '../operate/gateway/secret-files.ts'
import { knownSecrets } from '../plan/known-secrets.ts'
import type { Redactor } from '../secrets/redact.ts'
import { type Prepared, prepareGateway } from './compose.ts'
import type { Gateway } from './gateway.ts'
import type { GivenSocket, RequestsShown } from './gateway-options.ts'
import { notifySystemd } from './notify-systemd.ts'

type StopReason = { readonly signal: string } | { readonly reason: string }

export interface ConfigWatch {
  /** Watches the files of this reading of the configuration. A reading that was refused counts, too: the mistake may be in its files. */
  follow(digests: FileDigests): void
  close(): Promise<void>
}

export type GatewayRun = {
  /** Where the configuration is read from. A reload sends these options to a thread, so they have no functions. */
  readonly from: LoadOptions
  readonly log: Log
  /** Removes secrets from texts. It is given the secrets of each configuration that is read. */
  readonly redactor: Redactor
  readonly requests?: RequestsShown | undefined
  /** Calls `changed` after each change of a file, until the watch is closed. Without `watch` no file is watched. */
  readonly watch?: ((changed: () => void) => Promise<ConfigWatch>) | undefined
  /** Shows the user the findings of the check of the files. `isUsable`: no finding keeps the gateway from starting. */
  readonly report: (found: readonly Diagnostic[], texts: Loaded['texts'], isUsable: boolean) => Promise<void>
  /** Returns the socket to listen on, where another process opened it. Called when the configuration is known to be usable. */
  readonly socket?: (() => Promise<GivenSocket>) | undefined
  /** Begins to listen to the signals of the process, and resolves at the first signal to stop. */
  readonly untilSignal: (reload: () => void) => Promise<StopReason>
  /** Called once, when the gateway listens. */
  readonly listening: (gateway: Gateway) => void
  /** Whether the gateway stops after the first request that it did not refuse, as `Gateway.nextEvent` counts. */
  readonly once: boolean
}

/**
 * Runs the gateway until it stops. Resolves to `refused` where its configuration must not be served: nothing was started. Throws a Fault or
 * a StoreFault.
 */
export const runGateway = async (run: GatewayRun): Promise<'refused' | 'stopped'> => {
  const { log, watch, untilSignal, listening, once } = run
  requireDataFolder(run.from.dataDir)
  const { reload, started } = createReloading(log)
  // Watching begins before the files are read, so that no change is missed.
  const watching = await watch?.(reload)
  try {
    const usable = await prepareUsable(run, (digests) => watching?.follow(digests))
    if (!usable) return 'refused'
    const { config, prepared } = usable
    closeSecretFiles(config.dataDir, log)
    // A signal that comes during the start stops the gateway as soon as it has started.
    const signal = untilSignal(reload)
    const gateway = await startOn(run.socket, prepared)
    started(gateway)
    setV8Flags()
    listening(gateway)
    void notifySystemd(run.from.env, gateway.url, log)
    const why = await Promise.race([signal, untilAsked(gateway), ...(once ? [untilEvent(gateway)] : [])])
    log('info', { ...why, drain_seconds: config.drainMs / 1000 }, 'stopping')
    await watching?.close()
    await gateway.stop()
    return 'stopped'
  } finally {
    await watching?.close()
  }
}

/** Starts the gateway on the socket. Where there is no socket after all, closes what was prepared. */
const startOn = async (socket: GatewayRun['socket'], prepared: Prepared): Promise<Gateway> => {
  const given = await socket?.().catch(async (error) => {
    await prepared.close()
    throw error
  })
  return await prepared.start(given)
}

/** `reload` asks for a reload. `started` hands over the gateway, once it has started. */
type Reloading = {
  readonly reload: () => void
  readonly started: (gateway: Gateway) => void
}

/**
 * Makes the function that signals and changed files call for a reload. A reload that is asked for during the start is made after the start.
 */
const createReloading = (log: Log): Reloading => {
  let gateway: Gateway | undefined
  let isDue = false
  const reload = (): void => {
    isDue = gateway === undefined
    void gateway?.operations
      .reload()
      .catch((error) => log('error', { reason: messageOf(error) }, 'reload failed: the configuration before it stays in use'))
  }
  return {
    reload,
    started(running) {
      gateway = running
      if (isDue) reload()
    },
  }
}

/** Tells the watch which files the latest reading of the configuration read, so that it watches these for changes. */
type Follow = ConfigWatch['follow']
type Usable = { readonly config: Config; readonly prepared: Prepared }

/**
 * Prepares a gateway from the configuration in the files. Returns `undefined` for a configuration that must not be served. Throws a Fault
 * where the configuration does not enable the webhook adapter.
 */
const prepareUsable = async (run: GatewayRun, follow: Follow): Promise<Usable | undefined> => {
  const { config, prepared, isUsable } = await prepareReported(run, follow)
  if (isUsable && config.enabled) return { config, prepared }
  await prepared.close()
  if (isUsable) throw adapterDisabled()
  return undefined
}

/**
 * Loads and compiles the first configuration, and reports its problems. It is a function of its own, so that the texts of the files are no
 * longer held in memory while the gateway runs.
 */
const prepareReported = async (
  { from, log, redactor, requests, report }: GatewayRun,
  follow: Follow,
): Promise<Usable & { readonly isUsable: boolean }> => {
  // Secrets of earlier configurations stay redacted, because a run that began under such a configuration may still write them.
  const learn = (known: Config): void => {
    redactor.add(knownSecrets(known))
    follow(known.digests)
  }
  const secrets = new KeptSecrets({ clock: systemClock, log, learn: (values) => redactor.add(values) })
  const read = readingWith(from, secrets, learn)
  const { config, diagnostics, texts } = await loadWith(from, secrets)
  learn(config)
  const redact = (text: string): string => redactor.redact(text)
  const prepared = await prepareGateway(config, {
    log,
    redact,
    learn: (values) => redactor.add(values),
    read,
    secrets,
    ...(requests ? { requests } : {}),
  })
  const all = [...diagnostics, ...prepared.diagnostics]
  const isUsable = !all.some(({ stopsStart }) => stopsStart)
  await report(all, texts, isUsable)
  return { config, prepared, isUsable }
}

/** Loads the configuration with the secrets of the programs that it names. */
const loadWith = async (from: LoadOptions, secrets: KeptSecrets): Promise<Loaded> => {
  const loaded = loadConfig({ ...from, provided: secrets.provided() })
  if (loaded.config.secrets.asked.length === 0) return loaded
  await secrets.ask(loaded.config)
  return loadConfig({ ...from, provided: secrets.provided() })
}

/**
 * Makes the reading for reloads. Where a program gives another secret than the one that was known, or none, the files are read again, with
 * what is known then.
 */
const readingWith =
  (from: LoadOptions, secrets: KeptSecrets, learn: (config: Config) => void): Read =>
  async (known, signal, use) => {
    const read = <T>(then: (reading: ConfigReading) => Promise<T>): Promise<T> =>
      loadInThread({ ...from, provided: secrets.provided() }, known, signal, (reading) => {
        learn(reading.config)
        return then(reading)
      })
    const first = await read(async (reading) => {
      await secrets.ask(reading.config, signal)
      return secrets.isLoaded(reading.config) && !secrets.hasFailures() ? { used: await use(reading) } : undefined
    })
    return first ? first.used : read(use)
  }

/** Resolves when an operator has asked the gateway to stop. */
const untilAsked = ({ stopAsked }: Gateway): Promise<StopReason> => stopAsked.then(() => ({ reason: 'gateway stop' }))

/** Resolves after the first request that was not refused. */
const untilEvent = (gateway: Gateway): Promise<StopReason> => gateway.nextEvent().then(() => ({ reason: 'one event, as --once asked' }))
