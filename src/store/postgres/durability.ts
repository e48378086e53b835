/**
 * Asks a database server whether it may lose commits that it has confirmed, when a gateway opens the store and when the store is inspected.
 */

import { exit, Fault } from '../../core/fault.ts'
import type { DatabaseConnection } from './connection.ts'

/** `isSynced`: a commit is on disk when it is confirmed. `isAsynchronous`: there are standbys, and no commit waits for any of them. */
export type Durability = { readonly isSynced: boolean; readonly isAsynchronous: boolean }

const settings = `select current_setting('fsync', true) is distinct from 'off',
  coalesce(current_setting('synchronous_standby_names', true), '') = '' and exists (select 1 from pg_stat_replication)`

export const readDurability = async (connection: DatabaseConnection): Promise<Durability> => {
  const [row] = await connection.query({ name: 'durability', text: settings }, [])
  return { isSynced: row?.[0] === true, isAsynchronous: row?.[1] === true }
}

export const notSynced = 'the database server runs with fsync = off: a power cut there loses accepted events'
export const asynchronous =
  'the database server has standbys and waits for none of them: a fail-over loses the events that were accepted in the last moments'

/**
 * With `fsync`, throws a Fault where the server may lose commits that it has confirmed. Returns a warning for the operator, or `undefined`.
 */
export const checkDurability = async (connection: DatabaseConnection, durability: 'fsync' | 'commit'): Promise<string | undefined> => {
  if (durability !== 'fsync') return undefined
  const { isSynced, isAsynchronous } = await readDurability(connection)
  if (isSynced) return isAsynchronous ? asynchronous : undefined
  throw new Fault('store_unsafe', notSynced, {
    exitCode: exit.config,
    hint: 'set fsync = on at the server, or set storage.durability: commit to accept that',
  })
}
