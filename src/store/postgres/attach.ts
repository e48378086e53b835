/** Opens the schema of a shared store for a command, over one connection. */

import { isEventId } from '../bounds.ts'
import type { Attached, StoreAccess, StoreOptions } from '../store-part.ts'
import { eraseOver } from './calls/erasing.ts'
import { reviveKind } from './calls/lane-calls.ts'
import { cancelKind } from './calls/run-calls.ts'
import { standingsKind } from './calls/standing-calls.ts'
import { connect, type DatabaseConnection } from './connection.ts'
import { CallMarks } from './keys.ts'
import { DatabaseLink } from './link/database-link.ts'
import { checkMade, checkReadable, migrate, openingFault } from './migration.ts'
import { PostgresShared } from './postgres-shared.ts'

/**
 * Opens the store. `access`: what the command may do with it. Throws a Fault where the store cannot be used, also where its tables are not
 * made yet and the access is not `make`.
 */
export const attachPostgres = async (options: StoreOptions, access: StoreAccess): Promise<Attached> => {
  const open = (): Promise<DatabaseConnection> => connect({ ...options, byIndex: true, isReadOnly: access === 'read' })
  const greet = (connection: DatabaseConnection): Promise<void> => checkReadable(connection, options.schema)
  const link = new DatabaseLink({ clock: options.clock, connect: open, greet }, await openChecked(open, options.schema, access))
  return {
    shared: new PostgresShared({ work: link, slow: link, records: link, marks: new CallMarks() }),
    standings: (eventIds) => link.call(standingsKind, eventIds.filter(isEventId)),
    revive: (eventId) => link.call(reviveKind, isEventId(eventId) ? eventId : ''),
    cancel: (eventId) => link.call(cancelKind, isEventId(eventId) ? eventId : ''),
    erase: (of) => eraseOver(link, of),
    close: () => link.close(),
  }
}

const openChecked = async (open: () => Promise<DatabaseConnection>, schema: string, access: StoreAccess): Promise<DatabaseConnection> => {
  let connection: DatabaseConnection | undefined
  try {
    connection = await open()
    if (access === 'make') await migrate(connection, schema)
    await checkMade(connection, schema)
    return connection
  } catch (error) {
    connection?.drop()
    throw openingFault(error)
  }
}
