/** `backup`: writes a backup of the data directory to one file, while the gateway works or not. */

import { type Backup, makeBackup } from '../features/backup/make-backup.ts'
import { gatewayAt } from '../http/control/client.ts'
import { answer, type Cli, note } from './shell/output.ts'

export type BackupOptions = { readonly withConfig?: boolean; readonly force?: boolean }

export const backup = async (to: string | undefined, { withConfig = false, force = false }: BackupOptions, cli: Cli): Promise<number> => {
  const made = await makeBackup(cli.workspace, gatewayAt(cli.workspace), { to: to ?? '.', withConfig, force })
  note(cli, ...notesOn(made, withConfig))
  const { file, bytes, files, store, hasDatabase } = made
  return answer(cli, {
    kind: 'backup',
    data: {
      file,
      bytes,
      files,
      store,
      has_database: hasDatabase,
      with_config: withConfig,
      left_out: [...made.leftOut],
      config_elsewhere: made.configElsewhere ?? null,
    },
    text: `wrote ${file}: ${files} files, ${Math.ceil(bytes / 1024)} KiB\n`,
  })
}

const notesOn = ({ isShared, isLasting, configElsewhere, leftOut }: Backup, withConfig: boolean): string[] => [
  ...(isShared ? ['the work, the records of events and the subscriptions are in the database: back it up with pg_dump'] : []),
  ...(!isLasting ? ['the store is in memory only: the backup has no work'] : []),
  ...(leftOut.length > 0 ? [`left out, because they are no regular files: ${leftOut.slice(0, 10).join(', ')}`] : []),
  ...(withConfig && configElsewhere !== undefined ? [`the backup has not ${configElsewhere}, which the gateway reads: copy it too`] : []),
  withConfig
    ? 'the backup has all secrets in clear: keep it as you keep .env'
    : 'the backup has what senders wrote, and neither config.yaml nor secrets: --with-config',
]
