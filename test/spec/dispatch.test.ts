/** `dispatch`: one address serves several routes, each of which takes the events that the rows give it. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { type Answer, type GatewayOptions, hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const delivered = ({ lines }: TestGateway): unknown[] =>
  lines.filter(({ msg }) => msg === 'delivered').map(({ route, text }) => `${route}: ${text}`)

/** A GitHub App: pull requests are reviewed, failed deployments go to two routes, and all other events of one organisation to a third. */
const app = {
  app: {
    verify: 'github',
    dispatch: [
      { when: { field: 'event_type', equals: 'pull_request' }, to: 'reviews' },
      { when: [{ field: 'event_type', equals: 'deployment_status' }, { jsonata: 'payload.n > 1' }], to: ['deploys', 'triage'] },
      { when: { field: 'organization.login', equals: 'acme' }, to: 'triage' },
    ],
  },
  reviews: { address: false, filters: { field: 'action', in: ['opened', 'labeled'] }, prompt: 'review {number} {dispatch_id}' },
  deploys: {
    address: false,
    deliver_only: true,
    retry: {},
    deliver: 'http',
    deliver_extra: { url: 'http://127.0.0.1:9/' },
    prompt: 'deploy {n}',
  },
  triage: { address: false, prompt: 'triage {n} {delivery_id}', coalesce: { key: '{none}', window_seconds: 60 } },
}

const start = (t: Test, routes: object = app, more: GatewayOptions = {}): Promise<TestGateway> =>
  startGateway(t, { ...more, routes: routes as NonNullable<GatewayOptions['routes']> })

