/** Serves the operations of a running gateway to the command line, on a Unix socket that only the gateway's user can open. */

import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createRelay, type Server as Relay } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Clock, systemClock } from '../../core/clock.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { Scope } from '../../core/scope.ts'
import { repeat } from '../../core/turns/repeat.ts'
import type { RunningGateway } from '../../datadir/running-gateway.ts'
import { closeServer } from '../close.ts'
import { createLazyFastify } from '../lazy-fastify.ts'
import { addOperations, addRefusals } from './answers.ts'
import { openShortPath, removeStale } from './socket-path.ts'

export interface Control {
  /** Removes the socket. Open requests may still get their answers within half a second. */
  close(): Promise<void>
}

export type ControlOptions = {
  /** The absolute path of the socket. */
  readonly path: string
  readonly operations: RunningGateway
  readonly log: Log
  readonly clock?: Clock
}

const maxBodyBytes = 1_048_576
const maxConnections = 64
/** The time between two checks whether the socket file is there, in milliseconds. */
const lookMs = 2_000

/**
 * Starts to serve the operations on the control socket. Where the path is too long for a socket, the gateway runs without it, and the log
 * says so. Throws a Fault when the path is taken, for example by another gateway, or when the socket cannot be made.
 */
export const listenControl = async (options: ControlOptions): Promise<Control> => {
  const { path, log } = options
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const short = openShortPath(path)
  if (short === undefined) {
    log(
      'warn',
      { file: path },
      'running without a control socket, its path is too long: `gateway reload` and others cannot reach this gateway',
    )
    return { close: async () => {} }
  }
  const scope = new Scope()
  scope.defer(short.close)
  try {
    await listenOn(short.path, options, scope)
  } catch (error) {
    await scope.close()
    throw error
  }
  return { close: scope.close }
}

/** Listens on the socket under `short`, a form of `path` that the kernel takes. */
const listenOn = async (short: string, { path, operations, log, clock = systemClock }: ControlOptions, scope: Scope): Promise<void> => {
  await removeStale(path)
  const server = createServer()
  const addTo = (app: FastifyInstance): void => {
    addRefusals(app, log)
    addOperations(app, operations)
  }
  const host = createLazyFastify(server, clock, { logger: false, bodyLimit: maxBodyBytes, addTo })
  server.on('request', host.handle)
  server.maxConnections = maxConnections
  await bindPrivately(server, short)
  scope.defer(() => closeServer(server, host))
  recreateWhenGone({ path, short, log, clock, scope }, server)
}

type WatchedSocket = { readonly path: string; readonly short: string; readonly log: Log; readonly clock: Clock; readonly scope: Scope }

/**
 * Makes the socket again after somebody removed it. A file that stands in its place, perhaps another gateway's socket, is left alone. The
 * new socket belongs to a second server (`relay`), which hands its connections to the first server. The end of the scope waits
 * for a socket in the making.
 */
const recreateWhenGone = ({ path, short, log, clock, scope }: WatchedSocket, server: Server): void => {
  let relay: Relay | undefined
  const make = async (): Promise<void> => {
    relay?.close()
    relay = createRelay((socket) => void server.emit('connection', socket))
    relay.maxConnections = maxConnections
    await bindPrivately(relay, short)
    log('warn', { file: path }, 'the control socket was gone and is made again')
  }
  const look = async (): Promise<void> => {
    if (!lstatSync(path, { throwIfNoEntry: false })) await make()
  }
  // Where the socket cannot be made, for example because its folder is gone, the next check tries again.
  scope.defer(() => relay?.close())
  repeat(clock, lookMs, look, { failed: () => {}, scope })
}

/**
 * Makes the server listen on the socket `path`, and resolves once it does. No other user can open the socket at any moment: Node makes its
 * file before `listen` returns, and until then the umask of this process takes all rights from others. Throws a Fault.
 */
export const bindPrivately = (server: Relay, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      server.close()
      reject(new Fault('cannot_listen', `cannot make the socket ${path}: ${messageOf(error)}`, { exitCode: exit.no, cause: error }))
    }
    server.once('error', fail)
    // The mask is not 0177: the mask holds for all threads, and a folder that another thread makes meanwhile must stay usable for its
    // owner.
    const mask = process.umask(0o077)
    try {
      server.listen(path, resolve)
      if (server.listening) chmodSync(path, 0o600)
    } catch (error) {
      fail(error)
    } finally {
      process.umask(mask)
    }
  })
