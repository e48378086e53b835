/** A detour is a TCP proxy before the database. A detour can cut connections, and can delay the data in each direction. */

import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './listen.ts'

export type Detour = {
  readonly port: number
  /**
   * Prepares one cut. The detour still hands requests on. At the next answer of the server, the detour drops the answer and cuts all
   * connections, so that the gateway does not know whether the server has committed. Resolves after the cut.
   */
  cutAtNextAnswer(): Promise<void>
  close(): void
}

/** `delayMs`: the delay in each direction. */
export const startDetour = async (targetPort: number, delayMs = 0): Promise<Detour> => {
  const open = new Set<Socket>()
  let cut: (() => void) | undefined
  const cutAll = (): void => {
    for (const socket of open) socket.destroy()
    cut?.()
    cut = undefined
  }
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    pass(client, target, delayMs)
    pass(target, client, delayMs, () => {
      if (cut === undefined) return true
      cutAll()
      return false
    })
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
  })
  return {
    port: await listenOn(server),
    cutAtNextAnswer: () =>
      new Promise((resolve) => {
        cut = resolve
      }),
    close() {
      server.close()
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
