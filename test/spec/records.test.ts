/** Every request past its signature leaves a record that says how it ended, and why; it can be tried again and replayed. */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { readAttempts } from '../../src/datadir/records/event-attempts.ts'
import { journalFolder } from '../../src/journal/folder.ts'
import { folderRecords, readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { maskPlaces } from '../../src/parts/mask-request.ts'
import { fakeCli } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const eventHeader = 'x-headgate-event-id'
const uuid = /^[0-9a-f-]{36}$/

const recordsOf = async ({ dir }: Pick<TestGateway, 'dir'>): Promise<readonly EventView[]> =>
  (await readEvents(journalFolder(dir), { limit: 1_000 })).events

/** The record of an event, as soon as it fits. */
const record = async (gateway: TestGateway, id: string | null, fits: (view: EventView) => boolean = () => true): Promise<EventView> => {
  let found: EventView | undefined
  await until(async () => {
    found = (await recordsOf(gateway)).find((view) => view.event_id === id && fits(view))
    return found !== undefined
  })
  return found as EventView
}

const start = (t: Test, options: GatewayOptions) => startGateway(t, { level: 'info', ...options })

t.test('each outcome: what was decided, by which stage, and the id in the answer', async (t) => {
  const target = await sink(t, (response) => json(response, 500, {}))
  const gateway = await start(t, {
    routes: {
      agent: { prompt: '{n}', events: ['push'], filters: [{ field: 'n', in: [1, 2] }] },
      direct: { prompt: '{n}', deliver: 'http', deliver_extra: { url: target.origin }, deliver_only: true },
      merged: { prompt: '{n}', coalesce: { key: 'n', window_seconds: 100 } },
    },
  })
  const event = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'd-1' }
  const cases = [
    {
      post: ['agent', { headers: event, body: { n: 1 } }],
      expect: { outcome: 'accepted', stage: 'dispatch', status: 202, delivery_id: 'd-1' },
    },
    {
      post: ['agent', { headers: event, body: { n: 1 } }],
      expect: { outcome: 'duplicate', stage: 'duplicate', status: 200, state: 'final' },
    },
    { post: ['agent', { body: { n: 1 } }], expect: { outcome: 'ignored', stage: 'events', reason: /unknown/ } },
    { post: ['agent', { headers: event, body: { n: 9 } }], expect: { outcome: 'ignored', stage: 'filters', reason: /filters\[0\].*9/ } },
    {
      post: ['agent', { headers: event, body: '{\n  "text": "a",\n}' }],
      expect: { outcome: 'bad_json', stage: 'json', status: 400, reason: 'no JSON at line 3, column 1' },
    },
    { post: ['agent', { headers: event, body: 'no json' }], expect: { outcome: 'bad_json', stage: 'json', reason: /line 1, column 2$/ } },
    { post: ['direct', { body: { n: 1 } }], expect: { outcome: 'delivery_failed', stage: 'dispatch', status: 502, reason: /500/ } },
    { post: ['merged', { body: { n: 1 } }], expect: { outcome: 'coalesced', stage: 'dispatch', state: 'waiting' } },
  ] as const
  for (const { post, expect } of cases) {
    const answer = await gateway.post(...(post as unknown as Parameters<TestGateway['post']>))
    const id = answer.headers.get(eventHeader)
    t.match(id, uuid)
    t.match(await record(gateway, id), { ...expect, route: post[0], profile: 'default' }, expect.outcome)
  }
})

t.test('a body that is too large leaves a record with its route, ten in a minute', async (t) => {
  const clock = fakeClock()
  const gateway = await start(t, { clock, extra: { max_body_bytes: 1_000 }, routes: { r: {} } })
  for (let i = 0; i < 15; i++) t.equal((await gateway.post('r', { body: 'x'.repeat(1_001) })).status, 413)
  t.equal((await gateway.post('none', { body: 'x'.repeat(1_001) })).status, 413)
  await until(async () => (await recordsOf(gateway)).length === 10)
  t.match((await recordsOf(gateway))[0], { outcome: 'too_large', stage: 'body_size', status: 413, state: 'final', route: 'r' })
  clock.advance(60_000)
  t.equal((await recordsOf(gateway)).length, 10, 'the others are no refused signatures')
})

