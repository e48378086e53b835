/** A relay keeps what senders post, in bounds, and hands it to the processes of its gateways, each route to one of them, in order. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { readRelay } from '../../src/relay/front/relay-settings.ts'
import { encodeFrames } from '../../src/relay/wire/frames.ts'
import { fakeClock, steppedClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { fakePuller, relayKey, startRelay } from '../fakes/relay.ts'
import { until } from '../fakes/wait.ts'

const post = (url: string, body = '{}', headers = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { connection: 'close', ...headers } })

t.test('what is posted is handed over as it came: bytes, headers in order, query, address and time', async (t) => {
  const clock = steppedClock()
  const { url } = await startRelay(t, { clock })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const body = Buffer.from([0, 255, 10, 13, 128])
  socket.write(
    'POST /home/webhooks/a?x=1&y=%20 HTTP/1.1\r\nHost: front.test\r\nX-Two: 1\r\nx-one: b\r\nX-Two: 2\r\nContent-Length: 5\r\n\r\n',
  )
  socket.write(body)
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
  socket.destroy()
  t.match(answer, /^HTTP\/1.1 202 [\s\S]*\{"status":"accepted","route":"a"\}$/, 'no gateway is connected, so the sender does not wait')
  clock.advance(60_000)
  const [about, item] = await fakePuller(`${url}/home`).take()
  t.match(about?.head, { items: 1, keepMs: 72 * 3_600_000, oldestAt: clock.now() - 60_000 })
  t.strictSame(item?.body, body)
  t.match(item?.head, {
    lane: 'a',
    method: 'POST',
    target: '/webhooks/a?x=1&y=%20',
    url: 'http://front.test/home/webhooks/a?x=1&y=%20',
    headers: ['Host', 'front.test', 'X-Two', '1', 'x-one', 'b', 'X-Two', '2', 'Content-Length', '5'],
    remote: '127.0.0.1',
    at: clock.now() - 60_000,
  })
})

t.test('one process at a time has a route, its requests come in order, and what it did not get or answer comes again', async (t) => {
  const { url } = await startRelay(t)
  for (const n of [1, 2, 3]) await post(`${url}/home/webhooks/a`, String(n))
  await post(`${url}/home/webhooks/b`, 'b')
  const [one, two] = [fakePuller(`${url}/home`), fakePuller(`${url}/home`)]
  const [, ...first] = await one.take()
  t.strictSame(first.map(({ body }) => String(body)).sort(), ['1', '2', '3', 'b'])
  const ids = first.filter(({ head }) => head.lane === 'a').map(({ head }) => String(head.id))
  t.equal(await one.done(ids[0]), 200)
  await two.take()
  const waiting = two.take()
  await post(`${url}/home/webhooks/a`, '4')
  const [, ...more] = await one.take([ids[1] as string])
  t.strictSame(more.map(({ body }) => String(body)).sort(), ['3', '4', 'b'], 'what it does not hold did not reach it')
  await one.leave()
  const [, ...second] = await waiting
  t.strictSame(
    second.filter(({ head }) => head.lane === 'a').map(({ body }) => String(body)),
    ['2', '3', '4'],
    'the next process',
  )
  for (const { head } of second) await two.done(head.id)
  t.match((await fakePuller(`${url}/home`).take())[0]?.head, { items: 0 })
})

t.test('what a killed process had goes to the next one, which waits for it', async (t) => {
  const clock = fakeClock()
  const { url } = await startRelay(t, { clock })
  await post(`${url}/home/webhooks/a`, 'kept')
  const [one, two] = [fakePuller(`${url}/home`), fakePuller(`${url}/home`)]
  t.equal((await one.take()).length, 2)
  t.equal((await two.take()).length, 1, 'one process has the route')
  clock.advance(10_000)
  const waiting = two.take()
  await until(async () => {
    clock.advance(1_000)
    return (await Promise.race([waiting, 'waiting'])) !== 'waiting'
  })
  t.strictSame(
    (await waiting).slice(1).map(({ body }) => String(body)),
    ['kept'],
  )
})

t.test('a relay that is started again has what it kept, and its numbers go on', async (t) => {
  const relay = await startRelay(t)
  await post(`${relay.url}/home/webhooks/a`, 'kept')
  const [about, before] = await fakePuller(`${relay.url}/home`).take()
  await fakePuller(`${relay.url}/home`).done(before?.head.id)
  await relay.stop()
  const again = await startRelay(t, { dir: relay.dir })
  await post(`${again.url}/home/webhooks/a`, 'new')
  await again.stop()
  const { url } = await startRelay(t, { dir: relay.dir })
  const [named, item] = await fakePuller(`${url}/home`).take()
  t.equal(String(item?.body), 'new')
  t.equal(Number(item?.head.id), Number(before?.head.id) + 1, 'a number is never used twice')
  t.equal(named?.head.relay, about?.head.relay)
})

t.test('gateways are apart: a key lets in to its own gateway only, and two keys may be in use', async (t) => {
  const gateways = {
    home: { keys: [relayKey, 'the-next-key-of-home'], routes: { a: {} } },
    other: { keys: ['a-key-of-another-gateway'], routes: { '*': {} } },
  }
  const { url } = await startRelay(t, { gateways })
  await post(`${url}/home/webhooks/a`, 'of home')
  const status = async (gateway: string, key?: string) => (await fakePuller(`${url}/${gateway}`, key).ask('done', '')).status
  t.equal(await status('home'), 200)
  t.equal(await status('home', 'the-next-key-of-home'), 200)
  t.equal(await status('home', 'a-key-of-another-gateway'), 401)
  t.equal(await status('nobody'), 401)
  const stranger = await fetch(`${url}/home/relay/v1/status`)
  t.equal(stranger.status, 401)
  t.equal((await post(`${url}/home/webhooks/undeclared`)).status, 404)
  t.equal((await post(`${url}/nobody/webhooks/a`)).status, 404)
  t.equal((await post(`${url}/other/webhooks/${encodeURIComponent('../a')}`)).status, 404)
  t.equal((await fetch(`${url}/livez`)).status, 200)
  const other = fakePuller(`${url}/other`, 'a-key-of-another-gateway')
  await other.take()
  const waiting = other.take()
  await post(`${url}/other/webhooks/a`, 'of other')
  const [, item, ...rest] = await waiting
  t.equal(String(item?.body), 'of other')
  t.equal(rest.length, 0)
})

t.test('a route has its bounds, and one client half of them', async (t) => {
  const route = { max_items: 4, max_bytes: 4_000, max_body_bytes: 1_000 }
  const file = { trust_proxy: true }
  const routes = { a: route, large: { ...route, max_items: 100 } }
  const { url, front } = await startRelay(t, { file, gateways: { home: { keys: [relayKey], routes } } })
  const from = (client: string, body = '{}', to = 'a') => post(`${url}/home/webhooks/${to}`, body, { 'x-forwarded-for': client })
  t.equal((await from('192.0.2.1', 'x'.repeat(1_001))).status, 413)
  t.equal((await from('192.0.2.1')).status, 202)
  t.equal((await from('192.0.2.1')).status, 202)
  const refused = await from('192.0.2.1')
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '30')
  t.equal((await from('192.0.2.2')).status, 202)
  t.equal((await from('192.0.2.3')).status, 202)
  t.equal((await from('192.0.2.4')).status, 503, 'the route is full')
  const puller = fakePuller(`${url}/home`)
  const [, first] = await puller.take()
  await puller.done(first?.head.id)
  t.equal((await from('192.0.2.4')).status, 202, 'there is room again')
  t.match(front.status('home').gateways[0], { items: 4, routes: [{ route: 'a', items: 4, counts: { kept: 5, taken: 1 } }] })
  const large = 'x'.repeat(900)
  t.equal((await from('192.0.2.1', large, 'large')).status, 202)
  t.equal((await from('192.0.2.1', large, 'large')).status, 503, 'half of the bytes')
})

t.test('a sender that waits gets the answer of the gateway, or 202 where none comes in time', async (t) => {
  const routes = { '*': { wait_seconds: 20 }, soon: { wait_seconds: 0.05 }, kept: { answer: 'kept' } }
  const { url } = await startRelay(t, { gateways: { home: { keys: [relayKey], routes } } })
  const puller = fakePuller(`${url}/home`)
  t.equal((await fetch(`${url}/home/webhooks/a?hub.challenge=1`)).status, 503, 'nobody is connected, and a question is not kept')
  t.equal((await puller.take()).length, 1, 'a process that is new learns at once that it is connected')
  let taking = puller.take()
  const answer = async (status: number, body: string, headers = {}): Promise<void> => {
    const [, item] = await taking
    taking = puller.take([String(item?.head.id)])
    await puller.done(item?.head.id, status, body, { headers })
  }
  const sent = post(`${url}/home/webhooks/a`, 'challenge')
  await answer(200, 'the challenge', { 'X-Headgate-Event-Id': 'e' })
  const got = await sent
  t.equal(got.status, 200)
  t.equal(await got.text(), 'the challenge')
  t.equal(got.headers.get('x-headgate-event-id'), 'e')
  const asked = fetch(`${url}/home/webhooks/a?hub.challenge=1`)
  await answer(200, '1')
  t.equal(await (await asked).text(), '1')
  const odd = post(`${url}/home/webhooks/a`)
  await answer(200, '', { 'x-odd': 'a\r\nb' })
  t.equal((await odd).status, 502, 'a header that HTTP does not allow')
  const kept = post(`${url}/home/webhooks/kept`)
  await answer(200, 'too late for its sender')
  t.equal((await kept).status, 202, 'without a wait')
  t.equal((await post(`${url}/home/webhooks/soon`)).status, 202)
  await puller.leave()
})

t.test('senders that wait are answered at once when the last process leaves, and soon after it is killed', async (t) => {
  const clock = fakeClock()
  const { url, front } = await startRelay(t, { clock, gateways: { home: { keys: [relayKey], routes: { '*': { wait_seconds: 25 } } } } })
  const senders = () => [post(`${url}/home/webhooks/a`), fetch(`${url}/home/webhooks/b?challenge`)]
  const answered = (sent: readonly Promise<Response>[]) => Promise.all(sent.map(async (each) => (await each).status))
  /** Takes until this many requests are in hand. */
  const takeAll = async (puller: ReturnType<typeof fakePuller>, count: number): Promise<readonly string[]> => {
    const held: string[] = []
    while (held.length < count) for (const { head } of (await puller.take(held)).slice(1)) held.push(String(head.id))
    return held
  }
  const [one, two] = [fakePuller(`${url}/home`), fakePuller(`${url}/home`)]
  await Promise.all([one.take(), two.take()])
  const sent = senders()
  await takeAll(one, 2)
  await one.leave()
  t.equal(await Promise.race([...sent, 'they wait']), 'they wait', 'another process may answer')
  await two.leave()
  t.strictSame(await answered(sent), [202, 503])

  const killed = fakePuller(`${url}/home`)
  await killed.take()
  const later = senders()
  const holds = await takeAll(killed, 3)
  clock.advance(6_000)
  const connection = new AbortController()
  const more = { method: 'POST', body: JSON.stringify({ holds }), signal: connection.signal }
  const headers = { authorization: `Bearer ${relayKey}`, 'x-relay-taker': killed.name }
  const taking = fetch(`${url}/home/relay/v1/take`, { ...more, headers }).catch(() => 'killed')
  await until(() => front.status('home').gateways[0]?.connected)
  connection.abort()
  await taking
  await until(() => !front.status('home').gateways[0]?.connected)
  clock.advance(4_000)
  t.equal(await Promise.race([...later, 'they wait']), 'they wait', 'it may come back')
  clock.advance(1_000)
  t.strictSame(await answered(later), [202, 503])
})

