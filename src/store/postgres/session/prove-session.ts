/** Finds out whether a connection through a pooler keeps one session of the server for as long as it lasts. */

import type Client from 'pg/lib/client'
import { exit, Fault } from '../../../core/fault.ts'

/**
 * Throws a Fault where the pooler gives each transaction another session. `first` and `second`: connections of the same address, on which
 * nothing is under way. The second holds a transaction open for a moment. Where sessions are shared, it gets the session of the first, or
 * the first gets another.
 */
export const proveSession = async (first: Client, second: Client): Promise<void> => {
  const before = await sessionOf(first)
  await second.query('begin')
  const others = await sessionOf(second)
  const isShared = others === before || (await sessionOf(first)) !== before
  await second.query('rollback')
  if (isShared) throw sharedSessions()
}

const sessionOf = async (client: Client): Promise<unknown> =>
  (await client.query({ text: 'select pg_backend_pid()', rowMode: 'array' })).rows[0]?.[0]

const sharedSessions = (): Fault =>
  new Fault('store_pooler', 'the database is behind a pooler that gives each transaction another session', {
    exitCode: exit.config,
    hint: 'name the server itself, or a pool in session mode: prepared statements and settings belong to a session',
  })
