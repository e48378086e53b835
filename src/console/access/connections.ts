/**
 * Bounds the open connections. Strangers may open as many as they like: where there are too many, the oldest connection over which nobody
 * has signed in makes room, so that strangers take the place of strangers alone.
 */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  /** Notes that a connection is of a browser that is signed in. */
  keep(socket: Socket): void
}

/** `max`: the most open connections. Past it, one over which nobody has signed in is closed, or else the new one. */
export const boundConnections = (server: Server, max: number): Connections => {
  /** The connections over which nobody has signed in, the oldest first. */
  const strange = new Set<Socket>()
  let open = 0
  server.on('connection', (socket: Socket) => {
    open++
    strange.add(socket)
    socket.once('close', () => {
      open--
      strange.delete(socket)
    })
    if (open <= max) return
    for (const oldest of strange) {
      strange.delete(oldest)
      oldest.destroy()
      return
    }
  })
  return { keep: (socket) => void strange.delete(socket) }
}
