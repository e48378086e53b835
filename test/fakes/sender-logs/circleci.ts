/**
 * Stands in for CircleCI's list of deliveries, by its published description: the newest first, fourteen days, filters that each page
 * repeats, and an opaque cursor for the next page. A delivery has the id of its event, and a resend changes the delivery instead of adding
 * one. No call of the API resends: only a person does that (`resend`).
 */

import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

const dayMs = 86_400_000
export const circleciHook = '6b144290-7474-4778-a7bd-466d28c10ab3'

type CircleciDelivery = {
  readonly id: string
  readonly attributes: { readonly created_at: string; readonly event_type: string; current_outcome: string | null }
}

export type FakeCircleci = {
  readonly base: string
  /** The deliveries, the newest first. */
  readonly deliveries: CircleciDelivery[]
  /** The requests to the API, as `GET /path`. */
  readonly asked: string[]
  /** What is wrong with the next answers. `limited`: status 429. `odd`: another form than the described one. */
  readonly next: ('limited' | 'odd')[]
  receiver: string | undefined
  /** Sends a new event. Resolves to the event's id, whether or not the event was delivered. */
  event(body?: object, more?: Partial<CircleciDelivery['attributes']>): Promise<string>
  /** Sends an event again, as a person does. */
  resend(id: string): Promise<void>
}

export const startCircleci = async (t: Test, secret: string, pageSize = 2): Promise<FakeCircleci> => {
  const bodies = new Map<string, string>()
  const [deliveries, asked, next]: [CircleciDelivery[], string[], FakeCircleci['next']] = [[], [], []]
  const post = async (id: string): Promise<string> => {
    const body = bodies.get(id) ?? ''
    if (fake.receiver === undefined) return 'failed'
    const signature = `v1=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = { 'content-type': 'application/json', 'circleci-event-type': 'workflow-completed', 'circleci-signature': signature }
    const { ok } = await fetch(fake.receiver, { method: 'POST', headers, body }).catch(() => ({ ok: false }))
    return ok ? 'succeeded' : 'failed'
  }
  const list = (query: URLSearchParams): { readonly status: number; readonly body: unknown } => {
    const [from, cursor] = [Date.parse(query.get('filter[from]') ?? ''), query.get('page[cursor]')]
    if (query.get('filter[webhook_endpoint_id]') !== circleciHook) return { status: 404, body: { error: { message: 'not found' } } }
    if (!(from >= Date.now() - 14 * dayMs)) return { status: 400, body: { error: { message: 'filter[from] is out of range' } } }
    const all = deliveries.filter(({ attributes }) => Date.parse(attributes.created_at) >= from)
    const start = cursor === null ? 0 : all.findIndex(({ id }) => `c/${id}==` === cursor)
    const after = all[start + pageSize]
    const data = all
      .slice(start, start + pageSize)
      .map((delivery) => ({ ...delivery, references: { webhook_endpoint: { id: circleciHook } } }))
    return { status: 200, body: { data, page: { next: after ? `c/${after.id}==` : null, prev: null } } }
  }
  const server = createServer(({ method, url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    asked.push(`${method} ${pathname}`)
    const end = (status: number, body: unknown, more: object = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body))
    if (headers.authorization !== 'Bearer CCIPAT_canary') return end(401, { error: { message: 'unauthorized' } })
    if (method !== 'GET' || pathname !== '/api/v3/webhook/deliveries') return end(404, { error: { message: 'not found' } })
    const forced = next.shift()
    if (forced === 'limited') return end(429, { error: { message: 'too many requests' } }, { 'retry-after': '1' })
    if (forced === 'odd') return end(200, { items: deliveries, next_page_token: null })
    const { status, body } = list(searchParams)
    return end(status, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const fake: FakeCircleci = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    asked,
    next,
    receiver: undefined,
    async event(body = {}, more = {}) {
      const id = randomUUID()
      bodies.set(id, JSON.stringify({ type: 'workflow-completed', id, ...body }))
      const usual = { created_at: new Date().toISOString(), event_type: 'workflow-completed' }
      deliveries.unshift({ id, attributes: { ...usual, current_outcome: await post(id), ...more } })
      return id
    },
    async resend(id) {
      const outcome = await post(id)
      for (const { id: each, attributes } of deliveries) if (each === id) attributes.current_outcome = outcome
    },
  }
  return fake
}
