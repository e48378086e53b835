/** `relay run`: runs a relay in the foreground until a signal stops it. SIGHUP lets the relay read its file again. */

import { systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { createLog } from '../../gateway/log.ts'
import { openRelayServer } from '../../relay/front/relay-server.ts'
import { type RelaySettings, readRelay } from '../../relay/front/relay-settings.ts'
import { recordRelay } from '../../relay/front/running-relay.ts'
import { Redactor } from '../../secrets/redact.ts'
import type { Cli } from '../shell/output.ts'
import { printDiagnostics, refuseUnusable } from '../shell/refuse.ts'

export type RelayRunOptions = { readonly logFormat?: 'json' | 'pretty' }

/** Runs the relay, and returns exit code 0. For a `relay.yaml` with mistakes, prints these and returns 78. Throws a Fault. */
export const relayRun = async (options: RelayRunOptions, cli: Cli): Promise<number> => {
  const { io, workspace } = cli
  const { settings, diagnostics, texts } = readRelay(workspace.dataDir, io.env)
  if (!settings) return refuseUnusable(cli, diagnostics, texts)
  printDiagnostics(diagnostics, texts, io)
  const redactor = new Redactor()
  redactor.add(keysOf(settings))
  return serve(settings, redactor, options, cli).catch((error) => {
    throw error instanceof Fault ? error.reworded((text) => redactor.redact(text)) : error
  })
}

/** Serves until a signal. `redactor`: learns the keys of each `relay.yaml` that is read meanwhile. */
const serve = async (settings: RelaySettings, redactor: Redactor, { logFormat }: RelayRunOptions, cli: Cli): Promise<number> => {
  const { io, workspace } = cli
  const log = createLog({
    level: 'info',
    format: logFormat ?? (io.isTty && !cli.json ? 'pretty' : 'json'),
    redact: (text) => redactor.redact(text),
    write: io.stdout,
  })
  const stopped = untilSignal()
  const front = await openRelayServer({ dataDir: workspace.dataDir, settings, log, clock: systemClock })
  const unrecord = recordRelay(workspace.dataDir, front.url)
  const reload = (): void => {
    const { settings: next, diagnostics: found } = readRelay(workspace.dataDir, io.env)
    if (!next) {
      const reason = found.map(({ message }) => message).join('; ')
      log('error', { reason }, 'relay.yaml has mistakes: what was read before stays in use')
      return
    }
    redactor.add(keysOf(next))
    front.use(next)
    log('info', { gateways: [...next.gateways.keys()].join(', ') }, 'relay.yaml was read again')
  }
  // Whoever reads that the relay listens may send it the signal at once: without a listener it would end the process.
  process.on('SIGHUP', reload)
  io.stdout(`headgate relay is listening on ${front.url} (${[...settings.gateways.keys()].join(', ')})\n`)
  log('info', { signal: await stopped }, 'stopping')
  process.off('SIGHUP', reload)
  unrecord()
  await front.close()
  return exit.ok
}

const keysOf = ({ gateways }: RelaySettings): readonly string[] => [...gateways.values()].flatMap(({ keys }) => keys)

/** Resolves at the first signal to stop. A second one ends the process at once. */
const untilSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
