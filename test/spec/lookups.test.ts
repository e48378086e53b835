/** `lookup`: questions to servers for what a payload lacks, what becomes of their answers, and what a hostile payload or server can do. */

import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { lookupsByName } from '../../src/parts/lookups/index.ts'
import type { LookupPart } from '../../src/parts/lookups/lookup.ts'
import type { WebAccess } from '../../src/parts/web/web-access.ts'
import { Lookups } from '../../src/serve/lookups.ts'
import { runAt } from '../fakes/cli.ts'
import { fakeClock, steppedClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, type Line, startGateway } from '../fakes/gateway.ts'
import { closedOrigin, json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Answer = (response: ServerResponse, seen: Seen) => void
const isEnd = ({ stage, reason }: Line): boolean => stage === 'lookup' && reason !== undefined
const owner: Answer = (response) => json(response, 200, { data: { owner: 'team-db', big: 1 } })

/** A gateway with one route, whose lookups ask a server that answers as a test wants. */
const start = async (t: Test, route: (origin: string) => object, answer: Answer = owner, more: GatewayOptions = {}) => {
  const server = await sink(t, answer)
  const gateway = await startGateway(t, { ...more, routes: { r: { prompt: '{lookup.owner}', ...route(server.origin) } } })
  const said = async (body: object, id?: string) => {
    const {
      status,
      json: answered,
      headers,
    } = await gateway.post('r', { body, ...(id === undefined ? {} : { headers: { 'X-Request-ID': id } }) })
    return { status, said: answered.status ?? answered.error, retryAfter: headers.get('retry-after') }
  }
  const texts = async (count = 1): Promise<readonly unknown[]> => {
    const delivered = () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
    await until(() => delivered().length >= count)
    return delivered()
  }
  return { ...gateway, ...server, said, texts }
}

/** A question about the owner of a host, by its name in the payload. */
const about = (origin: string, more: object = {}) => ({
  owner: { http: `${origin}/hosts/{host}`, path: 'data.owner', allow_private: true, ...more },
})

t.test('conditions, texts, keys and the script read the answer, and not the payload', async (t) => {
  const gateway = await start(
    t,
    (origin) => ({
      lookup: {
        ...about(origin, { headers: { Authorization: 'Bearer ${TOKEN}' } }),
        whole: { http: `${origin}/all?of={host}`, allow_private: true },
      },
      filters: [
        { field: 'host', exists: true },
        { field: 'lookup.owner', equals: 'team-db' },
        { jsonata: 'lookup.whole.data.owner = "team-db" and $not($exists(payload.lookup.owner.x))' },
        {
          any: [
            { field: 'n', equals: 2 },
            { field: 'lookup.owner', equals_field: 'lookup.whole.data.owner' },
          ],
        },
      ],
      script: 'show.sh',
      session: { key: '{lookup.owner}' },
      prompt: '{lookup.owner} {lookup.whole.data.big} {= lookup.whole.data.owner } {lookup.whole.none} {script_output}',
    }),
    (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"owner":"team-db","big":9007199254740993}}'),
    { env: { TOKEN: 'tok' }, files: { scripts: { 'show.sh': 'cat | tail -c 90' } } },
  )
  t.match(await gateway.said({ host: 'db/1 ä', lookup: { owner: 'forged', whole: { none: 'forged', data: {} } } }), { status: 202 })
  const [text] = await gateway.texts()
  t.match(text, /^team-db 9007199254740993 team-db \{lookup\.whole\.none\} .*"lookup":\{"owner":"team-db","whole":\{"data".*\}\}$/)
  const asked = gateway.seen.map(({ url, headers }) => [url, headers.authorization])
  t.strictSame(asked.sort(), [
    ['/all?of=db%2F1%20%C3%A4', undefined],
    ['/hosts/db%2F1%20%C3%A4', 'Bearer tok'],
  ])
})

