/** A trace says what the server does: the same end, the same answer, the same text to the same target, and nothing done. */

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Trace, trace } from '../../src/dryrun/trace/trace.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { quietBook } from '../../src/plan/check.ts'
import { fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Tree = { readonly [key: string]: unknown }

type Tracer = (route: string, headers: { readonly [name: string]: string }, body: Buffer) => Promise<Trace>

/** Traces over the routes of a config file, as `webhook trace` would find them. */
const tracer = (t: Test, routes: Tree, extra: Tree = {}): Tracer => {
  const settings = { secret, ...extra, routes }
  const dir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: settings } } }) })
  const { config } = loadConfig({ dataDir: dir, env: {} })
  const world = { config, catalogue: builtinCatalogue, effects: { jobs: quietBook(config, builtinCatalogue), clock: systemClock } }
  return (route, headers, body) => {
    const source = config.routes.get(route)
    if (!source) throw new Error(`no route ${route}`)
    return trace({ kind: 'post', headers, body }, { ...world, source })
  }
}

t.test('a direct delivery that is kept: 202, and the message is what starts', async (t) => {
  const route = { deliver_only: true, retry: {}, deliver: 'http', deliver_extra: { url: 'https://x.example/{a}' }, prompt: 'A {a}' }
  const body = Buffer.from('{"a": "b"}')
  const told = await tracer(t, { kept: route })('kept', { 'x-hub-signature-256': `sha256=${hexHmac(body)}` }, body)
  t.match(told, {
    name: 'accepted',
    answer: { status: 202 },
    starts: { mode: 'direct', prompt: 'A b', extra: { url: 'https://x.example/b' } },
  })
})

t.test('a reply that would have nowhere to go is noted, and one that has somewhere is not', async (t) => {
  const route = { deliver: 'github_comment', deliver_extra: { repo: 'a/b', pr_number: '{pulls.0}' }, prompt: 'p' }
  const post = tracer(t, { r: route })
  const traced = (body: Buffer) => post('r', { 'x-hub-signature-256': `sha256=${hexHmac(body)}` }, body)
  const { notes } = await traced(Buffer.from('{"pulls": []}'))
  t.match(notes, [/^delivery to github_comment: pr_number is not a positive whole number.*: no agent is asked$/])
  t.same((await traced(Buffer.from('{"pulls": [7]}'))).notes, [])
})

const field = fc.constantFrom('a', 'b.c', 'payload.a', 'list.0', 'event', 'headers.x-env', 'none')
const word = fc.constantFrom<unknown>('x', 'y', 'push', 1, true, null)
const leaf = fc.oneof(
  fc.record({ field, equals: word }),
  fc.record({ field, not_equals: word }),
  fc.record({ field, in: fc.array(word, { maxLength: 3 }) }),
  fc.record({ field, exists: fc.constant(true) }),
  fc.record({ field, missing: fc.constant(true) }),
  fc.record({ field, contains: fc.constantFrom('x', 'us') }),
  fc.record({ field, regex: fc.constantFrom('^x', 'p.sh', '(?i)Y') }),
  fc.record({ jsonata: fc.constantFrom('payload.a = "x"', '$count(payload.list) > 1', 'payload.b.c') }),
)
const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('condition') }),
  ),
}))
const text = fc
  .array(
    fc.constantFrom(
      '{a}',
      '{b.c}',
      '{b}',
      '{list}',
      '{none}',
      '{event_type}',
      '{route}',
      '{__raw__}',
      '{= a & "!" }',
      '{= $error("no") }',
      ' {',
      'é',
    ),
  )
  .map((pieces) => `t ${pieces.join(' ')}`)

/** Where texts go; the place is told apart by its path. */
const target = (origin: string) => ({ deliver: 'http', deliver_extra: { url: `${origin}/{b.c}/x` } })

