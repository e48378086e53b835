/** The settings of a session of the database. The driver hands them over as it connects; a pooler may drop them. */

import type Client from 'pg/lib/client'
import { messageOf } from '../../../core/fault.ts'

export type SessionOptions = {
  readonly schema: string
  readonly durability: 'fsync' | 'commit'
  /** Whether the server refuses changes in this session. */
  readonly isReadOnly: boolean
  /** The longest time that a statement may take, in milliseconds. */
  readonly statementMs: number
}

/**
 * Longer than the second after which a server looks for a deadlock. So the server finds the deadlock first: it ends one of the two
 * statements, and the other goes on.
 */
const lockTimeout = '1500ms'

/** Returns the settings as names and values. No value has a blank or a quote. */
const settingsOf = ({ schema, durability, isReadOnly, statementMs }: SessionOptions): readonly (readonly [string, string])[] => [
  ['search_path', schema],
  ['statement_timeout', `${statementMs}ms`],
  ['lock_timeout', lockTimeout],
  ['idle_in_transaction_session_timeout', '10s'],
  ['synchronous_commit', durability === 'fsync' ? 'on' : 'off'],
  ['default_transaction_read_only', isReadOnly ? 'on' : 'off'],
]

/** Returns the settings as the option of a connection. */
export const startOption = (options: SessionOptions): string =>
  settingsOf(options)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Whether an error says that a pooler takes no such option. */
export const refusesStartOption = (error: unknown): boolean => /unsupported startup parameter/i.test(messageOf(error))

/** Whether the session has our settings: two of them that no other program sets in this way. */
export const hasSettings = async (client: Client, { schema }: SessionOptions): Promise<boolean> => {
  const text = `select current_setting('search_path'), current_setting('lock_timeout')`
  const [row] = (await client.query({ text, rowMode: 'array' })).rows
  return row?.[0] === schema && row[1] === lockTimeout
}

/** Gives the session our settings. They stay until the connection ends. */
export const applySettings = async (client: Client, options: SessionOptions): Promise<void> => {
  await client.query(
    settingsOf(options)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  )
}
