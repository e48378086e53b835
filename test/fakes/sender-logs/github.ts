/**
 * Stands in for GitHub's log of deliveries, by its published description: the newest first, a hundred a page with a cursor in `Link`, three
 * days, entries of throttled deliveries, redeliveries under the same GUID, and the limits.
 */

import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { ghFolder } from '../platforms/github.ts'

const dayMs = 86_400_000
/** GitHub ends a delivery that has no answer after ten seconds. */
const answerWithinMs = 10_000

/** One attempt of a delivery, as the list has it. */
type Delivery = {
  /** GitHub's ids are longer than a number of JavaScript holds. */
  readonly id: string
  readonly guid: string
  readonly delivered_at: string
  readonly redelivery: boolean
  readonly status_code: number
  readonly event: string
  readonly throttled_at: string | null
}

export type FakeGithub = {
  readonly base: string
  /** The deliveries, the newest first. */
  readonly deliveries: Delivery[]
  /** The requests to the API, as `GET /path`. */
  readonly asked: string[]
  /** The tokens with which redeliveries were asked for, in order. */
  readonly askers: string[]
  /** What takes the place of the next answers. `limited`: the answer of the secondary limit. `broken`: the end of the connection. */
  readonly next: ('limited' | 'broken' | 'forbidden' | 'gone')[]
  /** The address to which events are sent. Deliveries fail while it is undefined. */
  receiver: string | undefined
  /** Sends a new event. Resolves to the event's GUID, whether or not the event was delivered. */
  event(body?: object, more?: Partial<Delivery>): Promise<string>
  /** Resolves when no redelivery is on its way. */
  settled(): Promise<void>
}

/** `socket`: whether the log listens on a Unix socket, for the real gh. Then `base` names the folder of the socket. */
type GithubOptions = {
  readonly secret: string
  /** A regular expression for the tokens that may ask. */
  readonly token?: string
  readonly pageSize?: number
  readonly now?: () => number
  readonly socket?: true
}

type Answer = { readonly status: number; readonly body?: unknown; readonly headers?: { readonly [name: string]: string } }

const notFound: Answer = { status: 404, body: { message: 'Not Found' } }
const refusals = {
  limited: { status: 403, body: { message: 'You have exceeded a secondary rate limit' }, headers: { 'retry-after': '1' } },
  forbidden: { status: 403, body: { message: 'Resource not accessible by personal access token' } },
  gone: notFound,
  unknown: { status: 401, body: { message: 'Bad credentials' } },
} satisfies { readonly [name: string]: Answer }
const paths =
  /^(?:\/api\/v3)?(?:\/repos\/octo-org\/octo-repo\/hooks\/7|\/orgs\/octo-org\/hooks\/7|\/app\/hook)\/deliveries(?:\/(\d+)\/attempts)?$/

/** Starts the log on a port of loopback. The log ends with its test. */
export const startGithub = async (t: Test, options: GithubOptions): Promise<FakeGithub> => {
  const { secret, token = 'ghp_canary_catch_up', pageSize = 100, now = Date.now } = options
  const bodies = new Map<string, string>()
  const deliveries: Delivery[] = []
  const [asked, askers, next]: [string[], string[], FakeGithub['next']] = [[], [], []]
  const underWay = new Set<Promise<void>>()
  let ids = 90_071_992_547_409_930n

  const post = async (guid: string, event: string): Promise<number> => {
    const { receiver } = fake
    if (receiver === undefined) return 502
    const body = bodies.get(guid) ?? '{}'
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': guid,
      'x-hub-signature-256': signature,
    }
    try {
      const answer = await fetch(receiver, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerWithinMs) })
      // A connection is used again only once its last answer is read.
      await answer.arrayBuffer()
      return answer.status
    } catch (error) {
      return (error as Error).name === 'TimeoutError' ? 504 : 502
    }
  }
  const add = (guid: string, status: number, redelivery: boolean, more: Partial<Delivery> = {}): void => {
    ids += 1n
    const at = new Date(now()).toISOString()
    const event = { event: 'push', throttled_at: null }
    deliveries.unshift({ id: String(ids), guid, delivered_at: at, redelivery, status_code: status, ...event, ...more })
  }

  const kept = (): Delivery[] => deliveries.filter(({ delivered_at: at }) => Date.parse(at) > now() - 3 * dayMs)
  const sendAgain = (id: string): Answer => {
    const of = kept().find((delivery) => delivery.id === id)
    if (!of) return notFound
    const sending = post(of.guid, of.event).then((status) => add(of.guid, status, true))
    underWay.add(sending)
    void sending.finally(() => underWay.delete(sending))
    return { status: 202 }
  }
  const list = (url: URL, host: string): Answer => {
    const size = Math.min(pageSize, Number(url.searchParams.get('per_page') ?? 30))
    const cursor = url.searchParams.get('cursor')
    const from = cursor === null ? 0 : kept().findIndex((delivery) => `v1_${delivery.id}` === cursor)
    const body = kept().slice(from, from + size)
    const after = kept()[from + size]
    if (!after) return { status: 200, body }
    return { status: 200, body, headers: { link: `<http://${host}${url.pathname}?per_page=${size}&cursor=v1_${after.id}>; rel="next"` } }
  }
  const answer = ({ method, url = '', headers: { authorization = '', host = '' } }: IncomingMessage): Answer => {
    const address = new URL(url, 'http://localhost')
    if (!new RegExp(`^(?:Bearer|token) (?:${token}|ey[\\w.-]+)$`).test(authorization)) return refusals.unknown
    const [known, id = ''] = paths.exec(address.pathname) ?? []
    if (known === undefined) return notFound
    if (method !== 'POST') return list(address, host)
    askers.push(authorization)
    return sendAgain(id)
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    asked.push(`${request.method} ${path}`)
    const forced = next[0] === 'gone' && request.method !== 'POST' ? undefined : next.shift()
    if (forced === 'broken') return void request.socket.destroy()
    const { status, body = {}, headers = {} }: Answer = forced === undefined ? answer(request) : refusals[forced]
    // A number of JSON may be longer than a number of JavaScript, so the ids are texts here and lose their quotes.
    const text = JSON.stringify(body).replace(/"id":"(\d+)"/g, '"id":$1')
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  const folder = options.socket && ghFolder(t)
  await new Promise<void>((resolve) => (folder ? server.listen(`${folder}/s`, resolve) : server.listen(0, '127.0.0.1', resolve)))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const fake: FakeGithub = {
    base: folder ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    asked,
    askers,
    next,
    receiver: undefined,
    async event(body = {}, more = {}) {
      const guid = randomUUID()
      bodies.set(guid, JSON.stringify(body))
      add(guid, more.status_code ?? (await post(guid, more.event ?? 'push')), false, more)
      return guid
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
  return fake
}
