/** Where the control socket is, and how its path is made short enough for the kernel. */

import { closeSync, existsSync, fstatSync, lstatSync, openSync, statSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, join, relative } from 'node:path'
import { exit, Fault, messageOf } from '../../core/fault.ts'

/** The control socket of the gateway that serves a data directory. */
export const controlSocket = (dataDir: string): string => join(dataDir, 'state', 'gateway.sock')

/** With the final zero Linux takes 108 bytes and macOS 104. libuv silently cuts longer paths. */
const maxPathBytes = 103

/**
 * The path in a form that the kernel takes: as it is, relative to the working folder, or (on Linux) through an open handle of its folder;
 * `undefined` when none is short enough.
 */
export const shortPath = (path: string): string | undefined => {
  if (fits(path)) return path
  const near = relative(process.cwd(), path)
  return fits(near) ? near : throughHandle(path)
}

const handles = new Map<string, number>()

const throughHandle = (path: string): string | undefined => {
  const folder = dirname(path)
  if (process.platform !== 'linux' || !existsSync(folder)) return undefined
  const known = handles.get(folder)
  // The folder may have been replaced by another one since.
  const isSame = known !== undefined && fstatSync(known).ino === statSync(folder).ino
  const handle = isSame ? known : openSync(folder, 'r')
  if (known !== undefined && !isSame) closeSync(known)
  handles.set(folder, handle)
  return `/proc/self/fd/${handle}/${basename(path)}`
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= maxPathBytes

/**
 * Removes the socket that a dead process left. Throws a Fault when a gateway answers on it, when that cannot be found out, and when
 * something other than a socket is in its place: nothing else is ever removed.
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

/** Tries to connect: `undefined` when the connection is taken, else the error's code. */
export const connectError = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ path: shortPath(path) ?? path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : messageOf(error)))
  })
