/**
 * Bounds the number of open connections. Strangers may open as many connections as they like. Where there are too many, the oldest
 * connection over which nobody has signed in is closed, so that strangers take the place of strangers alone.
 */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionBound {
  /** Notes that a signed-in browser uses the connection, so that a further connection does not close it. */
  keep(socket: Socket): void
}

/**
 * Bounds the open connections of a server. `max`: the most of them. A further connection closes the oldest connection over which nobody has
 * signed in, which may be the further connection itself.
 */
export const boundConnections = (server: Server, max: number): ConnectionBound => {
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
