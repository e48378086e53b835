/** The commands that show, switch, remove and try routes. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { prepareGateway } from '../../src/gateway/compose.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'

const store = 'webhook_subscriptions.json'
const secret = 'hunter2-hunter2'
const print = createHash('sha256').update(secret).digest('hex').slice(0, 8)
const config = `platforms:
  webhook:
    routes:
      fixed: { secret: config-secret-1, events: [push], deliver: http, deliver_only: true, deliver_extra: { url: "https://example.com/" } }
      both: { secret: config-secret-2 }
`

t.test('list: one route a line, stable columns, no escape bytes, no secret', async (t) => {
  const cli = fakeCli(t, {
    [store]: JSON.stringify({
      short: { secret, events: ['push', 'issues'], description: 'says hello' },
      'a-much-longer-name': { secret, enabled: false, deliver: 'email' },
      both: { secret },
      odd: { deliver: 5 },
    }),
    'config.yaml': config,
  })
  const { code, out, err } = await cli.run('webhook', 'list')
  t.equal(code, 0)
  t.same(out.split('\n'), [
    `short               enabled   agent  push,issues  log    ${print}  says hello`,
    `a-much-longer-name  disabled  agent  *            email  ${print}  -`,
    `both                shadowed  agent  *            log    ${print}  -`,
    'odd                 invalid   agent  *            log    -         -',
    '',
  ])
  t.notMatch(out + err, secret)
  t.notMatch(out, '\u001b')
  const all = await cli.run('webhook', 'list', '--all', '--wide')
  t.match(all.out, /^fixed +config +enabled +direct +push +http .*http:\/\/127\.0\.0\.1:8644\/webhooks\/fixed/m)
  t.notMatch(all.out, 'config-secret')
})

t.test('list: a terminal gets a header line, and colour only when it may', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secret":"x"}}' })
  t.match((await cli.runWith({ isTty: true }, 'webhook', 'list')).out, /^NAME +STATE/)
  t.match((await cli.runWith({ isTty: true, colour: true }, 'webhook', 'list')).out, '\u001b[')
  t.notMatch((await cli.runWith({ isTty: true, colour: true }, 'webhook', 'list', '--color', 'never')).out, '\u001b[')
})

t.test('list: what could drive a terminal is escaped, in names and descriptions', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ 'n\u001b[2J': { secret }, a: { secret, description: 'd\u001b[2J\nx\u202e\u009b' } }) })
  for (const argv of [['list'], ['list', '--wide'], ['list', '--json'], ['show', 'a'], ['show', 'a', '--json']]) {
    const { out, err } = await cli.run('webhook', ...argv)
    t.notMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/, argv.join(' '))
  }
  t.equal((await cli.run('webhook', 'list')).out.trimEnd().split('\n').length, 2)
})

t.test('list --json has the agreed members', async (t) => {
  const notes = { description: 'On both.', created_at: '2026-01-02T03:04:05Z', updated_at: '2026-02-03T04:05:06Z' }
  const cli = fakeCli(t, { [store]: JSON.stringify({ both: { secret, ...notes } }), 'config.yaml': config })
  const document = JSON.parse((await cli.run('webhook', 'list', '--json', '--all')).out)
  t.match(document, { v: 1, kind: 'webhook.list', ok: true, warnings: [{ code: 'WH211' }] })
  t.same(
    document.data.routes.map(({ name, source, shadowed }: { [key: string]: unknown }) => [name, source, shadowed]),
    [
      ['fixed', 'config', false],
      ['both', 'config', false],
      ['both', 'subscription', true],
    ],
  )
  t.match(document.data.routes[2], {
    enabled: true,
    mode: 'agent',
    events: [],
    deliver: 'log',
    secret: { from: 'route', fingerprint: print },
    ...notes,
  })
})

t.test('list and show tell a paused route from one whose events are kept', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret, prompt: 'p' } }) })
  const state = async (): Promise<string | undefined> => {
    const [row] = JSON.parse((await cli.run('webhook', 'list', '--json')).out).data.routes
    const shown = /^state: (\w+)$/m.exec((await cli.run('webhook', 'show', 'a')).out)?.[1]
    t.match((await cli.run('webhook', 'list')).out, new RegExp(`^a +${shown}`))
    t.equal(row.paused, shown === 'enabled' ? null : shown)
    return shown
  }
  t.equal(await state(), 'enabled')
  t.match(await cli.run('webhook', 'pause', 'a'), { code: 0 })
  t.equal(await state(), 'paused')
  t.match(await cli.run('webhook', 'pause', 'a', '--hold'), { code: 0 })
  t.equal(await state(), 'held')
  t.match(await cli.run('webhook', 'resume', 'a'), { code: 0 })
  t.equal(await state(), 'enabled')
})

t.test('list: none is said on stderr, a corrupt store is exit 6', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('webhook', 'list'), { code: 0, out: '', err: /no subscriptions yet/ })
  t.same(await cli.run('webhook', 'list', '-q'), { code: 0, out: '', err: '' })
  cli.write(store, '{')
  t.match(await cli.run('webhook', 'list'), { code: 6, err: /not valid JSON at 1:2/ })
  t.match(JSON.parse((await cli.run('webhook', 'list', '--json')).out), { ok: false, error: { code: 'corrupt_store' } })
})

t.test('show: everything but the secrets, wherever they stand', async (t) => {
  const entry = {
    secrets: [secret, 'second-secret'],
    prompt: 'Hello {x}',
    deliver: 'http',
    deliver_extra: {
      url: 'https://example.com/',
      secret: 'signing-secret',
      headers: { Authorization: 'Bearer abcdef123', 'X-Auth': 'hdr-7' },
    },
  }
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: entry }) })
  for (const flags of [[], ['--json']]) {
    const { code, out } = await cli.run('webhook', 'show', 'a', ...flags)
    t.equal(code, 0)
    t.match(out, 'Hello {x}')
    t.match(out, print)
    for (const hidden of [secret, 'second-secret', 'signing-secret', 'abcdef123', 'hdr-7']) t.notMatch(out, hidden)
  }
  t.match(await cli.run('webhook', 'show', 'b2'), { code: 5 })
})

t.test('remove: gone from the file, the rest kept, a way back', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secret":"x"},"b":{"secret":"y"}}' })
  t.match(await cli.run('webhook', 'remove', 'a'), { code: 0, out: /removed {2}a\nundo .*webhook_subscriptions\.json\.bak/ })
  t.same(JSON.parse(cli.read(store)), { b: { secret: 'y' } })
  t.same(Object.keys(JSON.parse(cli.read(`${store}.bak`))), ['a', 'b'])
})

t.test('remove: an unknown name gets the nearest ones, a configured route its place', async (t) => {
  const cli = fakeCli(t, { [store]: '{"deploys":{"secret":"x"}}', 'config.yaml': config })
  t.match(await cli.run('webhook', 'remove', 'deplys'), { code: 5, err: /did you mean "deploys"/ })
  t.match(await cli.run('webhook', 'remove', 'fixed'), { code: 5, err: /route of config\.yaml/ })
  t.match(JSON.parse((await cli.run('webhook', 'remove', 'deplys', '--json')).out), { error: { code: 'not_found', suggest: ['deploys'] } })
})

t.test('remove: at a terminal it asks, unless told not to', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secret":"x"},"b":{"secret":"y"}}' })
  const asked: string[] = []
  const ask = (reply: string) => async (question: string) => {
    asked.push(question)
    return reply
  }
  t.match(await cli.runWith({ ask: ask('') }, 'webhook', 'remove', 'a'), { code: 130 })
  t.same(Object.keys(JSON.parse(cli.read(store))), ['a', 'b'])
  t.match(await cli.runWith({ ask: ask('y') }, 'webhook', 'remove', 'a'), { code: 0 })
  t.match(await cli.runWith({ ask: ask('n') }, 'webhook', 'remove', 'b', '--yes'), { code: 0 })
  t.equal(asked.length, 2)
  t.same(JSON.parse(cli.read(store)), {})
})

t.test('remove: an entry that another terminal changed during the question is kept', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secret":"x"}}' })
  const ask = (change: string) => async () => {
    cli.write(store, change)
    return 'y'
  }
  t.match(await cli.runWith({ ask: ask('{"a":{"secret":"x","prompt":"new"}}') }, 'webhook', 'remove', 'a'), {
    code: 6,
    err: /changed meanwhile/,
  })
  t.equal(cli.entry('a').prompt, 'new')
  t.match(await cli.runWith({ ask: ask('{}') }, 'webhook', 'remove', 'a'), { code: 6, err: /removed meanwhile/ })
})

t.test('disable and enable switch, and nothing else', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"secret":"x","x-note":1}}' })
  t.match(await cli.run('webhook', 'disable', 'a'), { code: 0, out: 'disabled  a\n' })
  t.match(cli.entry('a'), { secret: 'x', 'x-note': 1, enabled: false })
  t.match(await cli.run('webhook', 'disable', 'a'), { code: 0, out: /no change/ })
  t.match((await cli.run('webhook', 'list')).out, /a {2}disabled/)
  t.match(await cli.run('webhook', 'enable', 'a'), { code: 0 })
  const { updated_at: _, ...entry } = cli.entry('a')
  t.same(entry, { secret: 'x', 'x-note': 1 })
  t.match(await cli.run('webhook', 'enable', 'b'), { code: 5 })
})

t.test('a link in place of the store is not written through', async (t) => {
  const cli = fakeCli(t, { elsewhere: '{"a":{"secret":"x"}}' })
  symlinkSync('elsewhere', cli.file(store))
  for (const argv of [['subscribe', 'b'], ['remove', 'a'], ['disable', 'a'], ['list']]) {
    t.match(await cli.run('webhook', ...argv), { code: 6, err: /symbolic link/ }, argv.join(' '))
  }
  t.equal(cli.read('elsewhere'), '{"a":{"secret":"x"}}')
})

/** A gateway over the data directory, on a free port that the environment then names. */
const gatewayOf = async (t: Test, cli: FakeCli): Promise<{ gateway: Gateway; env: { [name: string]: string } }> => {
  const log = Object.assign(() => {}, { writes: () => false })
  const base = { HEADGATE_HOME: cli.dir, WEBHOOK_ENABLED: 'true' }
  const { config: loaded } = loadConfig({ dataDir: cli.dir, env: base, port: 0 })
  const prepared = await prepareGateway({ ...loaded, storage: { ...loaded.storage, kind: 'memory' } }, { log })
  const gateway = await prepared.start()
  t.teardown(() => gateway.stop(0))
  return { gateway, env: { ...base, WEBHOOK_PORT: new URL(gateway.url).port } }
}

