/** Asks the running gateway for its `/health` over HTTP, as a load balancer does. */

import { inTime } from '../../core/calls/call-server.ts'
import { requestByNode } from '../../core/calls/request-by-node.ts'
import { messageOf } from '../../core/fault.ts'
import { connectionOptions, connectPinned, pinOf } from '../../datadir/pinned-connection.ts'
import { baseUrl, listenerAt } from '../../datadir/route-address.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'

/** `ok`: the answer was 200, and the gateway is not stopping. `url`: the address that was asked. */
export type Health = {
  readonly ok: boolean
  readonly url: string
  /** The HTTP status of the answer (`200`), or the reason why there is no answer. */
  readonly answer: string
  readonly stopping: boolean
}

const timeoutMs = 5_000

/** Asks the gateway. Throws a Fault where no gateway runs (exit 4). */
export const readHealth = async (finder: GatewayFinder): Promise<Health> => {
  const status = await (await finder.need()).status()
  const { stopping, relay } = status
  // A gateway without a port of its own has the address of its relay, which would speak for itself.
  if (relay?.url === status.url) return { ok: !stopping, url: status.url, answer: 'it opens no port, and answers here', stopping }
  const url = `${baseUrl(listenerAt(status.url))}/health`
  const said = await statusAt(new URL(url), pinOf(status))
  return { ok: said === '200' && !stopping, url, answer: said, stopping }
}

/** Returns the status of the answer, or why there is none. `pin`: the certificate of a gateway that speaks TLS. */
const statusAt = async (url: URL, pin: string | undefined): Promise<string> => {
  try {
    const socket = pin === undefined ? undefined : await connectPinned(url, pin)
    const answer = await inTime({ timeoutMs }, (signal) => requestByNode(url, { ...connectionOptions(socket), signal }))
    answer.destroy()
    return String(answer.statusCode)
  } catch (error) {
    return messageOf(error)
  }
}
