/** The listener of a gateway that opens no port, because a relay takes its requests. */

import { exit, Fault } from '../../core/fault.ts'
import type { Listener } from '../../http/server.ts'

/** Makes a listener that listens nowhere and has no connections. `url`: the address of the gateway at its relay. */
export const noListener = (url: string): Listener => ({
  url,
  active: () => 0,
  connections: () => 0,
  refusedUnread: { connections: 0, requests: new Map(), handshakes: 0 },
  bodyBytes: () => 0,
  handOver: async () => {
    throw new Fault('no_socket', 'the gateway opens no port (relay.listen: false)', {
      exitCode: exit.conflict,
      hint: 'stop it, and start the other',
    })
  },
  stopListening: () => {},
  certificates: () => ({}),
  close: async () => {},
})
