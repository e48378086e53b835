/**
 * The origins (scheme, host and port) at which the console answers: its public origin, and on a connection to a loopback address the
 * loopback names of this machine.
 */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface Origins {
  /** Returns the origin that a request names in its `Host` header; `undefined` where the console does not answer at this origin. */
  of(request: IncomingMessage): string | undefined
  /** Returns the origins at which the console answers on a connection. */
  on(socket: Socket): readonly string[]
}

const ownNames = ['127.0.0.1', 'localhost', '[::1]']
const isOwnAddress = (address = ''): boolean => /^(?:::ffff:)?127\./.test(address) || address === '::1'

/** Makes the origins of the console. `publicOrigin`: absent where only this machine reaches the console. */
export const createOrigins = (publicOrigin?: string): Origins => {
  const on = ({ localAddress, localPort }: Socket): readonly string[] => [
    ...(publicOrigin === undefined ? [] : [publicOrigin]),
    ...(isOwnAddress(localAddress) ? ownNames.map((name) => `http://${name}:${localPort}`) : []),
  ]
  return {
    on,
    of: ({ headers: { host }, socket }) => (host === undefined ? undefined : on(socket).find((origin) => new URL(origin).host === host)),
  }
}