const routeOf = (origin: string) =>
  fc
    .record(
      {
        events: fc.subarray(['push', 'pull_request', 'x']),
        filters: fc.array(condition, { maxLength: 2 }),
        prompt: text,
        enabled: fc.constantFrom(true, true, true, false),
        // The first is what a test must see often: an event that is accepted.
        mode: fc.constantFrom<object>(
          {},
          {},
          {},
          { deliver_only: true },
          { coalesce: { key: 'a', window_seconds: 600, max_wait_seconds: 900 } },
          { cron_job: 'gone' },
        ),
      },
      { requiredKeys: ['mode', 'prompt'] },
    )
    .map(({ mode, ...route }) => ({ ...route, ...mode, ...target(origin) }))

const value = fc.oneof(word, fc.constant([1, 2]), fc.constant('q'.repeat(3000)))
const payload = fc.oneof(
  fc.record({ a: value, b: fc.record({ c: value }), list: fc.array(word), type: fc.constantFrom('push', 'z') }, { requiredKeys: [] }),
  fc.constantFrom<unknown>([1], 'text', 5, null),
)
const body = fc.oneof(
  { weight: 8, arbitrary: payload.map((data) => JSON.stringify(data)) },
  { weight: 1, arbitrary: fc.constantFrom('{', '', '{"a":"\ud800"}', `{"a":"${'z'.repeat(30_000)}"}`) },
)
const post = fc.record({
  body,
  event: fc.constantFrom(undefined, 'push', 'pull_request'),
  env: fc.constantFrom(undefined, 'x', 'prod'),
  signed: fc.constantFrom(true, true, true, true, false),
})

type Post = { body: string; event: string | undefined; env: string | undefined; signed: boolean }

const headersOf = ({ body, event, env, signed }: Post): { [name: string]: string } => ({
  ...(signed ? { 'x-webhook-signature': hexHmac(body) } : {}),
  ...(event === undefined ? {} : { 'x-github-event': event }),
  ...(env === undefined ? {} : { 'x-env': env }),
})

t.test('trace and server agree on random routes and payloads', async (t) => {
  const receiver = await sink(t, (response) => response.writeHead(204).end())
  const ends = new Map<string, number>()
  const compare = async (gateway: TestGateway, traceOf: Tracer, name: string, one: Post): Promise<void> => {
    const id = randomUUID()
    const told = await traceOf(name, { ...headersOf(one), 'x-request-id': id }, Buffer.from(one.body))
    const real = await gateway.post(name, { body: one.body, headers: { ...headersOf(one), 'X-Request-ID': id }, sign: false })
    // What the target itself refuses, no trace can know.
    if (real.status === 502) return
    t.same([told.answer.status, told.answer.body], [real.status, real.text], `${name}: ${told.name}`)
    ends.set(told.name, (ends.get(told.name) ?? 0) + 1)
    const { starts } = told
    // A group waits, and an address that is not filled in is refused.
    if (!starts || starts.mode === 'group' || JSON.stringify(starts.extra).includes('{b.c}')) return
    const sent = await until(() => receiver.seen.find(({ body }) => body.includes(id)))
    t.match(JSON.parse(sent.body), { text: starts.prompt })
    t.same(starts.extra, { url: `${receiver.origin}${sent.url}` })
  }
  const four = fc.array(routeOf(receiver.origin), { minLength: 4, maxLength: 4 })
  const six = fc.array(post, { minLength: 6, maxLength: 6 })
  const property = fc.asyncProperty(four, six, async (written, posts) => {
    const routes = Object.fromEntries(written.map((route, i) => [`r${i}`, route]))
    const extra = { max_body_bytes: 20_000 }
    const traceOf = tracer(t, routes, extra)
    const gateway = await startGateway(t, { routes, extra })
    try {
      for (const name of Object.keys(routes)) for (const one of posts) await compare(gateway, traceOf, name, one)
    } finally {
      await gateway.stop(0)
    }
  })
  await fc.assert(property, { numRuns: 8 })
  for (const end of ['accepted', 'ignored', 'bad_signature']) t.ok((ends.get(end) ?? 0) > 5, `${end} was seen`)
})

