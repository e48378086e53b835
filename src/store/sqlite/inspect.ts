/**
 * Inspects the database file of the embedded store while no process has it open: whether it is a database, belongs to this program, and can
 * be written. SQLite is not used, because opening a database with it may change files.
 */

import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { diskFault } from '../../core/disk-fault.ts'
import { quoted } from '../../core/text.ts'
import type { Inspected } from '../store-part.ts'
import { applicationId, databaseName } from './schema.ts'

const ok = (message: string): Inspected => ({ result: 'ok', message })
const warn = (message: string, fix: string): Inspected => ({ result: 'warn', message, fix })
const fail = (message: string, fix: string): Inspected => ({ result: 'fail', message, fix })

/** Inspects the database in the store's folder. Throws a Fault where its file cannot be opened for reading and writing. */
export const inspectDatabase = (folder: string): Inspected => {
  const file = join(folder, databaseName)
  const stat = statSync(file, { throwIfNoEntry: false })
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (!stat) return ok('no database yet: the first start makes it')
  const restore = `move ${quoted(file)} away, or restore it from a backup`
  if (!stat.isFile()) return fail(`${file} is no regular file`, restore)
  if (stat.size === 0) return log?.size ? fail(`${file} is empty, but its log is not`, restore) : ok('an empty database')
  const head = readHead(file)
  // https://www.sqlite.org/fileformat.html: the first 16 bytes, and the application id in bytes 68 to 71.
  if (head.toString('latin1', 0, 16) !== 'SQLite format 3\0') return fail(`${file} is no database`, restore)
  const owner = head.readUInt32BE(68)
  if (owner !== applicationId && owner !== 0) return fail(`${file} belongs to another program`, restore)
  if (stat.mode & 0o077) return warn(`${file} is open to others`, `chmod 600 ${quoted(file)}`)
  return ok(`sqlite, ${Math.ceil(stat.size / 1024)} KiB; the gateway checks it when it starts`)
}

/** Reads the database's head. Opens the file for writing too, to learn whether the gateway could write to it, and writes nothing. */
const readHead = (file: string): Buffer => {
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