t.test('test: every scheme is accepted by the gateway, no signature and a bad one are not', async (t) => {
  const cli = fakeCli(t, {
    [store]: JSON.stringify({
      a: { secret: 'sécret-ü-123' },
      w: { secret: `whsec_${Buffer.from('0123456789abcdef').toString('base64')}` },
    }),
    'config.yaml': `platforms:\n  webhook:\n    routes:\n      C: { secret: config-secret-1 }\n      l: { secret: config-secret-2, verify: linear }\n      s: { secret: config-secret-3, verify: [svix] }\n`,
  })
  const { env } = await gatewayOf(t, cli)
  const run = (...argv: string[]) => cli.runWith({ env }, 'webhook', 'test', ...argv)
  for (const scheme of ['auto', 'v2', 'v1', 'github', 'host-a', 'gitlab', 'host-b', 'standard', 'standard_webhooks', 'svix']) {
    t.match(await run('a', '--scheme', scheme), { code: 0, out: /^--> POST .*\n<-- 202 accepted \d+ ms\n\{/ }, scheme)
  }
  for (const scheme of ['none', 'bad'])
    t.match(await run('a', '--scheme', scheme), { code: 1, out: /<-- 401 .*\n.*Invalid signature/ }, scheme)
  t.match(await run('w', '--scheme', 'standard'), { code: 0 }, 'a whsec_ secret')
  t.match(await run('C'), { code: 0 }, 'a configured route')
  t.match(await run('l'), { code: 0, out: / linear / }, 'auto takes what the route verifies')
  t.match(await run('s'), { code: 0, out: / svix / })
  t.match(await run('a', '--scheme', 'v3'), { code: 2 })
})

t.test('test: payload, event and id are those asked for', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret, events: ['push', 'tag'] } }), 'p.json': '{"n":3}' })
  const { env, gateway } = await gatewayOf(t, cli)
  const run = async (...argv: string[]) => JSON.parse((await cli.runWith({ env }, '--json', 'webhook', 'test', 'a', ...argv)).out)
  t.match(await run('--payload', `@${cli.file('p.json')}`, '--id', 'one'), {
    kind: 'webhook.test',
    ok: true,
    data: {
      request: { scheme: 'v2', event: 'push', delivery_id: 'one', bytes: 7 },
      response: { status: 202, body: { event: 'push' } },
      outcome: 'accepted',
    },
  })
  t.match(await run('--id', 'one'), { ok: false, data: { outcome: 'duplicate', reason: null } })
  t.match(await run('--event', 'other'), {
    ok: false,
    data: { outcome: 'ignored', reason: 'event', why: 'events: other is not listed', event_id: /^[0-9a-f-]{36}$/ },
  })
  t.match(await cli.runWith({ env }, 'webhook', 'test', 'a', '--event', 'other'), {
    code: 1,
    out: /\n<-- 200 ignored \(event\) \d+ ms\n.*\nwhy {6}events: other is not listed\nevent {4}[0-9a-f-]{36}\nfollow {3}headgate events show [0-9a-f-]{36}\n$/,
  })
  t.match(await run('--scheme', 'bad'), { ok: false, data: { outcome: 'bad_signature', event_id: null, response: { status: 401 } } })
  t.match(await run('--url', `${gateway.url}/webhooks/nope`), { ok: false, data: { response: { status: 404 } } })
  t.match(await run('--payload', '{bad'), { ok: false, error: { code: 'usage' } })
  t.match(await run('--payload', '{"event_type":"issues"}'), { ok: false, data: { request: { event: 'issues' }, outcome: 'ignored' } })
  t.match(await run('--event', 'a\nb'), { ok: false, error: { code: 'usage' } })
})

