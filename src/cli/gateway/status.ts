/** `gateway status`: the state of the running gateway, in its own words; exit 4 when no gateway runs. */

import { describeRefusals } from '../../core/outcome-table.ts'
import { printable } from '../../core/text.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { answer, type Cli } from '../shell/output.ts'

const width = 'reload failed '.length

export const gatewayStatus = async (cli: Cli): Promise<number> => {
  const gateway = await gatewayAt(cli.workspace).need()
  const status = await gateway.status()
  const field = (name: string, value: string | number): string => `${name.padEnd(width)}${printable(String(value))}\n`
  const text = [
    field('gateway', status.stopping ? 'stopping' : 'running'),
    field('url', status.url),
    field('pid', status.pid),
    field('started', status.started_at),
    field('reloaded', status.reloaded_at ?? 'never'),
    ...(status.reload_failed ? [field('reload failed', `${status.reload_failed.at}: ${status.reload_failed.reason}`)] : []),
    ...status.changed_files.map((file) => field('not served', `${file} has changed since it was read: headgate gateway reload`)),
    ...(status.need_restart.length > 0 ? [field('need restart', status.need_restart.join(', '))] : []),
    field('routes', status.routes),
    field('jobs', status.jobs),
    field('backlog', status.backlog ?? 'unknown, for the store does not answer'),
    field('refused', describeRefusals(status.refused) || 'nothing'),
  ]
  const data = {
    ...status,
    reload_failed: status.reload_failed && { ...status.reload_failed },
    changed_files: [...status.changed_files],
    need_restart: [...status.need_restart],
  }
  return answer(cli, { kind: 'gateway.status', data, text: text.join('') })
}
