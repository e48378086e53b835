/** A gateway without a port takes what a relay keeps for it: as its senders posted it, as of when they did, each event once. */

import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { decodeFrames, encodeFrames } from '../../src/relay/wire/frames.ts'
import { runAt } from '../fakes/cli.ts'
import { fakeClock, steppedClock } from '../fakes/clock.ts'
import { hexHmac, secret, startGateway } from '../fakes/gateway.ts'
import { relayKey, startRelay } from '../fakes/relay.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const post = (
  url: string,
  body: string,
  headers: { [name: string]: string } = { 'x-webhook-signature': hexHmac(body) },
): Promise<Response> => fetch(url, { method: 'POST', body, headers })

const through = (url: string, key = relayKey) => ({ relay: { url: `${url}/home`, key, listen: false } })
const hello = { prompt: 'n {n}', deliver: 'log' }

t.test('an event gets the answer of the gateway, live', async (t) => {
  const { url } = await startRelay(t)
  const gateway = await startGateway(t, { routes: { hello }, config: { ...through(url), metrics: { enabled: true, port: 0 } } })
  t.equal(gateway.url, `${url}/home`, 'senders post there')
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  const accepted = await post(`${url}/home/webhooks/hello`, '{"n":1}')
  t.equal(accepted.status, 202)
  t.match(await accepted.json(), { status: 'accepted', route: 'hello', delivery_id: String })
  t.match(accepted.headers.get('x-headgate-event-id'), /./)
  const refused = await post(`${url}/home/webhooks/hello`, '{"n":1}', { 'x-webhook-signature': hexHmac('other') })
  t.equal(refused.status, 401)
  t.equal((await post(`${url}/home/webhooks/nope`, '{}')).status, 404)
  t.match(await gateway.operations.status(), { relay: { url: `${url}/home`, connected: true } })
  const metricsUrl = String((await gateway.line(({ msg }) => msg === 'metrics')).url)
  t.match(await (await fetch(metricsUrl)).text(), /^headgate_relay_connected 1$/m)
  t.match(
    await runAt(gateway.dir, ['gateway', 'health']),
    { code: 0, out: /^ok .*it opens no port/ },
    'the relay is not asked in its place',
  )
  t.match(await runAt(gateway.dir, ['webhook', 'show', 'hello']), { code: 0, out: `url: ${url}/home/webhooks/hello` })
  t.match(await runAt(gateway.dir, ['webhook', 'test', 'hello', '--payload', '{"n":2}']), { code: 0, out: /<-- 202 accepted/ })
})

t.test('headers of our own are dropped, also where an older front hands them on', async (t) => {
  const headers = ['X-Headgate-Origin', 'pulled', 'X-Webhook-Signature', hexHmac('{"n":1}')]
  let takes = 0
  const { url } = await fakeRelay(t, ({ path }) =>
    path === 'done'
      ? { status: 200 }
      : { status: 200, body: encodeFrames(++takes === 1 ? [about, item('1', '{"n":1}', headers)] : [about]) },
  )
  const filters = [{ not: { field: 'headers.X-Headgate-Origin', equals: 'pulled' } }]
  const gateway = await startGateway(t, { routes: { hello: { ...hello, filters } }, config: through(url) })
  await gateway.line(({ outcome }) => outcome === 'accepted')
})

t.test('what came while the gateway was away is taken in order, and judged as of when it came', async (t) => {
  const clock = steppedClock()
  const { url, front } = await startRelay(t, { clock })
  const ids: string[] = []
  for (let n = 1; n <= 5; n++) {
    const body = JSON.stringify({ n })
    const at = String(Math.floor(clock.now() / 1000))
    const id = `msg_${n}`
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    ids.push(id)
    const headers = { 'x-webhook-timestamp': at, 'x-webhook-signature-v2': signature, 'x-request-id': id }
    t.equal((await post(`${url}/home/webhooks/hello`, body, headers)).status, 202)
  }
  clock.advance(3_600_000)
  const gateway = await startGateway(t, { routes: { hello }, config: through(url), now: clock.now })
  await until(() => front.status().gateways[0]?.items === 0)
  const accepted = gateway.lines.filter(({ delivery_id, outcome }) => outcome === 'accepted' && delivery_id !== undefined)
  t.strictSame(
    accepted.map(({ delivery_id }) => delivery_id),
    ids,
  )
  t.match(front.status().gateways[0]?.routes[0]?.counts, { kept: 5, taken: 5 })
})

