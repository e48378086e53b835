/**
 * Stands in for Stripe's list of events, by its published description: the newest first, `starting_after`, types, and a filter for
 * undelivered events.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

type StripeEvent = { readonly id: string; readonly type: string; readonly created: number; readonly data: object }
/** `events`: the undelivered events, the newest first. `texts`: what the API writes in place of an event, by the id of the event. */
export type FakeStripe = { readonly base: string; readonly events: StripeEvent[]; readonly texts: Map<string, string> }

export const startStripe = async (t: Test): Promise<FakeStripe> => {
  const events: StripeEvent[] = []
  const texts = new Map<string, string>()
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const end = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (headers.authorization !== 'Bearer rk_canary') return end(401, { error: { message: 'Invalid API Key provided' } })
    if (pathname !== '/v1/events' || searchParams.get('delivery_success') !== 'false')
      return end(404, { error: { message: 'Unrecognized' } })
    const [types, after] = [searchParams.getAll('types[]'), searchParams.get('starting_after')]
    const since = Number(searchParams.get('created[gte]'))
    const all = events.filter(({ type, created }) => created >= since && (types.length === 0 || types.includes(type)))
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const data = all.slice(from, from + Math.min(2, Number(searchParams.get('limit'))))
    const written = data.map((event) => texts.get(event.id) ?? JSON.stringify(event)).join()
    const page = `{"object":"list","data":[${written}],"has_more":${from + data.length < all.length}}`
    return response.writeHead(200, { 'content-type': 'application/json' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, events, texts }
}
