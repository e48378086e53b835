/** `webhook pause|resume <name>`: pauses a route, or lets it go on. Runs that have begun go on. */

import { pauseRoute, resumeRoute } from '../../../features/pauses/pause-route.ts'
import { inForce } from '../../shell/in-force.ts'
import { answer, type Cli } from '../../shell/output.ts'

export type PauseOptions = { readonly hold?: boolean }

export const webhookPause = async (asked: string, { hold = false }: PauseOptions, cli: Cli): Promise<number> => {
  const { name, changed } = await pauseRoute(cli.workspace, asked, hold)
  const text = changed
    ? `paused   ${name}: ${hold ? 'its events are kept, and no run begins' : 'its senders get 503, and are asked to repeat'}\n`
    : `no change: ${name} is paused already\n`
  return answer(cli, { kind: 'webhook.pause', data: { name, hold, changed, others: await inForce(cli) }, text })
}

export const webhookResume = async (asked: string, cli: Cli): Promise<number> => {
  const { name, changed } = await resumeRoute(cli.workspace, asked)
  const text = changed ? `resumed  ${name}\n` : `no change: ${name} is not paused\n`
  return answer(cli, { kind: 'webhook.resume', data: { name, changed, others: await inForce(cli) }, text })
}