t.test('a refused signature leaves a record with its cause and without its payload, and its sender learns nothing of it', async (t) => {
  const clock = fakeClock()
  const gateway = await start(t, { clock, routes: { r: {}, padded: { secret: 'hush-hush-1234\n' }, other: {} } })
  const body = '{"hidden":1}'
  const cases: [route: string, headers: { [name: string]: string }, reason: RegExp][] = [
    ['r', { 'X-Acme-Signature': 'x' }, /^no header of a known scheme; seen: x-acme-signature$/],
    ['r', { 'X-Webhook-Signature': '0'.repeat(64) }, /^v1: no secret of the route gives this signature$/],
    ['padded', { 'X-Webhook-Signature': hexHmac(body, 'hush-hush-1234') }, /it holds without the blanks or line feed around/],
    ['r', { 'X-Webhook-Signature': hexHmac('{"hidden": 1}') }, /the same JSON written otherwise/],
  ]
  for (const [route, headers, reason] of cases) {
    const answer = await gateway.post(route, { sign: false, headers, body })
    t.match(answer, { status: 401, text: '{"error":"Invalid signature"}' })
    t.notOk(answer.headers.has(eventHeader))
    const found = await until(async () => (await recordsOf(gateway)).find((view) => reason.test(view.reason ?? '')))
    t.match(found, { outcome: 'bad_signature', stage: 'signature', status: 401, state: 'final', route, profile: 'default' })
    t.equal(found.raw, undefined)
    await gateway.line((line) => line.msg === 'Invalid signature' && reason.test(String(line.reason)))
  }
  const before = (await recordsOf(gateway)).length
  for (let i = 0; i < 15; i++) await gateway.post('other', { sign: false })
  await until(async () => (await recordsOf(gateway)).length === before + 10)
  clock.advance(60_000)
  const rest = await until(async () => (await recordsOf(gateway)).find(({ count }) => count !== undefined))
  t.match(rest, { route: 'other', outcome: 'bad_signature', count: 5, reason: '5 more were refused in the last minute' })
  for (let i = 0; i < 200; i++) await gateway.post(['r', 'other', 'padded'][i % 3] ?? '', { sign: false })
  clock.advance(60_000)
  await until(async () => (await recordsOf(gateway)).filter(({ count }) => count !== undefined).length === 4)
  t.equal((await recordsOf(gateway)).length, before + 10 + 1 + 30 + 3, 'a flood fills nothing')
})

t.test('of several targets it says which have the text, and why the others have not', async (t) => {
  const good = await sink(t, (response) => json(response, 200, { id: '1', event: 'message', topic: 'x' }))
  const bad = await sink(t, (response) => json(response, 400, {}))
  const deliver = ['ntfy', { target: 'http', deliver_extra: { url: bad.origin } }, { target: 'line', deliver_extra: { chat_id: '{no}' } }]
  const gateway = await start(t, {
    env: { NTFY_SERVER_URL: good.origin, NTFY_TOPIC: 'x', LINE_CHANNEL_ACCESS_TOKEN: 'none' },
    routes: {
      direct: { prompt: 'x', deliver, deliver_only: true },
      all: { prompt: 'x', deliver },
      first: { prompt: 'x', deliver: [...deliver].reverse(), deliver_mode: 'first_success' },
    },
  })
  const story = async (route: string, state: string): Promise<EventView> => {
    const { headers } = await gateway.post(route, { body: {} })

    return record(gateway, headers.get(eventHeader), (view) => view.state === state)
  }
  t.match(await story('direct', 'final'), { outcome: 'delivery_failed', reason: /HTTP 400; line: .*; delivered to ntfy$/ })
  t.match(await story('all', 'dead'), { target: 'ntfy, http, line', error: /HTTP 400; delivery to line: .*; delivered to ntfy$/ })
  t.match(await story('first', 'done'), { target: 'ntfy' })
})

t.test('a run is followed to its end, and a dead one is put back by hand', async (t) => {
  let broken = true
  const target = await sink(t, (response) => json(response, broken ? 400 : 200, {}))
  const gateway = await start(t, { routes: { r: { prompt: 'P {n}', deliver: 'http', deliver_extra: { url: target.origin } } } })
  const id = (await gateway.post('r', { body: { n: 7 } })).headers.get(eventHeader) ?? ''
  t.match(await record(gateway, id, ({ state }) => state === 'dead'), { attempt: 1, error: /400/, outcome: 'accepted' })
  t.match(await gateway.operations.standings({ ids: [id, 'nobody'] }), { standings: [{ eventId: id, state: 'dead', error: /400/ }] })
  t.same(await gateway.operations.retry({ id: 'nobody' }), { retried: false })
  broken = false
  t.same(await gateway.operations.retry({ id }), { retried: true })
  t.match(await record(gateway, id, ({ state }) => state === 'done'), { state: 'done' })
  t.same(target.seen.length, 2, 'the stored reply went out again')
  t.same(await gateway.operations.retry({ id }), { retried: false }, 'a done run is not there any more')
})

