/**
 * `webhook tail [route]`: shows requests and attempts at runs as they happen, each with its reason: those of the running gateway, and of
 * all gateways on a shared store.
 */

import { jsonText } from '../../datadir/json-text.ts'
import type { TailLine } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { watch } from '../../operate/events/watch.ts'
import { type Cli, note } from '../shell/output.ts'
import { timeOf } from '../shell/times.ts'
import { untilStopped } from '../shell/until-stopped.ts'
import { trafficText } from './traffic-text.ts'

export type TailOptions = { readonly outcome?: readonly string[]; readonly since?: string; readonly format?: 'line' | 'json' }

export const webhookTail = async (route: string | undefined, { outcome, since, format }: TailOptions, cli: Cli): Promise<number> => {
  const { workspace, io } = cli
  const isJson = cli.json || format === 'json'
  const stopped = io.stopped()
  const watching = await watch(workspace, gatewayAt(workspace), {
    ...(route === undefined ? {} : { route }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(since === undefined ? {} : { since: timeOf('--since', since) }),
  })
  const show = (line: TailLine): void => {
    if (isJson) io.stdout(`${jsonText(line)}\n`)
    else if (line.type === 'init') note(cli, `watching${route === undefined ? '' : ` ${route}`}: Ctrl-C ends it`)
    else if (line.type === 'lost') io.stderr(`${line.lines} lines were lost: they came faster than they were read\n`)
    else if (line.type !== 'end') io.stdout(`${trafficText(line)}\n`)
  }
  return untilStopped({ things: watching.lines, show, close: watching.close, isJson }, stopped, cli)
}