t.test('the address that tells the state of a run works under the name that senders see', async (t) => {
  const { url } = await startRelay(t, { gateways: { home: { keys: [relayKey], routes: { hello: {} } } } })
  const routes = { hello: { ...hello, respond: { wait_seconds: 60, status_body: true } } }
  const config = { ...through(url), gateway: { max_waiting_requests: 0 } }
  const gateway = await startGateway(t, { routes, config })
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  const answer = await post(`${url}/home/webhooks/hello`, '{"n":7}')
  t.equal(answer.status, 202)
  const location = new URL(answer.headers.get('location') ?? '', answer.url)
  t.match(location.pathname, /^\/home\/webhooks\/status\//)
  const state = async () => (await fetch(location)).json() as Promise<{ status: string }>
  await until(async () => (await state()).status === 'done')
  t.match(await state(), { status: 'done', reply: 'n 7' })
  t.equal((await fetch(location, { method: 'HEAD' })).status, 200)
  t.equal((await fetch(`${location}x`)).status, 404, 'a forged token')
  t.equal((await fetch(location, { method: 'POST', body: '{}' })).status, 404)
})

t.test(
  'while the clocks of the relay and of this machine differ, nothing is judged; once they agree, each event as of when it came',
  async (t) => {
    const clock = steppedClock()
    let wrongMs = 300_001
    const front = { ...clock, now: () => clock.now() + wrongMs }
    const relay = await startRelay(t, { clock: front })
    const body = '{"n":1}'
    const at = String(Math.floor(clock.now() / 1000))
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    const headers = { 'x-webhook-timestamp': at, 'x-webhook-signature-v2': signature, 'x-request-id': 'timed' }
    t.equal((await post(`${relay.url}/home/webhooks/hello`, body, headers)).status, 202)
    const gateway = await startGateway(t, { routes: { hello }, config: through(relay.url), now: clock.now })
    const line = await gateway.line(({ msg }) => msg.startsWith('nothing is taken from the relay'))
    t.match(line, { level: 'warn', apart_seconds: 300, reason: /its clock is more than 30 s ahead of that of this machine/ })
    t.match(await gateway.operations.status(), { relay: { connected: false, reason: /its clock/ } })
    t.notOk(gateway.lines.some(({ stage }) => stage === 'signature'))
    t.equal(relay.front.status().gateways[0]?.items, 1, 'it waits at the relay')
    await gateway.stop()
    wrongMs = 0
    clock.advance(3_600_000)
    const again = await startGateway(t, { routes: { hello }, config: through(relay.url), now: clock.now, dir: gateway.dir })
    await again.line(({ outcome, delivery_id }) => outcome === 'accepted' && delivery_id === 'timed')
  },
)

t.test('handshakes get their answers in time', async (t) => {
  const { url } = await startRelay(t)
  const routes = { slack: { ...hello, verify: 'slack' }, meta: { ...hello, verify: 'meta', verify_token: 'the-token-of-meta' } }
  const gateway = await startGateway(t, { routes, config: through(url) })
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  const body = '{"type":"url_verification","challenge":"c-1","token":"t"}'
  const at = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`
  const headers = { 'content-type': 'application/json', 'x-slack-request-timestamp': at, 'x-slack-signature': signature }
  const slack = await post(`${url}/home/webhooks/slack`, body, headers)
  t.equal(slack.status, 200)
  t.match(await slack.text(), /c-1/)
  const meta = await fetch(`${url}/home/webhooks/meta?hub.mode=subscribe&hub.challenge=42&hub.verify_token=the-token-of-meta`)
  t.equal(await meta.text(), '42')
})

t.test('a gateway that stops lets no sender wait for the reply of a run', async (t) => {
  const { url } = await startRelay(t, { gateways: { home: { keys: [relayKey], routes: { '*': { wait_seconds: 25 } } } } })
  const routes = { hello: { ...hello, respond: { wait_seconds: 60 } } }
  const agent = { runner: 'command', command: ['sleep', '60'] }
  const gateway = await startGateway(t, { routes, config: { ...through(url), agent } })
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  const sent = post(`${url}/home/webhooks/hello`, '{"n":1}')
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  const began = performance.now()
  await gateway.stop(0)
  const answer = await sent
  t.equal(answer.status, 202)
  t.ok(performance.now() - began < 10_000)
})

type Message = { readonly path: string; readonly key: string; readonly holds: readonly string[]; readonly ids: readonly unknown[] }

/** A relay that answers as the test says, and keeps what it was told. */
const fakeRelay = async (t: Test, answer: (message: Message) => { readonly status: number; readonly body?: Buffer }) => {
  const told: Message[] = []
  const read = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray())
  const server = createServer(async (request, response) => {
    const bytes = await read(request)
    const path = request.url?.split('/').at(-1) ?? ''
    const holds = path === 'take' ? JSON.parse(String(bytes)).holds : []
    const ids = path === 'done' ? (decodeFrames(bytes) ?? []).map(({ head }) => head.id) : []
    const message = { path, key: request.headers.authorization ?? '', holds, ids }
    told.push(message)
    const { status, body } = answer(message)
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told }
}

const about = { head: { relay: 'r', keepMs: 1_000, items: 1, bytes: 1 }, body: Buffer.alloc(0) }
const item = (id: string, body: string, headers: readonly string[]) => ({
  head: { id, lane: 'hello', method: 'POST', target: '/webhooks/hello', url: 'http://x', headers, remote: '192.0.2.1', at: Date.now() },
  body: Buffer.from(body),
})

t.test('a repeat after a lost acknowledgement is a duplicate, whether its sender gives an id or not', async (t) => {
  const given = ['X-Webhook-Signature', hexHmac('{"n":2}'), 'X-Request-ID', 'given']
  const items = [item('7', '{"n":1}', ['X-Webhook-Signature', hexHmac('{"n":1}')]), item('8', '{"n":2}', given)]
  let takes = 0
  let dones = 0
  const { url, told } = await fakeRelay(t, ({ path }) => {
    if (path === 'done') return { status: ++dones === 1 ? 503 : 200 }
    const isNew = ++takes === 1
    return { status: 200, body: encodeFrames(isNew ? [about, ...items] : [about]) }
  })
  const gateway = await startGateway(t, { routes: { hello }, config: { ...through(url), storage: { kind: 'sqlite' } } })
  await until(() => dones >= 2)
  await gateway.stop()
  t.ok(
    told.some(({ holds }) => holds.includes('7')),
    'it says what it has',
  )
  takes = 0
  const again = await startGateway(t, { routes: { hello }, config: through(url), dir: gateway.dir })
  const outcomes = (): unknown[] =>
    again.lines.flatMap(({ outcome, stage }) => (stage === 'duplicate' || outcome === 'duplicate' ? [outcome] : []))
  await until(() => outcomes().length >= 2)
  t.notOk(again.lines.some(({ outcome }) => outcome === 'accepted'))
})

t.test('forged requests of one address are settled, and the genuine one behind them waits for none', async (t) => {
  const forged = Array.from({ length: 60 }, (_, i) => item(String(i + 1), '{"n":1}', ['X-Webhook-Signature', hexHmac('forged')]))
  const genuine = item('61', '{"n":2}', ['X-Webhook-Signature', hexHmac('{"n":2}'), 'X-Request-ID', 'genuine'])
  let takes = 0
  const { url, told } = await fakeRelay(t, ({ path }) =>
    path === 'done' ? { status: 200 } : { status: 200, body: encodeFrames(++takes === 1 ? [about, ...forged, genuine] : [about]) },
  )
  const gateway = await startGateway(t, { routes: { hello }, extra: { rate_limit: 5 }, config: through(url) })
  await gateway.line(({ outcome, delivery_id }) => outcome === 'accepted' && delivery_id === 'genuine')
  await until(() => new Set(told.flatMap(({ ids }) => ids)).size === 61)
  t.equal(told.flatMap(({ ids }) => ids).length, 61, 'each is judged once')
  t.ok(gateway.lines.some(({ outcome }) => outcome === 'rate_limited'))
})

t.test('a request that fails alone holds up its own client, in order, and no other', async (t) => {
  let failures = 2
  const target = await sink(t, (response, { body }) => json(response, body.includes('n 1') && failures-- > 0 ? 500 : 200, {}))
  const from = (id: string, remote: string) => {
    const body = `{"n":${id}}`
    const { head, body: bytes } = item(id, body, ['X-Webhook-Signature', hexHmac(body), 'X-Request-ID', id])
    return { head: { ...head, remote }, body: bytes }
  }
  const items = [from('1', '192.0.2.1'), from('2', '192.0.2.1'), from('3', '198.51.100.7')]
  let takes = 0
  const { url, told } = await fakeRelay(t, ({ path }) =>
    path === 'done' ? { status: 200 } : { status: 200, body: encodeFrames(++takes === 1 ? [about, ...items] : [about]) },
  )
  const routes = { hello: { prompt: 'n {n}', deliver: 'http', deliver_extra: { url: target.origin }, deliver_only: true } }
  await startGateway(t, { routes, config: { ...through(url), targets: { breaker: { enabled: false } } } })
  await until(() => new Set(told.flatMap(({ ids }) => ids)).size === 3)
  t.strictSame(
    told.flatMap(({ ids }) => ids),
    ['3', '1', '2'],
  )
})

t.test('a stranger whose own limit is used up holds up nobody, and what he posts past a bound is settled', async (t) => {
  const from = (id: string, who: string) => {
    const body = JSON.stringify({ who, n: id })
    return item(id, body, ['X-Webhook-Signature', hexHmac(body), 'X-Request-ID', id])
  }
  const items = [...Array.from({ length: 50 }, (_, i) => from(String(i + 1), 'stranger')), from('99', 'genuine')]
  let takes = 0
  const { url, told } = await fakeRelay(t, ({ path }) =>
    path === 'done' ? { status: 200 } : { status: 200, body: encodeFrames(++takes === 1 ? [about, ...items] : [about]) },
  )
  const gateway = await startGateway(t, {
    routes: { hello: { ...hello, rate_limit: { per_minute: 2, key: 'who' } } },
    config: through(url),
  })
  const answered = () => new Set(told.flatMap(({ ids }) => ids))
  await until(() => answered().size === 19)
  t.ok(answered().has('99'), 'the genuine one is taken, though the same client sent it last')
  const givenUp = gateway.lines.filter(({ msg }) => msg === 'a request from the relay is given up')
  t.equal(givenUp.length, 50 - 2 - 32, 'what does not fit among those that wait')
  const [first] = givenUp
  t.match(first, { status: 429, event_id: /./, fix: `headgate events replay ${first?.event_id}` })
})

t.test('a request whose keys cannot be had holds up its own client, for an hour, and then is given up', async (t) => {
  const verify = { algorithm: 'jwt', jwks_url: 'https://keys.example.org/jwks', issuer: 'them', audience: 'us' }
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: 'them', aud: 'us', exp: 4_000_000_000 }
  const token = `${part({ alg: 'RS256', kid: 'chosen' })}.${part(claims)}.${'A'.repeat(342)}`
  const unkeyed = item('1', '{"n":1}', ['Authorization', `Bearer ${token}`, 'X-Request-ID', 'one'])
  const stranger = { ...unkeyed, head: { ...unkeyed.head, target: '/webhooks/keyed' } }
  const good = item('2', '{"n":2}', ['X-Webhook-Signature', hexHmac('{"n":2}'), 'X-Request-ID', 'good'])
  const items = [
    stranger,
    { ...stranger, head: { ...stranger.head, id: '3' } },
    { ...good, head: { ...good.head, remote: '198.51.100.7' } },
  ]
  let takes = 0
  const { url, told } = await fakeRelay(t, ({ path }) =>
    path === 'done' ? { status: 200 } : { status: 200, body: encodeFrames(++takes === 1 ? [about, ...items] : [about]) },
  )
  const clock = fakeClock()
  const gateway = await startGateway(t, {
    clock,
    routes: { hello, keyed: { ...hello, verify } },
    config: through(url),
    download: async () => {
      throw new Error('nobody there')
    },
  })
  const answered = () => told.flatMap(({ ids }) => ids)
  await until(() => answered().includes('2'))
  t.strictSame(answered(), ['2'])
  await until(async () => {
    clock.advance(30_000)
    await new Promise(setImmediate)
    return new Set(answered()).size === 3
  }, 30_000)
  t.match(
    gateway.lines.find(({ msg }) => msg === 'a request from the relay is given up'),
    { status: 503, relay_id: '1', fix: 'have its sender send it again' },
  )
  const tries = gateway.lines.filter(({ outcome }) => outcome === 'keys_unavailable').length
  t.ok(tries >= 1, 'the second one is given up with the first')
})

t.test('a request that the relay does not keep is answered once, also where it could be taken later', async (t) => {
  const asked = ['ask-1', 'ask-2', 'ask-3'].map((id) => item(id, '{}', ['X-Webhook-Signature', hexHmac('{}'), 'X-Request-ID', id]))
  let takes = 0
  const { url, told } = await fakeRelay(t, ({ path }) =>
    path === 'done' ? { status: 200 } : { status: 200, body: encodeFrames(++takes === 1 ? [about, ...asked] : [about]) },
  )
  const gateway = await startGateway(t, { routes: { hello }, extra: { rate_limit: 1 }, config: through(url) })
  const answered = () => new Set(told.flatMap(({ ids }) => ids))
  await until(() => answered().size === 3)
  t.ok(gateway.lines.some(({ outcome }) => outcome === 'rate_limited'))
  const before = takes
  await until(() => takes > before + 1)
  t.strictSame(told.filter(({ path }) => path === 'take').at(-1)?.holds, [], 'none of them is held')
})

t.test('a relay that does not know the key is named in log and status, and a reload brings the next key', async (t) => {
  const { url } = await fakeRelay(t, ({ key }) => ({ status: key === 'Bearer the-next-key' ? 200 : 401, body: encodeFrames([about]) }))
  const gateway = await startGateway(t, { routes: { hello }, config: through(url, '${KEY:-the-old-key-of-home}') })
  const line = await gateway.line(({ msg }) => msg.startsWith('nothing is taken from the relay'))
  t.equal(line.reason, 'it does not know the key (401)')
  t.match(await gateway.operations.status(), { relay: { connected: false, reason: 'it does not know the key (401)' } })
  t.notOk(JSON.stringify(gateway.lines).includes('the-old-key'))
  const file = join(gateway.dir, 'config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('${KEY:-the-old-key-of-home}', 'the-next-key'))
  await gateway.operations.reload({})
  await gateway.line(({ msg }) => msg === 'connected to the relay')
  await gateway.stop()
})