t.test('filters that the payload decides come first, so that nothing is asked in vain', async (t) => {
  const gateway = await start(t, (origin) => ({
    lookup: about(origin),
    filters: [
      { field: 'lookup.owner', equals: 'team-db' },
      { field: 'n', equals: 1 },
    ],
  }))
  t.match(await gateway.said({ host: 'a', n: 2, lookup: { owner: 'team-db' } }), { said: 'ignored' })
  t.equal(gateway.seen.length, 0)
  t.match(await gateway.line(({ reason }) => String(reason).startsWith('filters[1]')), { stage: 'filters' })
  t.match(await gateway.said({ host: 'a', n: 1 }), { said: 'accepted' })
  t.equal(gateway.seen.length, 1)
})

t.test('the first filter that an answer fails says so', async (t) => {
  const gateway = await start(t, (origin) => ({ lookup: about(origin), filters: { field: 'lookup.owner', equals: 'other' } }))
  t.match(await gateway.said({ host: 'a', lookup: { owner: 'other' } }), { status: 200, said: 'ignored' })
  t.match(await gateway.line(isEnd), { outcome: 'ignored', reason: 'filters lookup.owner equals "other" (got "team-db")' })
})

t.test('404 and a value that the event lacks are answers: null', async (t) => {
  const gateway = await start(
    t,
    (origin) => ({ lookup: about(origin), prompt: 'owner {lookup.owner}' }),
    (response) => json(response, 404, {}),
  )
  t.match(await gateway.said({ host: 'a' }), { status: 202 })
  t.match(await gateway.said({}), { status: 202 })
  t.strictSame(await gateway.texts(2), ['owner null', 'owner null'])
  t.equal(gateway.seen.length, 1, 'a question without its value is not asked')
})

t.test('a question may read the answer to another one', async (t) => {
  const gateway = await start(
    t,
    (origin) => ({
      lookup: { room: { http: `${origin}/rooms/{lookup.owner}`, path: 'room', allow_private: true }, ...about(origin) },
      prompt: '{lookup.room}',
    }),
    (response, { url }) => json(response, 200, url === '/rooms/team-db' ? { room: 'r1' } : { data: { owner: 'team-db' } }),
  )
  t.match(await gateway.said({ host: 'a', lookup: { owner: 'forged' } }), { status: 202 })
  t.strictSame(await gateway.texts(), ['r1'])
})

t.test('without an answer: retry, ignore and pass', async (t) => {
  let status = 500
  const answer: Answer = (response) => json(response, status, { data: { owner: 'x' } }, status === 429 ? { 'retry-after': '17' } : {})
  const retry = await start(t, (origin) => ({ lookup: about(origin) }), answer)
  t.match(await retry.said({ host: 'a' }, 'one'), { status: 503, retryAfter: '5' })
  t.match(await retry.line(isEnd), { outcome: 'lookup_failed', reason: /^lookup\.owner: .* answered HTTP 500$/ })
  status = 200
  t.match(await retry.said({ host: 'a' }, 'one'), { status: 202 }, 'the id was not claimed')
  status = 500
  const ignore = await start(t, (origin) => ({ lookup: about(origin, { on_failure: 'ignore' }) }), answer)
  t.match(await ignore.said({ host: 'a' }), { status: 200, said: 'ignored' })
  t.match(await ignore.line(isEnd), { outcome: 'ignored', reason: /^lookup\.owner: / })
  const pass = await start(t, (origin) => ({ lookup: about(origin, { on_failure: 'pass' }), prompt: '[{lookup.owner}]' }), answer)
  t.match(await pass.said({ host: 'a', lookup: { owner: 'forged' } }), { status: 202 })
  t.strictSame(await pass.texts(), ['[{lookup.owner}]'])
  t.match(await pass.line(({ msg }) => msg === 'lookup failed'), { level: 'warn', lookup: 'owner' })
})

