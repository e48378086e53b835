/**
 * `console`: shows the address at which a browser signs in to the console of the data directory. Where no running gateway has a console,
 * the command serves one until Ctrl-C. `--hash-password` prints the hash of a password instead.
 */

import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { ConsoleSettings } from '../config/console/settings.ts'
import { loadConfig } from '../config/load.ts'
import { openConsole } from '../console/console.ts'
import { openInBrowser } from '../console/open-in-browser.ts'
import { systemClock } from '../core/clock.ts'
import { exit, Fault, usage } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { printable } from '../core/text.ts'
import { referencesIn, withNeededSecrets } from '../datadir/secrets/with-secrets.ts'
import { openServiceInThread } from '../editor-thread/service-in-thread.ts'
import { gatewayAt } from '../http/control/client.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { answer, type Cli, note } from './shell/output.ts'

export type ConsoleCommandOptions = {
  readonly port?: number
  readonly open: boolean
  readonly hashPassword?: boolean
  /**
   * A gateway runs this command. Its first line on stdin has the settings, as JSON; each further line asks for an address. The command ends
   * with stdin.
   */
  readonly untilStdinEnds?: boolean
}

export const runConsole = async (options: ConsoleCommandOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  if (options.hashPassword) return printHash(cli)
  if (options.untilStdinEnds) return serveForGateway(options, cli)
  const ofGateway = (await (await gatewayAt(workspace).find())?.consoleAddress())?.url
  if (ofGateway === undefined) return serveConsole(await settingsOf(options, cli), options, cli)
  await showAddress(ofGateway, options, cli)
  note(cli, 'the gateway runs the console; one browser can sign in at this address within a minute')
  return exit.ok
}

/** Returns the settings of the configuration. Throws a Fault where the console must not be served with them. */
const settingsOf = async ({ port }: ConsoleCommandOptions, { workspace }: Cli): Promise<ConsoleSettings> => {
  const { config, diagnostics } = loadConfig(
    await withNeededSecrets(workspace, (loaded) => {
      const { forward, oidc, password = {} } = loaded.console.auth ?? {}
      return referencesIn(loaded, [forward?.secret, oidc?.clientSecret, ...Object.values(password)])
    }),
  )
  const wrong = diagnostics.find(({ pointer, stopsStart }) => stopsStart && pointer.startsWith('/console'))
  if (!wrong) return { ...config.console, port: port ?? config.console.port }
  const { code, message, place, help } = wrong
  const where = place ? ` (${place.file}:${place.line}:${place.column})` : ''
  throw new Fault(code, `${message}${where}`, { exitCode: exit.config, ...(help === undefined ? {} : { hint: help }) })
}

/** Prints the address. With `open`, and where stdout is a terminal, opens the address in a browser. */
const showAddress = async (url: string, { open }: ConsoleCommandOptions, { workspace, io, json }: Cli): Promise<void> => {
  io.stdout(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
  if (open && io.isTty) await openInBrowser(workspace.dataDir, url, io.env)
}

const serveForGateway = async (options: ConsoleCommandOptions, cli: Cli): Promise<number> => {
  const lines = createInterface({ input: process.stdin })
  const ended = once(lines, 'close')
  const [first] = await Promise.race([once(lines, 'line'), ended])
  if (typeof first !== 'string') throw usage('the gateway has given no settings')
  return serveConsole(JSON.parse(first) as ConsoleSettings, { ...options, open: false }, cli, { lines, ended })
}

/**
 * Runs the console until it is stopped. `asking`: for each of these lines, the gateway that started this process gets an address to sign in
 * at; absent where a user runs the command.
 */
const serveConsole = async (
  settings: ConsoleSettings,
  options: ConsoleCommandOptions,
  cli: Cli,
  asking?: { readonly lines: Interface; readonly ended: Promise<unknown> },
): Promise<number> => {
  const { workspace, io } = cli
  const stopped = io.stopped()
  const { service, close: closeService } = openServiceInThread(workspace)
  const console = await openConsole({ workspace, gateway: gatewayAt(workspace), service, settings, clock: systemClock, log: logOn(cli) })
  const show = (): void => void showAddress(console.signInUrl(), { ...options, open: false }, cli)
  try {
    await showAddress(console.signInUrl(), options, cli)
    const input = io.terminal?.input
    if (!asking)
      note(cli, `one browser can sign in at this address within a minute${input ? '. Enter shows another; Ctrl-C ends the console' : ''}`)
    const lines = asking?.lines ?? (input && createInterface({ input }))
    lines?.on('line', show)
    await Promise.race([stopped, ...(asking ? [asking.ended] : [])])
    lines?.close()
  } finally {
    await console.close()
    await closeService()
  }
  return exit.ok
}

const minPasswordLength = 12

/** Prints the hash of a password that the user types, or that stands on standard input. */
const printHash = async (cli: Cli): Promise<number> => {
  const { askSecret, stdin } = cli.io
  const password = askSecret ? await askSecret('Password, which is not shown: ') : (await stdin()).replace(/\r?\n$/, '')
  if (password.length < minPasswordLength) throw usage(`the password has fewer than ${minPasswordLength} characters`, 'take a longer one')
  if (askSecret && (await askSecret('Once more: ')) !== password) throw usage('the two passwords are not the same')
  const hash = await hashPassword(password)
  note(cli, 'put it into .env, and its name into config.yaml: console.auth.password: { ada: "${CONSOLE_ADA}" }')
  return answer(cli, { kind: 'console.password', data: { hash }, text: `${hash}\n` })
}

/** Mistakes of the program are printed on stderr. Nothing else is logged. */
const logOn = ({ io }: Cli): Log =>
  Object.assign(
    (level: string, fields: { readonly reason?: unknown }, message: string): void =>
      io.stderr(`${level}: ${printable(`${message}: ${String(fields.reason ?? '')}`)}\n`),
    { writes: () => false },
  )
