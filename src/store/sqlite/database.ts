/** Opens the database file for this process alone, or throws a Fault that says what to do. A file that cannot be read is never replaced. */

import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { own } from '../../core/json.ts'
import { applicationId, databaseName, restoringName, schemaVersion, upgradeFrom } from './schema.ts'

/** The folder in which a move fills a new database. The folder exists only until the move has ended. */
export const fillingFolder = (folder: string): string => join(folder, 'filling')

/**
 * Opens the database. Throws a Fault when the file cannot be used, and leaves the file as it was. `use: 'move'`: opens also a database
 * whose content was moved to another store, or is about to be replaced.
 */
export const openDatabase = (folder: string, use: 'work' | 'move' = 'work'): Database.Database => {
  const file = join(folder, databaseName)
  let db: Database.Database | undefined
  try {
    if (use === 'work' && existsSync(fillingFolder(folder))) throw fillingFault(file)
    if (use === 'work' && existsSync(join(folder, restoringName))) throw restoringFault(file)
    createFile(folder, file)
    restoreLog(file)
    if (fileBytes(file) === 0 && fileBytes(`${file}-wal`) > 0) throw corruptFault(file, 'it is empty, but its log is not')
    db = new Database(file, { timeout: 0 })
    prepareDatabase(db, file)
    if (use === 'work' && isMoved(db)) {
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
  if (first !== undefined) syncFolder(dirname(first))
  // The file is made here and not by SQLite, so that only its user may read it. SQLite gives its log the same mode. An existing file is not
  // opened, because closing any handle of a file drops the locks that this process holds on the file.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600))
}

const keptLog = (file: string): string => `${file}-wal-kept`

/**
 * Gives the log of an open database a second name. When SQLite closes the database, it deletes the log under the first name, although the
 * database file may still need the log.
 */
export const keepLog = (folder: string): void => {
  const file = join(folder, databaseName)
  if (!existsSync(keptLog(file))) linkSync(`${file}-wal`, keptLog(file))
}

const restoreLog = (file: string): void => {
  if (!existsSync(keptLog(file))) return
  renameSync(keptLog(file), `${file}-wal`)
  // Where both names belong to one file, `renameSync` changes nothing, and the second name has still to be removed.
  rmSync(keptLog(file), { force: true })
}

/** Syncs a folder, so that a new folder in it survives a power cut. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const prepareDatabase = (db: Database.Database, file: string): void => {
  db.pragma('locking_mode = EXCLUSIVE')
  const version = checkOwner(db, file)
  const checkResult = readPragma(db, 'quick_check(1)')
  if (checkResult !== 'ok') throw corruptFault(file, String(checkResult))
  if (readPragma(db, 'journal_mode = WAL') !== 'wal') throw new Error('the file system does not support its log')
  db.pragma('synchronous = FULL')
  db.pragma('cache_size = -16384')
  // The transaction takes the lock, and the process then keeps the lock until the database is closed.
  db.exec(`begin immediate; ${upgradeFrom(version)} commit`)
  // The log may be left from a process whose fsync failed, and its end may then be only in the system's memory. So the log is brought into
  // the file and emptied before the store writes its first commit.
  db.pragma('wal_checkpoint(TRUNCATE)')
  // From here on, DurableDatabase syncs and empties the log in SQLite's place (durable-database.ts).
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = OFF')
}

/** Returns the file's version, 0 for a new file. Throws a Fault for a file of another program or of a later version. */
export const checkOwner = (db: Database.Database, file: string): number => {
  const owner = readPragma(db, 'application_id')
  const version = Number(readPragma(db, 'user_version'))
  if (owner === applicationId) {
    if (version <= schemaVersion) return version
    throw new Fault('store_newer', `${file} was written by a later version (format ${version}, this one knows ${schemaVersion})`, {
      exitCode: exit.conflict,
      hint: 'run that version, or use another data directory',
    })
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
      hint: 'stop the other gateway, or give this one a data directory of its own',
      cause: thrown,
    })
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) return corruptFault(file, messageOf(thrown), thrown)
  const refused = diskFault('write', file, thrown)
  if (refused instanceof Fault) return refused
  return new Fault('store_unusable', `${file} cannot be opened: ${messageOf(thrown)}`, { exitCode: exit.internal, cause: thrown })
}
