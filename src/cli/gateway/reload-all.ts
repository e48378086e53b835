/**
 * `gateway reload --all`: all replicas of a shared store read their files again. Exit 1 where a replica refused its files or did not
 * answer.
 */

import { exit } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { replicaName } from '../../datadir/replica-view.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type ReplicaReloaded, reloadAll } from '../../operate/gateway/reload-all.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { replicaData } from './replica-lines.ts'

const resultWords: { readonly [result in ReplicaReloaded['result']]: string } = {
  reloaded: 'reloaded',
  refused: 'not reloaded: it keeps its earlier configuration',
  silent: 'no answer yet: it reloads when it sees the request',
  gone: 'it has ended',
}

export const gatewayReloadAll = async ({ force }: { readonly force?: boolean }, cli: Cli): Promise<number> => {
  note(cli, 'each replica sees the request within five seconds')
  const ended = await reloadAll(gatewayAt(cli.workspace), cli.workspace, force === true)
  const rows = ended.map(({ replica, result, reason }) =>
    [replicaName(replica), replica.url, `${resultWords[result]}${reason === undefined ? '' : ` (${reason})`}`].map((cell) =>
      printable(cell),
    ),
  )
  return answer(cli, {
    kind: 'gateway.reload_all',
    data: { replicas: ended.map(({ replica, ...end }) => ({ ...replicaData(replica), ...end })) },
    text: aligned(rows)
      .map((line) => `${line}\n`)
      .join(''),
    exitCode: ended.every(({ result }) => result === 'reloaded' || result === 'gone') ? exit.ok : exit.no,
  })
}
