/** Asks the running gateway for its `/health` over HTTP, as a load balancer does. */

import { messageOf } from '../../core/fault.ts'
import { baseUrl, listenerAt } from '../routes/route-address.ts'
import type { GatewayFinder } from '../running-gateway.ts'

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
  const { url: listens, stopping } = await (await finder.need()).status()
  const url = `${baseUrl(listenerAt(listens))}/health`
  const said = await statusAt(url)
  return { ok: said === '200' && !stopping, url, answer: said, stopping }
}

const statusAt = async (url: string): Promise<string> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    return messageOf(error instanceof Error && error.cause ? error.cause : error)
  }
}
