/**
 * The embedded store, opened for a move of its content. A move to this store fills a new database in a folder of its own. In the end the
 * new database takes the place of the present database, so that a crash before that leaves the present database as it was.
 */

import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../core/clock.ts'
import { exit, Fault } from '../../../core/fault.ts'
import type { MovableStore, MovedPage, MoveState } from '../../moving.ts'
import { fillingFolder, isMoved, syncPath } from '../database.ts'
import { DurableDatabase } from '../durable-database.ts'
import { databaseName } from '../schema.ts'
import { addPage } from './added-page.ts'
import { exportedPages } from './exported-pages.ts'

const movedTables = ['runs', 'groups', 'sessions', 'sums', 'claims', 'held']

const openFolder = (folder: string): DurableDatabase => new DurableDatabase(folder, 'fsync', undefined, 'move')

/**
 * The most claims that a move may bring. With more claims, a gateway would not find room for all (recent-claims.ts), and would take some
 * repeated events for new.
 */
const maxClaims = 1_100_000

const claimsFault = (): Fault =>
  new Fault('too_many_claims', `the embedded store has no room for more than ${maxClaims} known delivery ids`, {
    exitCode: exit.conflict,
    hint: 'let gateways receive less, or wait: an id is known for an hour, or for duplicates.hours of its route',
  })

/**
 * SQLite deletes the log when a database is closed and the file has the content of the log. Throws a Fault where the log is still there:
 * without its log, the file lacks what was written last.
 */
const requireWhole = (folder: string): void => {
  const log = join(folder, `${databaseName}-wal`)
  if (!existsSync(log)) return
  throw new Fault('store_not_whole', `the move cannot be completed: ${log} could not be brought into its database`, {
    exitCode: exit.no,
    hint: `make room on the disk of ${folder}, end other programs that read the database, and begin the move again`,
  })
}

class MovableSqlite implements MovableStore {
  readonly state: MoveState
  readonly #folder: string
  readonly #clock: Clock
  readonly #openedAt: number
  #claims = 0
  #present: DurableDatabase | undefined
  #filled: DurableDatabase | undefined

  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
    this.#openedAt = clock.monotonic()
    const database = openFolder(folder)
    this.#present = database
    const { db } = database
    const isEmpty = movedTables.every((table) => db.prepare(`select 1 from ${table} limit 1`).all().length === 0)
    this.state = existsSync(fillingFolder(folder)) ? { state: 'filling' } : isMoved(db) ? { state: 'moved' } : { state: 'serving', isEmpty }
  }

  async replicas(): Promise<readonly string[]> {
    return []
  }

  async *pages(): AsyncIterable<MovedPage> {
    const database = this.#filled ?? this.#present
    if (database) yield* exportedPages(database.db, this.#clock.monotonic(), this.#openedAt)
  }

  async begin(): Promise<void> {
    const folder = fillingFolder(this.#folder)
    rmSync(folder, { recursive: true, force: true })
    this.#filled = openFolder(folder)
  }

  async add(page: MovedPage): Promise<void> {
    if (page.kind === 'claims') this.#claims += page.rows.length
    if (this.#claims > maxClaims) throw claimsFault()
    await this.#change(this.#filled, (database) => addPage(database.db, page, this.#clock.monotonic()))
  }

  async complete(): Promise<void> {
    const filling = fillingFolder(this.#folder)
    await this.close()
    for (const folder of [filling, this.#folder]) requireWhole(folder)
    // While the folder `filling` exists, no gateway starts. So the folder stays until the new database is in its place.
    renameSync(join(filling, databaseName), join(this.#folder, databaseName))
    syncPath(this.#folder)
    rmSync(filling, { recursive: true, force: true })
  }

  shut(): Promise<void> {
    return this.#change(this.#present, ({ db }) => db.exec('insert into moved (one) values (1) on conflict do nothing'))
  }

  async reopen(): Promise<void> {
    rmSync(fillingFolder(this.#folder), { recursive: true, force: true })
    await this.#change(this.#present, ({ db }) => db.exec('delete from moved'))
  }

  async close(): Promise<void> {
    const open = [this.#filled, this.#present]
    this.#filled = undefined
    this.#present = undefined
    for (const database of open) await database?.close()
  }

  async #change(database: DurableDatabase | undefined, work: (database: DurableDatabase) => unknown): Promise<void> {
    await database?.commit(() => {
      database.db.exec('begin immediate')
      work(database)
      database.db.exec('commit')
    })
  }
}

/** Opens the embedded store for a move. Throws a Fault, for example while a gateway has the store open. */
export const openMovableSqlite = (folder: string, clock: Clock): MovableStore => new MovableSqlite(folder, clock)
