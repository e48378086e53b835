/** `gateway run`: runs the gateway in the foreground, from reading its files to the signal that stops it. */

import { chmodSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { adapterDisabled } from '../../app/adapter-disabled.ts'
import { knownSecrets } from '../../app/known-secrets.ts'
import { commentKeyFile } from '../../app/live/comment-key.ts'
import { logDiagnostics } from '../../app/live/log-diagnostics.ts'
import type { Config } from '../../config/config.ts'
import { jobsFileName } from '../../config/jobs.ts'
import { type Loaded, type LoadOptions, loadConfig } from '../../config/load.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import { loadInThread, type Read } from '../../config/thread/load-in-thread.ts'
import { systemClock } from '../../core/clock.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { exit, messageOf } from '../../core/fault.ts'
import type { Level, Log } from '../../core/log.ts'
import { Redactor } from '../../core/secrets/redact.ts'
import { type GatewayDependencies, prepareGateway } from '../../gateway/compose.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { createLog, type LogOptions } from '../../gateway/log.ts'
import { setV8Flags } from '../../node-internals/v8-flags.ts'
import type { Io } from '../shell/io.ts'
import { printFault } from '../shell/output.ts'
import { faultOf, printDiagnostics } from '../shell/refuse.ts'
import { asLog, asText, createRequestLines } from './request-lines.ts'
import { watchConfiguration } from './watch.ts'

export type GatewayRunOptions = {
  readonly dataDir: string
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly logLevel?: Level | undefined
  readonly logFormat?: 'json' | 'pretty' | undefined
  readonly watch?: boolean | undefined
  readonly logRequests?: boolean | undefined
  /** Ends the gateway after the first event that it took in. */
  readonly once?: boolean | undefined
  /** Prints a refused start as one JSON document on stdout. */
  readonly json?: boolean | undefined
  /** Called once, when the gateway listens. */
  readonly ready?: (url: string) => void
}

/**
 * Runs the gateway until a signal, and returns the exit code. For a configuration that must not be served, it prints the problems and
 * returns 78.
 */
export const gatewayRun = async (options: GatewayRunOptions, io: Io): Promise<number> => {
  const redactor = new Redactor()
  const redact = (text: string): string => redactor.redact(text)
  const logOptions: LogOptions = {
    level: options.logLevel ?? 'info',
    format: options.logFormat ?? (io.isTty ? 'pretty' : 'json'),
    redact,
    write: io.stdout,
  }
  const log = createLog(logOptions)
  let gateway: Gateway | undefined
  let isChanged = false
  const reload = (): void => {
    isChanged = gateway === undefined
    void gateway?.operations
      .reload()
      .catch((error) => log('error', { reason: messageOf(error) }, 'reload failed: the configuration before it stays in use'))
  }
  // Watching begins before the files are read, so that no change is missed.
  const unwatch = options.watch ? await watchRun(options, reload, log) : undefined
  try {
    const { dataDir, host, port } = options
    // Only fields that can be sent to a thread: a reload sends them, and functions cannot be sent.
    const from: LoadOptions = { dataDir, host, port, configFile: options.config, env: io.env }
    // Secrets of earlier configurations stay redacted, because a run that began under such a configuration may still write them.
    const learn = (known: Config): void => redactor.add(knownSecrets(known))
    const read: Read = (known, signal, use) =>
      loadInThread(from, known, signal, (reading) => {
        learn(reading.config)
        return use(reading)
      })
    const say: Say = async (found, texts, isUsable) => {
      const refusal = options.json && !isUsable ? faultOf(found, exit.config) : undefined
      // A log in JSON has each finding as a line of JSON. A person reads a refused start, so it is text unless JSON was asked for.
      const isLogged = options.logFormat === 'json' || (isUsable && logOptions.format === 'json')
      if (refusal) printFault(refusal, io, true)
      else if (isLogged) await logDiagnostics(found, log)
      else printDiagnostics(found, texts, io)
    }
    const { prepared, config, isUsable } = await prepare(from, { log, redact, read, ...requestsShown(logOptions, options, io) }, learn, say)
    if (!isUsable || !config.enabled) await prepared.close()
    if (!isUsable) return exit.config
    if (!config.enabled) throw adapterDisabled()
    for (const name of ['.env', subscriptionsFileName, jobsFileName, commentKeyFile]) closeToOthers(join(config.dataDir, name), log)
    // A signal that comes during the start stops the gateway as soon as it has started.
    const signal = firstSignal()
    process.on('SIGHUP', reload)
    gateway = await prepared.start()
    if (isChanged) reload()
    setV8Flags()
    const { url, routes } = gateway
    const address = `headgate is listening on ${url} (${routes} ${routes === 1 ? 'route' : 'routes'})`
    // The address is printed at every log level. It is plain text unless `--log-format json` wants every line to be JSON.
    if (options.logFormat === 'json') createLog({ ...logOptions, level: 'info' })('info', { url, routes }, address)
    else io.stdout(`${address}\n`)
    options.ready?.(url)
    const why = await Promise.race([signal, asked(gateway), ...(options.once ? [oneEvent(gateway)] : [])])
    log('info', { ...why, drain_seconds: config.drainMs / 1000 }, 'stopping')
    await unwatch?.()
    await gateway.stop()
  } finally {
    await unwatch?.()
  }
  // A reader that takes no more of the log must not keep the process alive.
  setTimeout(() => process.exit(exit.ok), lastWordsMs).unref()
  return exit.ok
}

/**
 * Returns an observer that shows each request, on a terminal or where the option asks for it. Its lines replace the log's entries on
 * requests, unless a machine reads the log.
 */
const requestsShown = (
  logOptions: LogOptions,
  { logRequests, logLevel }: GatewayRunOptions,
  io: Io,
): Pick<GatewayDependencies, 'requests'> => {
  const isText = logOptions.format === 'pretty'
  if (!(logRequests ?? (io.isTty && isText))) return {}
  const shown = isText ? asText((text) => io.stdout(logOptions.redact(text))) : asLog(createLog({ ...logOptions, level: 'info' }))
  const observer = createRequestLines({ clock: systemClock, redact: logOptions.redact, ...shown })
  return { requests: { observer, replacesLog: isText && logLevel !== 'debug' } }
}

type Say = (found: readonly Diagnostic[], texts: Loaded['texts'], isUsable: boolean) => Promise<void>

/**
 * Loads and compiles the first configuration, and prints its problems. It is a function of its own, so that the texts of the files can be
 * freed.
 */
const prepare = async (from: LoadOptions, surroundings: GatewayDependencies, learn: (config: Config) => void, say: Say) => {
  const { config, diagnostics, texts } = loadConfig(from)
  learn(config)
  const prepared = await prepareGateway(config, surroundings)
  const all = [...diagnostics, ...prepared.diagnostics]
  const isUsable = !all.some(({ stopsStart }) => stopsStart)
  await say(all, texts, isUsable)
  return { prepared, config, isUsable }
}

const watchRun = ({ dataDir, config }: GatewayRunOptions, changed: () => void, log: Log): Promise<() => Promise<void>> =>
  watchConfiguration({
    dataDir,
    configFile: config && resolve(config),
    changed,
    failed: (reason) => log('warn', { reason }, 'cannot watch the configuration'),
  })

const lastWordsMs = 200

/** Takes other users' rights to a file with secrets away, and logs it (rules: Hostile input 5). */
const closeToOthers = (file: string, log: Log): void => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat || (stat.mode & 0o077) === 0) return
  try {
    chmodSync(file, 0o600)
    log('warn', { file }, 'a file with secrets was open to others: its mode is 0600 now')
  } catch (error) {
    log('warn', { file, reason: messageOf(error) }, 'a file with secrets is open to others')
  }
}

const signals = ['SIGTERM', 'SIGINT'] as const

const asked = ({ stopAsked }: Gateway): Promise<Why> => stopAsked.then(() => ({ reason: 'gateway stop' }))

/** Resolves after the first request that was not refused. */
const oneEvent = async ({ operations }: Gateway): Promise<Why> => {
  for await (const line of await operations.tail({})) if (line.type === 'outcome' && (line.status ?? 500) < 400) break
  return { reason: 'one event, as --once asked' }
}

/** The reason why the gateway stops. */
type Why = { readonly signal: string } | { readonly reason: string }

/** Resolves at the first signal. A second signal exits at once, whatever is still open. */
const firstSignal = (): Promise<Why> =>
  new Promise((resolve) => {
    let asked = false
    const listener = (signal: string): void => {
      if (asked) process.exit(exit.cancelled)
      asked = true
      resolve({ signal })
    }
    for (const name of signals) process.on(name, listener)
  })
