/** The path of the control socket, a form of the path that is short enough for the kernel, and who answers at the path. */

import { closeSync, existsSync, lstatSync, openSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { exit, Fault, messageOf } from '../../core/fault.ts'

export const controlSocket = (dataDir: string): string => join(dataDir, 'state', 'gateway.sock')

/** Returns the path at which a gateway waits for the listening socket of the gateway that it takes over from. */
export const takeoverSocket = (dataDir: string): string => join(dataDir, 'state', 'takeover.sock')

/** The longest path, in bytes. With the final zero, Linux takes 108 bytes and macOS 104. libuv silently cuts longer paths. */
const maxPathBytes = 103

/** A path that the kernel takes. It is valid until `close` is called. */
export type ShortPath = { readonly path: string; readonly close: () => void }

/**
 * Returns the first of these forms of an absolute path that the kernel takes: the path as it is; relative to the working folder; on Linux,
 * through an open handle of its folder. `undefined` when no form is short enough. Call `close` when the path is no longer needed.
 */
export const openShortPath = (path: string): ShortPath | undefined => {
  const near = [path, relative(process.cwd(), path)].find(fits)
  return near === undefined ? throughHandle(path) : { path: near, close: () => {} }
}

const throughHandle = (path: string): ShortPath | undefined => {
  const folder = dirname(path)
  if (process.platform !== 'linux' || !existsSync(folder)) return undefined
  const handle = openSync(folder, 'r')
  let isOpen = true
  const close = (): void => {
    // By a second close, the number of the handle may belong to another file of this process.
    if (isOpen) closeSync(handle)
    isOpen = false
  }
  return { path: `/proc/self/fd/${handle}/${basename(path)}`, close }
}

/** Whether some form of a socket's path is short enough for the kernel. */
export const isShortEnough = (path: string): boolean => {
  const short = openShortPath(path)
  short?.close()
  return short !== undefined
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= maxPathBytes

/**
 * Removes the socket of a process that has ended. Throws a Fault when a gateway answers on the socket, when it cannot be decided whether a
 * gateway answers, and when `path` is something other than a socket, which is never removed.
 */
export const removeStale = async (path: string): Promise<void> => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isSocket()) {
    const hint = 'move it away: the gateway makes its control socket there'
    throw new Fault('control_socket', `${path} is not a socket`, { exitCode: exit.conflict, hint })
  }
  const answer = await connectError(path)
  if (answer === 'ENOENT') return
  if (answer === undefined || answer === 'EAGAIN') {
    const hint = 'stop it first: one gateway serves one data directory'
    throw new Fault('already_running', `a gateway is already running: it answers on ${path}`, { exitCode: exit.conflict, hint })
  }
  if (answer !== 'ECONNREFUSED') {
    const hint = 'if no gateway runs on this data directory, remove the file'
    throw new Fault('control_socket', `cannot tell whether a gateway answers on ${path} (${answer})`, { exitCode: exit.conflict, hint })
  }
  unlinkSync(path)
}

/** Tries to connect to a socket. Resolves to `undefined` when the connection was made, else to the code of the error, such as `ENOENT`. */
export const connectError = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const short = openShortPath(path)
    const end = (code: string | undefined): void => {
      socket.destroy()
      short?.close()
      resolve(code)
    }
    const socket = connect({ path: short?.path ?? path })
    socket.once('connect', () => end(undefined))
    socket.once('error', (error) => end('code' in error ? String(error.code) : messageOf(error)))
  })
