/**
 * Stands in for both kinds of polling endpoints of Svix, by the types of the package `svix` and the published guide. The position of a
 * consumer moves to the iterator with which the consumer asks, or behind the offset that it commits.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

type Prepared = { readonly status: number; readonly headers?: { readonly [name: string]: string }; readonly body?: string }

export type FakePoller = {
  /** The address of the endpoint with iterators. `numbered`: that of the endpoint with offsets. */
  readonly url: string
  readonly numbered: string
  /** All messages, the oldest first. */
  readonly messages: unknown[]
  /** The positions of the consumers. */
  readonly consumers: Map<string, number>
  /** The requests, as `GET /consumer/headgate?limit=50`: the path without that of the endpoint. */
  readonly asked: string[]
  /** The times of the requests, by the clock of the test. */
  readonly times: number[]
  /** Answers that are given before the usual ones. */
  readonly next: Prepared[]
  /** The iterators that are refused, as after a seek. */
  readonly refused: Set<string>
  add(count: number): void
}

export const pollToken = 'sk_poll_canary.eu'

export const startPoller = async (t: Test, { pageSize = 3, token = pollToken, now = Date.now } = {}): Promise<FakePoller> => {
  const poller = {
    messages: [] as unknown[],
    consumers: new Map<string, number>(),
    asked: [] as string[],
    times: [] as number[],
    next: [] as Prepared[],
  }
  const refused = new Set<string>()
  const fake = { ...poller, refused, pageSize, token, now }
  const server = createServer((request, response) => void answer(fake, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/app/app_1`
  return {
    ...poller,
    refused,
    url: `${base}/poller/poll_1`,
    numbered: `${base}/polling-endpoint/poll_1`,
    add(count) {
      for (let i = 0; i < count; i++) {
        const n = poller.messages.length + 1
        poller.messages.push({ id: `msg_${n}`, eventType: 'invoice.paid', payload: { n }, timestamp: new Date().toISOString() })
      }
    },
  }
}

type Fake = Omit<FakePoller, 'url' | 'numbered' | 'add'> & { readonly pageSize: number; readonly token: string; readonly now: () => number }

const answer = async (fake: Fake, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '', headers } = request
  const body = Buffer.concat(await request.toArray()).toString()
  const end = (status: number, given: unknown, more = {}): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...more })
      .end(typeof given === 'string' ? given : JSON.stringify(given))
  const { pathname, searchParams: query } = new URL(url, 'http://localhost')
  const [, kind, path = ''] = /^\/api\/v1\/app\/app_1\/(poller|polling-endpoint)\/poll_1(\/consumer\/.*)$/.exec(pathname) ?? []
  fake.times.push(fake.now())
  fake.asked.push(`${method} ${path}${body}${query.has('iterator') ? ' with an iterator' : ''}`)
  const prepared = fake.next.shift()
  if (prepared) return end(prepared.status, prepared.body ?? { code: 'prepared', detail: 'as the test says' }, prepared.headers)
  if (headers.authorization !== `Bearer ${fake.token}`) return end(401, { code: 'authentication_failed', detail: 'Invalid token.' })
  const consumer = path.split('/')[2] ?? ''
  const limit = Math.min(fake.pageSize, Number(query.get('limit') ?? 50))
  const from = (at: number) => fake.messages.slice(at, at + limit)
  if (kind === 'polling-endpoint' && method === 'POST' && path.endsWith('/commit')) {
    fake.consumers.set(consumer, JSON.parse(body).offset + 1)
    return end(204, '')
  }
  if (method !== 'GET') return end(405, {})
  if (kind === 'polling-endpoint') {
    const at = fake.consumers.get(consumer) ?? 0
    const data = from(at).map((message, i) => (typeof message === 'object' ? { ...message, offset: at + i } : message))
    return end(200, { data, done: at + data.length >= fake.messages.length })
  }
  const iterator = query.get('iterator')
  if (iterator !== null && fake.refused.has(iterator)) return end(422, { code: 'bad_iterator', detail: 'out of sequence' })
  if (iterator !== null) fake.consumers.set(consumer, Number(Buffer.from(iterator, 'base64url').toString()))
  const at = fake.consumers.get(consumer)
  const encoded = (position: number): string => Buffer.from(String(position)).toString('base64url')
  if (at === undefined) return end(200, { data: [], iterator: encoded(0), done: false })
  const data = from(at)
  return end(200, { data, iterator: encoded(at + data.length), done: at + data.length >= fake.messages.length })
}
