/** Holds the database file for a copy while no gateway runs, and checks a copy of it. */

import Database from 'libsql'
import { exit, Fault, messageOf } from '../../../core/fault.ts'
import type { HeldFile, StoreOptions } from '../../store-part.ts'
import { checkOwner, closeDatabase, openingFault, readPragma } from '../database.ts'
import { DurableDatabase } from '../durable-database.ts'

/** Opens the database, so that no gateway can, and holds its file. The release closes the database. Throws a Fault. */
export const holdDatabase = async ({ folder }: Pick<StoreOptions, 'folder'>): Promise<HeldFile> => {
  const database = new DurableDatabase(folder, 'fsync', undefined, 'move')
  const { file, release } = await database.hold().catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  return {
    file,
    async release() {
      const isWhole = await release()
      await database.close()
      return isWhole
    },
  }
}

/**
 * Checks a copy of a database: its owner, its version, and every page and index. Throws a Fault. The check leaves the mode of the file as a
 * closed database has it.
 */
export const checkDatabase = (file: string): void => {
  let db: Database.Database | undefined
  try {
    db = new Database(file, { timeout: 0 })
    checkOwner(db, file)
    const result = readPragma(db, 'integrity_check(1)')
    if (result !== 'ok')
      throw new Fault('copy_damaged', `the database in the backup is damaged: ${messageOf(result)}`, {
        exitCode: exit.no,
        hint: 'use another backup',
      })
  } catch (thrown) {
    throw thrown instanceof Fault ? thrown : openingFault(thrown, file)
  } finally {
    if (db) closeDatabase(db)
  }
}
