/** A detour before the database, a TCP proxy: it can cut connections, and it can make each way longer. */

import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from './listen.ts'

export type Detour = {
  readonly port: number
  /**
   * From now until an answer comes: the detour hands requests on. When the server answers the next of them, the answer is dropped and all
   * connections are cut, so that nobody knows whether the server has committed. Resolves when that has happened.
   */
  cutAtNextAnswer(): Promise<void>
  close(): void
}

/** `delayMs`: what each way takes longer. */
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

/** Writes what comes from one side to the other, in its order. `mayPass` is asked for each piece. */
const pass = (from: Socket, to: Socket, delayMs: number, mayPass: () => boolean = () => true): void => {
  const write = (piece: Buffer): void => void (to.writable && to.write(piece))
  from.on('data', (piece: Buffer) => {
    if (!mayPass()) return
    if (delayMs === 0) write(piece)
    else setTimeout(write, delayMs, piece)
  })
}