const github = (gateway: TestGateway, event: string, id: string, body: object, key = secret): Promise<Answer> => {
  const text = JSON.stringify(body)
  const headers = { 'X-GitHub-Event': event, 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': `sha256=${hexHmac(text, key)}` }
  return gateway.post('app', { headers, body: text, sign: false })
}

/** The records of a gateway, as soon as there are so many. */
const records = async ({ dir }: TestGateway, count: number): Promise<readonly EventView[]> => {
  let events: readonly EventView[] = []
  await until(async () => {
    events = (await readEvents(journalFolder(dir), { limit: 1_000 })).events
    return events.length >= count
  })
  return events
}

t.test('three routes behind one address, each with its own rules and work', async (t) => {
  const gateway = await start(t)
  t.match(await github(gateway, 'pull_request', 'd1', { action: 'opened', number: 7 }), {
    status: 202,
    json: { status: 'split', route: 'app', event: 'pull_request', delivery_id: 'd1', items: { accepted: 1 } },
  })
  t.match(await github(gateway, 'pull_request', 'd2', { action: 'closed', number: 8 }), { status: 200, json: { items: { ignored: 1 } } })
  t.match(await github(gateway, 'deployment_status', 'd3', { n: 2 }), { status: 202, json: { items: { accepted: 2 } } })
  t.match(await github(gateway, 'issues', 'd4', { n: 4, organization: { login: 'acme' } }), { json: { items: { accepted: 1 } } })
  t.match(await github(gateway, 'deployment_status', 'd5', { n: 1 }), {
    status: 200,
    json: { status: 'ignored', reason: 'dispatch', route: 'app' },
  })
  await until(() => delivered(gateway).length === 3)
  t.strictSame(delivered(gateway).sort(), ['reviews: review 7 {dispatch_id}', 'triage: triage 2 d3', 'triage: triage 4 d4'])
  const events = await records(gateway, 10)
  const shown = events.map(({ route, outcome, stage, delivery_id: id, dispatched_by: by, batch_of: of }) =>
    [id, route, outcome, stage, by, of === undefined ? 'whole' : 'part'].join(' '),
  )
  t.strictSame(shown.sort(), [
    'd1 app split dispatch  whole',
    'd1 reviews accepted dispatch app part',
    'd2 app split dispatch  whole',
    'd2 reviews ignored filters app part',
    'd3 app split dispatch  whole',
    'd3 deploys accepted dispatch app part',
    'd3 triage accepted dispatch app part',
    'd4 app split dispatch  whole',
    'd4 triage accepted dispatch app part',
    'd5 app ignored dispatch  whole',
  ])
  t.match(
    events.find(({ delivery_id: id }) => id === 'd5'),
    { reason: 'dispatch: no row holds' },
  )
})

t.test('a forged signature reaches no route, and a route without an address is unknown', async (t) => {
  const gateway = await start(t)
  t.equal((await github(gateway, 'pull_request', 'f1', { action: 'opened' }, 'another key')).status, 401)
  const unknown = await gateway.post('nowhere', { body: {} })
  for (const route of ['reviews', 'triage']) {
    const answer = await gateway.post(route, { body: { action: 'opened' } })
    t.strictSame([answer.status, answer.text.replace(route, 'nowhere')], [404, unknown.text])
    t.equal((await gateway.post(route, { method: 'GET' })).status, (await gateway.post('nowhere', { method: 'GET' })).status)
  }
  t.match(await github(gateway, 'pull_request', 'f1', { action: 'opened' }), { json: { items: { accepted: 1 } } })
})

t.test('a repeat is a duplicate on each route that had it', async (t) => {
  const gateway = await start(t)
  await github(gateway, 'deployment_status', 'r1', { n: 2 })
  t.match(await github(gateway, 'deployment_status', 'r1', { n: 2 }), { status: 200, json: { items: { duplicate: 2 } } })
  t.match(await github(gateway, 'issues', 'r1', { organization: { login: 'acme' } }), { json: { items: { duplicate: 1 } } })
  t.match(await github(gateway, 'pull_request', 'r1', { action: 'opened' }), { json: { items: { accepted: 1 } } }, 'reviews had it not')
})

t.test('a replay of one event runs its route, and that of a request dispatches it anew', async (t) => {
  const gateway = await start(t)
  const answer = await github(gateway, 'deployment_status', 'p1', { n: 2 })
  const whole = answer.headers.get('x-headgate-event-id') ?? ''
  const id = (await records(gateway, 3)).find(({ route }) => route === 'triage')?.event_id ?? ''
  const replay = (more: object) => gateway.operations.replay({ id, ...more })
  const again = await replay({})
  t.match(again, { found: true, outcome: 'accepted', status: 202 })
  const replayed = again.found ? again.event_id : undefined
  const record = (await records(gateway, 4)).find(({ event_id }) => event_id === replayed)
  t.match(record, { route: 'triage', dispatched_by: 'app', replay_of: id })
  t.match(await replay({ id: replayed }), { found: true, outcome: 'accepted' }, 'the replay of the replay')
  t.match(await replay({ same_id: true }), { outcome: 'duplicate' })
  t.match(await replay({ dry_run: true }), { outcome: 'accepted', starts: { prompt: /^triage 2 / } })
  t.match(await replay({ id: whole }), { outcome: 'split', reason: 'its items: 2 accepted' })
  t.match(await replay({ id: whole, route: 'reviews' }), { outcome: 'ignored', stage: 'filters' }, 'on a route without an address')
})

t.test('the items of a request are dispatched one by one, and each is replayed alone', async (t) => {
  const gateway = await start(t, {
    in: {
      split: 'alerts',
      filters: [{ field: 'level', exists: true }],
      dispatch: [
        { when: { field: 'level', equals: 'high' }, to: ['pager', 'log'] },
        { when: { field: 'level', equals: 'low' }, to: 'log' },
      ],
    },
    pager: { address: false, prompt: 'page {name} {batch.team}' },
    log: { prompt: 'log {name}' },
  })
  const alerts = [{ level: 'low', name: 'a' }, { level: 'high', name: 'b' }, { level: 'none', name: 'c' }, { name: 'd' }]
  const body = { team: 'x', alerts }
  const answer = await gateway.post('in', { headers: { 'X-Request-ID': 's' }, body })
  t.match(answer, { status: 202, json: { items: { accepted: 3, ignored: 2 } } })
  const events = await records(gateway, 6)
  t.strictSame(events.map(({ route, outcome, stage, batch_index: index }) => [index, route, outcome, stage].join(' ')).sort(), [
    ' in split dispatch',
    '0 log accepted dispatch',
    '1 log accepted dispatch',
    '1 pager accepted dispatch',
    '2 in ignored dispatch',
    '3 in ignored filters',
  ])
  const id = events.find(({ route }) => route === 'pager')?.event_id ?? ''
  t.match(await gateway.operations.replay({ id }), { outcome: 'accepted' })
  t.match(await gateway.operations.replay({ id: events.find(({ batch_index: i }) => i === 2)?.event_id ?? '' }), { outcome: 'ignored' })
  await until(() => delivered(gateway).length === 4)
  t.strictSame(delivered(gateway).sort(), ['log: log a', 'log: log b', 'pager: page b x', 'pager: page b x'])
  t.match(await gateway.post('log', { body: { name: 'own' } }), { json: { status: 'accepted' } }, 'a route with an address keeps it')
})

t.test('a refusal of one route refuses the request, and none has taken it', async (t) => {
  const gateway = await start(t, {
    app: { dispatch: [{ to: ['one', 'two'] }] },
    one: { address: false },
    two: { address: false, rate_limit: { per_minute: 1, key: '{k}' } },
  })
  const post = (id: string, k: string) => gateway.post('app', { headers: { 'X-Request-ID': id }, body: { k } })
  t.match(await post('a', 'x'), { json: { items: { accepted: 2 } } })
  t.match(await post('b', 'x'), { status: 429 })
  t.match(await post('b', 'y'), { json: { items: { accepted: 2 } } }, 'its id stayed free on both')
})

t.test('a paused route has the sender repeat the request, and a disabled one leaves a record', async (t) => {
  const routes = {
    app: { dispatch: [{ when: { field: 'k', equals: 'on' }, to: 'one' }, { to: ['one', 'off'] }] },
    one: { address: false },
    off: { address: false, enabled: false },
  }
  const gateway = await start(t, routes)
  const post = (id: string, k: string) => gateway.post('app', { headers: { 'X-Request-ID': id }, body: { k } })
  t.match(await post('a', 'off'), { json: { items: { accepted: 1, ignored: 1 } } })
  const off = (await records(gateway, 3)).find(({ route }) => route === 'off')
  t.match(off, { outcome: 'ignored', stage: 'dispatch', reason: 'dispatch: the route "off" is disabled', dispatched_by: 'app' })
  const pauses = join(gateway.dir, 'paused_routes.json')
  writeFileSync(pauses, JSON.stringify({ one: { paused_at: '2026-01-01T00:00:00Z' } }))
  await until(async () => (await post('probe', 'on')).status === 503)
  const refused = await post('b', 'on')
  t.match([refused.status, refused.text], [503, /^\{"error":"Route paused: app"/])
  t.equal(refused.headers.get('retry-after'), '60')
  const isHeld = ({ delivery_id: id }: EventView): boolean => id === 'b'
  await until(async () => (await records(gateway, 4)).some(isHeld))
  const held = (await records(gateway, 4)).find(isHeld)
  t.match(held, { outcome: 'route_paused', route: 'app', reason: 'the route "one" is paused', raw: {} })
  writeFileSync(pauses, '{}')
  await until(async () => (await post('b', 'on')).status === 202)
})

t.test('a reload takes a changed route over', async (t) => {
  const gateway = await start(t)
  const body = { action: 'opened', number: 1 }
  await github(gateway, 'pull_request', 'l1', body)
  const changed = { ...app, reviews: { ...app.reviews, prompt: 'anew {number}' } }
  const extra = { secret, port: 0, rate_limit: 100_000, routes: changed }
  writeFileSync(
    join(gateway.dir, 'config.yaml'),
    stringify({ platforms: { webhook: { enabled: true, extra } }, storage: { kind: 'memory' } }),
  )
  t.match(await gateway.operations.reload({}), { ok: true, changes: { changed: ['reviews'] } })
  await github(gateway, 'pull_request', 'l2', body)
  await until(() => delivered(gateway).length === 2)
  t.strictSame(delivered(gateway), ['reviews: review 1 {dispatch_id}', 'reviews: anew 1'])
})

t.test('validate, test, trace and the list of routes show what a dispatch does', async (t) => {
  const tests = [
    {
      name: 'two routes',
      send: { payload: { n: 2 }, event: 'deployment_status' },
      expect: { items: [{ route: 'deploys', outcome: 'accepted' }, { route: 'triage' }] },
    },
    { name: 'wrong', send: { payload: { n: 1 }, event: 'pull_request' }, expect: { items: [{ route: 'triage' }] } },
  ]
  const own = [{ name: 'alone', send: { payload: { action: 'closed' } }, expect: { stopped_at: 'filters' } }]
  const routes = { ...app, app: { ...app.app, tests }, reviews: { ...app.reviews, tests: own }, spare: { address: false } }
  const config = { platforms: { webhook: { enabled: true, extra: { secret, routes } } } }
  const dir = newFolder(t, { 'config.yaml': stringify(config) })
  t.match((await runAt(dir, ['validate', '--format', 'concise'])).out, /WH248.*"spare"/)
  t.match(
    (await runAt(dir, ['test'])).out,
    /ok +app: two routes[\s\S]*app: wrong[\s\S]*items\[0\].route[\s\S]*"triage"[\s\S]*"reviews"[\s\S]*ok +reviews: alone[\s\S]*2 passed, 1 failed/,
  )
  const trace = await runAt(dir, ['webhook', 'trace', 'app', '--payload', '{"n":2}', '--event', 'deployment_status'])
  t.match(trace, { code: 0, out: /dispatch\[1\] holds: deploys, triage[\s\S]*item 0, to "deploys"[\s\S]*item 0, to "triage"/ })
  const list = JSON.parse((await runAt(dir, ['webhook', 'list', '--all', '--json'])).out)
  t.match(
    list.data.routes.find(({ name }: { name: string }) => name === 'app'),
    { mode: 'dispatch', dispatch: ['reviews', 'deploys', 'triage'], deliver: '', url: String },
  )
  t.equal(list.data.routes.find(({ name }: { name: string }) => name === 'reviews').url, null)
  t.match((await runAt(dir, ['webhook', 'test', 'reviews', '--payload', '{}', '--url', 'http://127.0.0.1:9'])).err, /it has no address/)
})

t.test('a dispatch that cannot work stops the start', async (t) => {
  const to = (name: string, target?: object, more: object = {}) => ({
    app: { dispatch: [{ to: name }], ...more },
    ...(target ? { [name]: target } : {}),
  })
  for (const [routes, message] of [
    [to('gone'), /WH247 there is no route "gone"/],
    [to('app'), /WH247 "app" is this route itself/],
    [to('b', { dispatch: [{ to: 'app' }] }), /WH247 the route "b" dispatches too.*WH247 the route "app" dispatches too/],
    [to('b', { split: 'list' }), /WH247 the route "b" splits/],
    [to('b', { redact: ['x'] }), /WH247 the route "b" redacts/],
    [to('b', { deliver_only: true, deliver: 'http', deliver_extra: { url: 'http://127.0.0.1:1' } }), /WH247 the route "b" delivers before/],
    [to('b', {}, { address: false }), /WH247 no event comes to it/],
    [to('b', { address: false, allow_from: ['10.0.0.0/8'] }), /WH246 "allow_from" protects nothing/],
    [to('b', {}, { verify: 'mailgun' }), /WH247 mailgun does not sign the whole body/],
    [to('b', {}, { duplicates: { key: '{k}' } }), /WH208 "duplicates.key" and "dispatch"/],
    [to('b', {}, { coalesce: { key: '{k}' } }), /WH208/],
    [to('b', {}, { dispatch: [{ when: { field: 'x', regex: '(' }, to: 'b' }] }), /WH401/],
  ] as const)
    await t.rejects(start(t, routes), message)
})
