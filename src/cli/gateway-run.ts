/** `gateway run`: the gateway in the foreground, from its files to the signal that stops it. */

import { prepareGateway } from '../app.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { exit } from '../core/fault.ts'
import type { Level } from '../core/log.ts'
import { createRedactor } from '../core/redact.ts'
import { createLog } from '../log.ts'
import type { Io } from './io.ts'
import { disabledHelp, printDiagnostics } from './output.ts'

export type GatewayRunOptions = {
  readonly dataDir: string
  readonly config?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly logLevel?: Level | undefined
  readonly logFormat?: 'json' | 'pretty' | undefined
}

/** Runs until a signal; the exit code. A configuration that must not be served is refused with 78 and all of its problems. */
export const gatewayRun = async (options: GatewayRunOptions, io: Io): Promise<number> => {
  const { config, diagnostics, texts } = loadConfig({ ...options, configFile: options.config, env: io.env })
  const log = createLog({
    level: options.logLevel ?? 'info',
    format: options.logFormat ?? (io.isTty ? 'pretty' : 'json'),
    redact: createRedactor(secretsOf(config)),
    write: io.stdout,
  })
  const prepared = prepareGateway(config, log)
  const all = [...diagnostics, ...prepared.diagnostics]
  printDiagnostics(all, texts, io)
  if (all.some(({ stopsStart }) => stopsStart)) return exit.config
  if (!config.enabled) {
    io.stderr(`${disabledHelp}\n`)
    return exit.disabled
  }
  // A signal during the start stops it as soon as there is something to stop.
  const signal = nextSignal()
  const gateway = await prepared.start()
  io.stdout(`headgate is listening on ${gateway.url} (${gateway.routes} ${gateway.routes === 1 ? 'route' : 'routes'})\n`)
  log('info', { signal: await signal, drain_seconds: config.drainMs / 1000 }, 'stopping')
  const forced = nextSignal().then(() => 'forced' as const)
  const ended = await Promise.race([gateway.stop(config.drainMs), forced])
  // Sockets and children are still open then: only leaving at once is what a second signal asks for.
  if (ended === 'forced') process.exit(exit.cancelled)
  return exit.ok
}

const signals = ['SIGTERM', 'SIGINT'] as const

const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    const listener = (signal: string): void => {
      for (const name of signals) process.off(name, listener)
      resolve(signal)
    }
    for (const name of signals) process.on(name, listener)
  })

const secretName = /token|secret|password|key/i

/** Every value that must never be in a log. */
const secretsOf = (config: Config): string[] => {
  const platforms = [...config.profiles.values()].flatMap(({ platforms }) =>
    Object.values(platforms).flatMap((settings) => Object.entries(settings)),
  )
  const tokens = platforms.flatMap(([name, value]) => (secretName.test(name) && typeof value === 'string' ? [value] : []))
  const routes = [...config.routes.values()].flatMap(({ secrets }) => secrets)
  return [...routes, ...tokens, config.globalSecret ?? '', config.agent.apiKey ?? ''].filter(
    (value) => value !== '' && value !== 'INSECURE_NO_AUTH',
  )
}