t.test('nothing of a request stays in the files of the relay once it has ended', async (t) => {
  const ticks: (() => void)[] = []
  const after = (_ms: number, then: () => void) => {
    ticks.push(then)
    return () => {}
  }
  const { url, dir } = await startRelay(t, { clock: { ...steppedClock(), after } })
  const content = '{"n":"mark-of-a-body"}'
  await post(`${url}/home/webhooks/a?token=mark-of-a-query`, content, { authorization: 'Bearer mark-of-a-header' })
  const found = (): string[] => {
    const files = readdirSync(join(dir, 'state')).map((name) => readFileSync(join(dir, 'state', name), 'latin1'))
    return [...new Set(files.join('\n').match(/mark-of-a-\w+/g))].sort()
  }
  t.strictSame(found(), ['mark-of-a-body', 'mark-of-a-header', 'mark-of-a-query'], 'while it waits')
  const [, item] = await fakePuller(`${url}/home`).take()
  t.equal(String(item?.body), content)
  await fakePuller(`${url}/home`).done(item?.head.id)
  for (const tick of ticks.splice(0)) tick()
  await until(() => found().length === 0)
})

t.test('what is kept for too long expires: it is counted, recorded and logged', async (t) => {
  const clock = steppedClock()
  const ticks: (() => void)[] = []
  const after = (_ms: number, then: () => void) => {
    ticks.push(then)
    return () => {}
  }
  const timed = { ...clock, after }
  const gateways = { home: { keys: [relayKey], keep_hours: 1, routes: { '*': { answer: 'kept' } } } }
  const { url, front, lines, dir, stop } = await startRelay(t, { clock: timed, gateways })
  await post(`${url}/home/webhooks/a`, 'old')
  clock.advance(3_600_001)
  await post(`${url}/home/webhooks/a`, 'new')
  for (const tick of ticks.splice(0)) tick()
  while (!lines.some(({ msg }) => String(msg).startsWith('requests expired'))) await new Promise((resolve) => setImmediate(resolve))
  const [home] = front.status().gateways
  t.match(home, { items: 1, routes: [{ counts: { kept: 2, expired: 1 }, age_seconds: 0 }], ended: [{ route: 'a', why: 'expired' }] })
  await stop()
  const again = await startRelay(t, { dir })
  t.match(again.front.status().gateways[0], { items: 1, ended: [{ why: 'expired' }] })
})

