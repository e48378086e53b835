/** Opens the schema of a shared store for a command, over one connection. */

import { isEventId } from '../../bounds.ts'
import type { Attached, StoreOptions } from '../../store-part.ts'
import { reviveKind } from '../calls/lane-calls.ts'
import { standingsKind } from '../calls/standing-calls.ts'
import { type Connection, connect } from '../connection.ts'
import { DatabaseLink } from '../database-link.ts'
import { Marks } from '../keys.ts'
import { checkMade, checkReadable, openingFault } from '../migration.ts'
import { PostgresRecords } from './postgres-records.ts'

export const attachPostgres = async (options: StoreOptions, may: 'read' | 'change'): Promise<Attached> => {
  const open = (): Promise<Connection> => connect({ ...options, byIndex: true, isReadOnly: may === 'read' })
  const greet = (connection: Connection): Promise<void> => checkReadable(connection, options.schema)
  const link = new DatabaseLink({ clock: options.clock, connect: open, greet }, await openChecked(open, options.schema))
  return {
    records: new PostgresRecords(link, new Marks()),
    standings: (eventIds) => link.call(standingsKind, eventIds.filter(isEventId)),
    revive: (eventId) => link.call(reviveKind, isEventId(eventId) ? eventId : ''),
    close: () => link.close(),
  }
}

const openChecked = async (open: () => Promise<Connection>, schema: string): Promise<Connection> => {
  let connection: Connection | undefined
  try {
    connection = await open()
    await checkMade(connection, schema)
    return connection
  } catch (error) {
    connection?.drop()
    throw openingFault(error)
  }
}
