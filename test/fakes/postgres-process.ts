/** Starts, finds and kills the processes of a PostgreSQL server that belongs to a test. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Who runs the server. The server refuses to run as root. */
export const serverUser: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Returns the ids of a process's children. A session lives for a moment after its server, and could still answer. */
export const childrenOf = (pid: number | undefined): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    // Only Linux has this file.
    return []
  }
}

export const killIfAlive = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended with its server.
  }
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** Starts the server as a child of this process. After a kill, the shared memory of the dead server may block the first tries. */
export const startProcess = async (folder: string, port: number, isSafe: boolean): Promise<ChildProcess> => {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...(isSafe ? [] : ['fsync=off', 'full_page_writes=off'])]
  const options = ['-D', join(folder, 'data'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  for (let tries = 1; ; tries++) {
    const child = spawn(join(folder, 'native/bin/postgres'), options, { ...serverUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
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
      if (/ready to accept (?:read-only )?connections/.test(said)) resolve(undefined)
    })
    child.once('error', reject).once('exit', () => resolve(said))
  })