const files = {
  'config.yaml': stringify({
    platforms: {
      webhook: {
        enabled: true,
        extra: {
          secret: 'a secret that is long enough',
          routes: {
            pr: {
              events: ['pull_request'],
              filters: [
                { field: 'action', in: ['opened'] },
                { any: [{ field: 'draft', equals: true }, { not: { field: 'headers.X-Token', exists: true } }] },
              ],
              prompt: 'Review {number}: {titel}\n{files}',
              deliver: 'github_comment',
              deliver_extra: { repo: '{repo}', pr_number: '{number}' },
            },
            scripted: { script: 'touch.sh', prompt: '{a}' },
            off: { prompt: 'x', enabled: false },
            whole: {},
          },
        },
      },
    },
  }),
}

t.test('the payload is shown before and after a stage that changed it', async (t) => {
  const transform = '{ "t": title, "id": o.id, "o": o }'
  const cli = fakeCli(t, {
    'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: { secret, routes: { r: { transform, prompt: '{t}' } } } } } }),
  })
  const given = ['webhook', 'trace', 'r', '--payload', '{"title":"a\\u001b[2J","o":{"id":9007199254740993}}']
  const { data } = JSON.parse((await cli.run(...given, '--json')).out)
  const changed = data.stages.filter(({ detail }: { detail: Tree }) => 'after' in detail)
  t.match(changed, [{ stage: 'transform', result: 'pass' }])
  t.same(changed[0].detail, {
    before: '{"title":"a\\u001b[2J","o":{"id":9007199254740993}}',
    after: '{"t":"a\\u001b[2J","id":"9007199254740993","o":{"id":9007199254740993}}',
  })
  const { out } = await cli.run(...given)
  t.match(out, /transform +ok\n +before +\{"title".*\n +after +\{"t"/)
  t.notMatch(out, '\u001b[2J')
})

t.test('webhook trace shows each stage, the condition that said no and what it saw, and what a text lacks', async (t) => {
  const cli = fakeCli(t, files)
  const data = async (...argv: string[]) => {
    const { code, out } = await cli.run('webhook', 'trace', ...argv, '--json')
    return { code, ...(JSON.parse(out) as { data: { stages: Tree[]; answer: Tree; cuts: Tree[] } }).data }
  }
  const stopped = await data('pr', '--payload', '{"action":"closed","number":7}')
  t.match(stopped, {
    code: 1,
    outcome: 'ignored',
    stopped_at: 'filters',
    reason: 'filters[0] action in ["opened"] (got "closed")',
    prompt: null,
  })
  t.match(stopped.answer, { status: 200, body: '{"status":"ignored","reason":"filter","route":"pr"}' })
  t.same(
    stopped.stages.map(({ stage, result }) => `${stage} ${result}`),
    [
      ...['body_size pass', 'route pass', 'rate_limit pass', 'client skip'],
      ...['signature', 'json'].map((stage) => `${stage} pass`),
      'cancel_on skip',
      ...['events', 'own_comment'].map((stage) => `${stage} pass`),
      'payload_schema skip',
      'filters stop',
      ...[
        'event_rate',
        'lookup',
        'script',
        'transform',
        'duplicate',
        'cooldown',
        'supersede',
        'deliver_if',
        'choose_agent',
        'dispatch',
      ].map((stage) => `${stage} skip`),
    ],
  )
  const { conditions } = (stopped.stages[10] as { detail: { conditions: Tree[] } }).detail
  t.same(
    conditions.map(({ name, holds }) => [name, holds]),
    [
      ['filters[0]', false],
      ['filters[1]', true],
      ['filters[1].any[0]', false],
      ['filters[1].any[1]', true],
      ['filters[1].any[1].not', false],
    ],
    'each on its own, in the order of the file, also where the server would not have asked any more',
  )
  t.match(conditions[4], { seen: 'value not shown' }, 'a header that holds a secret is not shown')

  const list = JSON.stringify(Array.from({ length: 900 }, (_, i) => i))
  const passed = await data('pr', '--payload', `{"action":"opened","number":7,"repo":"acme/web","files":${list}}`)
  t.match(passed, {
    code: 0,
    outcome: 'accepted',
    stopped_at: null,
    mode: 'agent',
    deliver: { target: 'github_comment', extra: { repo: 'acme/web', pr_number: '7' } },
    unresolved: ['titel'],
    cuts: [{ where: 'prompt', written: '{files}', from: list.length, to: 2000 }],
    side_effects: 'none',
  })
  const whole = await data('whole', '--payload', JSON.stringify({ text: 'y'.repeat(5000) }))
  t.match(whole.cuts, [{ where: 'prompt', written: 'the whole payload', to: 4000 }])

  t.match(await data('pr', '--event', 'push'), { outcome: 'ignored', stopped_at: 'events', reason: 'events: push is not listed' })
  t.match(await data('off'), { outcome: 'route_disabled', stopped_at: 'route' })
  t.match(await cli.run('webhook', 'trace', 'prr'), { code: 5, err: /did you mean.*pr/s })
  t.match(await cli.run('webhook', 'trace', 'pr', '--event-id', 'abcdef12'), { code: 5, err: /no event abcdef12/ })
  t.match(await cli.run('webhook', 'trace', 'pr', '--event-id', 'abcdef12', '--event', 'push'), { code: 2 })
  t.match(await cli.run('webhook', 'trace', 'pr', '--payload', '{'), { code: 2, err: /not valid JSON/ })

  const tree = await cli.run('webhook', 'trace', 'pr', '--payload', '{"action":"opened","number":7,"repo":"a/b","draft":"\\u001b[31m"}')
  t.match(tree.out, /^11 filters {8}ok\n {5}ok {2}filters\[0\] action in \["opened"\] \(got "opened"\)\n {5}ok {2}filters\[1\] any\n/m)
  t.match(tree.out, /^note {5}prompt: nothing for \{titel\}$/m)
  t.notMatch(tree.out, /\u001b/, 'text of a payload moves no cursor')
})

t.test('the type that a payload or its headers name counts, as on the server; without one, the first that the route lists', async (t) => {
  const routes = {
    pr: { events: ['pull_request'], prompt: 'p' },
    stripe: { events: ['charge.failed'], verify: 'stripe', prompt: 'p' },
    not: { prompt: 'p', filters: [{ field: 'n', in: [1, 2] }, { not: { field: 'draft', equals: true } }] },
  }
  const tests = [
    { name: 'type', send: { payload: { type: 'issues' } }, expect: { outcome: 'ignored', stopped_at: 'events', event: 'issues' } },
    { name: 'header', send: { headers: { 'X-GitHub-Event': 'issues' } }, expect: { stopped_at: 'events', event: 'issues' } },
    { name: 'none', send: { payload: { a: 1 } }, expect: { outcome: 'accepted', event: 'pull_request' } },
  ].map((test) => ({ route: 'pr', ...test }))
  const settings = { secret, routes }
  const cli = fakeCli(t, {
    'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: settings } } }),
    'types.webhook-test.yaml': stringify({ routes: 'config.yaml', tests }),
    'event.json': '{"type":"charge.succeeded"}',
  })
  const traced = async (io: { stdin?: () => Promise<string> }, ...argv: string[]) =>
    JSON.parse((await cli.runWith(io, '--json', 'webhook', 'trace', ...argv)).out).data
  const named = '{"event_type":"issues"}'
  const ignored = { outcome: 'ignored', stopped_at: 'events', event: { type: 'issues' } }
  t.match(await traced({}, 'pr', '--payload', named), { ...ignored, payload: { from: 'given', name: null } })
  t.match(await traced({ stdin: async () => named }, 'pr', '--payload', '-'), { ...ignored, payload: { from: 'stdin' } })
  t.match(await traced({}, 'pr', '--set', 'event_type=issues'), { ...ignored, payload: { from: 'made up' } })
  t.match(await traced({}, 'pr', '--payload', named, '--event', 'pull_request'), { outcome: 'accepted' }, 'what is asked for counts')
  t.match(await traced({}, 'pr'), { outcome: 'accepted', event: { type: 'pull_request' } })
  t.match(await traced({}, 'stripe'), { outcome: 'accepted', event: { type: 'charge.failed' } })
  const file = cli.file('event.json')
  t.match(await traced({}, 'stripe', '--payload', `@${file}`), {
    outcome: 'ignored',
    event: { type: 'charge.succeeded' },
    payload: { from: 'file', name: file },
  })
  t.match(await traced({}, 'pr', '--sample', 'github/push'), { outcome: 'ignored', payload: { from: 'sample', name: 'github/push' } })
  t.match(await cli.run('test'), { code: 0 })

  t.match(await traced({}, 'not', '--payload', '{"n":1,"draft":true}'), { reason: 'filters[1].not draft equals true (got true)' })
  const tree = await cli.run('webhook', 'trace', 'not', '--payload', '{"n":1}')
  t.match(tree.out, /^not {2}event unknown\npayload {2}as given\n/)
  t.match(tree.out, /ok {2}filters\[0\] n in \[1,2\] \(got 1\)\n {5}ok {2}filters\[1\] not\n/)
})

t.test('a script runs only when it is asked for', async (t) => {
  const cli = fakeCli(t, files)
  cli.write('scripts/touch.sh', `touch "${cli.file('ran')}"\ncat\n`)
  t.match(await cli.run('webhook', 'trace', 'scripted', '--payload', '{"a":"hello"}'), { code: 0, out: /the script touch\.sh was not run/ })
  t.throws(() => cli.read('ran'))
  const { code, out } = await cli.run('webhook', 'trace', 'scripted', '--payload', '{"a":"hello"}', '--run-scripts', '--json')
  t.equal(code, 0, out)
  t.match(JSON.parse(out).data, { prompt: 'hello', side_effects: 'script', notes: [] })
  t.equal(cli.read('ran'), '')
})

t.test('--query gives the address of a test and of a trace its query', async (t) => {
  const route = '{ prompt: p, filters: [{ field: request.query.team, equals: core }] }'
  const extra = `{ port: 8644, secret: b0e6f2a94c7d41d8, routes: { r: ${route} } }`
  const cli = fakeCli(t, { 'config.yaml': `platforms: { webhook: { enabled: true, extra: ${extra} } }\n` })
  t.match(await cli.run('webhook', 'trace', 'r', '--payload', '{}', '--query', '?team=core'), { code: 0 })
  t.match(await cli.run('webhook', 'trace', 'r', '--payload', '{}', '--query', 'team=other'), { code: 1 })
  const test = ['webhook', 'test', 'r', '--payload', '{}', '--print-curl', '--query', 'team=core']
  t.match(await cli.run(...test), { code: 0, out: /8644\/webhooks\/r\?team=core/ })
  t.match(await cli.run(...test, '--url', 'http://127.0.0.1:1/webhooks/r?a=b'), {
    code: 2,
    err: /--query: the address of --url has a query/,
  })
})

t.test('a request whose address is signed is traced as the gateway with its public_url takes it', async (t) => {
  const route = '{ verify: mandrill, prompt: p }'
  const extra = `{ public_url: 'https://hooks.example.com', secret: b0e6f2a94c7d41d8, routes: { r: ${route} } }`
  const cli = fakeCli(t, { 'config.yaml': `platforms: { webhook: { enabled: true, extra: ${extra} } }\n` })
  t.match(await cli.run('webhook', 'trace', 'r', '--sample', 'mandrill/hard_bounce'), { code: 0, out: /signature +ok/ })
})

t.test('a trace says that a payload does not fit its schema where the event goes on all the same', async (t) => {
  const route = '{ prompt: p, payload_schema: schemas/n.json, payload_mismatch: warn }'
  const extra = `{ port: 8644, secret: b0e6f2a94c7d41d8, routes: { r: ${route} } }`
  const cli = fakeCli(t, { 'config.yaml': `platforms: { webhook: { enabled: true, extra: ${extra} } }\n` })
  cli.write('schemas/n.json', '{ "type": "object", "properties": { "n": { "type": "integer" } } }')
  const traced = await cli.run('webhook', 'trace', 'r', '--payload', '{"n":"a secret text"}')
  t.match(traced, { code: 0, out: /note +payload_schema: n must be integer: the event goes on/ })
  t.notMatch(traced.out, /payload_schema: .*a secret text/)
  t.notMatch((await cli.run('webhook', 'trace', 'r', '--payload', '{"n":1}')).out, /payload_schema: /)
})
