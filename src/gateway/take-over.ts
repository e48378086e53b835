/** Takes the listening socket over from the gateway that serves the data directory (`gateway run --takeover`). */

import { systemClock } from '../core/clock.ts'
import { exit, Fault } from '../core/fault.ts'
import { within } from '../core/turns/within.ts'
import { listenerAt } from '../datadir/route-address.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import { bindPrivately } from '../http/control/server.ts'
import { openShortPath, removeStale, takeoverSocket } from '../http/control/socket-path.ts'
import { awaitSocket, canHandSocket, type SocketHandle } from '../node-internals/hand-socket.ts'
import { lastWordsMs, stopGateway } from '../operate/gateway/stop.ts'

/** A gateway that runs, and whose listening socket this process may take. `host`, `port`: the address at which it listens. */
export type Predecessor = {
  readonly host: string
  readonly port: number
  /**
   * Asks the gateway for its socket, then tells the gateway to stop, waits until its process has ended, and returns the socket. Connections
   * that come meanwhile wait to be accepted. Throws a Fault where the gateway refuses, where its socket does not arrive, and where the
   * process does not end within its drain time and `lastWordsMs`.
   */
  readonly takeSocket: () => Promise<SocketHandle>
}

/** How long the socket may take to arrive once the gateway has sent it. */
const arrivalMs = 5_000

/** Returns the gateway that `finder` finds; `undefined` where none runs. Throws a Fault where no socket can be taken over at all. */
export const findPredecessor = async (finder: GatewayFinder, dataDir: string): Promise<Predecessor | undefined> => {
  if (!canHandSocket()) throw failed(`Node ${process.versions.node} on ${process.platform} cannot take a socket over`)
  const gateway = await finder.find()
  if (!gateway) return undefined
  const { host, port } = listenerAt((await gateway.status()).url)
  return {
    host,
    port,
    takeSocket: async () => {
      const { handle, drainMs } = await askForSocket(finder, dataDir)
      const { pid, isGone } = await stopGateway(finder)
      if (await isGone(drainMs + lastWordsMs)) return handle
      throw failed(`the gateway (process ${pid}) has given its socket, and has not ended within ${(drainMs + lastWordsMs) / 1_000} s`)
    },
  }
}

const askForSocket = async (finder: GatewayFinder, dataDir: string): Promise<{ handle: SocketHandle; drainMs: number }> => {
  const path = takeoverSocket(dataDir)
  const short = openShortPath(path)
  if (!short) throw failed(`the path ${path} is too long for a socket`)
  const { server, received } = awaitSocket()
  try {
    await removeStale(path)
    await bindPrivately(server, short.path)
    const { drain_seconds: drainSeconds, refused } = await (await finder.need()).handOver()
    if (refused !== undefined) throw failed(`the gateway keeps its socket: ${refused}`)
    const handle = await within(received, arrivalMs, systemClock, () => undefined)
    if (!handle) throw failed('the socket of the gateway has not arrived')
    return { handle, drainMs: drainSeconds * 1_000 }
  } finally {
    server.close()
    short.close()
  }
}

const failed = (message: string): Fault =>
  new Fault('takeover', `cannot take over: ${message}`, {
    exitCode: exit.no,
    hint: '`gateway stop`, then `gateway run`; or let systemd hold the socket (docs/systemd.md)',
  })
