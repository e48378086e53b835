/** Tries whether this process can listen on an address, for `doctor` and `gateway setup`. */

import { createServer } from 'node:net'

/**
 * Listens on the address for a moment. Resolves to the code of the error, such as `EADDRINUSE`, or to its message where it has no code; to
 * `undefined` where listening works.
 */
export const bindError = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