t.test('a replay is the stored request through today’s configuration', async (t) => {
  const gateway = await start(t, {
    routes: {
      r: { prompt: 'P {n} {headers}', filters: [{ field: 'headers.X-Kind', equals: 'a' }] },
      other: { prompt: 'other {n}' },
      off: { prompt: 'x', enabled: false },
    },
  })
  const answer = await gateway.post('r', {
    headers: { 'X-Kind': 'a', 'X-Request-ID': 'first', 'X-Api-Token': 'hush-hush' },
    body: '{"n": 1e2}',
  })
  const id = answer.headers.get(eventHeader) ?? ''
  await record(gateway, id, ({ state }) => state === 'done')

  const kept = readdirSync(journalFolder(gateway.dir)).map((file) => readFileSync(join(journalFolder(gateway.dir), file), 'utf8'))
  t.ok(
    kept.some((text) => text.includes('"x-kind":"a"')) && !kept.some((text) => text.includes('hush')),
    'but for headers that hold secrets',
  )

  const dry = await gateway.operations.replay({ id: id, dry_run: true })
  t.match(dry, { found: true, outcome: 'accepted', starts: { mode: 'agent', prompt: 'P 1e2 {headers}', target: 'log' } })
  t.equal((await recordsOf(gateway)).length, 1, 'a dry run leaves nothing')

  const again = await gateway.operations.replay({ id: id })
  t.match(again, { found: true, outcome: 'accepted', status: 202, event_id: uuid })
  const replayed = 'event_id' in again ? (again.event_id ?? '') : ''
  t.match(await record(gateway, replayed, ({ state }) => state === 'done'), { replay_of: id, edited: undefined, route: 'r' })
  const edited = await gateway.operations.replay({ id: id, body: '{"n":200}' })
  const ofEdited = 'event_id' in edited ? (edited.event_id ?? '') : ''
  t.match(await record(gateway, ofEdited, ({ state }) => state === 'done'), { replay_of: id, edited: true, raw: { body_bytes: 9 } })
  t.match(await gateway.operations.replay({ id: id, body: 'x'.repeat(1_048_577) }), { found: false, why: /1048577 bytes: at most/ })
  t.match(await gateway.operations.replay({ id: id, same_id: true }), { outcome: 'duplicate', status: 200 })
  t.match(await gateway.operations.replay({ id: id, route: 'other', dry_run: true }), { starts: { prompt: 'other 1e2' } })
  t.match(await gateway.operations.replay({ id: 'nobody' }), { found: false })
  t.match(await gateway.operations.replay({ id: id, route: 'off', dry_run: true }), {
    found: false,
    why: 'the route "off" is disabled',
  })
  t.match(await gateway.operations.replay({ id: id, route: 'nowhere' }), { found: false, why: /nowhere/ })
})

t.test('the events of several replays are looked up together', async (t) => {
  const gateway = await start(t, { routes: { r: { prompt: 'P {n}' } } })
  const ids: string[] = []
  for (const n of [1, 2, 3]) ids.push((await gateway.post('r', { body: `{"n":${n}}` })).headers.get(eventHeader) ?? '')
  for (const id of ids) await record(gateway, id, ({ state }) => state === 'done')
  const dryRun = (id: string, ahead?: string[]) => gateway.operations.replay({ id, dry_run: true, ...(ahead ? { ahead } : {}) })
  t.match(await dryRun(ids[0] ?? '', ids.slice(1, 2)), { starts: { prompt: 'P 1' } })
  const folder = journalFolder(gateway.dir)
  for (const file of readdirSync(folder)) if (file.endsWith('.jsonl')) truncateSync(join(folder, file))
  t.match(await dryRun(ids[1] ?? ''), { starts: { prompt: 'P 2' } }, 'its lines are not read again')
  t.match(await dryRun(ids[1] ?? ''), { found: false }, 'a look-up serves one replay')
  t.match(await dryRun(ids[2] ?? ''), { found: false })
})

t.test('past the rate limit: what is signed is kept and can be replayed, within a bound; what is not leaves nothing', async (t) => {
  const clock = fakeClock()
  const kept = async () => (await recordsOf(gateway)).filter(({ outcome }) => outcome === 'rate_limited')
  const gateway = await start(t, {
    clock,
    extra: { rate_limit: 1, trust_proxy: true },
    routes: { r: { prompt: 'P {n}' }, closed: { prompt: 'p', allow_from: ['192.0.2.0/24'] } },
  })
  t.equal((await gateway.post('r', { body: { n: 0 } })).status, 202)
  const headers = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'd-1' }
  const full = await gateway.post('r', { headers, body: { n: 1 } })
  t.match(full, { status: 429, text: '{"error":"Rate limit exceeded"}' })
  const view = await until(async () => (await kept())[0])
  t.match(view, { route: 'r', event_type: 'push', delivery_id: 'd-1', status: 429, stage: 'rate_limit', reason: /rate_limit/ })
  t.equal(view.raw?.body_bytes, 7)
  t.match(await gateway.operations.replay({ id: view.event_id, dry_run: true }), { starts: { prompt: 'P 1' } })
  t.match(await gateway.operations.replay({ id: view.event_id }), { found: true, status: 202 })

  const from = (address: string) => ({ 'X-Forwarded-For': address })
  t.equal((await gateway.post('closed', { headers: from('192.0.2.1') })).status, 202)
  t.equal((await gateway.post('closed', { headers: from('198.51.100.1') })).status, 429, 'whom allow_from keeps out is not kept')
  const forged = { ...from('198.51.100.2'), 'X-Webhook-Signature': '0'.repeat(64) }
  t.equal((await gateway.post('r', { sign: false, headers: forged })).status, 429)
  t.equal((await gateway.post('r', { headers: from('198.51.100.2'), body: { n: 2 } })).status, 429, 'a client that failed has no share')
  for (let n = 10; n < 30; n++) t.equal((await gateway.post('r', { body: { n } })).status, 429)
  // The first and the forged one have taken two of the ten.
  await until(async () => (await kept()).length === 9)
  t.match(await gateway.operations.status(), { refused: { rate_limited: 24 } })
  clock.advance(60_000)
  for (const status of [202, 429]) t.equal((await gateway.post('r', { body: { n: 3 } })).status, status)
  await until(async () => (await kept()).length === 10)
})