t.test('names of routes that strangers make up are bounded and counted together, and take no room from routes with a row', async (t) => {
  const clock = fakeClock()
  const gateways = { home: { keys: [relayKey], routes: { '*': { max_items: 2_000 }, real: {} } } }
  const { url, front } = await startRelay(t, { clock, file: { trust_proxy: true }, gateways })
  const from = (client: string, route: string) => post(`${url}/home/webhooks/${route}`, '{}', { 'x-forwarded-for': client })
  const flood = async (client: string, count: number): Promise<object> => {
    const statuses: { [status: number]: number } = {}
    for (let at = 0; at < count; at += 50) {
      const sent = Array.from({ length: 50 }, (_, i) => from(client, `made-up-${client}-${at + i}`))
      for (const { status } of await Promise.all(sent)) statuses[status] = (statuses[status] ?? 0) + 1
    }
    return statuses
  }
  t.strictSame(await flood('192.0.2.1', 550), { 202: 500, 503: 50 })
  t.equal((await from('192.0.2.3', 'other')).status, 202, 'one client cannot open all lanes')
  t.strictSame(await flood('192.0.2.2', 550), { 202: 499, 503: 51 })
  t.equal((await from('192.0.2.3', 'another')).status, 503)
  t.equal((await from('192.0.2.3', 'real')).status, 202)
  const routes = () => front.status('home').gateways[0]?.routes ?? []
  const full = await until(() => {
    clock.advance(60_000)
    return routes().find(({ route }) => route === '*')?.counts.full
  })
  t.equal(full, 102)
  t.equal(routes().length, 1_002)
})