t.test('test: a sample brings its headers and its event, and single values of it are changed', async (t) => {
  const routes = { gh: { events: ['pull_request'], filters: [{ field: 'action', equals: 'opened' }] }, any: {} }
  const cli = fakeCli(t, {
    [store]: JSON.stringify(Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { secret, ...route }]))),
  })
  const { env } = await gatewayOf(t, cli)
  const run = async (route: string, ...argv: string[]) => {
    const { code, out } = await cli.runWith({ env }, '--json', 'webhook', 'test', route, ...argv)
    return { code, ...JSON.parse(out) }
  }
  const opened = ['--sample', 'code-host-a/pull_request.opened']
  t.match(await run('gh', ...opened), {
    code: 0,
    data: { request: { scheme: 'github', event: 'pull_request' }, outcome: 'accepted', ended: false },
  })
  t.match(await run('gh', ...opened, '--set', 'action=closed'), {
    code: 1,
    data: { outcome: 'ignored', reason: 'filter', why: 'filters[0] action equals "opened" (got "closed")' },
  })
  t.match(await run('gh', ...opened, '--event', 'push', '--scheme', 'v2'), { code: 1, data: { why: 'events: push is not listed' } })
  t.match(await run('gh', '--sample', 'github/push', '--expect', 'ignored:events'), { code: 0, ok: true, data: { outcome: 'ignored' } })
  t.match(await run('gh', '--sample', 'github/push', '--expect', 'ignored:filters'), { code: 1, ok: false })
  t.match(await run('gh', '--sample', 'github/pul'), { code: 5, error: { code: 'not_found' } })
  t.match(await run('gh', ...opened, '--payload', '{}'), { code: 2 })
  const stored = async (...argv: string[]) => {
    const { data } = await run('any', '--wait', ...argv)
    const { out } = await cli.runWith({ env }, 'events', 'show', data.event_id, '--json')
    const { headers, body } = JSON.parse(out).data
    return { headers, body }
  }
  const set = [
    '--set',
    'a.b=1',
    '--set',
    'a.c=x y',
    '--set',
    'big=1234567890123456789',
    '--set',
    'l.1.x=[true]',
    '--set',
    '__proto__.z=null',
    '--unset',
    'gone.here',
    '--unset',
    'l.2',
  ]
  const payload = '{"n":12345678901234567890,"gone":{"here":1,"stays":1e400},"l":[1,2,3]}'
  const { code } = await run('any', '--payload', payload, ...set)
  t.equal(code, 2, 'a number has no members')
  t.equal(
    (await stored('--payload', payload, ...set.map((arg) => (arg === 'l.1.x=[true]' ? 'l.2.x=[true]' : arg)))).body,
    '{"n":12345678901234567890,"gone":{"stays":1e400},"l":[1,2,{"x":[true]}],"a":{"b":1,"c":"x y"},"big":1234567890123456789,"__proto__":{"z":null}}',
  )
  const gitlab = await stored('--sample', 'gitlab/push')
  t.match(gitlab.headers, { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': '***', 'user-agent': 'GitLab/17.4.1' })
  t.same(
    Object.keys(gitlab.headers).filter((name) => name.includes('github')),
    [],
  )
  const slack = await stored('--sample', 'slack/slash_command', '--set', 'text=a&b.c', '--unset', 'token')
  t.match(slack, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: /^team_id=.*&text=a%26b\.c&/ })
  const mandrill = await stored('--sample', 'mandrill/hard_bounce', '--set', '0.msg.email=grace@example.org', '--unset', '0.msg.tags')
  const [event] = JSON.parse(new URLSearchParams(mandrill.body).get('mandrill_events') ?? '')
  t.match(event, { event: 'hard_bounce', msg: { email: 'grace@example.org', tags: undefined } }, 'in the JSON of a form')
  const mail = ['--sample', 'sendgrid_inbound/mail', '--set', 'subject=New', '--set', 'more=1', '--unset', 'text']
  t.match((await stored(...mail)).body, /^--\w+\r\n.*name="more"\r\n\r\n1\r\n--.*name="subject"\r\n\r\nNew\r\n--/s)
  t.notMatch((await stored(...mail)).body, /name="text"/)
  for (const argv of [
    ['--payload', '<a>1</a>', '--set', 'a=2'],
    ['--sample', 'sendgrid_inbound/mail', '--unset', 'nothing'],
    ['--set', 'x'],
    ['--set', '=1'],
    ['--set', 'test.a=1'],
    ['--unset', 'x.y'],
    ['--expect', 'acepted'],
    ['--timeout', '0', '--wait'],
  ])
    t.match(await cli.runWith({ env }, 'webhook', 'test', 'any', ...argv), { code: 2, out: '' }, argv.join(' '))
})