t.test('keep_refused: posts under a wrong secret are kept in a bound, and run once their signature holds', async (t) => {
  const clock = fakeClock()
  const [right, wrong] = ['b0e6f2a94c7d41d8', 'a7c1e4f82b9d3056']
  const routesWith = (secret: string) => ({
    hub: { verify: 'github', secret, keep_refused: 'signature', prompt: 'P {n}' },
    timed: { verify: 'v2', secret, keep_refused: 'signature', prompt: 'T {n}' },
    token: { verify: 'gitlab', secret, keep_refused: 'signature', prompt: 'p' },
    plain: { verify: 'github', secret, prompt: 'p' },
  })
  const gateway = await start(t, { clock, routes: routesWith(wrong) })
  const send = async (route: string, headers: { [name: string]: string }, body: string): Promise<EventView> => {
    const known = new Set((await recordsOf(gateway)).map(({ event_id }) => event_id))
    t.equal((await gateway.post(route, { sign: false, headers, body })).status, 401)
    return (await until(async () => (await recordsOf(gateway)).find(({ event_id }) => !known.has(event_id)))) as EventView
  }
  const hub = (body: string, secret: string) => ({ 'X-Hub-Signature-256': `sha256=${hexHmac(body, secret)}` })
  const genuine = await send('hub', { ...hub('{"n":1}', right), 'X-GitHub-Delivery': 'd-1', 'X-Api-Token': 'hush-hush' }, '{"n":1}')
  const forged = await send('hub', hub('{"n":2}', 'of somebody'), '{"n":2}')
  const seconds = String(Math.floor(clock.now() / 1000))
  const signed = { 'X-Webhook-Timestamp': seconds, 'X-Webhook-Signature-V2': hexHmac(`${seconds}.{"n":3}`, right) }
  const timed = await send('timed', signed, '{"n":3}')
  for (const view of [genuine, forged, timed]) t.match(view, { outcome: 'bad_signature', raw: { body_bytes: 7 }, unverified: {} })
  t.equal((await send('token', { 'X-Gitlab-Token': right }, '{}')).raw, undefined, 'a secret is in no record')
  t.equal((await send('plain', hub('{}', right), '{}')).raw, undefined, 'nothing was asked to be kept')
  const kept = readdirSync(journalFolder(gateway.dir)).map((file) => readFileSync(join(journalFolder(gateway.dir), file), 'utf8'))
  t.notOk(kept.some((text) => text.includes('hush') || text.includes(right)))

  const again = (view: EventView, more: { dry_run?: boolean; body?: string } = {}) =>
    gateway.operations.replay({ id: view.event_id, ...more })
  const refused = { found: false, why: /does not hold with the present keys: github: / }
  t.match(await again(genuine), refused)
  t.match(await again(genuine, { dry_run: true }), refused)
  t.match(await again(genuine, { body: '{"n":9}' }), { found: false, why: /for no other body/ })
  clock.advance(600_000)
  const file = join(gateway.dir, 'config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(wrong, right))
  t.match(await gateway.operations.reload(), { ok: true })
  t.match(await again(genuine, { dry_run: true }), { starts: { prompt: 'P 1' } })
  const done = await again(genuine)
  t.match(done, { found: true, outcome: 'accepted', status: 202 })
  const id = 'event_id' in done ? (done.event_id ?? '') : ''
  t.match(await record(gateway, id, ({ state }) => state === 'done'), { replay_of: genuine.event_id, delivery_id: 'd-1' })
  t.match(await again(genuine), { outcome: 'duplicate' }, 'it has the id that its sender gave it')
  t.match(await again(timed), { outcome: 'accepted' }, 'its time is compared with that of its arrival')
  t.match(await again(forged), refused)

  const large = `"${'x'.repeat(1_000_000)}"`
  const before = (await recordsOf(gateway)).length
  for (let i = 0; i < 15; i++) await gateway.post('hub', { sign: false, headers: hub(large, wrong), body: large })
  await until(async () => (await recordsOf(gateway)).length === before + 10)
  t.equal((await recordsOf(gateway)).filter(({ raw }) => raw?.body_bytes === large.length).length, 4, '4 MiB in an hour')
})

t.test('a replay has the path and the query that came, without what names a secret or is redacted', async (t) => {
  const route = {
    filters: [{ field: 'request.query.team', equals: 'core' }],
    redact: ['request.query.user'],
    prompt: '{= $string(request.query) } {= request.path } {request.query.team} {request.query.none} {request.method} {request.path}',
  }
  const extra = { secret: 'It is a secret to everybody', port: 0, routes: { r: route } }
  const config = { platforms: { webhook: { enabled: true, extra } }, storage: { kind: 'sqlite' } }
  const cli = fakeCli(t, { 'config.yaml': JSON.stringify(config) })
  const gateway = await start(t, { dir: cli.dir })
  const path = '/webhooks/%72?team=core&api_k%65y=hush-hush&user=ada%40acme.org'
  const { headers, status } = await gateway.post('r', { path })
  t.equal(status, 202)
  const id = headers.get(eventHeader) ?? ''
  await record(gateway, id, ({ state }) => state === 'done')
  const kept = '/webhooks/%72?team=core&api_k%65y=***&user=[redacted]'
  const run = async (...argv: string[]): Promise<string> => {
    const { out, err, code } = await cli.run(...argv)
    t.equal(code, 0, `${argv.join(' ')}: ${err}`)
    return out
  }
  t.match(await run('events', 'show', id), `\nPOST ${kept}\n`)
  t.match(JSON.parse(await run('events', 'show', id, '--json')).data, { path_and_query: kept })
  t.match(await run('events', 'list', '--field', 'request.query.team=core'), id.slice(0, 8))
  t.match(await run('events', 'export', id, '--as', 'curl'), '?team=core&api_k%65y=***&user=[redacted]')
  const sample = await run('events', 'export', id, '--as', 'sample')
  t.match(JSON.parse(sample), { query: 'team=core&api_k%65y=***&user=[redacted]' })
  writeFileSync(cli.file('sample.json'), sample)
  await run('samples', 'add', 'acme/core', `@${cli.file('sample.json')}`)
  t.match(await run('webhook', 'trace', 'r', '--sample', 'acme/core'), /accepted/)
  const test = await run('events', 'export', id, '--as', 'test')
  writeFileSync(cli.file('r.webhook-test.yaml'), `routes: config.yaml\n${test}`)
  t.match(await run('test', cli.file('r.webhook-test.yaml')), /1 passed/)

  const again = {
    starts: { prompt: '{"team":"core","api_key":"***","user":"[redacted]"} /webhooks/%72 core {request.query.none} POST /webhooks/%72' },
  }
  t.match(await gateway.operations.replay({ id, dry_run: true }), again)
  const replayed = await gateway.operations.replay({ id })
  t.match(replayed, { found: true, outcome: 'accepted' })
  const second = 'event_id' in replayed ? (replayed.event_id ?? '') : ''
  await record(gateway, second, ({ state }) => state === 'done')
  t.match(await gateway.operations.replay({ id: second, dry_run: true }), again, 'and so has the replay of a replay')
  await gateway.stop()
  const journal = readdirSync(journalFolder(gateway.dir)).map((file) => readFileSync(join(journalFolder(gateway.dir), file), 'latin1'))
  t.notOk(journal.some((text) => text.includes('acme.org')))
})

t.test('a run leaves its prompt, its reply and what the target answered', async (t) => {
  const target = await sink(t, (response) => json(response, 200, { id: 'note-17', event: 'message', topic: 'x' }))
  const env = { NTFY_SERVER_URL: target.origin, NTFY_TOPIC: 'x' }
  const routes = { r: { prompt: 'P {n}', deliver: 'ntfy' }, direct: { prompt: 'P {n}', deliver: 'ntfy', deliver_only: true } }
  const gateway = await start(t, { env, routes })
  const id = (await gateway.post('r', { body: { n: 7 } })).headers.get(eventHeader)
  const done = await record(gateway, id, ({ state }) => state === 'done')
  t.match(await readAttempts(folderRecords(journalFolder(gateway.dir)), done), [
    { end: 'done', attempt: 1, prompt: 'P 7', reply: 'P 7', answer: 'ntfy: to x' },
  ])
  const direct = (await gateway.post('direct', { body: { n: 8 } })).headers.get(eventHeader)
  t.match(await record(gateway, direct), { outcome: 'delivered', answer: 'ntfy: to x' })
})

t.test('payloads: false keeps the records alone', async (t) => {
  const gateway = await start(t, { routes: { r: {} }, config: { storage: { kind: 'memory', retention: { payloads: false } } } })
  const id = (await gateway.post('r', { body: { n: 1 } })).headers.get(eventHeader) ?? ''
  await record(gateway, id)
  t.match(await gateway.operations.replay({ id: id }), { found: false, why: /not kept/ })
  const done = await record(gateway, id, ({ state }) => state === 'done')
  const attempts = await readAttempts(folderRecords(journalFolder(gateway.dir)), done)
  t.match(attempts, [{ end: 'done', prompt: null, reply: null }], 'nor the words of a run')
})

t.test('past the most events or bytes that are kept the oldest records go', async (t) => {
  for (const [limit, count, bytes] of [
    [{ max_events: 1_000 }, 550, 1],
    [{ max_bytes: 1_048_576 }, 4, 200_000],
  ] as const) {
    const clock = fakeClock(Date.now())
    const config = { storage: { kind: 'memory', retention: limit } }
    const gateway = await start(t, { clock, routes: { r: { prompt: 'p' } }, config })
    const first = (await gateway.post('r')).headers.get(eventHeader)
    await record(gateway, first)
    // A file of records is written to for a sixteenth of their hours at most, and is deleted as a whole.
    clock.advance(5 * 3_600_000)
    for (let n = 0; n < count; n++)
      t.equal((await gateway.post('r', { body: { n, text: randomBytes(bytes).toString('hex') } })).status, 202)
    await until(async () => (await recordsOf(gateway)).every(({ event_id: id }) => id !== first))
  }
})

t.test('past the most dead runs that are kept the oldest are forgotten', async (t) => {
  const clock = fakeClock()
  const agent = { runner: 'command', command: ['sh', '-c', 'exit 3'] }
  const config = { agent, storage: { kind: 'memory', retention: { max_dead_runs: 1 } } }
  const gateway = await start(t, { clock, routes: { r: { prompt: 'p', retry: { max_attempts: 1 } } }, config })
  for (let n = 0; n < 3; n++) await gateway.post('r')
  await until(() => gateway.lines.filter(({ msg }) => msg === 'run is dead').length === 3)
  clock.advance(60_000)
  t.match(await gateway.line(({ msg }) => msg.endsWith('were forgotten')), { msg: /^dead runs/, runs: 2 })
})

t.test('records survive a restart; a route that fails is told of with every try', async (t) => {
  const files = { 'agent.sh': 'exit 3' }
  const config = { storage: { kind: 'sqlite' }, agent: { runner: 'command', command: ['sh', '-c', 'exit 3'] } }
  const gateway = await start(t, { routes: { r: { retry: { max_attempts: 2, backoff: 0 } } }, config, files })
  const id = (await gateway.post('r')).headers.get(eventHeader)
  const dead = await record(gateway, id, ({ state }) => state === 'dead')
  t.match(dead, { attempt: 2, error: /exit code 3|status 3|3/, tries: [{ attempt: 1 }] })
  await gateway.stop()
  const next = await start(t, { dir: gateway.dir })
  t.match(await record(next, id), { state: 'dead', attempt: 2 })
  t.match(await next.operations.standings({ ids: [id ?? ''] }), { standings: [{ state: 'dead', attempt: 2 }] })
})

const token = 'tok_9f8e7d6c5b4a3210'
const pin = '98765432109876'
const login = `acme:${token}`
const form = 'application/x-www-form-urlencoded'
const graph = `{"big":12345678901234567890, "value" : [{"clientState":"${token}","id":"g1","changeType":"created","clientSt\\u0061te" :"${token}"} , {"clientState":"${token}","é":1.0}]}`

/** A sender whose requests have the secret itself: what it posts, and what is kept of its body. */
type Secretive = {
  readonly route: { readonly [key: string]: unknown }
  readonly headers?: { readonly [name: string]: string }
  readonly query?: string
  readonly body?: string
  readonly kept?: string
}

const secretive: { readonly [name: string]: Secretive } = {
  graph: { route: { verify: 'microsoft_graph', secret: token }, body: graph, kept: graph.replaceAll(token, '***') },
  marked: {
    route: { verify: 'microsoft_graph', secret: token },
    body: `\ufeff{"value":[{"clientState":"${token}"}]}`,
    kept: '\ufeff{"value":[{"clientState":"***"}]}',
  },
  header: {
    route: { verify: { algorithm: 'token', signature: { header: 'X-Acme-Pass' } }, secret: token },
    headers: { 'X-Acme-Pass': token },
  },
  labelled: {
    route: { verify: { algorithm: 'token', signature: { header: 'X-Acme-Pass', label: 'k' } }, secret: token },
    headers: { 'X-Acme-Pass': `t=1,k=${token}` },
  },
  basic: {
    route: { verify: { algorithm: 'basic', signature: { header: 'X-Acme-Login', prefix: 'Basic ' } }, secret: login },
    headers: { 'X-Acme-Login': `Basic ${Buffer.from(login).toString('base64')}` },
  },
  authorization: {
    route: { verify: { algorithm: 'basic' }, secret: login },
    headers: { Authorization: `basic ${Buffer.from(login).toString('base64')}` },
  },
  query: { route: { verify: { algorithm: 'token', signature: { query: 'pass' } }, secret: token }, query: `?pass=${token}` },
  number: {
    route: { verify: { algorithm: 'token', signature: { body: ['a.0.pass', 'b'] } }, secret: pin },
    body: `{"b": ${pin},"a":[ {"pass":${pin}, "x":null}],"n":1e2}`,
    kept: '{"b": "***","a":[ {"pass":"***", "x":null}],"n":1e2}',
  },
  fields: {
    route: { verify: { algorithm: 'token', signature: { body: 'pass' } }, secret: token },
    headers: { 'content-type': form },
    body: `n=1&pass=${token}`,
    kept: 'n=1&pass=***',
  },
  inner: {
    route: { verify: { algorithm: 'token', signature: { body: 'pass' } }, secret: token },
    headers: { 'content-type': form },
    body: `payload=${encodeURIComponent(`{"pass":"${token}","ö":1}`)}`,
    kept: new URLSearchParams({ payload: '{"pass":"***","ö":1}' }).toString(),
  },
  asking: {
    route: {
      verify: {
        algorithm: 'hmac_sha256',
        signature: { header: 'X-S' },
        handshakes: [{ when: { body: 'type', equals: 'hi' }, token: { header: 'X-Acme-Hi' }, answer: { text: 'hello' } }],
      },
      secret: 'a-key-of-an-hmac',
      verify_token: token,
    },
    headers: { 'X-S': hexHmac('{"n":1}', 'a-key-of-an-hmac'), 'X-Acme-Hi': token },
  },
  gitlab: { route: { secret: token }, headers: { 'X-Gitlab-Token': token } },
  several: { route: { verify: ['gitlab', 'microsoft_graph'], secret: token }, headers: { 'X-HostB-Token': token } },
}

const filesIn = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((file) => !file.endsWith('config.yaml') && statSync(file, { throwIfNoEntry: false })?.isFile())

t.test('where a scheme looks for a secret itself, nobody gets it after that: no record, filter, script, prompt, delivery', async (t) => {
  const target = await sink(t, (response) => json(response, 200, {}))
  const deliver = { deliver: 'http', deliver_extra: { url: target.origin, headers: { 'X-Copy': '{value.0.clientState}{pass}' } } }
  const routes = Object.entries(secretive).flatMap(([name, { route }]) => [
    [name, { ...route, ...deliver, prompt: '{value.0.clientState} {__raw__} {= $string($$) } {= $string(headers) }', script: 'same.sh' }],
    [`${name}-plain`, { ...route, ...deliver }],
    [`${name}-direct`, { ...route, ...deliver, deliver_only: true, prompt: '{__raw__} {= headers }' }],
    [`${name}-held`, { ...route, filters: [{ not: { jsonata: '$string($$) = $string($$)' } }] }],
  ])
  const extra = { port: 0, rate_limit: 1000, routes: Object.fromEntries(routes) }
  const config = { platforms: { webhook: { enabled: true, extra } }, storage: { kind: 'sqlite' } }
  const cli = fakeCli(t, { 'config.yaml': JSON.stringify(config), 'scripts/same.sh': 'cat' })
  const gateway = await start(t, { level: 'debug', dir: cli.dir })
  const ids: string[] = []
  for (const [name, { headers = {}, query = '', body = '{"n":1}' }] of Object.entries(secretive)) {
    for (const route of [name, `${name}-plain`, `${name}-direct`, `${name}-held`]) {
      const answer = await gateway.post(route, { sign: false, headers, body, path: `/webhooks/${route}${query}` })
      t.ok(answer.status < 300, `${route}: ${answer.text}`)
      ids.push(answer.headers.get(eventHeader) ?? '')
    }
  }
  for (const id of ids) await record(gateway, id, ({ state }) => state !== 'waiting')
  const question = '{"type":"hi"}'
  const signed = { 'X-S': hexHmac(question, 'a-key-of-an-hmac'), 'X-Acme-Hi': token }
  const asked = await gateway.post('asking', { sign: false, body: question, headers: signed })
  t.match(asked, { status: 200, text: 'hello' })
  await record(gateway, asked.headers.get(eventHeader))
  const run = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await cli.run(...argv)
    t.equal(code, 0, `${argv.join(' ')}: ${err}`)
    return out + err
  }
  const said: { [where: string]: string } = {}
  const firsts = Object.entries(secretive).map(([name, { kept }], i) => ({ name, kept, id: ids[4 * i] ?? '' }))
  for (const as of ['sample', 'test', 'curl', 'jsonl']) said[as] = await run('events', 'export', ...firsts.map(({ id }) => id), '--as', as)
  for (const { name, kept, id } of firsts) {
    said[`${name}: show`] = await run('events', 'show', id, '--body')
    const { body } = JSON.parse(await run('events', 'show', id, '--json')).data
    if (kept !== undefined) t.equal(body, kept, `${name}: the rest stays as it came`)
    const replayed = await gateway.operations.replay({ id: id })
    t.match(replayed, { found: true, outcome: 'accepted' }, `${name}: a replay needs no secret`)
    if ('event_id' in replayed) await record(gateway, replayed.event_id ?? '', ({ state }) => state === 'done')
    said[`${name}: replay`] = JSON.stringify(await gateway.operations.replay({ id: id, dry_run: true }))
  }
  said.sent = target.seen.map(({ url, headers, body }) => `${url} ${JSON.stringify(headers)} ${body}`).join('\n')
  said.log = JSON.stringify(gateway.lines)
  await gateway.stop()
  for (const file of filesIn(gateway.dir)) said[file] = readFileSync(file, 'latin1')
  const forms = [token, pin, Buffer.from(login).toString('base64')]
  for (const [where, text] of Object.entries(said))
    t.notOk(
      forms.some((each) => text.includes(each)),
      where,
    )
  t.match(said.sent, /"x-copy":"\*{3}[^"]*"[^\n]*\*{3}/)
  t.match(said['header: show'], /x-acme-pass: \*\*\*\n/)
})