t.test('a host that says "not now" is not asked until then', async (t) => {
  const clock = steppedClock()
  let status = 429
  const answer: Answer = (response) => json(response, status, { data: { owner: 'x' } }, status === 429 ? { 'retry-after': '17' } : {})
  const gateway = await start(t, (origin) => ({ lookup: about(origin) }), answer, { clock })
  t.match(await gateway.said({ host: 'a' }), { status: 503, retryAfter: '17' })
  t.match(await gateway.said({ host: 'b' }), { status: 503, retryAfter: '17' })
  t.equal(gateway.seen.length, 1)
  clock.advance(17_000)
  status = 200
  t.match(await gateway.said({ host: 'b' }), { status: 202 })
})

t.test('answers are kept for cache_minutes, failures never, and equal questions at once are asked once', async (t) => {
  const clock = steppedClock()
  let status = 500
  const waiting: (() => void)[] = []
  let holds = false
  const answer: Answer = (response) => {
    const end = () => json(response, status, { data: { owner: 'x' } })
    if (holds) waiting.push(end)
    else end()
  }
  const counting = { clock, config: { metrics: { enabled: true, port: 0 } } }
  const gateway = await start(t, (origin) => ({ lookup: about(origin, { cache_minutes: 10 }) }), answer, counting)
  await gateway.said({ host: 'a' })
  status = 200
  t.match(await gateway.said({ host: 'a' }), { status: 202 }, 'a failure is not kept')
  t.match(await gateway.said({ host: 'a' }), { status: 202 })
  t.equal(gateway.seen.length, 2)
  const told = await (await fetch(String(gateway.lines.find(({ msg }) => msg === 'metrics')?.url))).text()
  for (const [result, count] of Object.entries({ failed: 1, answered: 1, kept: 1 }))
    t.match(told, `headgate_lookups_total{lookup="http",result="${result}"} ${count}`)
  clock.advance(600_000)
  holds = true
  const both = Promise.all([gateway.said({ host: 'a' }), gateway.said({ host: 'a' }), gateway.said({ host: 'a' })])
  await until(() => waiting.length > 0)
  for (const end of waiting) end()
  t.match(await both, [{ status: 202 }, { status: 202 }, { status: 202 }])
  t.equal(gateway.seen.length, 3)
})

t.test('two values that read the same when they stand side by side have answers of their own', async (t) => {
  const gateway = await start(
    t,
    (origin) => ({ lookup: { owner: { http: `${origin}/{a}/{b}`, path: 'url', allow_private: true, cache_minutes: 10 } } }),
    (response, { url }) => json(response, 200, { url }),
  )
  for (const body of [
    { a: 'x', b: 'y/z' },
    { a: 'x/y', b: 'z' },
  ])
    t.match(await gateway.said(body), { status: 202 })
  t.strictSame([...(await gateway.texts(2))].sort(), ['/x%2Fy/z', '/x/y%2Fz'])
})

t.test('values stay in their place in the address', async (t) => {
  const gateway = await start(t, (origin) => ({ lookup: about(origin), prompt: '{lookup.owner}' }))
  for (const host of ['..', '.']) t.match(await gateway.said({ host }), { status: 200, said: 'ignored' }, 'a repeat would fail, too')
  t.match(await gateway.line(isEnd), { reason: 'lookup.owner: url has a segment . or .. in its path' })
  for (const host of ['../../user', 'a\r\nX-Admin: 1', 'a?b#c', '@evil.example', '{n}'])
    t.match(await gateway.said({ host, n: 1 }), { status: 202 })
  t.ok(gateway.seen.every(({ headers }) => headers['x-admin'] === undefined))
  t.strictSame(
    gateway.seen.map(({ url }) => url),
    ['/hosts/..%2F..%2Fuser', '/hosts/a%0D%0AX-Admin%3A%201', '/hosts/a%3Fb%23c', '/hosts/%40evil.example', '/hosts/%7Bn%7D'],
  )
})

