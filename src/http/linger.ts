/** Closing a connection whose sender still writes, without the reset that would take the answer with it. */

import type { IncomingMessage } from 'node:http'

const lingerMs = 1_000

/**
 * Makes the close after the answer a half-close first: what still comes in is dropped for at most a second, so that a
 * sender in the middle of a large body gets to read why it was refused.
 */
export const lingerBeforeClose = (request: IncomingMessage): void => {
  const { socket } = request
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => clearTimeout(timer))
    socket.resume()
  }
}