t.test('a mask takes nothing but what stands at its places', (t) => {
  const key = fc.constantFrom('a', 'b', 'ä', 'a"b', '*', '0')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('s', 's"\\', 'ö😀', 7, -1.5e3, true, false, null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }))
  const field = fc.array(key, { minLength: 1, maxLength: 3 })
  /** A star stands for each item of a list, and for a value that is no list. */
  const ofSingle = (path: readonly string[]): readonly (readonly string[])[] =>
    path[0] === '*' ? [path, ...ofSingle(path.slice(1))] : [path]
  const masked = (value: unknown, given: readonly (readonly string[])[]): unknown => {
    const paths = Array.isArray(value) ? given : given.flatMap(ofSingle)
    const isLast = paths.some(({ length }) => length === 0)
    if (typeof value !== 'object' || value === null) return isLast && value !== null ? '***' : value
    const below = (isNext: (key: string | undefined) => boolean) => paths.filter(([first]) => isNext(first)).map((path) => path.slice(1))
    if (Array.isArray(value))
      return value.map((item, i) =>
        masked(
          item,
          below((first) => first === '*' || first === String(i)),
        ),
      )
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        masked(
          item,
          below((first) => first === name),
        ),
      ]),
    )
  }
  fc.assert(
    fc.property(
      tree,
      fc.array(field, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, 1),
      fc.boolean(),
      (value, fields, indent, spelled) => {
        const plain = JSON.stringify(value, null, indent)
        const text = spelled
          ? plain.replace(/[äö]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).replaceAll('"a"', '"\\u0061"')
          : plain
        const body = Buffer.from(text)
        const { body: got } = maskPlaces({ headers: {}, body }, { headers: [], query: [], fields })
        t.same(JSON.parse(got.toString()), masked(value, fields))
        if (JSON.stringify(masked(value, fields)) === JSON.stringify(value)) t.equal(got, body, 'the same bytes')
      },
    ),
    { numRuns: 300 },
  )
  for (const broken of [
    '',
    '{',
    '{"a"',
    '{"a":',
    '{"a":"x',
    '{"a":[',
    '[1,',
    '{"a":1 "b":2}',
    '{"a"}',
    ']',
    '{"a":}',
    '\ufeff',
    '{"a\\":1',
  ])
    t.type(
      maskPlaces({ headers: {}, body: Buffer.from(broken) }, { headers: [], query: [], fields: [['a'], ['*'], ['a', '*']] }).body.length,
      'number',
    )
  t.end()
})