t.test('other settings are used at once: a new key, a route, a gateway; what is kept stays kept', async (t) => {
  const { url, front, dir, lines } = await startRelay(t)
  await post(`${url}/home/webhooks/a`, 'kept')
  const use = (gateways: object): void => {
    writeFileSync(join(dir, 'relay.yaml'), stringify({ gateways }))
    const { settings } = readRelay(dir, {})
    if (settings) front.use(settings)
  }
  // One client has half of it.
  const routes = { a: { max_items: 4 } }
  const next = 'the-next-key-of-home'
  const old = fakePuller(`${url}/home`)
  await old.take()
  const taking = old.take(['1'])
  use({ home: { keys: [next], routes }, more: { keys: ['a-key-of-one-more'], routes } })
  t.equal((await post(`${url}/home/webhooks/a`, 'second')).status, 202)
  await taking
  t.equal((await old.ask('take', '')).status, 401, 'the old key lets nobody in')
  t.equal((await post(`${url}/home/webhooks/a`, 'third')).status, 503)
  t.equal((await post(`${url}/home/webhooks/b`)).status, 404)
  t.equal((await post(`${url}/more/webhooks/a`)).status, 202)
  await old.leave()
  const [, ...items] = await fakePuller(`${url}/home`, next, old.name).take()
  t.strictSame(
    items.map(({ body }) => String(body)),
    ['kept', 'second'],
  )
  use({ more: { keys: ['a-key-of-one-more'], routes } })
  t.equal((await post(`${url}/home/webhooks/a`)).status, 404)
  t.match(lines.at(-1), { gateway: 'home', msg: /^requests are kept for a gateway that/ })
  use({ home: { keys: [next], routes }, more: { keys: ['a-key-of-one-more'], routes } })
  t.match(front.status('home').gateways, [{ items: 2 }], 'and is there when its gateway is')
})

