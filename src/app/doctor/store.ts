/** Looks at the store: by asking the running gateway, or else by its files. A database is never opened. */

import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { applicationId } from '../../store/sqlite/schema.ts'
import { quoted } from '../routes/curl.ts'
import { type Check, fail, ok, type Patient, warn } from './check.ts'

const name = 'store'

export const checkStore = ({ loaded: { config }, status, workspace: { dataDir } }: Patient): readonly Check[] => {
  const { kind } = config.storage
  if (status) {
    if (status.backlog === null)
      return [fail(name, 'the gateway runs, but its store does not answer', 'look at its log: the disk may be full or broken')]
    return [ok(name, `${kind}, asked through the gateway: ${status.backlog} ${status.backlog === 1 ? 'run waits' : 'runs wait'}`)]
  }
  if (kind === 'memory') return [warn(name, 'memory: what is accepted is lost when the gateway ends', 'set storage.kind: sqlite')]
  return kind === 'sqlite' ? checkDatabase(join(dataDir, 'state', 'headgate.db')) : []
}

const checkDatabase = (file: string): readonly Check[] => {
  const stat = statSync(file, { throwIfNoEntry: false })
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (!stat) return [ok(name, 'no database yet: the first start makes it')]
  const restore = `move ${quoted(file)} away, or restore it from a backup`
  if (!stat.isFile()) return [fail(name, `${file} is no regular file`, restore)]
  if (stat.size === 0) return log?.size ? [fail(name, `${file} is empty, but its log is not`, restore)] : [ok(name, 'an empty database')]
  const head = headOf(file)
  // https://www.sqlite.org/fileformat.html: the first 16 bytes, and the application id in bytes 68 to 71.
  if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') return [fail(name, `${file} is no database`, restore)]
  const owner = head.readUInt32BE(68)
  if (owner !== applicationId && owner !== 0) return [fail(name, `${file} belongs to another program`, restore)]
  if (stat.mode & 0o077) return [warn(name, `${file} is open to others`, `chmod 600 ${quoted(file)}`)]
  return [ok(name, `sqlite, ${Math.ceil(stat.size / 1024)} KiB; the gateway checks it when it starts`)]
}

/** The database's head. It opens the file for writing too, which tells whether the gateway could, and writes nothing. */
const headOf = (file: string): Buffer => {
  try {
    const handle = openSync(file, constants.O_RDWR)
    try {
      const head = Buffer.alloc(100)
      readSync(handle, head, 0, head.length, 0)
      return head
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    throw diskFault('write', file, error)
  }
}
