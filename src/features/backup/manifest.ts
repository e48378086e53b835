/** The last entry of a backup: what the backup is of, and the digest of each file. */

import { exit, Fault } from '../../core/fault.ts'
import { isObject, parseObject } from '../../core/json.ts'
import { version } from '../../datadir/version.ts'
import type { ArchivedFile } from './archive.ts'

/** The version of the form of backups. A later form has a higher number. */
const format = 1

/** `store`: the kind of the store (`storage.kind`). `at`: when the backup began, ISO 8601. */
export type Manifest = {
  readonly at: string
  readonly store: string
  readonly withConfig: boolean
  readonly files: readonly ArchivedFile[]
}

export const manifestText = ({ at, store, withConfig, files }: Manifest): string =>
  `${JSON.stringify({ headgate_backup: format, made_by: version, at, store, with_config: withConfig, files }, null, 1)}\n`

/** Returns the Fault for a backup that is not as it was written. */
export const damaged = (why: string): Fault =>
  new Fault('backup_damaged', `the backup cannot be used: ${why}`, { exitCode: exit.no, hint: 'nothing was changed; use another backup' })

/** Reads the text of a manifest. Throws a Fault where it is not one, or a later version wrote it. */
export const parseManifest = (text: string): Manifest => {
  const value = parseObject(text)
  const written = value?.headgate_backup
  if (!value || typeof written !== 'number') throw damaged('its list of files cannot be read')
  if (written > format) {
    throw new Fault('backup_newer', `a later version (${String(value.made_by)}) made the backup`, {
      exitCode: exit.config,
      hint: 'restore it with that version',
    })
  }
  const { at, store, with_config: withConfig, files } = value
  if (typeof at !== 'string' || typeof store !== 'string' || !Array.isArray(files)) throw damaged('its list of files cannot be read')
  return {
    at,
    store,
    withConfig: withConfig === true,
    files: files.map((file) => {
      if (!isObject(file)) throw damaged('its list of files cannot be read')
      return { name: String(file.name), bytes: Number(file.bytes), sha256: String(file.sha256) }
    }),
  }
}
