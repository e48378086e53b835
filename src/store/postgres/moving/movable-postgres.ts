/**
 * The shared store, opened for a move of its content. The table `meta` has the state of the store, which a gateway reads before it uses the
 * store.
 */

import { exit, Fault } from '../../../core/fault.ts'
import type { MovableStore, MovedPage, MoveState } from '../../moving.ts'
import type { StoreOptions } from '../../store-part.ts'
import type { CallKind } from '../call-kind.ts'
import { entryRevisionsKind, readEntriesKind, replaceEntriesKind } from '../calls/entry-calls.ts'
import { replicasKind } from '../calls/replica-calls.ts'
import { connect, type DatabaseConnection, type ResultRow } from '../connection.ts'
import { CallMarks } from '../keys.ts'
import { migrate, openingFault } from '../migration.ts'
import { PostgresRecords } from '../postgres-records.ts'
import { addPage } from './added-page.ts'
import { exportedPages } from './exported-pages.ts'

/** The time limit of a statement, in milliseconds. It is long, because the server sorts a whole table before the first row can be read. */
const statementMs = 600_000

const filledTables = 'claims, runs, lanes, groups, plans, sessions, messages, sums, rates, entries'

/**
 * The SQL that ends the filling: makes the rows of the lanes, begins parked runs where their lane has room, and lets gateways use the
 * store. Of some claims only a fingerprint was moved; the SQL also notes when the last of these claims ends.
 */
const fillLanes = `
  insert into lanes (key, open, turns)
  select lane, count(*) filter (where not parked), coalesce((array_agg(lane_limit order by made_at desc, id desc))[1], 1)
  from runs where lane is not null and ended_at is null group by lane;
  select fill_lane_1(key, turns) from lanes;
  update meta set state = null, moved_claims = (select max(until) from claims where key::text like '%0-0000-000000000000');
`

class MovablePostgres implements MovableStore {
  readonly state: MoveState
  readonly entries: NonNullable<MovableStore['entries']>
  readonly records: PostgresRecords
  readonly #connection: DatabaseConnection
  /** The SQL of the time at which this store was opened. */
  readonly #openedAt: string

  constructor(connection: DatabaseConnection, [state, openedAt, isEmpty]: ResultRow) {
    this.#connection = connection
    this.#openedAt = `'${openedAt}'::timestamptz`
    this.state = state === 'filling' || state === 'moved' ? { state } : { state: 'serving', isEmpty: isEmpty === true }
    const ask = async <Call, Answer>(kind: CallKind<Call, Answer>, call: Call): Promise<Answer> => {
      const answers = kind.answers(await connection.query(kind, kind.values([call])), [call])
      return answers[0] as Answer
    }
    this.entries = {
      entryRevisions: () => ask(entryRevisionsKind, undefined),
      readEntries: (name) => ask(readEntriesKind, name),
      replaceEntries: (name, before, after) => ask(replaceEntriesKind, { name, before, after }),
    }
    this.records = new PostgresRecords({ call: ask }, new CallMarks())
  }

  async replicas(): Promise<readonly string[]> {
    const rows = await this.#connection.query(replicasKind, [])
    return (replicasKind.answers(rows, [undefined])[0] ?? []).map(({ state: { host, pid } }) => `${host}, process ${pid}`)
  }

  pages(): AsyncIterable<MovedPage> {
    return exportedPages(this.#connection, this.#openedAt)
  }

  async begin(): Promise<void> {
    await this.#connection.run(`update meta set state = 'filling'`)
    await this.#connection.run(`truncate ${filledTables}`)
  }

  add(page: MovedPage): Promise<void> {
    return addPage(this.#connection, page)
  }

  complete(): Promise<void> {
    return this.#connection.run(`begin; ${fillLanes} commit`)
  }

  shut(): Promise<void> {
    return this.#connection.run(`update meta set state = 'moved'`)
  }

  async reopen(): Promise<void> {
    if (this.state.state === 'filling') await this.#connection.run(`truncate ${filledTables}`)
    await this.#connection.run('update meta set state = null')
  }

  close(): Promise<void> {
    return this.#connection.end()
  }
}

const stateText = `select state, clock()::text, not (exists (select 1 from runs) or exists (select 1 from groups)
  or exists (select 1 from sessions) or exists (select 1 from sums) or exists (select 1 from entries)
  or exists (select 1 from claims where until > clock())) from meta`

/** Opens the shared store for a move, and makes its tables where there are none. Throws a Fault. */
export const openMovablePostgres = async (options: StoreOptions): Promise<MovableStore> => {
  let connection: DatabaseConnection | undefined
  try {
    connection = await connect({ ...options, durability: 'fsync', byIndex: false, statementMs })
    await migrate(connection, options.schema)
    const [row] = await connection.query({ name: 'move_state', text: stateText }, [])
    // Never thrown: the migration has made the row.
    if (row === undefined) throw new Fault('store_unusable', 'the database has no state', { exitCode: exit.internal })
    return new MovablePostgres(connection, row)
  } catch (error) {
    connection?.drop()
    throw openingFault(error)
  }
}
