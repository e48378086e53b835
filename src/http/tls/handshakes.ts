/** The connections whose TLS handshake is not over. They count towards the limits on connections, as all other connections do. */

import type { Socket } from 'node:net'
import { networkOf } from '../../core/network.ts'
import { peerAddress } from '../client.ts'

/** A connection before its handshake, with the network of its client. */
type Waiting = { readonly socket: Socket; readonly client: string }

export class TlsHandshakes {
  /**
   * The connections by their two addresses. After the handshake Node has a second socket for a connection, and no public property leads from
   * the second socket to the first.
   */
  readonly #waiting = new Map<string, Waiting>()

  get size(): number {
    return this.#waiting.size
  }

  /** Returns the number of these connections that a client has. `client`: its network. */
  countOf(client: string): number {
    let count = 0
    for (const each of this.#waiting.values()) if (each.client === client) count++
    return count
  }

  /** Takes a new connection, and returns the network of its client. */
  begin(socket: Socket): string {
    const key = endsOf(socket)
    const waiting = { socket, client: networkOf(peerAddress(socket)) }
    this.#waiting.set(key, waiting)
    socket.once('close', () => {
      if (this.#waiting.get(key) === waiting) this.#waiting.delete(key)
    })
    return waiting.client
  }

  /** Removes a connection whose handshake is over. `secured`: the socket that Node made for it after the handshake. */
  end(secured: Socket): void {
    this.#waiting.delete(endsOf(secured))
  }

  /** Closes all connections whose handshake is not over. */
  destroyAll(): void {
    for (const { socket } of this.#waiting.values()) socket.destroy()
  }
}

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
