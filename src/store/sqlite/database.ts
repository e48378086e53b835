/** Opens the database file for this process alone, or throws a Fault that says what to do. A file that cannot be read is never replaced. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { own } from '../../core/json.ts'
import { type DatabaseForm, restoringName, storeForm, upgradeFrom } from './schema.ts'

/** The folder in which a move fills a new database. The folder exists only until the move has ended. */
export const fillingFolder = (folder: string): string => join(folder, 'filling')

/**
 * Opens the database. Throws a Fault when the file cannot be used, and leaves the file as it was. `use: 'move'`: opens also a database
 * whose content was moved to another store, or is about to be replaced.
 */
export const openDatabase = (folder: string, use: 'work' | 'move' = 'work', form: DatabaseForm = storeForm): Database.Database => {
  const file = join(folder, form.name)
  // Only the content of the store is moved and restored.
  const isToWork = use === 'work' && form === storeForm
  let db: Database.Database | undefined
  try {
    if (isToWork && existsSync(fillingFolder(folder))) throw fillingFault(file)
    if (isToWork && existsSync(join(folder, restoringName))) throw restoringFault(file)
    createFile(folder, file)
    restoreLog(file)
    if (fileBytes(file) === 0 && fileBytes(`${file}-wal`) > 0) throw corruptFault(file, 'it is empty, but its log is not')
    db = new Database(file, { timeout: 0 })
    prepareDatabase(db, file, form)
    if (isToWork && isMoved(db)) {
      closeDatabase(db)
      throw movedFault(file)
    }
    return db
  } catch (thrown) {
    if (db?.open) db.close()
    throw thrown instanceof Fault ? thrown : openingFault(thrown, file)
  }
}

/**
 * Closes a database, and gives up its locks at once. After `close` alone, the driver keeps the file open, and with it the locks, until no
 * statement is left in memory.
 */
export const closeDatabase = (db: Database.Database): void => {
  try {
    db.pragma('journal_mode = DELETE')
    db.pragma('locking_mode = NORMAL')
    db.prepare('select 1 from sqlite_master').all()
  } catch {
    // The log could not be brought into the file and deleted. The next opening of the database reads the log.
  }
  db.close()
}

const createFile = (folder: string, file: string): void => {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first !== undefined) syncPath(dirname(first))
  // The file is made here and not by SQLite, so that only its user may read it. SQLite gives its log the same mode. An existing file is not
  // opened, because closing any handle of a file drops the locks that this process holds on the file.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600))
}

const keptLog = (file: string): string => `${file}-wal-kept`

/**
 * Gives the log of an open database a second name. When SQLite closes the database, it deletes the log under the first name, although the
 * database file may still need the log.
 */
export const keepLog = (file: string): void => {
  if (!existsSync(keptLog(file))) linkSync(`${file}-wal`, keptLog(file))
}

const restoreLog = (file: string): void => {
  if (!existsSync(keptLog(file))) return
  renameSync(keptLog(file), `${file}-wal`)
  // Where both names belong to one file, `renameSync` changes nothing, and the second name has still to be removed.
  rmSync(keptLog(file), { force: true })
}

/** Syncs a file; or a folder, so that what is new in it survives a power cut. */
export const syncPath = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const prepareDatabase = (db: Database.Database, file: string, form: DatabaseForm): void => {
  db.pragma('locking_mode = EXCLUSIVE')
  const version = checkOwner(db, file, form)
  const checkResult = readPragma(db, 'quick_check(1)')
  if (checkResult !== 'ok') throw corruptFault(file, String(checkResult))
  if (version > 0 && version < form.versions.length) keepBefore(db, file, form.versions.length)
  if (readPragma(db, 'journal_mode = WAL') !== 'wal') throw new Error('the file system does not support its log')
  db.pragma('synchronous = FULL')
  db.pragma('cache_size = -16384')
  // Deleted rows are overwritten with zeros in a database that asks for it, such as that of a relay.
  if (form.overwrites) db.pragma('secure_delete = ON')
  // The transaction takes the lock, and the process then keeps the lock until the database is closed.
  db.exec(`begin immediate; ${upgradeFrom(version, form.versions)} commit`)
  // The log may be left from a process whose fsync failed, and its end may then be only in the system's memory. So the log is brought into
  // the file and emptied before the store writes its first commit.
  db.pragma('wal_checkpoint(TRUNCATE)')
  // From here on, DurableDatabase syncs and empties the log in SQLite's place (durable-database.ts).
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = OFF')
}

const copyEnding = '.before-v'

/**
 * Copies a database of an earlier version before it is upgraded, as it is with its log. An older program can go on with the copy. Throws a
 * Fault where the copy cannot be written: the database is not upgraded then.
 */