t.test('a message that is none is refused, and the relay goes on', async (t) => {
  const { url } = await startRelay(t)
  const puller = fakePuller(`${url}/home`)
  for (const bytes of [
    Buffer.from([255, 255, 255, 255, 1]),
    Buffer.from('{}'),
    encodeFrames([{ head: {}, body: Buffer.alloc(0) }]).subarray(1),
  ])
    t.equal((await puller.ask('done', bytes)).status, 400)
  t.equal(await puller.done('1'), 200, 'a request that is gone')
  t.equal(await puller.done("x' or 1=1"), 200)
  t.equal((await puller.ask('nothing', '')).status, 404)
  t.equal((await fakePuller(`${url}/home`, relayKey, '!').ask('take', '')).status, 400)
  t.equal((await post(`${url}/home/webhooks/a`)).status, 202)
})

t.test('a key is measured once its reference is resolved', (t) => {
  const dir = newFolder(t, { 'relay.yaml': "gateways:\n  home:\n    keys: ['${K}']\n    routes: { '*': {} }\n" })
  t.strictSame(readRelay(dir, { K: relayKey }).diagnostics, [])
  const { settings, diagnostics } = readRelay(dir, { K: 'short' })
  t.equal(settings, undefined)
  t.match(diagnostics, [{ code: 'WH105', message: /keys\[0\]: the key is too short: at least 16/, place: { line: 3, column: 12 } }])
  const exec = newFolder(t, { 'relay.yaml': "gateways:\n  home:\n    keys: ['exec:vault/the-key-of-home']\n    routes: { '*': {} }\n" })
  t.match(readRelay(exec, {}), { settings: undefined, diagnostics: [{ message: /asks no program|exec:/, place: { line: 3 } }] })
  t.end()
})
