/** `console`: serves the browser console of the data directory until Ctrl-C, and shows the address with which a browser signs in. */

import { openConsole } from '../console/console.ts'
import { openInBrowser } from '../console/open-in-browser.ts'
import { systemClock } from '../core/clock.ts'
import { exit } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { printable } from '../core/text.ts'
import { gatewayAt } from '../http/control/client.ts'
import { openServiceInThread } from '../tui/service-in-thread.ts'
import { type Cli, note } from './shell/output.ts'

export type ConsoleOptions = { readonly port: number; readonly open: boolean }

export const runConsole = async ({ port, open }: ConsoleOptions, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  const stopped = io.stopped()
  const { service, close: closeService } = openServiceInThread(workspace)
  const console = await openConsole({ workspace, gateway: gatewayAt(workspace), service, port, clock: systemClock, log: logOn(cli) })
  const show = (): string => {
    const url = console.signInUrl()
    io.stdout(cli.json ? `${JSON.stringify({ url })}\n` : `${url}\n`)
    return url
  }
  try {
    const url = show()
    if (open && io.isTty) await openInBrowser(workspace.dataDir, url, io.env)
    const input = io.terminal?.input
    note(cli, `one browser can sign in at this address within a minute${input ? '. Enter shows another; Ctrl-C ends the console' : ''}`)
    input?.on('data', show)
    await stopped
    input?.off('data', show).pause()
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
