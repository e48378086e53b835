/** `gateway run`: runs the gateway in the foreground, from the reading of its files until a signal, `gateway stop` or `--once` stops it. */

import { resolve } from 'node:path'
import { systemClock, unrefClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Level, Log } from '../../core/log.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { RequestsShown } from '../../gateway/gateway-options.ts'
import { createLog, type LogOptions } from '../../gateway/log.ts'
import { findOpenSocket } from '../../gateway/open-socket.ts'
import { type ConfigWatch, type GatewayRun, runGateway } from '../../gateway/run-gateway.ts'
import type { Asker } from '../../http/control/ask.ts'
import { Redactor } from '../../secrets/redact.ts'
import { logDiagnostics } from '../../serve/log-diagnostics.ts'
import type { Io } from '../shell/io.ts'
import { printFault } from '../shell/output.ts'
import { errorsAsFault, printDiagnostics } from '../shell/refuse.ts'
import { createRequestLines, linesAsLog, linesAsText } from './request-lines.ts'
import { watchConfiguration } from './watch.ts'

export type GatewayRunOptions = {
  readonly workspace: Asker
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly logLevel?: Level | undefined
  readonly logFormat?: 'json' | 'pretty' | undefined
  readonly watch?: boolean | undefined
  readonly logRequests?: boolean | undefined
  /** Ends the gateway after the first request that it did not refuse (`--once`). */
  readonly once?: boolean | undefined
  /** Takes the listening socket of the running gateway over, where one runs. */
  readonly takeover?: boolean | undefined
  /** Prints a refused start as one JSON document on stdout. */
  readonly json?: boolean | undefined
  readonly ready?: (url: string) => void
}

/**
 * Runs the gateway until it is stopped, and returns the exit code 0. For a configuration that must not be served, prints the problems and
 * returns 78. Throws a Fault where the gateway cannot start.
 */
export const gatewayRun = async (options: GatewayRunOptions, io: Io): Promise<number> => {
  const { dataDir } = options.workspace
  const redactor = new Redactor()
  const logOptions: LogOptions = {
    level: options.logLevel ?? 'info',
    format: options.logFormat ?? (io.isTty ? 'pretty' : 'json'),
    redact: (text) => redactor.redact(text),
    write: io.stdout,
  }
  const log = createLog(logOptions)
  const foreground = { options, logOptions, log, io }
  const open = await findOpenSocket(options, options.workspace, io.env)
  const { host, port } = open ?? options
  const ended = await runGateway({
    from: { dataDir, host, port, configFile: configOf(options, io), env: io.env },
    socket: open?.take,
    log,
    redactor,
    requests: requestsShown(foreground),
    watch: options.watch ? (changed) => watchRun(options, configOf(options, io), changed, log) : undefined,
    report: findingsReport(foreground),
    untilSignal,
    listening: (gateway) => announce(gateway, foreground),
    once: options.once === true,
  }).catch((error) => {
    throw error instanceof Fault ? error.reworded(logOptions.redact) : error
  })
  if (ended === 'refused') return exit.config
  // Text for a reader of stdout who has stopped reading must not keep the process alive.
  unrefClock.after(exitDelayMs, () => process.exit(exit.ok))
  return exit.ok
}

const exitDelayMs = 200

/** What the functions below need to show what happens: the options, the log, and the terminal. */
type Foreground = { readonly options: GatewayRunOptions; readonly logOptions: LogOptions; readonly log: Log; readonly io: Io }

/**
 * Returns an observer that shows each request where `--log-requests` is given, or where the log is text on a terminal; else `undefined`.
 * The lines of the observer replace the entries of the log on requests, unless the log is for machines or has debug entries.
 */
const requestsShown = ({ options: { logRequests, logLevel }, logOptions, io }: Foreground): RequestsShown | undefined => {
  const isText = logOptions.format === 'pretty'
  if (!(logRequests ?? (io.isTty && isText))) return undefined
  const shown = isText ? linesAsText((text) => io.stdout(logOptions.redact(text))) : linesAsLog(createLog({ ...logOptions, level: 'info' }))
  const observer = createRequestLines({ clock: systemClock, redact: logOptions.redact, ...shown })
  return { observer, replacesLog: isText && logLevel !== 'debug' }
}

/**
 * Returns the function that reports the findings in the files: as text, as entries of the log, or as one JSON document where `--json` was
 * given and the start is refused.
 */
const findingsReport =
  ({ options, logOptions, log, io }: Foreground): GatewayRun['report'] =>
  async (found, texts, isUsable) => {
    const refusal = options.json && !isUsable ? errorsAsFault(found, exit.config) : undefined
    // A log in JSON gets each finding as an entry. But people read why a start was refused, so that is text, unless they asked for JSON.
    const isLogged = options.logFormat === 'json' || (isUsable && logOptions.format === 'json')
    const { redact } = logOptions
    if (refusal) printFault(refusal.reworded(redact), io, true)
    else if (isLogged) await logDiagnostics(found, log)
    else printDiagnostics(found, texts, { ...io, stderr: (text) => io.stderr(redact(text)) })
  }

/** Prints the address of the gateway, at every log level: as plain text, or as an entry of the log with `--log-format json`. */
const announce = ({ url, routes }: Gateway, { options: { logFormat, ready }, logOptions, io }: Foreground): void => {
  const address = `headgate is listening on ${url} (${routes} ${routes === 1 ? 'route' : 'routes'})`
  if (logFormat === 'json') createLog({ ...logOptions, level: 'info' })('info', { url, routes }, address)
  else io.stdout(`${address}\n`)
  ready?.(url)
}

/** Returns the file of `--config`, else that of HEADGATE_CONFIG. */
const configOf = ({ config }: GatewayRunOptions, { env }: Io): string | undefined => config ?? (env.HEADGATE_CONFIG || undefined)

const watchRun = (
  { workspace: { dataDir } }: GatewayRunOptions,
  config: string | undefined,
  changed: () => void,
  log: Log,
): Promise<ConfigWatch> =>
  watchConfiguration({
    dataDir,
    configFile: config && resolve(config),
    changed,
    failed: (reason) => log('warn', { reason }, 'cannot watch the configuration'),
  })

const signals = ['SIGTERM', 'SIGINT'] as const

/** Calls `reload` at each SIGHUP, and resolves at the first signal to stop. A second signal to stop ends the process at once. */
const untilSignal: GatewayRun['untilSignal'] = (reload) => {
  process.on('SIGHUP', reload)
  return new Promise((resolve) => {
    let isStopping = false
    const listener = (signal: string): void => {
      if (isStopping) process.exit(exit.cancelled)
      isStopping = true
      resolve({ signal })
    }
    for (const name of signals) process.on(name, listener)
  })
}
