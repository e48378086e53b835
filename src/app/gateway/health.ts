/** Asks the running gateway for its /health, as a load balancer does. */

import { messageOf } from '../../core/fault.ts'
import { baseUrl, listenerAt } from '../routes/route-address.ts'
import type { GatewayFinder } from '../running-gateway.ts'

export type Health = {
  readonly ok: boolean
  readonly url: string
  /** The status of the answer, or the reason why there is none. */
  readonly answer: string
  readonly stopping: boolean
}

const timeoutMs = 5_000

/** Asks for the health. Throws a Fault where no gateway runs (exit 4). */
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
