/**
 * Brings the schema of the shared database to the version of this program, or throws a Fault that says what to do. Also checks whether a
 * gateway, a command, or an open store may use the schema.
 */

import { exit, Fault, messageOf, StoreFault } from '../../core/fault.ts'
import type { DatabaseConnection, ResultRow, Statement } from './connection.ts'
import { sqlState } from './database-error.ts'
import { minReader, schemaVersion, upgradeFrom } from './sql/schema.ts'

const versionStatement: Statement = { name: 'version', text: 'select version, min_reader, state from meta' }

/** The server's error code for a missing table: the schema has no tables yet. */
const noTable = '42P01'
/** The server's error codes where another process makes the same schema at the same moment. */
const madeMeanwhile: ReadonlySet<string> = new Set(['23505', '42P06', '42P07', '42710'])
const maxTries = 10

const newerMessage = (schema: string, version: unknown): string =>
  `the schema ${schema} was written by a later version (format ${version}, this one knows ${schemaVersion})`

const newerFault = (schema: string, version: unknown): Fault =>
  new Fault('store_newer', newerMessage(schema, version), { exitCode: exit.config, hint: 'run that version, or use another schema' })

/**
 * Says why gateways may not use the schema: its content was moved to another store, or a move to it has not ended. `undefined`: they may.
 */
const stateMessage = (schema: string, state: unknown): string | undefined => {
  if (state === 'moved') return `what the schema ${schema} holds was moved to sqlite`
  return state === 'filling' ? `a move to the schema ${schema} has not ended` : undefined
}

/** For the start of a gateway: throws a Fault when the content was moved away, or a move to this schema has not ended. */
export const checkState = async (connection: DatabaseConnection, schema: string): Promise<void> => {
  const [row] = await connection.query(versionStatement, [])
  refuseState(schema, row?.[2])
}

const refuseState = (schema: string, state: unknown): void => {
  const message = stateMessage(schema, state)
  if (message === undefined) return
  const hint =
    state === 'moved'
      ? 'set storage.kind: sqlite, or bring it back: headgate storage move --to postgres'
      : 'repeat it: headgate storage move --to postgres'
  throw new Fault(state === 'moved' ? 'store_moved' : 'store_filling', message, { exitCode: exit.conflict, hint })
}

/**
 * For a command: throws a Fault when this version cannot read the tables, when they are not made yet, or when the content was moved away or
 * a move to the schema has not ended.
 */
export const checkMade = async (connection: DatabaseConnection, schema: string): Promise<void> => {
  const [row] = await connection.query(versionStatement, []).catch((error): readonly ResultRow[] => {
    if (sqlState(error) !== noTable) throw error
    return []
  })
  if (row === undefined || Number(row[0]) === 0) {
    const hint = 'the first start of a gateway makes them; look at storage.schema'
    throw new Fault('store_empty', `the schema ${schema} of the database has no tables yet`, { exitCode: exit.notFound, hint })
  }
  if (Number(row[1]) > schemaVersion) throw newerFault(schema, row[0])
  refuseState(schema, row[2])
}

/**
 * For a new connection of an open store: throws a StoreFault when this version can no longer read the tables, or when the content was moved
 * away or a move to the schema has not ended.
 */
export const checkReadable = async (connection: DatabaseConnection, schema: string): Promise<void> => {
  const [row] = await connection.query(versionStatement, [])
  if (Number(row?.[1]) > schemaVersion) throw new StoreFault(newerMessage(schema, row?.[0]))
  const message = stateMessage(schema, row?.[2])
  if (message !== undefined) throw new StoreFault(message)
}

/**
 * Makes the tables where they are missing, and upgrades tables of an earlier version. Throws a Fault for tables that this version cannot
 * read, and otherwise the error of the database.
 */
export const migrate = async (connection: DatabaseConnection, schema: string): Promise<void> => {
  let last: unknown
  for (let tries = 0; tries < maxTries; tries++) {
    try {
      const [row] = await connection.query(versionStatement, []).catch(async (error) => {
        if (sqlState(error) !== noTable) throw error
        await connection.run(beginning(schema))
        return await connection.query(versionStatement, [])
      })
      const version = Number(row?.[0])
      if (Number(row?.[1]) > schemaVersion) throw newerFault(schema, version)
      if (version >= schemaVersion) return
      await upgrade(connection)
      return
    } catch (error) {
      if (!madeMeanwhile.has(sqlState(error))) throw error
      last = error
    }
  }
  throw last
}

/**
 * Returns the SQL that makes the schema and its table `meta`. A schema that exists is not made again, because making a schema needs a right
 * that making tables in it does not need. In `meta`, `state` is `moved` or `filling`, and null where gateways may work; `moved_claims` is
 * the time at which the last moved claim ends of which the embedded store had only a fingerprint.
 */
const beginning = (schema: string): string => `
  do $$ begin
    if not exists (select 1 from pg_namespace where nspname = '${schema}') then
      create schema ${schema};
    end if;
  end $$;
  create table if not exists meta (
    one boolean primary key default true check (one), version int not null, min_reader int not null,
    state text, moved_claims timestamptz
  );
  insert into meta (version, min_reader) values (0, 0) on conflict do nothing;
`

/**
 * Upgrades the tables. The row of `meta` is locked meanwhile, so that one of several processes upgrades the tables, and the other processes
 * find the tables upgraded.
 */
const upgrade = async (connection: DatabaseConnection): Promise<void> => {
  await connection.run('begin; set local statement_timeout = 0; set local lock_timeout = 0; set local synchronous_commit = on')
  try {
    const [row] = await connection.query({ name: 'lock_version', text: 'select version from meta for update' }, [])
    const version = Number(row?.[0])
    if (version < schemaVersion) {
      await connection.run(upgradeFrom(version))
      await connection.run(`update meta set version = ${schemaVersion}, min_reader = ${minReader}`)
    }
    await connection.run('commit')
  } catch (error) {
    await connection.run('rollback')
    throw error
  }
}

/**
 * Returns a Fault that says why the database could not be opened: `error` itself where it is a Fault. A new Fault quotes the message of
 * `error`, which names no password.
 */
export const openingFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  const message = messageOf(error)
  const state = sqlState(error)
  const hint =
    state.startsWith('28') || state === '3D000'
      ? 'check the user, the password and the name of the database'
      : state === '42501'
        ? 'let the user make the schema, or make it and let the user make tables in it'
        : 'check that the server runs and can be reached from here'
  return new Fault('store_unreachable', `the database cannot be opened: ${message}`, { exitCode: exit.unreachable, hint, cause: error })
}
