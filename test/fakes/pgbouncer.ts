/** Runs Debian's pgbouncer on loopback, before a server that belongs to the test. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort, serverUser } from './postgres-process.ts'
import type { OwnServer } from './postgres-server.ts'
import { works } from './process.ts'
import { until } from './wait.ts'

export const withoutPgbouncer: string | false = works('pgbouncer', '--version') ? false : 'needs pgbouncer'

/** `dropped`: the parameters of a new connection that pgbouncer drops; it refuses a connection with others. */
export type Pooling = { readonly mode: 'session' | 'transaction'; readonly dropped: readonly string[] }

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
    socket.unref().once('connect', () => socket.destroy())
  })

/** Starts pgbouncer until the end of the test. Returns the address of the database behind it. */
export const startPgbouncer = async (t: Test, { url, folder }: OwnServer, { mode, dropped }: Pooling): Promise<string> => {
  const [{ port: serverPort, username, pathname }, port] = [new URL(url), await freePort()]
  const file = join(folder, `pgbouncer-${port}.ini`)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    ignore_startup_parameters: ['extra_float_digits', ...dropped].join(','),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const database = `* = host=127.0.0.1 port=${serverPort} user=${username}`
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'))
  const child = spawn('pgbouncer', ['-q', file], { ...serverUser, stdio: 'ignore' })
  t.teardown(async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
  })
  await until(() => canConnect(port))
  return `postgres://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`
}