const keepBefore = (db: Database.Database, file: string, version: number): void => {
  const copy = `${file}${copyEnding}${version}`
  const unfinished = `${copy}.new`
  try {
    rmSync(unfinished, { force: true })
    closeSync(openSync(unfinished, 'ax', 0o600))
    db.prepare('vacuum into ?').run([unfinished])
    syncPath(unfinished)
    renameSync(unfinished, copy)
    syncPath(dirname(file))
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new Fault('store_not_copied', `${file} has to be upgraded, and cannot be copied before: ${messageOf(error)}`, {
      exitCode: exit.no,
      hint: `make room on the disk of ${dirname(file)}; nothing was changed`,
      cause: error,
    })
  }
}

/** Returns the copies from before an upgrade that this program can open, which knows the versions up to `latest`. */
const copiesBefore = (file: string, latest: number): string[] =>
  readdirSync(dirname(file))
    .map((name) => join(dirname(file), name))
    .filter((path) => path.startsWith(`${file}${copyEnding}`) && !path.endsWith('.new') && versionIn(path) <= latest)

/** Reads the version of a closed database from its header (https://www.sqlite.org/fileformat.html: bytes 60 to 63). */
const versionIn = (file: string): number => {
  const handle = openSync(file, 'r')
  try {
    const head = Buffer.alloc(64)
    return readSync(handle, head, 0, head.length, 0) === head.length ? head.readUInt32BE(60) : Number.POSITIVE_INFINITY
  } finally {
    closeSync(handle)
  }
}

const newerFault = (file: string, version: number, latest: number): Fault => {
  const [copy] = copiesBefore(file, latest)
  const before =
    copy === undefined
      ? 'use another data directory'
      : `lose what was accepted since the upgrade: mv "${file}" "${file}.newer" && mv "${copy}" "${file}"`
  return new Fault('store_newer', `${file} was written by a later version (format ${version}, this one knows ${latest})`, {
    exitCode: exit.config,
    hint: `run that version, or ${before}`,
  })
}

/** Returns the file's version, 0 for a new file. Throws a Fault for a file of another program or of a later version. */
export const checkOwner = (db: Database.Database, file: string, { applicationId, versions }: DatabaseForm = storeForm): number => {
  const owner = readPragma(db, 'application_id')
  const version = Number(readPragma(db, 'user_version'))
  if (owner === applicationId) {
    if (version <= versions.length) return version
    throw newerFault(file, version, versions.length)
  }
  const isEmpty = owner === 0 && version === 0 && db.prepare('select 1 from sqlite_master limit 1').all().length === 0
  if (!isEmpty) throw corruptFault(file, 'it is a database of another program')
  return 0
}

export const readPragma = (db: Database.Database, pragma: string): unknown => {
  const [row] = db.prepare(`pragma ${pragma}`).raw().all() as unknown[][]
  return row?.[0]
}

export const isMoved = (db: Database.Database): boolean => db.prepare('select 1 from moved').all().length > 0

const movedFault = (file: string): Fault =>
  new Fault('store_moved', `what ${file} holds was moved to postgres`, {
    exitCode: exit.conflict,
    hint: 'set storage.kind: postgres, or bring it back: headgate storage move --to sqlite',
  })

const fillingFault = (file: string): Fault =>
  new Fault('store_filling', `a move from postgres to ${file} has not ended`, {
    exitCode: exit.conflict,
    hint: 'repeat it: headgate storage move --to sqlite',
  })

const restoringFault = (file: string): Fault =>
  new Fault('store_restoring', `a restore of ${file} has not ended`, {
    exitCode: exit.conflict,
    hint: 'repeat it: headgate restore FILE',
  })

const corruptFault = (file: string, why: string, cause?: unknown): Fault =>
  new Fault('store_corrupt', `${file} cannot be read: ${why}`, {
    exitCode: exit.conflict,
    hint: `restore it from a backup, or start empty: for f in "${file}"*; do mv "$f" "$f.damaged"; done`,
    cause,
  })

export const openingFault = (thrown: unknown, file: string): Fault => {
  const code = String(own(thrown as { [key: string]: unknown }, 'code') ?? '')
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new Fault('store_locked', `another process has ${file} open`, {
      exitCode: exit.conflict,
      hint: 'stop that process, or give this one a data directory of its own',
      cause: thrown,
    })
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return corruptFault(file, messageOf(thrown), thrown)
  const refused = diskFault('write', file, thrown)
  if (refused instanceof Fault) return refused
  return new Fault('store_unusable', `${file} cannot be opened: ${messageOf(thrown)}`, { exitCode: exit.internal, cause: thrown })
}