t.test('a server that redirects, sends too much, sends slowly, packs or breaks off gives no answer', async (t) => {
  const secret = await sink(t, (response) => json(response, 200, { data: { owner: 'from inside' } }))
  const cases: readonly (readonly [name: string, answer: Answer, why: RegExp])[] = [
    [
      'a redirect',
      (response) => response.writeHead(302, { location: `${secret.origin}/meta` }).end(),
      /HTTP 302, a redirect, which is not followed$/,
    ],
    [
      '100 MB',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = Buffer.alloc(65_536, 0x20)
        const more = (): void => {
          while (response.write(chunk) && !response.destroyed);
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      },
      /larger than 262144 bytes$/,
    ],
    [
      'a byte a second',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{')
        const timer = setInterval(() => response.write(' '), 20)
        response.once('close', () => clearInterval(timer))
      },
      /no answer in time$/,
    ],
    ['no JSON', (response) => response.end('<html>'), /HTTP 200 without JSON$/],
    [
      'an end in the middle',
      (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
      /broke off/,
    ],
  ]
  for (const [name, answer, why] of cases) {
    const gateway = await start(t, (origin) => ({ lookup: about(origin), lookup_timeout_seconds: 0.3 }), answer)
    t.match(await gateway.said({ host: 'a' }), { status: 503 }, name)
    t.match(await gateway.line(isEnd), { reason: why }, name)
  }
  t.equal(secret.seen.length, 0)
})

t.test('a thousand events at once open a few connections, and the rest is told to come again', async (t) => {
  const held: (() => void)[] = []
  let most = 0
  let isOver = false
  const gateway = await start(
    t,
    (origin) => ({ lookup: about(origin), lookup_timeout_seconds: 30 }),
    (response) => {
      const end = (): void => json(response, 200, { data: { owner: 'x' } })
      if (isOver) return end()
      held.push(end)
      most = Math.max(most, held.length)
    },
    { level: 'error' },
  )
  let refused = 0
  const answers = Array.from({ length: 1_000 }, async (_, i) => {
    const { status } = await gateway.said({ host: `h${i}` })
    if (status === 503) refused++
    return status
  })
  await until(() => refused === 1_000 - 208)
  isOver = true
  for (const end of held) end()
  t.equal((await Promise.all(answers)).filter((status) => status === 202).length, 208)
  t.equal(most, 8)
})

t.test('dispatch and split: each event asks for itself, and an answer stays on its route', async (t) => {
  const server = await sink(t, (response, { url }) => json(response, 200, { data: { owner: url.slice('/hosts/'.length) } }))
  const gateway = await startGateway(t, {
    routes: {
      door: {
        split: 'all',
        lookup: about(server.origin),
        dispatch: [{ when: { field: 'lookup.owner', equals: 'a' }, to: ['own', 'plain'] }],
      },
      own: { address: false, lookup: about(server.origin), prompt: 'own {lookup.owner} {batch.id}' },
      plain: { address: false, prompt: 'plain {lookup.owner}' },
    },
  })
  await gateway.post('door', {
    body: {
      id: 7,
      all: [
        { host: 'a', lookup: { owner: 'mine' } },
        { host: 'b', lookup: { owner: 'a' } },
      ],
    },
  })
  const texts = (): unknown[] => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
  await until(() => texts().length >= 2)
  t.strictSame(texts().sort(), ['own a 7', 'plain mine'])
})

/** Asks the part `http` itself, with a resolver of the test. */
const askAt = (http: string, access: Partial<WebAccess>) => {
  const clock = fakeClock()
  const web: WebAccess = { resolve: async () => [], isPublic: () => false, ports: new Set(), ...access }
  const part = lookupsByName.get('http') as LookupPart
  const question = { profile: 'default', name: 'q', part, spec: { http }, values: { url: http }, deadline: clock.monotonic() + 5_000 }
  return new Lookups(clock, { web }).ask(question, { env: {}, settings: {} })
}

t.test('a name that leads into a private network is not asked, and the address that was checked is the one that is asked', async (t) => {
  const inside = await sink(t, (response) => json(response, 200, 'inside'))
  const port = inside.origin.split(':').at(-1)
  const refused = { ok: false, why: /its address leads into a private network or to this machine$/ }
  t.match(await askAt(`http://inventory.example:${port}/`, { resolve: async () => ['127.0.0.1'] }), refused)
  t.match(
    await askAt(`http://inventory.example:${port}/`, {
      resolve: async () => ['203.0.113.9', '10.0.0.1'],
      isPublic: (ip) => ip !== '10.0.0.1',
    }),
    refused,
  )
  t.match(await askAt('http://169.254.169.254/latest/meta-data', {}), refused)
  t.match(await askAt('http://[::1]/', {}), refused)
  t.match(await askAt('http://2130706433/', {}), refused, 'an address in other digits')
  t.equal(inside.seen.length, 0)
  let asked = 0
  const resolve = async () => [asked++ === 0 ? '127.0.0.1' : '198.51.100.1']
  t.match(await askAt(`http://inventory.example:${port}/`, { resolve, isPublic: (ip) => ip === '127.0.0.1' }), {
    ok: true,
    text: '"inside"',
  })
  t.equal(asked, 1)
  t.match(await askAt(`${await closedOrigin()}/`, { isPublic: () => true }), { ok: false, why: /no connection \(ECONNREFUSED\)$/ })
})

t.test('a lookup without allow_private that is written for a private address does not start', async (t) => {
  for (const http of ['http://127.0.0.1:9/', 'http://localhost/', 'http://10.1.2.3/{a}', 'https://db.internal/{a}', 'http://[fd00::1]/'])
    await t.rejects(startGateway(t, { routes: { r: { prompt: '{lookup.a}', lookup: { a: { http } } } } }), /WH249 .*private network/, http)
  for (const [lookup, why] of [
    [{ a: { http: 'https://{host}/' } }, /no fixed host/],
    [{ a: {} }, /asks exactly one of/],
    [{ a: { http: 'https://x.example/{lookup.b}' } }, /"lookup.b" is no other lookup/],
    [{ a: { http: 'https://x.example/{lookup.a}' } }, /no other lookup/],
    [{ a: { http: 'https://x.example/{lookup.b}' }, b: { http: 'https://x.example/{lookup.a}' } }, /wait for each other/],
    [{ a: { http: 'https://x.example/', headers: { Host: 'y' } } }, /the header Host cannot be set/],
    [{ a: { http: 'https://x.example/a/../{b}' } }, /segment/],
  ] as const)
    await t.rejects(startGateway(t, { routes: { r: { prompt: '{lookup.a}', lookup } } }), why)
  const lookup = { pr: { http: 'https://x.example/' } }
  await t.rejects(startGateway(t, { routes: { r: { prompt: '{lookup.rp.x}', lookup } } }), /WH249 the route has no lookup "rp"/)
  await t.rejects(startGateway(t, { routes: { r: { prompt: '{= lookup.rp }', lookup } } }), /no lookup "rp"/)
  await t.rejects(
    startGateway(t, { routes: { r: { prompt: '{lookup.pr}', lookup, rate_limit: { per_minute: 1, key: '{lookup.pr}' } } } }),
    /read before the lookups are asked/,
  )
})

t.test('a trace and a test ask nothing, and take the answers that they are given', async (t) => {
  const { origin, seen } = await sink(t, owner)
  const route = {
    lookup: about(origin),
    filters: [
      { field: 'host', exists: true },
      { field: 'lookup.owner', equals: 'team-db' },
    ],
    prompt: 'owner {lookup.owner}',
    secret: 'It is a secret to everybody',
  }
  const test = (name: string, mocks: object, expect: object) => ({
    name,
    send: { payload: { host: 'a', lookup: { owner: 'team-db' } } },
    mocks,
    expect,
  })
  const tests = [
    test('given', { lookup: { owner: 'team-db' } }, { outcome: 'accepted', prompt: 'owner team-db' }),
    test('not given', {}, { outcome: 'ignored', stopped_at: 'lookup', rule: 'filters[1]' }),
    test(
      'failing',
      { lookup_failures: { owner: 'HTTP 500' } },
      { status: 503, outcome: 'lookup_failed', reason: 'lookup.owner: HTTP 500' },
    ),
  ]
  const webhook = { enabled: true, extra: { routes: { r: { ...route, tests } } } }
  const dir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook } }) })
  t.match(await runAt(dir, ['test']), { code: 0 })
  const trace = (...args: readonly string[]) => runAt(dir, ['webhook', 'trace', 'r', '--payload', '{"host":"a"}', ...args])
  const untold = await trace()
  t.match(untold.out, /lookup +STOP +filters\[1\] lookup\.owner equals "team-db" \(got missing\)/)
  t.match(untold.out, /lookup\.owner: no answer/)
  t.equal(seen.length, 0)
  t.match((await trace('--lookups', '{"owner":"team-db"}')).out, /owner = "team-db"\n +ok +filters\[1\]/)
  t.equal(JSON.parse((await trace('--lookups', '{"owner":"x"}', '--json')).out).data.side_effects, 'none')
  const told = JSON.parse((await trace('--ask', '--json')).out).data
  t.equal(told.side_effects, 'lookup.owner')
  const at = told.stages.find(({ stage }: { stage: string }) => stage === 'lookup')
  t.match(at.detail, { lookups: { owner: 'team-db' }, conditions: [{ name: 'filters[1]', holds: true }] })
  t.equal(seen.length, 1)
  t.match(await trace('--ask', '--lookups', '{}'), { code: 2 })
  t.match(await trace('--lookups', '[]'), { code: 2 })
})

