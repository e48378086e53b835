/** Lets a server listen on a free port of loopback. */

import type { AddressInfo, Server } from 'node:net'

/** Resolves with the port. */
export const listenOn = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