t.test('test: --wait follows a run to its end, delivered or dead', async (t) => {
  const port = Number(new URL(await closedOrigin()).port)
  const away = { deliver: 'http', deliver_extra: { url: `http://127.0.0.1:${port}/` } }
  const slow = { coalesce: { key: 'k', window_seconds: 60 } }
  const entries = {
    fine: { secret, prompt: 'hi' },
    dead: { secret, ...away, retry: { max_attempts: 1 } },
    direct: { secret, ...away, deliver_only: true },
    slow: { secret, ...slow },
  }
  // Else the second failure in a row would count as one of a target that is down, and its run would wait.
  const cli = fakeCli(t, { [store]: JSON.stringify(entries), 'config.yaml': 'targets: { breaker: { enabled: false } }\n' })
  const { env, gateway } = await gatewayOf(t, cli)
  const run = async (...argv: string[]) => {
    const { code, out } = await cli.runWith({ env }, '--json', 'webhook', 'test', ...argv)
    return { code, ...JSON.parse(out) }
  }
  t.match(await run('fine', '--wait'), { code: 0, data: { ended: true, final: { state: 'done', target: 'log', attempt: 1 } } })
  t.match(await cli.runWith({ env }, 'webhook', 'test', 'fine', '--wait'), {
    code: 0,
    out: /\nend {6}done -> log \(1 attempt\)\ntext {5}2 characters\n {2}\| hi\nfollow/,
  })
  t.match(await run('dead', '--wait'), { code: 1, ok: false, data: { outcome: 'accepted', final: { state: 'dead', error: /http/ } } })
  t.match(await run('dead', '--expect', 'dead'), { code: 0, ok: true, data: { expected: 'dead' } })
  t.match(await run('fine', '--expect', 'dead'), { code: 1, data: { final: { state: 'done' } } })
  t.match(await run('direct', '--wait', '--expect', 'delivery_failed'), { code: 0, data: { why: /http/, final: null } })
  t.match(await run('slow', '--payload', '{"k":1}', '--wait', '--timeout', '1'), {
    code: 1,
    data: { ended: false, final: { state: 'waiting' } },
  })
  const other = fakeCli(t, { [store]: JSON.stringify(entries) })
  t.match(await other.run('webhook', 'test', 'fine', '--url', `${gateway.url}/webhooks/fine`, '--wait', '--timeout', '1'), {
    code: 1,
    err: /no record of it here/,
  })
})

