/** Finds the listening socket that systemd passes to this process (socket activation, sd_listen_fds(3)). */

import { fstatSync } from 'node:fs'
import { type AddressInfo, Socket } from 'node:net'
import type { Env } from '../config/env.ts'
import { exit, Fault } from '../core/fault.ts'

/** A listening socket of this process. `host`, `port`: its address. */
export type PassedSocket = { readonly fd: number; readonly host: string; readonly port: number }

/** The number of the first file that is passed. */
const firstFd = 3

/**
 * Returns the socket that systemd passed; `undefined` where it passed none to this process. Node itself keeps the socket from the programs
 * that this process starts. Throws a Fault for several sockets, and for a file that is not a listening TCP socket.
 */
export const passedSocket = ({ LISTEN_PID, LISTEN_FDS }: Env): PassedSocket | undefined => {
  // A shell script that runs headgate without `exec` has the id in its place.
  const isOurs = [process.pid, process.ppid].some((pid) => String(pid) === LISTEN_PID)
  const count = Number(LISTEN_FDS)
  if (!isOurs || !(count > 0)) return undefined
  if (count > 1)
    throw unusable(`systemd passes ${count} sockets, and the gateway listens on one`, 'leave one ListenStream= in the .socket unit')
  const { address, port } = addressOf(firstFd)
  return { fd: firstFd, host: address, port }
}

/** Returns the address of a listening TCP socket. Throws a Fault for every other file. */
const addressOf = (fd: number): AddressInfo => {
  if (!isSocket(fd))
    throw unusable(`file ${fd} is not a socket`, 'a program between systemd and headgate has closed it: see `headgate gateway unit`')
  const address = probe(fd)
  if (!address)
    throw unusable(
      `file ${fd} is not a listening TCP socket`,
      'write ListenStream= with an address and a port, and Accept=no, into the .socket unit',
    )
  return address
}

const isSocket = (fd: number): boolean => {
  try {
    return fstatSync(fd).isSocket()
  } catch {
    return false
  }
}

/** Returns the address of a listening TCP socket; `undefined` for another one. The socket stays open, and nothing is read from it. */
const probe = (fd: number): AddressInfo | undefined => {
  try {
    const socket = new Socket({ fd, readable: false, writable: false })
    const address = socket.address()
    return 'port' in address && socket.remoteAddress === undefined ? (address as AddressInfo) : undefined
  } catch {
    return undefined
  }
}

const unusable = (message: string, hint: string): Fault =>
  new Fault('cannot_listen', `cannot listen on the socket of systemd: ${message}`, { exitCode: exit.no, hint })
