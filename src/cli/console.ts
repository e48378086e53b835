/**
 * `console`: shows the address at which a browser signs in to the console of the data directory. Where no running gateway has a console,
 * the command serves one until Ctrl-C.
 */

import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { openConsole } from '../console/console.ts'
import { openInBrowser } from '../console/open-in-browser.ts'
import { systemClock } from '../core/clock.ts'
import { exit } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { printable } from '../core/text.ts'
import { gatewayAt } from '../http/control/client.ts'
import { openServiceInThread } from '../tui/service-in-thread.ts'
import { type Cli, note } from './shell/output.ts'

export type ConsoleOptions = {
  readonly port: number
  readonly open: boolean
  /** A gateway runs this command: it asks for an address by a line on stdin, and the command ends with stdin. */
  readonly untilStdinEnds?: boolean
}

export const runConsole = async (options: ConsoleOptions, cli: Cli): Promise<number> => {
  const { workspace } = cli
  const ofGateway = options.untilStdinEnds ? undefined : (await (await gatewayAt(workspace).find())?.consoleAddress())?.url
  if (ofGateway === undefined) return serveConsole(options, cli)
  await showAddress(ofGateway, options, cli)
  note(cli, 'the gateway runs the console; one browser can sign in at this address within a minute')
  return exit.ok
}

/** Prints the address. With `open`, and where stdout is a terminal, opens the address in a browser. */
const showAddress = async (url: string, { open }: ConsoleOptions, { workspace, io, json }: Cli): Promise<void> => {
  io.stdout(json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
  if (open && io.isTty) await openInBrowser(workspace.dataDir, url, io.env)
}

const serveConsole = async (options: ConsoleOptions, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  const { port, untilStdinEnds } = options
  const stopped = io.stopped()
  const { service, close: closeService } = openServiceInThread(workspace)
  const console = await openConsole({ workspace, gateway: gatewayAt(workspace), service, port, clock: systemClock, log: logOn(cli) })
  const show = (): void => void showAddress(console.signInUrl(), { ...options, open: false }, cli)
  try {
    await showAddress(console.signInUrl(), options, cli)
    const input = untilStdinEnds ? process.stdin : io.terminal?.input
    if (!untilStdinEnds)
      note(cli, `one browser can sign in at this address within a minute${input ? '. Enter shows another; Ctrl-C ends the console' : ''}`)
    const lines = input && createInterface({ input }).on('line', show)
    await Promise.race([stopped, ...(untilStdinEnds ? [once(process.stdin, 'end')] : [])])
    lines?.close()
  } finally {
    await console.close()
    await closeService()
  }
  return exit.ok
}

/** Mistakes of the program are told on stderr. Nothing else is logged. */
const logOn = ({ io }: Cli): Log =>
  Object.assign(
    (level: string, fields: { readonly reason?: unknown }, message: string): void =>
      io.stderr(`${level}: ${printable(`${message}: ${String(fields.reason ?? '')}`)}\n`),
    { writes: () => false },
  )
