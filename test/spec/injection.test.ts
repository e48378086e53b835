import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { prepareGateway } from '../../src/gateway/compose.ts'
import { createLog } from '../../src/gateway/log.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, secret, startGateway } from '../fakes/gateway.ts'
import { closedOrigin, json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const ansi = '\x1b[2J\x1b]0;owned\x07'
const forged = '\n{"level":"error","msg":"run is dead","route":"forged"}\r\n12:00:00 error forged'
const invisible = '\0\x7f\x9b31m\u2028\u202e\u200b\u{e0041}\ud800'

t.test('text from outside cannot forge a log line or move a terminal', async (t) => {
  for (const format of ['json', 'pretty'] as const) {
    t.test(format, async (t) => {
      const routes = {
        r: { prompt: '{title}', events: ['push', `push${invisible}`] },
        filtered: { filters: [{ field: 'title', equals: 'x' }] },
      }
      const config = { platforms: { webhook: { enabled: true, extra: { port: 0, secret, routes } } }, storage: { kind: 'memory' } }
      const dir = newFolder(t, { 'config.yaml': JSON.stringify(config) })
      const written: string[] = []
      const log = createLog({ level: 'debug', format, redact: (text) => text, write: (line) => written.push(line) })
      const gateway = await (await prepareGateway(loadConfig({ dataDir: dir, env: {} }).config, { log })).start()
      t.teardown(() => gateway.stop(1_000))
      const post = async (route: string, id: string, body: unknown, key = secret): Promise<Response> => {
        const text = JSON.stringify(body)
        const headers = { 'X-Request-ID': id, 'X-Webhook-Signature': hexHmac(text, key), 'X-GitHub-Event': '' }
        return await fetch(`${gateway.url}/webhooks/${route}`, { method: 'POST', body: text, headers })
      }
      const title = ansi + forged + invisible
      const id = 'a\x85b\x9b2Jc'
      t.equal((await post('r', id, { title, type: 'push' })).status, 202)
      await post('r', id, { title, type: 'push' })
      await post('r', id, { title, type: title })
      await post('filtered', id, { title })
      await post(`r${encodeURIComponent(forged)}`, id, {})
      await post('r', id, {}, 'wrong')
      await until(() => written.some((line) => line.includes('delivered') && line.includes('owned')))
      for (const line of written) {
        t.notMatch(line.slice(0, -1), /[\n\r\x1b\0\x07]/, 'one line, no control character')
        t.equal(line.at(-1), '\n')
        if (format === 'json') t.type(JSON.parse(line).msg, 'string')
        t.notMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
      const delivered = written.find((line) => line.includes('delivered') && line.includes('owned')) ?? ''
      if (format === 'json') {
        t.match(delivered, '\\u0000\\u007f\\u009b31m\\u2028\\u202e\\u200b\\udb40\\udc41')
        t.equal(JSON.parse(delivered).text, title, 'a program reads what was sent')
      }
      t.notOk(written.some((line) => line.startsWith('12:00:00 error forged') || line.startsWith('{"level":"error","msg":"run is dead"')))
    })
  }
})

t.test('answers carry what a sender chose as JSON text only', async (t) => {
  const gateway = await startGateway(t, { routes: { r: {} } })
  const name = `x${forged}`
  const unknown = await gateway.post(encodeURIComponent(name))
  t.same(unknown.json, { error: `Unknown route: ${name}` })
  t.equal(unknown.headers.get('route'), null)
  t.same((await gateway.post('r', { headers: { 'X-Request-ID': '"},{"../../tmp/pwn' } })).json.delivery_id, '"},{"../../tmp/pwn')
  const long = (await gateway.post('r', { headers: { 'X-Request-ID': 'i'.repeat(8_000) } })).json.delivery_id
  t.match(long, /^sha256:[0-9a-f]{64}$/, 'a long id is kept as its hash')
  for (const control of ['\r\nSet-Cookie: a', '\x1b[31m', '\0'])
    t.match(
      await gateway.raw(
        `POST /webhooks/r HTTP/1.1\r\nHost: x\r\nX-Request-ID: a${control}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      ),
      /^HTTP\/1\.1 40[01] /,
    )
})

t.test('an event type is a short text without controls, or it is unknown', async (t) => {
  const gateway = await startGateway(t, { routes: { r: { events: ['none'] } } })
  const typed = async (body: unknown, headers = {}): Promise<unknown> => (await gateway.post('r', { body, headers })).json.event
  for (const type of [{ a: 1 }, ['push'], 5, null, '', 'a'.repeat(129), 'a'.repeat(1_000_000), 'a\r\nb', 'a\0', '\x1b[0m'])
    t.equal(await typed({ event_type: type }), 'unknown', JSON.stringify(type)?.slice(0, 40))
  t.equal(await typed({ event_type: { a: 1 }, type: 'push' }), 'push')
  t.equal(await typed({ type: 'push' }, { 'X-GitHub-Event': 'e'.repeat(129) }), 'push')
  t.equal(await typed({ type: 'a'.repeat(128) }), 'a'.repeat(128))
})

t.test('controls, bidirectional text and half characters in a payload reach every kind of target as text', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const http = (extra: object): object => ({
    deliver: 'http',
    deliver_only: true,
    prompt: '{title}',
    deliver_extra: { url: `${receiver.origin}/{path}`, ...extra },
  })
  const gateway = await startGateway(t, {
    routes: { agent: { prompt: '{title}' }, direct: http({}), header: http({ headers: { 'X-Title': '{title}' } }) },
    config: { agent: { runner: 'command', command: ['cat'], untrusted: 'off' } },
  })
  const title = `a${invisible}${forged}`
  t.equal((await gateway.post('agent', { body: { title }, headers: { 'X-Request-ID': 'x' } })).status, 202)
  const line = await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'x')
  t.equal(line.text, title.replace('\ud800', '\ufffd'), 'half a character cannot be written')
  t.equal((await gateway.post('direct', { body: { title, path: 'x' } })).status, 200)
  t.equal(JSON.parse(receiver.seen.at(-1)?.body ?? '').text, title)
  const before = receiver.seen.length
  t.equal((await gateway.post('header', { body: { title: 'a\r\nX-Evil: 1', path: 'x' } })).status, 502)
  t.equal(receiver.seen.length, before, 'no header is made of a text with line ends')
  for (const path of ['../..//evil.example/', '/evil.example/?a=\r\n#x', '/evil.example/?a=1#x']) {
    t.equal((await gateway.post('direct', { body: { title, path } })).status, 200)
    t.equal(receiver.seen.at(-1)?.url, `/${encodeURIComponent(path)}`, 'it is one segment, whatever it holds')
  }
  const sent = receiver.seen.length
  for (const path of ['..', '.']) t.equal((await gateway.post('direct', { body: { title, path } })).status, 502, 'a payload does not climb')
  t.equal(receiver.seen.length, sent)
})

t.test('a prompt ends at 200,000 characters', async (t) => {
  const gateway = await startGateway(t, { routes: { r: { prompt: '{a}{a}' } } })
  await gateway.post('r', { body: { a: 'x'.repeat(150_000) } })
  t.equal((await gateway.line(({ msg }) => msg === 'delivered')).text, 'x'.repeat(200_000))
})

t.test('a route without verification is for no browser and no foreign Host', async (t) => {
  const gateway = await startGateway(t, { routes: { open: { secret: 'INSECURE_NO_AUTH' } } })
  for (const headers of [{ Origin: 'null' }, { Origin: gateway.url }, { 'Sec-Fetch-Site': 'same-origin' }])
    t.equal((await gateway.post('open', { sign: false, headers })).status, 403, JSON.stringify(headers))
  const host = (name: string): Promise<string> =>
    gateway.raw(`POST /webhooks/open HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`)
  for (const name of ['127.0.0.1.evil.example', 'localhost.evil.example', 'evil.example:8644', '127.1', '0.0.0.0', ''])
    t.match(await host(name), /^HTTP\/1\.1 403 /, name)
  for (const name of ['localhost', `127.0.0.1:${gateway.port}`, '[::1]:80']) t.match(await host(name), /^HTTP\/1\.1 202 /, name)
})

t.test('a flood of bad signatures is a few lines a minute, and then their number', async (t) => {
  const clock = fakeClock()
  const gateway = await startGateway(t, { clock, routes: { r: {} } })
  const bad = (): number => gateway.lines.filter(({ msg }) => msg.includes('Invalid signature')).length
  await Promise.all(Array.from({ length: 200 }, () => gateway.post('r', { sign: false })))
  await until(() => bad() >= 10)
  t.equal(bad(), 10)
  const counted = () => gateway.lines.filter(({ count }) => count !== undefined)
  clock.advance(59_999)
  t.strictSame(counted(), [])
  clock.advance(1)
  t.match(counted(), [{ count: 190, level: 'warn', route: 'r', msg: /^Invalid signature: more/ }], 'when the minute is over, whoever posts')
  await Promise.all(Array.from({ length: 13 }, () => gateway.post('r', { sign: false })))
  t.equal(counted().length, 1)
  const stopped = gateway.stop(0)
  await until(() => counted().length === 2)
  clock.advance(1_000)
  await stopped
  t.match(counted().at(-1), { count: 3 }, 'and at the stop')
})

t.test('no secret is in any log line or answer, whatever fails', async (t) => {
  const receiver = await sink(t, (response, { url, headers, body }) =>
    json(response, url.includes('ok') ? 200 : Number(url.slice(1, 4)), { headers, body }),
  )
  const down = await closedOrigin()
  const http = (url: string): object => ({
    prompt: '{n}',
    deliver: 'http',
    deliver_only: true,
    deliver_extra: { url, secret: 'canary-delivery', headers: { Authorization: 'Bearer canary-bearer' } },
  })
  const routes = {
    agent: { retry: { max_attempts: 1 } },
    own: { secret: '${ROUTE}' },
    list: { secrets: ['canary-old', 'canary-new'] },
    ok: http(`${receiver.origin}/ok/canary-url`),
    refused: http(`${receiver.origin}/403/canary-url?k=canary-query`),
    broken: http(`${receiver.origin}/500/canary-url`),
    down: http(`${down}/canary-url`),
    filtered: { filters: [{ field: 'headers.authorization', equals: 'canary-expected' }] },
    script: { script: 'x.sh' },
    comment: { deliver: 'github_comment', deliver_only: true, deliver_extra: { repo: 'o/r', pr_number: '1' } },
  }
  const gateway = await startGateway(t, {
    env: { GLOBAL: secret, PATH: '/nonexistent' },
    files: {
      '.env': 'ROUTE=canary-route\nWEBHOOK_SECRET_OLD=canary-env',
      scripts: { 'x.sh': 'env; echo "canary?" >&2; env | grep canary- >&2; exit 1' },
    },
    config: {
      platforms: {
        webhook: { enabled: true, extra: { port: 0, rate_limit: 1_000, secret: '${GLOBAL}', routes } },
        telegram: { enabled: true, token: 'canary-telegram' },
        github: { enabled: true, token: 'canary-github' },
      },
      agent: { runner: 'openai', model: 'm', api_key: 'canary-key', base_url: `${receiver.origin}/401` },
    },
  })
  const answers: string[] = []
  const post = async (route: string, options: object = {}): Promise<void> => {
    const { status, text, headers } = await gateway.post(route, {
      body: { n: 1 },
      headers: { Authorization: 'canary-auth', 'X-GitHub-Delivery': 'd' },
      ...options,
    })
    answers.push(`${status} ${text} ${JSON.stringify([...headers])}`)
  }
  for (const route of ['agent', 'ok', 'refused', 'broken', 'down', 'filtered', 'script', 'comment', 'nosuch'])
    await post(route, { path: `/webhooks/${route}?token=canary-in-url` })
  for (const route of ['own', 'list', 'agent'])
    for (const token of ['canary-route', 'canary-routes', 'canary-new', 'canary-old '])
      await post(route, { sign: false, headers: { 'X-Gitlab-Token': token } })
  await post('agent', { sign: false, headers: { 'X-Webhook-Signature': 'canary-signature', 'webhook-signature': 'v1,canary' } })
  t.match(await gateway.line(({ msg }) => msg === 'run is dead'), { reason: /401/ })
  t.ok(
    receiver.seen.some(({ headers }) => headers.authorization === 'Bearer canary-key'),
    'the key was used',
  )
  t.ok(receiver.seen.some(({ headers }) => headers.authorization === 'Bearer canary-bearer'))
  for (const outcome of ['delivery_failed', 'delivered', 'bad_signature', 'ignored', 'accepted'])
    t.ok(
      gateway.lines.some((line) => line.outcome === outcome),
      outcome,
    )
  for (const text of [...gateway.lines.map((line) => JSON.stringify(line)), ...answers]) t.notMatch(text, /canary-|It is a secret/)
  t.ok(answers.length > 20 && gateway.lines.length > 40)
})
