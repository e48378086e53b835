/** Targets behind a gateway: each profile with its own credentials, nothing secret in a log, a direct delivery within its time. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { type GatewayOptions, secret, startGateway } from '../fakes/gateway.ts'
import { mailHost } from '../fakes/mail.ts'
import { type Running, startDouble } from '../fakes/platforms/double.ts'
import { telegram } from '../fakes/platforms/telegram.ts'
import { json, type Sink, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const token = '123456:canary-telegram-token'
const chat = '-100123'

const start = (t: Test, running: Running, options: Partial<GatewayOptions> & { platforms?: object } = {}) => {
  const { platforms = { telegram: { token, api_base: running.origin } }, config, extra, routes, ...more } = options
  const webhook = { enabled: true, extra: { secret: 'It is a secret to everybody', port: 0, rate_limit: 100_000, ...extra, routes } }
  return startGateway(t, { level: 'info', config: { platforms: { webhook, ...platforms }, ...config }, ...more })
}

t.test('an agent’s reply and a direct message reach the chat; the home channel is the fallback', async (t) => {
  const running = await startDouble(t, telegram)
  const platforms = { telegram: { token, api_base: running.origin, home_channel: chat } }
  const gateway = await start(t, running, {
    platforms,
    routes: {
      agent: { prompt: 'reply {n}', deliver: 'telegram', deliver_extra: { chat_id: '{chat}', message_thread_id: '77' } },
      direct: { prompt: 'direct {n}', deliver: 'telegram', deliver_only: true },
    },
  })
  t.equal((await gateway.post('agent', { body: { n: 1, chat } })).status, 202)
  await until(() => running.accepted.length === 1)
  t.match(await gateway.post('direct', { body: { n: 2 } }), { status: 200, json: { status: 'delivered', target: 'telegram' } })
  t.same(running.accepted, [
    { chat, text: 'reply 1', thread: '77' },
    { chat, text: 'direct 2' },
  ])
})

t.test('a profile never borrows another one’s credentials, nor the process’s', async (t) => {
  const running = await startDouble(t, telegram)
  const direct = { prompt: 'p', deliver: 'telegram', deliver_extra: { chat_id: chat }, deliver_only: true }
  const platforms = stringify({ platforms: { telegram: { api_base: running.origin } } })
  const gateway = await start(t, running, {
    routes: { main: direct, has: { ...direct, profile: 'has' }, lacks: { ...direct, profile: 'lacks' } },
    config: { gateway: { multiplex_profiles: true }, storage: { kind: 'memory' } },
    env: { TELEGRAM_BOT_TOKEN: token, TELEGRAM_HOME_CHANNEL: chat },
    files: {
      profiles: {
        has: { 'config.yaml': platforms, '.env': `TELEGRAM_BOT_TOKEN=${token}\n` },
        lacks: { 'config.yaml': platforms, '.env': '' },
      },
    },
  })
  t.equal((await gateway.post('main', { body: {} })).status, 200)
  t.equal((await gateway.post('has', { path: '/p/has/webhooks/has', body: {} })).status, 200)
  t.match(await gateway.post('lacks', { path: '/p/lacks/webhooks/lacks', body: {} }), { status: 502, text: 'Delivery failed' })
  t.match(await gateway.line(({ outcome, route }) => outcome === 'delivery_failed' && route === 'lacks'), {
    reason: /not connected: set platforms\.telegram\.token/,
  })
  t.equal(running.seen.length, 2, 'nothing was sent for the profile that has no token')
})

t.test('a platform that is switched off, or that refuses, is a plain failure without the token', async (t) => {
  const running = await startDouble(t, telegram)
  const wrong = '123456:canary-wrong-token'
  const routes = { r: { prompt: 'p', deliver: 'telegram', deliver_extra: { chat_id: chat }, deliver_only: true } }
  const off = await start(t, running, { platforms: { telegram: { enabled: false, token, api_base: running.origin } }, routes })
  t.equal((await off.post('r', { body: {} })).status, 502)
  t.equal(running.seen.length, 0)
  await off.stop()
  const bad = await start(t, running, { platforms: { telegram: { token: wrong, api_base: running.origin } }, routes })
  t.equal((await bad.post('r', { body: {} })).status, 502)
  t.match(await bad.line(({ outcome }) => outcome === 'delivery_failed'), { reason: /HTTP 401: Unauthorized/ })
  await bad.stop()
  const kept = readFileSync(join(bad.dir, 'state', 'events', '0000000001.jsonl'), 'utf8')
  t.notMatch(JSON.stringify(bad.lines) + kept, /canary/)
})

t.test('a direct delivery to a target that does not answer is told before its sender gives up', async (t) => {
  const running = await startDouble(t, telegram)
  const gateway = await start(t, running, {
    routes: { r: { prompt: 'p', deliver: ['telegram', 'telegram'], deliver_extra: { chat_id: chat }, deliver_only: true } },
  })
  running.next.push({
    status: 429,
    body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 60 } },
  })
  t.match(await gateway.post('r', { body: {} }), { status: 502 }, 'a minute is not waited for')
})

t.test('a direct delivery waits for "not now" that ends in time, and posts the same id again', async (t) => {
  const answers: [number, { [name: string]: string }][] = []
  const receiver = await sink(t, (response) => response.writeHead(...(answers.shift() ?? [200, {}])).end())
  const notes = await sink(t, (response) => {
    const [status, headers] = answers.shift() ?? [201, {}]
    json(response, status, { id: 1 }, headers)
  })
  const direct = { prompt: 'p', deliver_only: true }
  const gateway = await startGateway(t, {
    routes: {
      http: { ...direct, deliver: 'http', deliver_extra: { url: receiver.origin, secret: 'key' } },
      gitlab: { ...direct, deliver: 'gitlab_comment', deliver_extra: { project: 'a/b', iid: 7, kind: 'issue' } },
    },
    env: { GITLAB_TOKEN: 'canary', GITLAB_HOST: notes.origin },
  })
  for (const status of [408, 425, 429, 500, 503, 504]) {
    receiver.seen.length = 0
    answers.push([status, { 'retry-after': status === 503 ? new Date(0).toUTCString() : '0' }])
    t.equal((await gateway.post('http', { body: {} })).status, 200, String(status))
    t.equal(receiver.seen.length, 2)
    t.equal(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size, 1)
  }
  for (const status of [429, 503]) {
    answers.push([status, { 'retry-after': '0' }])
    t.equal((await gateway.post('gitlab', { body: {} })).status, 200, String(status))
  }
  t.equal(notes.seen.length, 4)
  for (const route of ['http', 'gitlab']) {
    answers.push([429, { 'retry-after': '30' }])
    t.equal((await gateway.post(route, { body: {} })).status, 502, 'longer than a sender waits')
  }
  answers.push([500, { 'retry-after': '0' }])
  t.equal((await gateway.post('gitlab', { body: {} })).status, 502, 'the note may be there')
})

t.test('a payload names one receiver of a mail where the route names one, and never adds another', async (t) => {
  const host = await mailHost(t, { hideSTARTTLS: true })
  const running = await startDouble(t, telegram)
  const email = { address: 'gate@example.org', smtp_host: '127.0.0.1', smtp_port: host.port, home_channel: 'a@example.org, b@example.org' }
  const to = (chat_id?: string) => ({
    prompt: 'p',
    deliver: 'email',
    deliver_only: true,
    deliver_extra: chat_id ? { chat_id } : {},
  })
  const routes = {
    one: to('{sender}'),
    two: to('ops@example.net , {sender}'),
    made: to('{= $lowercase($join([sender, "example.net"], "@")) }'),
    fixed: to('ops@example.net,dev@example.net'),
    home: to(),
  }
  const gateway = await start(t, running, { platforms: { email }, routes })
  const sentTo = async (route: string, sender: unknown): Promise<readonly string[]> => {
    host.mails.length = 0
    const { status } = await gateway.post(route, { body: { sender } })
    t.equal(status, host.mails.length === 1 ? 200 : 502)
    return host.mails[0]?.to ?? []
  }
  for (const more of [
    'me@example.com,victim@example.com',
    'Me <me@example.com>, victim@example.com',
    ['me@example.com', 'victim@example.com'],
  ])
    for (const route of ['one', 'two']) t.same(await sentTo(route, more), [], `${route} ${more}`)
  t.same(await sentTo('one', 'me@example.com'), ['me@example.com'])
  t.same(await sentTo('two', 'me@example.com'), ['ops@example.net', 'me@example.com'])
  t.same(await sentTo('made', 'ME'), ['me@example.net'])
  t.same(await sentTo('fixed', ''), ['ops@example.net', 'dev@example.net'])
  t.same(await sentTo('home', ''), ['a@example.org', 'b@example.org'])
})

const hostile = [
  'v&admin=1',
  'a#f',
  'a?x',
  '..%2f',
  '../x',
  '.',
  '..',
  '%2e%2e',
  '%2E',
  'a/b',
  'a=b',
  '+',
  'a b',
  'é😀',
  '\ud800',
  '\\..\\x',
  'a\r\nb',
  '\0',
  '@evil.example/',
  ';',
  ':',
  '',
  "'",
]

t.test('what a payload fills in of an address of http adds nothing, cuts nothing and climbs nowhere, and arrives as it was', async (t) => {
  const { seen, origin } = await sink(t, (response) => response.end())
  const to = (url: string) => ({ prompt: 'p', deliver: 'http', deliver_only: true, deliver_extra: { url: `${origin}${url}` } })
  const gateway = await startGateway(t, { level: 'error', routes: { r: to('/a/{v}/b-{v}.json?x={v}&n-{v}=1&{= v & "!" }&z#{v}') } })
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes))
  const value = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 12 }), units)
  const holds = async (v: string): Promise<void> => {
    seen.length = 0
    const { status } = await gateway.post('r', { body: { v } })
    // No spelling keeps a parser from taking these for steps.
    const climbs = v === '.' || v === '..'
    t.equal(status, climbs ? 502 : 200, JSON.stringify(v))
    t.equal(seen.length, climbs ? 0 : 1)
    const [one] = seen
    if (!one) return
    const { origin: to, pathname, searchParams } = new URL(one.url, origin)
    t.equal(to, origin)
    const kept = Buffer.from(v).toString()
    t.same(pathname.split('/').map(decodeURIComponent), ['', 'a', kept, `b-${kept}.json`])
    t.same(
      [...searchParams],
      [
        ['x', kept],
        [`n-${kept}`, '1'],
        [`${kept}!`, ''],
        ['z', ''],
      ],
    )
  }
  for (const v of hostile) await holds(v)
  await fc.assert(fc.asyncProperty(value, holds), { numRuns: 100 })
})

t.test('an address of http holds nothing of a sender unencoded, and does not go out with a placeholder in it, or cut', async (t) => {
  const { seen, origin } = await sink(t, (response) => response.end())
  const to = (url: string) => ({ prompt: 'p', deliver: 'http', deliver_only: true, deliver_extra: { url: `${origin}${url}` } })
  const routes = {
    id: to('/{delivery_id}'),
    type: to('/?{event_type}'),
    raw: to('/?all={__raw__}'),
    nested: to('/{map}/{list}/{none}'),
    several: { ...to('/'), deliver: ['http', 'http'], deliver_extra: { url: `${origin}/{v}`, headers: { url: '{v}' } } },
    dots: to('/{a}{b}/x'),
    missing: to('/{gone}'),
    failed: to('/{= $error("no") }'),
    empty: to('/{= gone.x }'),
    long: to('/{v}'),
  }
  const gateway = await startGateway(t, { level: 'error', routes })
  const urls = async (route: string, body: object, headers = {}): Promise<string[]> => {
    seen.length = 0
    const { status } = await gateway.post(route, { body, headers })
    t.equal(status, seen.length > 0 ? 200 : 502, route)
    return seen.map(({ url }) => url)
  }
  t.same(await urls('id', {}, { 'x-github-delivery': '../?a#b' }), ['/..%2F%3Fa%23b'])
  t.same(await urls('type', { type: 'a&b=c' }), ['/?a%26b%3Dc'])
  t.same(await urls('raw', { a: '&b' }), [`/?all=${encodeURIComponent('{\n  "a": "&b"\n}')}`])
  t.same(await urls('nested', { map: { a: '/' }, list: ['?'], none: null }), ['/%7B%22a%22%3A%22%2F%22%7D/%5B%22%3F%22%5D/null'])
  t.same(await urls('several', { v: 'a/b {x}' }), ['/a%2Fb%20%7Bx%7D', '/a%2Fb%20%7Bx%7D'])
  t.equal(seen[0]?.headers.url, 'a/b {x}', 'a header is none')
  for (const body of [
    { a: '.', b: '.' },
    { a: '.', b: '' },
  ])
    t.same(await urls('dots', body), [])
  t.same(await urls('dots', { a: '%2e', b: '%2e' }), ['/%252e%252e/x'])
  for (const route of ['missing', 'failed', 'empty']) t.same(await urls(route, {}), [], route)
  t.same(await urls('long', { v: '/'.repeat(200_000) }), [])
  t.same(await urls('long', { v: 'x'.repeat(7_900) }), [`/${'x'.repeat(7_900)}`])
})

t.test('headers of http resolve references; what they say that no payload fills in is neither stored nor told', async (t) => {
  let isUp = false
  const receiver = await sink(t, (response, { headers }) =>
    isUp ? response.end() : response.writeHead(503).end(`refused ${headers.authorization}`),
  )
  // A brace alone is no placeholder.
  const extra = {
    url: `${receiver.origin}/in`,
    headers: { Authorization: 'Bearer ${KEY}', 'X-Code': 'canary-{code', 'X-Title': '{title}' },
  }
  const listed = { target: 'http', deliver_extra: { ...extra, url: `${receiver.origin}/listed`, secret: '${KEY}' } }
  const gateway = await startGateway(t, {
    env: { KEY: 'canary-header-key' },
    level: 'debug',
    config: { storage: { kind: 'sqlite' } },
    routes: {
      one: { prompt: '{title}', deliver: 'http', deliver_extra: extra, retry: { backoff: 1 } },
      several: { prompt: '{title}', deliver: ['log', listed], retry: { backoff: 1 } },
    },
  })
  for (const route of ['one', 'several']) t.equal((await gateway.post(route, { body: { title: `<${route}>` } })).status, 202)
  // One may be tried again before the other was tried at all.
  await until(() => new Set(receiver.seen.map(({ url }) => url)).size === 2)
  const state = join(gateway.dir, 'state')
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  t.ok(files.some(({ name }) => name === 'headgate.db'))
  for (const { parentPath, name } of files) t.notOk(readFileSync(join(parentPath, name)).includes('canary'), name)
  t.notOk(JSON.stringify(gateway.lines).includes('canary'))
  isUp = true
  const refused = receiver.seen.length
  await until(() => receiver.seen.length === refused + 2)
  t.match(
    new Set(receiver.seen.map(({ url, headers }) => `${url} ${headers.authorization} ${headers['x-title']}`)),
    new Set(['/in Bearer canary-header-key <one>', '/listed Bearer canary-header-key <several>']),
  )
  t.ok(receiver.seen.every(({ url, headers }) => url === '/in' || headers['webhook-signature'] !== undefined))
})

t.test('a secret goes to no host but the one that it is written for, whatever the route says by the time of another try', async (t) => {
  const refuse = (response: ServerResponse) => void response.writeHead(400).end()
  const [a, b] = [await sink(t, refuse), await sink(t, refuse)]
  const to = ({ origin }: Sink, key: string) => ({
    target: 'http',
    deliver_extra: { url: `${origin}/{n}`, headers: { Authorization: key } },
  })
  const config = { storage: { kind: 'sqlite' } }
  const one = ({ target, deliver_extra }: ReturnType<typeof to>) => ({ prompt: 'p', deliver: target, deliver_extra })
  const routes = { two: { prompt: 'p', deliver: [to(a, 'key of a'), to(b, 'key of b')] }, one: one(to(a, 'key of a')) }
  const first = await startGateway(t, { level: 'info', routes, config })
  const posted = [await first.post('two', { body: { n: 1 } }), await first.post('one', { body: { n: 1 } })]
  await until(() => first.lines.filter(({ msg }) => msg === 'run is dead').length === 2)
  await first.stop()
  const swapped = [to(b, 'new key of b'), to(a, 'new key of a')]
  const changed = { two: { prompt: 'p', deliver: swapped }, one: one(to(b, 'new key of b')) }
  const webhook = { enabled: true, extra: { secret, port: 0, routes: changed } }
  writeFileSync(join(first.dir, 'config.yaml'), stringify({ platforms: { webhook }, ...config }))
  const second = await startGateway(t, { level: 'info', dir: first.dir })
  for (const { headers } of posted) await second.operations.retry({ id: headers.get('x-headgate-event-id') ?? '' })
  await until(() => second.lines.filter(({ msg }) => msg === 'run is dead').length === 2)
  const keys = ({ seen }: Sink) => seen.map(({ headers }) => headers.authorization)
  t.same(keys(a), ['key of a', 'key of a', 'new key of a'])
  t.same(keys(b), ['key of b', 'new key of b'])
  t.match(await second.line(({ route, msg }) => route === 'one' && msg === 'run is dead'), { reason: /no longer says its headers/ })
})

t.test('a stand-in for the agent names the routes whose replies leave the log', async (t) => {
  const slack = { webhook_url: 'https://hooks.slack.com/services/T/B/x' }
  const routes = {
    chat: { prompt: 'p', deliver: 'slack' },
    quiet: { prompt: 'p' },
    note: { prompt: 'p', deliver: 'slack', deliver_only: true },
  }
  const { lines } = await startGateway(t, {
    level: 'info',
    config: { agent: { runner: 'echo' }, platforms: { webhook: { enabled: true, extra: { secret, port: 0, routes } }, slack } },
  })
  t.match(
    lines.find(({ runner }) => runner === 'echo'),
    { msg: /Until then its replies go out by "chat"$/ },
  )
})
