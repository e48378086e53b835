/** Opens connections to the primary of a database: the server that takes changes. */

import type Client from 'pg/lib/client'
import type { ClientOptions } from 'pg/lib/client'
import { type Host, parseAddress, type ServerAddress, type Tls } from '../../config/storage/server-address.ts'
import { StoreFault } from '../../core/fault.ts'
import { sqlState } from './database-error.ts'
import { proveSession } from './session/prove-session.ts'
import { applySettings, hasSettings, refusesStartOption, type SessionOptions, startOption } from './session/settings.ts'

export type ResultRow = readonly unknown[]

/** A statement of this program. It is prepared once on each connection, under its name. */
export type Statement = { readonly name: string; readonly text: string }

/** An open connection. A statement may be sent before earlier statements are answered; the server keeps their order. */
export type DatabaseConnection = {
  query(statement: Statement, values: readonly unknown[]): Promise<readonly ResultRow[]>
  /** Runs statements that are not prepared, and gives no rows. */
  run(text: string): Promise<void>
  /** Calls `then` once when the connection is lost or ended. */
  whenOver(then: () => void): void
  /** Ends the connection at once, whatever is under way. */
  drop(): void
  /** Ends the connection once the statements that were sent on it are answered. */
  end(): Promise<void>
}

export type ConnectionOptions = {
  /** Returns the address of the database. Called for each connection, so that the password in it can be changed without a restart. */
  readonly url: () => string
  readonly schema: string
  readonly durability: 'fsync' | 'commit'
  /**
   * Whether the database's planner must find rows by an index. Where a table is empty when a statement is planned, the planner would
   * otherwise choose to read the whole table, and stay with this choice when the table has become long.
   */
  readonly byIndex: boolean
  /** Whether the server refuses changes on this connection. */
  readonly isReadOnly?: boolean
  /** The longest time that connecting to one server may take, in milliseconds. */
  readonly connectMs?: number
  /** The longest time that a statement may take, in milliseconds. */
  readonly statementMs?: number
}

/**
 * The server ends a statement after `defaultStatementMs`, and the driver gives up waiting `answerGraceMs` later. So when the driver gives
 * up on a statement that was sent alone, the server has ended that statement.
 */
const defaultStatementMs = 2_000
const answerGraceMs = 500
const defaultConnectMs = 2_000

const indexSettings = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off', 'jit = off']

/** Connects to the first server of the address that is a primary. Throws the error of the server that was tried last. */
export const connect = async (options: ConnectionOptions): Promise<DatabaseConnection> => {
  // The driver is loaded here, so that a program with another store never loads it.
  const { default: Driver } = await import('pg/lib/client')
  const address = parseAddress(options.url())
  const { schema, durability, isReadOnly = false, statementMs = defaultStatementMs } = options
  const session: SessionOptions = { schema, durability, isReadOnly, statementMs }
  let last: unknown
  for (const host of address.hosts) {
    const clientWith = (startOptions: string): Client => new Driver(clientOptions(address, host, options, startOptions))
    let connection: DatabaseConnection | undefined
    try {
      const client = await openSession(clientWith, session)
      connection = connectionOf(client)
      await prepareConnection(connection, host, options)
      return connection
    } catch (error) {
      connection?.drop()
      last = error
    }
  }
  throw last
}

/** Opens a session of the server with our settings. Throws a Fault where a pooler lets no session keep them. */
const openSession = async (clientWith: (startOptions: string) => Client, session: SessionOptions): Promise<Client> => {
  const first = await opened(clientWith(startOption(session))).catch((error: unknown) => {
    if (refusesStartOption(error)) return opened(clientWith(''))
    throw error
  })
  let second: Client | undefined
  try {
    if (await hasSettings(first, session)) return first
    second = await opened(clientWith(''))
    await proveSession(first, second)
    await applySettings(first, session)
    return first
  } catch (error) {
    drop(first)
    throw error
  } finally {
    if (second) drop(second)
  }
}

const opened = async (client: Client): Promise<Client> => {
  // Without a listener for `error`, Node ends the process when a connection breaks.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    drop(client)
    throw error
  }
}

const drop = (client: Client): void => client.connection.stream.destroy()

/** Returns all options of the driver, because an option that is left out would be taken from PG* variables or from a file of passwords. */
const clientOptions = (
  address: ServerAddress,
  { host, port }: Host,
  { connectMs, statementMs = defaultStatementMs }: ConnectionOptions,
  startOptions: string,
): ClientOptions => ({
  host,
  port,
  user: address.user,
  database: address.database,
  password: () => address.password,
  ssl: tlsOptions(address.tls),
  sslnegotiation: 'postgres',
  client_encoding: 'utf8',
  application_name: 'headgate',
  options: startOptions,
  pipeline: true,
  keepAlive: true,
  query_timeout: statementMs + answerGraceMs,
  connectionTimeoutMillis: connectMs ?? defaultConnectMs,
})

const tlsOptions = (tls: Tls): ClientOptions['ssl'] =>
  tls !== undefined && { rejectUnauthorized: tls.isChecked, ...(tls.ca === undefined ? {} : { ca: tls.ca }) }

const connectionOf = (client: Client): DatabaseConnection => {
  let isOver = false
  const waiting: (() => void)[] = []
  const over = (): void => {
    isOver = true
    for (const then of waiting.splice(0)) then()
  }
  client.on('error', over)
  client.on('end', over)
  return {
    query: async ({ name, text }, values) => (await client.query({ name, text, values, rowMode: 'array' })).rows,
    run: async (text) => void (await client.query(text)),
    whenOver: (then) => void (isOver ? then() : waiting.push(then)),
    drop: () => drop(client),
    end: () => client.end(),
  }
}

const prepareConnection = async (connection: DatabaseConnection, { host, port }: Host, { byIndex }: ConnectionOptions): Promise<void> => {
  const [recovery] = await Promise.all([
    connection.query({ name: 'is_standby', text: 'select pg_is_in_recovery()' }, []),
    ...(byIndex ? indexSettings.map((setting) => connection.run(`set ${setting}`).catch(ignoreUnknownSetting)) : []),
  ])
  if (recovery[0]?.[0] === true) throw new StoreFault(`${host}:${port} is a standby, which takes no changes`)
}

/** Ignores the error of a server of another make that does not know a setting of the planner. Throws any other error. */
const ignoreUnknownSetting = (error: unknown): void => {
  if (sqlState(error) !== '42704') throw error
}
