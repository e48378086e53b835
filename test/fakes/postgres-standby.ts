/** A synchronous standby of a test's own PostgreSQL server. The binaries have no `pg_basebackup`, so the data is copied here. */

import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, type Dirent, writeFileSync } from 'node:fs'
import { chown, copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect, type DatabaseConnection } from '../../src/store/postgres/connection.ts'
import { serverUser } from './postgres-process.ts'
import { makeServerFolder, type OwnServer, serveFrom } from './postgres-server.ts'
import { until } from './wait.ts'

export type Standby = OwnServer & {
  /** Makes the standby a primary. Resolves when it takes changes. */
  readonly promote: () => Promise<void>
}

/** The name by which the primary knows its standby. */
const standbyName = 'standby'
/** How long a checkpoint, or a standby that catches up, may take on a busy machine. */
const timeoutMs = 60_000
/** What belongs to the running primary alone. A standby gets the log of changes from the primary. */
const notCopied: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'])

/**
 * Starts a standby of a running server. When this resolves, the primary confirms a commit only after the standby has the commit on disk. A
 * server may have one standby in its life. The standby uses the binaries of the primary, so the primary is to be stopped after the standby.
 */
export const startStandby = async (primary: OwnServer): Promise<Standby> => {
  const folder = await makeServerFolder(join(primary.folder, 'native'))
  const data = join(folder, 'data')
  const connection = await connect({
    url: () => primary.url,
    schema: 'public',
    durability: 'fsync',
    byIndex: false,
    statementMs: timeoutMs,
  })
  try {
    await copyRunning(connection, join(primary.folder, 'data'), data)
    followPrimary(data, new URL(primary.url).port)
    const server = await serveFrom(folder, true)
    await waitForStandby(connection, 'streaming')
    await connection.run(`alter system set synchronous_standby_names = '${standbyName}'`)
    await connection.run('select pg_reload_conf()')
    await waitForStandby(connection, 'sync')
    const pgCtl = [join(folder, 'native/bin/pg_ctl'), 'promote', '--wait', '-D', data] as const
    return { ...server, promote: async () => void (await promisify(execFile)(pgCtl[0], pgCtl.slice(1), { ...serverUser, cwd: folder })) }
  } finally {
    await connection.end()
  }
}

/** Copies the data of a running server. The slot keeps the log of changes that the standby will ask for. */
const copyRunning = async (connection: DatabaseConnection, from: string, to: string): Promise<void> => {
  await connection.run(`select pg_create_physical_replication_slot('${standbyName}', true)`)
  await connection.run(`select pg_backup_start('${standbyName}', true)`)
  for (const name of ['pg_wal', 'pg_replslot']) await makeOwned(join(to, name))
  await copyFolder(from, to, notCopied)
  const [[label] = []] = await connection.query({ name: 'end_backup', text: 'select labelfile from pg_backup_stop(false)' }, [])
  writeFileSync(join(to, 'backup_label'), String(label))
}

const makeOwned = async (folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o700 })
  await giveToServer(folder)
}

const giveToServer = async (path: string): Promise<void> => {
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) await chown(path, serverUser.uid, serverUser.gid)
}

const copyFolder = async (from: string, to: string, leftOut: ReadonlySet<string> = new Set()): Promise<void> => {
  const entries = (await readdir(from, { withFileTypes: true })).filter(({ name }) => !leftOut.has(name))
  const copyEntry = async (entry: Dirent): Promise<void> => {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await makeOwned(copy)
      await copyFolder(source, copy)
    } else if (await copyIfThere(source, copy)) await giveToServer(copy)
  }
  await Promise.all(entries.map(copyEntry))
}

/** `false`: the running server has removed the file meanwhile. */
const copyIfThere = async (from: string, to: string): Promise<boolean> => {
  try {
    await copyFile(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Writes into copied data that a server on this data follows the primary. */
const followPrimary = (data: string, port: string): void => {
  const primary = `host=127.0.0.1 port=${port} user=postgres application_name=${standbyName}`
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\nprimary_slot_name = '${standbyName}'\n`)
  for (const name of ['standby.signal', 'backup_label']) {
    appendFileSync(join(data, name), '')
    if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(join(data, name), serverUser.uid, serverUser.gid)
  }
}

/** Waits until the primary says that its standby is in this state. */
const waitForStandby = async (connection: DatabaseConnection, state: 'streaming' | 'sync'): Promise<void> => {
  const text = 'select state, sync_state from pg_stat_replication where application_name = $1'
  await until(async () => (await connection.query({ name: 'standby', text }, [standbyName])).flat().includes(state), timeoutMs)
}
