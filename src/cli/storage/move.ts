/**
 * `storage move`: carries the work of one store to another, and prints the number and a digest of the rows of each kind. With `--dry-run`
 * the rows are only counted; with `--force` a store is only opened to gateways again.
 */

import { moveStorage, type StorageMove } from '../../operate/storage/move-storage.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export type StorageMoveOptions = { readonly to: string; readonly dryRun?: boolean; readonly force?: boolean }

const headOf = ({ from, to, result }: StorageMove): string => {
  if (result === 'reopened') return `${to} can be used as it was left`
  return result === 'counted' ? `${from} has this to move to ${to}:` : `moved from ${from} to ${to}; both have been compared:`
}

export const storageMove = async ({ to, dryRun = false, force = false }: StorageMoveOptions, cli: Cli): Promise<number> => {
  const move = await moveStorage(cli.workspace, { to, dryRun, force })
  const { from, result, tallies, records, canReadRecords } = move
  if (result !== 'reopened') {
    const reading = canReadRecords ? `: events list reads them where storage.kind is ${from}` : ''
    note(cli, `records of events without a run, and their raw requests, stay in ${records}${reading}`)
  }
  if (result === 'moved') note(cli, `next: set storage.kind: ${to}, and start the gateway`)
  const rows = aligned(tallies.map(({ kind, rows, digest }) => [`  ${kind}`, String(rows), digest]))
  return answer(cli, {
    kind: 'storage.move',
    data: { from, to, result, records, kinds: tallies.map((tally) => ({ ...tally })) },
    text: `${[headOf(move), ...rows].join('\n')}\n`,
  })
}