t.test('test: of a route with an answer of its own the record says what became of the event', async (t) => {
  const target = await sink(t, (response) => response.end())
  const http = { deliver: 'http', deliver_extra: { url: `${target.origin}/` }, deliver_only: true }
  const entries = {
    // Its `status` is none of ours, or says what is not so.
    shaped: { secret, events: ['push'], prompt: 'hi {n}', respond: { body: '{"status":"accepted"}', content_type: 'application/json' } },
    slack: { secret, verify: 'slack', filters: [{ field: 'n', equals: 1 }], prompt: 'hi {n}' },
    direct: { secret, prompt: 'hello {n}', respond: { body: 'fine' }, ...http },
  }
  const cli = fakeCli(t, { [store]: JSON.stringify(entries) })
  const { env, gateway } = await gatewayOf(t, cli)
  const run = async (...argv: string[]) => {
    const { code, out } = await cli.runWith({ env }, '--json', 'webhook', 'test', ...argv)
    return { code, ...JSON.parse(out) }
  }
  t.match(await run('shaped', '--expect', 'accepted'), { code: 0, data: { outcome: 'accepted', response: { status: 200 } } })
  t.match(await run('shaped', '--event', 'tag'), { code: 1, data: { outcome: 'ignored', why: 'events: tag is not listed' } })
  t.match(await run('shaped', '--event', 'tag', '--expect', 'ignored:events'), { code: 0 })
  t.match(await run('slack', '--payload', '{"n":1}', '--expect', 'accepted'), { code: 0, data: { outcome: 'accepted' } })
  t.match(await run('slack', '--payload', '{"n":2}'), { code: 1, data: { outcome: 'ignored' } })
  t.match(await run('slack', '--payload', '{"n":1}', '--wait'), { code: 0, data: { final: { state: 'done' }, text: 'hi 1' } })
  for (const encoding of ['gzip', 'deflate', 'br'])
    t.match(await run('shaped', '--encoding', encoding, '--expect', 'accepted'), { code: 0, data: { outcome: 'accepted' } }, encoding)
  const direct = await cli.runWith({ env }, 'webhook', 'test', 'direct', '--payload', '{"n":1}', '--wait')
  t.match(direct, { code: 0, out: /<-- 200 OK, delivered \d+ ms\nfine\n[\s\S]*\ntext {5}7 characters\n {2}\| hello 1\n/ })
  const other = fakeCli(t, { [store]: JSON.stringify(entries) })
  const away = ['--url', `${gateway.url}/webhooks/shaped`, '--expect', 'accepted']
  t.match(await other.run('webhook', 'test', 'shaped', ...away), { code: 1, err: /no record of it here[\s\S]*expected accepted, got 200/ })
})