t.test('an expression that fails goes out as nothing, and the log and the record have the reason, or the event is refused', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const deliver = (extra: object) => ({ deliver: 'http', deliver_extra: { url: receiver.origin, ...extra } })
  const prompt = 'a {= $sum(title) } b {= titel } c'
  const coalesce = { key: '{= $sum(title) }', window_seconds: 1 }
  const gateway = await startGateway(t, {
    level: 'warn',
    routes: {
      goes: { prompt, ...deliver({ headers: { 'X-Title': '<{= $sum(title) }{= titel }>' } }) },
      direct: { prompt, deliver_only: true, ...deliver({}) },
      refused: { prompt: '{= $sum(title) }', expression_error: 'refuse' },
      refusedKey: { prompt: 'p', coalesce, expression_error: 'refuse' },
      refusedRate: { prompt: 'p', rate_limit: { per_minute: 5, key: '{= $sum(title) }' }, expression_error: 'refuse' },
      key: { prompt: 'p', coalesce },
      rate: { prompt: 'p', rate_limit: { per_minute: 5, key: '{= $sum(title) }', when_over: 'queue' } },
      fine: { prompt, expression_error: 'refuse' },
    },
  })
  const reason = /\{= \$sum\(title\) \}: Argument 1 of function "sum"/
  const post = async (route: string, status: number, title: unknown = 'canary'): Promise<EventView> => {
    const answer = await gateway.post(route, { body: { title } })
    t.equal(answer.status, status, route)
    t.notMatch(answer.text, /sum|canary/)
    return record(gateway, answer.headers.get(eventHeader))
  }
  t.match(await post('goes', 202), { outcome: 'accepted', reason })
  const sent = await until(() => receiver.seen[0])
  t.equal(JSON.parse(sent.body).text, 'a  b  c')
  t.equal(sent.headers['x-title'], '<>')
  t.match(await post('direct', 200), { outcome: 'delivered', reason })
  for (const route of ['refused', 'refusedKey', 'refusedRate']) t.match(await post(route, 422), { outcome: 'expression_failed', reason })
  t.match(await post('key', 202), { outcome: 'accepted', reason })
  t.match(await post('rate', 202), { outcome: 'accepted', reason })
  t.notOk((await post('fine', 202, 1)).reason)
  const logged = gateway.lines.filter(({ msg }) => msg === 'expression failed')
  t.match(logged[0], { level: 'warn', route: 'goes', stage: /^(?:prompt|deliver_extra)$/, reason })
  t.notMatch(JSON.stringify(logged), /canary/)
})

