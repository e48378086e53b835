/** Hands the listening socket of this gateway to its successor, which asks for it on the control socket (take-over.ts). */

import type { RunningGateway } from '../datadir/running-gateway.ts'
import { openShortPath, takeoverSocket } from '../http/control/socket-path.ts'
import type { Listener } from '../http/server.ts'
import { canHandSocket } from '../node-internals/hand-socket.ts'
import type { Stopping } from './ending.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { isLasting } from './open-store.ts'

type HandOverOptions = Pick<GatewayOptions, 'config' | 'socket' | 'reloader'> & {
  readonly listener: Listener
  readonly stopping: Stopping
}

/** Makes the operation. The gateway works on as before, until the successor has the socket and asks it to stop. */
export const createSocketHandOver =
  (options: HandOverOptions): RunningGateway['handOver'] =>
  async () => {
    const { config, listener, reloader, stopping } = options
    const drainSeconds = reloader.current().config.drainMs / 1_000
    const refused = refusal(options)
    if (refused !== undefined) return { drain_seconds: drainSeconds, refused }
    const short = openShortPath(takeoverSocket(config.dataDir))
    if (!short) throw new Error('the path of the data directory is too long for a socket')
    try {
      await listener.handOver(short.path)
    } finally {
      short.close()
    }
    stopping.hasSuccessor = true
    return { drain_seconds: drainSeconds }
  }

/** Returns why the socket is not handed over. */
const refusal = ({ config, socket, stopping }: HandOverOptions): string | undefined => {
  if (stopping.now) return 'it is stopping'
  if (socket?.isKept) return 'systemd holds its socket: systemctl restart'
  if (!isLasting(config.storage)) return `storage.kind: ${config.storage.kind} keeps nothing for a successor`
  if (!canHandSocket()) return `Node ${process.versions.node} cannot hand its socket over`
  return undefined
}