t.test('test: --print-curl prints the signed request and sends nothing', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret } }) })
  const { code, out } = await cli.run('webhook', 'test', 'a', '--print-curl', '--payload', `{"it":"isn't"}`)
  t.equal(code, 0)
  t.match(out, /^curl -sS http:\/\/127\.0\.0\.1:8644\/webhooks\/a .*X-Webhook-Signature-V2: [0-9a-f]{64}/)
  t.match(out, `--data-raw '{"it":"isn'\\''t"}'`)
  t.notMatch(out, secret)
  const odd = '{"a":"\u202e\u2066\u061c\u009b2J\u2028"}'
  const hidden = await cli.run('webhook', 'test', 'a', '--print-curl', '--payload', odd)
  t.match(hidden.out, `printf %s ${Buffer.from(odd).toString('base64')} | base64 -d | curl -sS `)
  t.notMatch(hidden.out.trimEnd(), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  const gzipped = await cli.run('webhook', 'test', 'a', '--print-curl', '--payload', '{"n":1}', '--encoding', 'gzip')
  const [, base64 = ''] = /^printf %s (\S+) \| base64 -d \| curl -sS .*-H 'Content-Encoding: gzip'/.exec(gzipped.out) ?? []
  t.equal(gunzipSync(Buffer.from(base64, 'base64')).toString(), '{"n":1}')
  const asJson = await cli.run('--json', 'webhook', 'test', 'a', '--print-curl', '--payload', '{"n":1}')
  t.match(JSON.parse(asJson.out), { kind: 'webhook.test', ok: true, data: { request: { scheme: 'v2', bytes: 7 }, curl: /^curl -sS / } })
})

