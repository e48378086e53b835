/** Inspects the database of a shared store, and changes nothing in it. */

import type { Inspected, StoreOptions } from '../store-part.ts'
import { type Connection, connect } from './connection.ts'
import { sqlState } from './database-error.ts'
import { asynchronous, notSynced, readDurability } from './durability.ts'
import { noTable, openingFault } from './migration.ts'
import { schemaVersion } from './sql/schema.ts'

/** The clocks of this machine and of the server may differ by this much before somebody should know. */
const mostSkewMs = 5_000

export const inspectServer = async (options: StoreOptions): Promise<Inspected> => {
  let connection: Connection | undefined
  try {
    connection = await connect({ ...options, byIndex: false })
    return await inspectConnection(connection, options)
  } catch (error) {
    const { message, hint = 'look at the log of the server' } = openingFault(error)
    return { result: 'fail', message, fix: hint }
  } finally {
    connection?.drop()
  }
}

const settings = `select current_setting('server_version', true), (extract(epoch from now()) * 1000)::float8`

const inspectConnection = async (connection: Connection, { schema, durability, clock }: StoreOptions): Promise<Inspected> => {
  const version = await readVersion(connection)
  if (version !== undefined && version > schemaVersion) {
    return {
      result: 'fail',
      message: `the schema ${schema} was written by a later version of headgate`,
      fix: 'run that version, or use another schema',
    }
  }
  const [row = []] = await connection.query({ name: 'settings', text: settings }, [])
  const [server, serverMs] = row as [string, number]
  const { isSynced, isAsynchronous } = await readDurability(connection)
  if (!isSynced && durability === 'fsync') return { result: 'fail', message: notSynced, fix: 'set fsync = on there' }
  if (isAsynchronous) return { result: 'warn', message: asynchronous, fix: 'set synchronous_standby_names at the server' }
  const skewMs = Math.abs(clock.now() - serverMs)
  if (skewMs > mostSkewMs) {
    return {
      result: 'warn',
      message: `the clock of the server differs from this one by ${Math.round(skewMs / 1000)} s`,
      fix: 'let both machines take their time from one source: signatures are checked by the clock of this one',
    }
  }
  const state = version === undefined ? 'no schema yet: the first start makes it' : `schema ${schema}, format ${version}`
  return { result: 'ok', message: `postgres ${server}, ${state}` }
}

const readVersion = async (connection: Connection): Promise<number | undefined> => {
  try {
    const [row] = await connection.query({ name: 'version', text: 'select version, min_reader from meta' }, [])
    return Number(row?.[1]) > schemaVersion ? Number(row?.[0]) : Math.min(Number(row?.[0]), schemaVersion)
  } catch (error) {
    if (sqlState(error) !== noTable) throw error
    return undefined
  }
}
