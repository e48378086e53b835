/** Inspects the database of a shared store, and changes nothing in it. */

import { Fault } from '../../core/fault.ts'
import type { Inspected, StoreOptions } from '../store-part.ts'
import { connect, type DatabaseConnection } from './connection.ts'
import { asynchronous, notSynced, readDurability } from './durability.ts'
import { checkMade, openingFault } from './migration.ts'

/** How much the clocks of this machine and of the server may differ without a warning. */
const mostSkewMs = 5_000

/**
 * Connects to the server, and inspects the schema, the settings that decide whether accepted events may be lost, and the clock. Never
 * rejects.
 */
export const inspectServer = async (options: StoreOptions): Promise<Inspected> => {
  let connection: DatabaseConnection | undefined
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

const inspectConnection = async (connection: DatabaseConnection, { schema, durability, clock }: StoreOptions): Promise<Inspected> => {
  const isMade = await hasTables(connection, schema)
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
  const state = isMade ? `schema ${schema}` : 'no tables yet: the first start of a gateway makes them'
  return { result: 'ok', message: `postgres ${server}, ${state}` }
}

/** Whether a gateway has made the tables. Throws a Fault where a gateway could not work with them. */
const hasTables = async (connection: DatabaseConnection, schema: string): Promise<boolean> => {
  try {
    await checkMade(connection, schema)
    return true
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'store_empty')) throw error
    return false
  }
}