t.test('test: --edit sends what the editor leaves, and nothing that is no JSON', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret } }) })
  const drafts = (): readonly string[] => readdirSync(cli.file('.drafts'))
  const seen: string[] = []
  const send = (change: (text: string) => string, answers: string[], ...argv: string[]) => {
    const edit = async (file: string): Promise<void> => {
      seen.push(readFileSync(file, 'utf8'))
      writeFileSync(file, change(seen.at(-1) ?? ''))
    }
    const ask = async (): Promise<string> => answers.shift() ?? 'n'
    return cli.runWith({ edit, ask }, 'webhook', 'test', 'a', '--print-curl', '--edit', ...argv)
  }
  const payload = '{"id":12345678901234567890,"n":1}'
  const sent = await send((text) => text.replace('Ada', 'Grace'), [], '--payload', payload, '--set', 'name=Ada')
  t.equal(seen[0], '{\n  "id": 12345678901234567890,\n  "n": 1,\n  "name": "Ada"\n}\n', 'after --set, and each digit as it was')
  t.match(sent, { code: 0, out: `--data-raw '{"id":12345678901234567890,"n":1,"name":"Grace"}'\n` })
  const sample = await send((text) => text.replace('"opened"', '"mine"'), [], '--sample', 'github/pull_request.opened')
  t.match(sample, { code: 0, out: /X-GitHub-Event: pull_request.*"action":"mine"/s }, 'a sample keeps its headers')
  t.same(drafts(), [])
  const mended = await send((text) => (text.endsWith('[\n') ? '{"ok":true}' : `${text.trim()}[\n`), ['y'], '--payload', payload)
  t.match(mended, { code: 0, out: `--data-raw '{"ok":true}'\n`, err: /not valid JSON/ })
  t.match(await send(() => '{', ['n'], '--payload', payload), { code: 130, out: '', err: /the draft is kept: .*json\n.*nothing was sent/ })
  t.match(await send(() => '\n', [], '--payload', payload), { code: 130, out: '', err: /empty: nothing was sent/ })
  t.equal(drafts().length, 2)
  t.match(await cli.run('webhook', 'test', 'a', '--edit'), { code: 2, err: /terminal/ })
})

