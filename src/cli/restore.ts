/** `restore`: puts the files of a backup into the data directory while no gateway runs. */

import { restoreBackup } from '../features/backup/restore-backup.ts'
import { gatewayAt } from '../http/control/client.ts'
import { answer, type Cli, note } from './shell/output.ts'

export type RestoreOptions = { readonly dryRun?: boolean; readonly force?: boolean }

export const restore = async (from: string, { dryRun = false, force = false }: RestoreOptions, cli: Cli): Promise<number> => {
  const { manifest, isDryRun, aside } = await restoreBackup(cli.workspace, gatewayAt(cli.workspace), { from, force, dryRun })
  const { at, store, withConfig, files } = manifest
  if (aside !== undefined) note(cli, `what was there before is in ${aside}`)
  if (!isDryRun) {
    note(cli, `the gateway does again what it did after ${at}: that is not in the backup`)
    if (!withConfig)
      note(cli, `subscriptions need new secrets: ${cli.workspace.self} webhook list, ${cli.workspace.self} webhook secret NAME --rotate`)
  }
  const said = `of ${at}: ${files.length} files`
  return answer(cli, {
    kind: 'restore',
    data: { at, store, files: files.length, with_config: withConfig, result: isDryRun ? 'checked' : 'restored', aside: aside ?? null },
    text: isDryRun ? `the backup ${said} can be restored\n` : `restored the backup ${said}\n`,
  })
}