t.test('headers of our own are taken from nobody: none says where an event came from or what type it has', async (t) => {
  const pulledOnly = [{ field: 'headers.X-Headgate-Origin', equals: 'pulled' }]
  const routes = {
    pulled: { prompt: '{n}', filters: pulledOnly },
    issues: { prompt: '{n}', verify: 'gitlab', events: ['push'] },
    typed: { prompt: '{n}', events: ['push'] },
  }
  const gateway = await start(t, { routes })
  const forged = { 'X-Headgate-Origin': 'pulled', 'x-HEADGATE-event-type': 'push', 'X-Headgate-Else': 'x', 'X-Kept': 'yes' }
  const body = { n: 1, type: 'issue' }
  const shown = async (route: string, more = {}) => {
    const { status, headers } = await gateway.post(route, { body, headers: { ...forged, ...more } })
    t.equal(status, 200, route)
    const view = await record(gateway, headers.get(eventHeader))
    const raw = view.raw && (await folderRecords(journalFolder(gateway.dir)).raw(view.raw))
    t.notMatch(Object.keys(raw?.headers ?? {}).join(), /headgate/i)
    t.equal(raw?.headers['x-kept'], 'yes')
    return view
  }
  t.match(await shown('pulled'), { outcome: 'ignored', stage: 'filters' })
  const typed = await shown('typed')
  t.match(typed, { outcome: 'ignored', stage: 'events', event_type: 'issue' })
  const again = await gateway.operations.replay({ id: typed.event_id })
  t.match(again, { found: true, outcome: 'ignored' })
  t.match(await shown('issues', { 'X-Gitlab-Token': secret, 'X-Gitlab-Event': 'Issue Hook' }), { event_type: 'Issue Hook' })
})