t.test('validate finds what nothing reads, and keys without effect', async (t) => {
  const lookup = { a: { http: 'https://x.example/' }, b: { http: 'https://x.example/' } }
  const webhook = {
    enabled: true,
    extra: { secret: 'It is a secret to everybody', routes: { r: { prompt: '{lookup.b}', deliver: 'log', lookup } } },
  }
  const dir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook } }) })
  const { out } = await runAt(dir, ['validate', '--json'])
  t.match(
    JSON.parse(out).data.diagnostics.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`),
    ['WH303 /platforms/webhook/extra/secret', 'WH715 /platforms/webhook/extra/routes/r/lookup/a'],
  )
})

t.test('validate looks for no answer of a lookup in samples and payload schemas', async (t) => {
  const route = {
    verify: 'github',
    secret: '${SECRET}',
    events: ['workflow_run'],
    payload_schema: 'schemas/run.json',
    lookup: { pr: { http: 'https://x.example/{workflow_run.head_sha}' } },
    filters: [
      { field: 'lookup.pr.state', equals: 'open' },
      { field: 'workflow_run.nothing', equals: 'open' },
    ],
    prompt: '{lookup.pr.number}',
    deliver: 'log',
  }
  const schema = { type: 'object', properties: { action: {}, workflow_run: {} }, additionalProperties: false }
  const webhook = { enabled: true, extra: { routes: { r: route } } }
  const dir = newFolder(t, {
    'config.yaml': stringify({ platforms: { webhook } }),
    '.env': 'SECRET=c3f1d0a97be24586',
    schemas: { 'run.json': JSON.stringify(schema) },
  })
  const { out } = await runAt(dir, ['validate', '--sample', 'github', '--json'])
  const found = JSON.parse(out).data.diagnostics.filter(({ code }: { code: string }) => /^WH(?:409|415|417|501)$/.test(code))
  t.strictSame(
    found.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`),
    ['WH409 /platforms/webhook/extra/routes/r/filters/1/field'],
  )
})