t.test('test: --edit refuses before the editor opens, and keeps what was written until it was answered', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret } }) })
  let opened = 0
  const edit = async (file: string): Promise<void> => {
    opened++
    writeFileSync(file, '{"n":2}')
  }
  const send = (...argv: string[]) => cli.runWith({ edit }, 'webhook', 'test', 'a', '--edit', ...argv)
  const unknown = await send('--scheme', 'nope')
  t.match(unknown, { code: 2, err: /unknown scheme "nope"/ })
  const offered = /one of: (.*)/.exec(unknown.err)?.[1]?.split(', ') ?? []
  t.ok(offered.includes('whatsapp'), 'aliases are offered too')
  t.equal(new Set(offered).size, offered.length, 'each once')
  t.match(await send('--event', 'o\u0001dd'), { code: 2, err: /cannot be sent/ })
  t.match(await send('--url', 'ftp://example.com'), { code: 2, err: /not an http address/ })
  t.match(await send('--sample', 'github/psh'), { code: 5 })
  t.equal(opened, 0)
  const url = `${await closedOrigin()}/webhooks/a`
  t.match(await send('--url', url), { code: 4, err: /the draft is kept: .*\.json/ })
  const [draft = ''] = readdirSync(cli.file('.drafts'))
  t.equal(cli.read(`.drafts/${draft}`), '{"n":2}')
})

t.test('test: no gateway is exit 4, with the way to start it', async (t) => {
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret } }) })
  const url = `${await closedOrigin()}/webhooks/a`
  t.match(await cli.run('webhook', 'test', 'a', '--url', url), {
    code: 4,
    err: /ECONNREFUSED[\s\S]*headgate gateway run\n.*headgate webhook trace a\n/,
  })
})

t.test('test: a server that hangs up is exit 4, not a crash', async (t) => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => server.close())
  const cli = fakeCli(t, { [store]: JSON.stringify({ a: { secret } }) })
  const { port } = server.address() as { port: number }
  t.match(await cli.run('webhook', 'test', 'a', '--url', `http://127.0.0.1:${port}/`), { code: 4 })
  t.match(await cli.run('webhook', 'test', 'a', '--url', 'ftp://x/'), { code: 2 })
})

t.test('test: an unknown route is exit 5, one without a secret exit 1', async (t) => {
  const cli = fakeCli(t, { [store]: '{"a":{"prompt":"x"}}' })
  t.match(await cli.run('webhook', 'test', 'b'), { code: 5, err: /did you mean "a"/ })
  t.match(await cli.run('webhook', 'test', 'a'), { code: 1, err: /no secret/ })
})

t.test('new: a dry run is refused where the writing would be', async (t) => {
  const file = 'platforms: { webhook: { enabled: true, extra: { secret: hunter2-hunter2 }, routes: {} } }\n'
  const cli = fakeCli(t, { 'config.yaml': file })
  const never = ['new', 'made', '--events', 'push', '--prompt', 'hi', '--filter', '{ field: event_type, equals: nope }']
  const dry = await cli.run(...never, '--dry-run')
  const real = await cli.run(...never)
  t.match(dry, { code: 1, err: /nothing was written: WH408/ })
  t.equal(real.err, dry.err)
  t.equal(readFileSync(cli.file('config.yaml'), 'utf8'), file)
})
