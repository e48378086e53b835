/** A detour is a TCP proxy before the hosts of the database. A detour can cut connections, and can delay the data in each direction. */

import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './listen.ts'

export type Detour = {
  /** A port for each host of the database. */
  readonly ports: readonly number[]
  /**
   * Prepares one cut. The detour still hands requests on. At the next answer of a server, the detour drops the answer and cuts all
   * connections, so that the gateway does not know whether the server has committed. Resolves after the cut.
   */
  cutAtNextAnswer(): Promise<void>
  close(): void
}

/** A host of the database: returns the port of its server, or `undefined` while the host has no server. */
export type Host = () => number | undefined

/** `delayMs`: the delay in each direction. */
export const startDetour = async (hosts: readonly Host[], delayMs = 0): Promise<Detour> => {
  const open = new Set<Socket>()
  let cut: (() => void) | undefined
  const cutAll = (): void => {
    for (const socket of open) socket.destroy()
    cut?.()
    cut = undefined
  }
  const mayAnswer = (): boolean => {
    if (cut === undefined) return true
    cutAll()
    return false
  }
  const servers = hosts.map((host) =>
    createServer((client) => {
      const port = host()
      if (port === undefined) return void client.destroy()
      const target = connect(port, '127.0.0.1')
      pass(client, target, delayMs)
      pass(target, client, delayMs, mayAnswer)
      for (const socket of [client, target]) {
        open.add(socket)
        socket.setNoDelay()
        socket.on('error', () => {})
        socket.once('close', () => {
          open.delete(socket)
          client.destroy()
          target.destroy()
        })
      }
    }),
  )
  return {
    ports: await Promise.all(servers.map(listenOn)),
    cutAtNextAnswer: () =>
      new Promise((resolve) => {
        cut = resolve
      }),
    close() {
      for (const server of servers) server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Writes the data from one socket to the other socket, in order. `mayPass` is asked for each piece of data. */
const pass = (from: Socket, to: Socket, delayMs: number, mayPass: () => boolean = () => true): void => {
  const write = (piece: Buffer): void => void (to.writable && to.write(piece))
  from.on('data', (piece: Buffer) => {
    if (!mayPass()) return
    if (delayMs === 0) write(piece)
    else setTimeout(write, delayMs, piece)
  })
}
