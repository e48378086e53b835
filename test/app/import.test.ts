/**
 * An imported route takes what its source took, and refuses what it refused; no secret gets into the YAML, and nothing is dropped unsaid.
 */

import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/core/clock.ts'
import { trace } from '../../src/dryrun/trace/trace.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { quietBook } from '../../src/plan/check.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'

type Tree = { readonly [key: string]: unknown }
type Posted = { readonly headers?: { readonly [name: string]: string }; readonly body: unknown }
type LeftOut = { readonly line: number; readonly column: number; readonly route: string; readonly what: string; readonly reason: string }

const secret = 'k7'
const signed = { source: 'header', name: 'X-Hub-Signature-256' }
const hmac = (value = secret) => ({ match: { type: 'payload-hmac-sha256', secret: value, parameter: signed } })
const is = (name: string, value: string, source = 'payload') => ({ match: { type: 'value', value, parameter: { source, name } } })
const like = (name: string, regex: string, source = 'payload') => ({ match: { type: 'regex', regex, parameter: { source, name } } })

/** The import of a file, and what the server would do with a post to one of its routes. */
const imported = async (t: Test, from: 'adnanh' | 'hermes', text: string) => {
  const cli = fakeCli(t, { source: text })
  const { out, code, err } = await cli.run('import', from, cli.file('source'), '--json', '--reveal')
  const { data, error } = JSON.parse(out)
  if (error) throw new Error(error.message)
  const env = Object.fromEntries(data.env.map(({ name, value }: { name: string; value: string }) => [name, value]))
  const dir = newFolder(t, { 'config.yaml': data.config })
  const { config, diagnostics } = loadConfig({ dataDir: dir, env })
  t.same(diagnostics, [], 'the loader has nothing to say')
  const world = { config, catalogue: builtinCatalogue, effects: { jobs: quietBook(config, builtinCatalogue), clock: systemClock } }
  const takes = async (route: string, { headers = {}, body }: Posted, key = env[`WEBHOOK_SECRET_${route.toUpperCase()}`] ?? '') => {
    const source = config.routes.get(route)
    if (!source) throw new Error(`no route ${route}`)
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const lower = Object.entries({ 'x-hub-signature-256': `sha256=${hexHmac(bytes.toString(), key)}`, ...headers })
    const post = {
      kind: 'post' as const,
      headers: Object.fromEntries(lower.map(([name, value]) => [name.toLowerCase(), value])),
      body: bytes,
      url: `http://127.0.0.1/webhooks/${route}?q=1`,
    }
    return (await trace(post, { ...world, source })).stoppedAt === null
  }
  const routes = parse(data.config).platforms.webhook.extra.routes
  return { code, err, data, env, takes, routes, leftOut: data.left_out as LeftOut[] }
}

const hooks = (...list: Tree[]): string => JSON.stringify(list, null, 2)
const refs = { ref: 'refs/heads/main', pusher: { name: 'ada' }, count: 5, ok: true, none: null, commits: [{ id: 'c0' }, { id: 'c1' }] }

t.test('a rule takes and refuses as before', async (t) => {
  const table: readonly (readonly [rule: Tree, takes: boolean])[] = [
    [is('ref', 'refs/heads/main'), true],
    [is('ref', 'refs/heads/dev'), false],
    [is('pusher.name', 'ada'), true],
    [is('q', '1', 'url'), true],
    [is('q', '2', 'query'), false],
    [is('method', 'POST', 'request'), true],
    [is('commits.1.id', 'c1'), true],
    [is('commits.2.id', 'c1'), false],
    [is('count', '5'), true],
    [is('count', '6'), false],
    [is('ok', 'true'), true],
    [is('gone', ''), false],
    [is('x-kind', 'push', 'header'), true],
    [is('X-Kind', 'pull', 'header'), false],
    [like('ref', '^refs/heads/(main|master)$'), true],
    [like('ref', '^main$'), false],
    [like('pusher', '.*'), true],
    [like('gone', '.*'), false],
    [{ or: [is('ref', 'x'), is('count', '5')] }, true],
    [{ or: [is('gone', 'x'), is('count', '5')] }, true],
    [{ or: [] }, false],
    [{ and: [] }, true],
    [{ not: is('ref', 'refs/heads/dev') }, true],
    [{ not: is('ref', 'refs/heads/main') }, false],
    // In an "and", a value that is not there ends it with false, even under "not".
    [{ not: is('gone', 'x') }, false],
    [{ or: [{ not: is('gone', 'x') }] }, true],
    [{ not: { or: [is('gone', 'x'), is('ref', 'y')] } }, true],
    [{ not: { and: [is('ref', 'y'), is('gone', 'x')] } }, true],
    [{ not: { and: [is('gone', 'x'), is('ref', 'y')] } }, false],
  ]
  const text = hooks(...table.map(([rule], i) => ({ id: `h${i}`, 'trigger-rule': { and: [hmac(), rule] } })))
  const { takes, leftOut, data, code } = await imported(t, 'adnanh', text)
  const errors = data.diagnostics.filter(({ severity }: { severity: string }) => severity === 'error')
  t.same(leftOut, [], 'all of it is carried over')
  // The empty "or" never holds, and validate says so.
  t.match([errors, code], [[{ code: 'WH403', route: 'h20' }], 1])
  t.equal(errors.length, 1)
  for (const [i, [rule, expected]] of table.entries()) {
    const post = { headers: { 'X-Kind': 'push' }, body: refs }
    t.equal(await takes(`h${i}`, post, secret), expected, JSON.stringify(rule))
    t.notOk(await takes(`h${i}`, post, 'another'), 'a wrong signature')
  }
})

/** What the program decides, written after its documents: false, true, or "not found" with the value that `not` turns. */
type Said = { readonly is: boolean; readonly notFound: boolean }
const judge = (rule: Tree, body: Tree): Said => {
  const { and, or, not, match } = rule as { and?: Tree[]; or?: Tree[]; not?: Tree; match?: Tree }
  if (and) {
    for (const each of and) {
      const said = judge(each, body)
      if (said.notFound || !said.is) return { is: false, notFound: said.notFound }
    }
    return { is: true, notFound: false }
  }
  if (or) return { is: or.some((each) => judge(each, body).is), notFound: false }
  if (not) {
    const said = judge(not, body)
    return { is: !said.is, notFound: said.notFound }
  }
  const { type, value, regex, parameter } = match as { type: string; value: string; regex: string; parameter: { name: string } }
  if (!Object.hasOwn(body, parameter.name)) return { is: false, notFound: true }
  const text = String(body[parameter.name])
  return { is: type === 'value' ? text === value : new RegExp(regex).test(text), notFound: false }
}

t.test('any rule and any payload: the same end', async (t) => {
  const name = fc.constantFrom('a', 'b', 'c')
  const value = fc.constantFrom('x', 'y', '1', 'true')
  const { rule } = fc.letrec<{ rule: Tree }>((tie) => ({
    rule: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(name, value).map(([a, b]) => is(a, b)),
      fc.tuple(name, fc.constantFrom('^x', 'y|1', '.*')).map(([a, b]) => like(a, b)),
      fc.record({ not: tie('rule') }),
      fc.record({ and: fc.array(tie('rule'), { maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('rule'), { maxLength: 3 }) }),
    ),
  }))
  const body = fc.dictionary(name, fc.constantFrom<unknown>('x', 'y', 'xy', 1, true, '1', 'true'))
  const cases = fc.sample(fc.tuple(rule, fc.array(body, { minLength: 1, maxLength: 3 })), 150)
  const { takes } = await imported(
    t,
    'adnanh',
    hooks(
      ...cases.flatMap(([each], i) => [
        { id: `h${i}`, 'trigger-rule': { and: [hmac(), each] } },
        { id: `open${i}`, 'trigger-rule': each },
      ]),
    ),
  )
  const wrong: unknown[] = []
  for (const [i, [each, bodies]] of cases.entries())
    for (const payload of bodies) {
      const said = judge(each, payload)
      if ((await takes(`h${i}`, { body: payload }, secret)) !== (said.is && !said.notFound)) wrong.push([each, payload, said])
      if ((await takes(`open${i}`, { body: payload })) !== said.is) wrong.push(['alone', each, payload, said])
    }
  t.same(wrong, [])
})

t.test('a sender is known by the same secret', async (t) => {
  const at = (type: string, header: string, value: string) => ({
    match: { type, secret: value, parameter: { source: 'header', name: header } },
  })
  const text = hooks(
    { id: 'sha1', 'trigger-rule': at('payload-hash-sha1', 'X-Hub-Signature', 'one') },
    { id: 'lab', 'trigger-rule': is('X-Gitlab-Token', 'two', 'header') },
    { id: 'v1', 'trigger-rule': at('payload-hmac-sha256', 'X-Webhook-Signature', 'three') },
    { id: 'gogs', 'trigger-rule': at('payload-hmac-sha256', 'X-Gogs-Signature', 'four') },
    { id: 'soft', 'trigger-signature-soft-failures': true, 'trigger-rule': { or: [hmac('five'), hmac('six')] } },
    { id: 'hard', 'trigger-rule': { or: [hmac('seven'), hmac('eight')] } },
    { id: 'open' },
  )
  const { routes, env, takes, leftOut, err } = await imported(t, 'adnanh', text)
  const body = { a: 1 }
  t.same(
    ['sha1', 'lab', 'v1', 'gogs', 'soft', 'open'].map((name) => routes[name].verify),
    ['github', 'gitlab', 'v1', { algorithm: 'hmac_sha256', signature: { header: 'X-Gogs-Signature' } }, 'github', undefined],
  )
  t.ok(await takes('sha1', { body }, 'one'))
  t.ok(await takes('lab', { body, headers: { 'X-Gitlab-Token': 'two' } }))
  t.notOk(await takes('lab', { body, headers: { 'X-Gitlab-Token': 'tw' } }))
  t.ok(await takes('v1', { body, headers: { 'X-Webhook-Signature': hexHmac(JSON.stringify(body), 'three') } }))
  t.ok((await takes('soft', { body }, 'five')) && (await takes('soft', { body }, 'six')))
  t.ok((await takes('hard', { body }, 'seven')) && !(await takes('hard', { body }, 'eight')), 'the second never counted')
  t.match(env.WEBHOOK_SECRET_OPEN, /^[\w-]{43}$/, 'a hook that anybody could post to has a new secret')
  t.notOk(await takes('open', { body }, 'guess'))
  t.same(
    leftOut.map(({ route, what }) => `${route} ${what}`),
    ['sha1 trigger-rule.match', 'hard trigger-rule.or.1.match', 'open '],
  )
  t.equal(err, '', 'with --json nothing else is said')
})

t.test('tokens, query tokens, other HMAC headers and variables become an inline scheme, which a gateway keeps to', async (t) => {
  const by = (type: string, name: string, more: Tree, source = 'header') => ({ match: { type, ...more, parameter: { source, name } } })
  const text = hooks(
    { id: 'deploy', 'execute-command': '{{ getenv `DIR` }}/x.sh', 'trigger-rule': is('X-Deploy-Token', '{{ getenv "DEPLOY" }}', 'header') },
    { id: 'bearer', 'trigger-rule': is('Authorization', 'Bearer of-the-hook', 'header') },
    { id: 'query', 'trigger-rule': is('token', 'in-the-address', 'url') },
    {
      id: 'gogs',
      'trigger-rule': { and: [by('payload-hash-sha256', 'X-Gogs-Signature', { secret: '{{ getenv "GOGS" | js }}' }), is('a', '1')] },
    },
    { id: 'hub', 'trigger-rule': by('payload-hmac-sha512', 'X-Hub-Signature', { secret: 'hub-key' }) },
    { id: 'both', 'trigger-rule': { and: [hmac(), is('X-Api-Key', 'second', 'header')] } },
    {
      id: 'list',
      'trigger-rule': { match: { type: 'value', value: ['custom-1', 'custom-2'], parameter: { source: 'header', name: 'X-Gitee-Token' } } },
    },
    { id: 'either', 'trigger-rule': { or: [is('X-Gitlab-Token', 'either-1', 'header'), is('X-Gitlab-Token', 'either-2', 'header')] } },
    {
      id: 'refs',
      'trigger-rule': { and: [hmac(), { match: { type: 'value', value: ['x', 'y'], parameter: { source: 'payload', name: 'ref' } } }] },
    },
  )
    .replaceAll('\\"', '"')
    .replace('"{{ getenv "DEPLOY" }}"', '{{ getenv "DEPLOY" }}')
  const { routes, env, leftOut } = await imported(t, 'adnanh', text)
  t.same(
    leftOut.map(({ route, what }) => `${route} ${what}`),
    ['deploy execute-command', 'both trigger-rule.and.1.match'],
  )
  t.same(routes.both.enabled, false)
  t.same(routes.refs.filters, [
    {
      any: [
        { field: 'ref', equals: 'x' },
        { field: 'ref', equals: 'y' },
      ],
    },
  ])
  t.same([routes.deploy.secret, routes.gogs.secret], ['${DEPLOY}', '${GOGS}'])
  const gateway = await startGateway(t, { routes, env: { ...env, DEPLOY: 'of-the-variable', GOGS: 'gogs-key' } })
  const body = '{"a":1}'
  const post = async (route: string, headers: { [name: string]: string }, query = '') =>
    (await gateway.post(`${route}${query}`, { sign: false, headers, body })).status
  for (const [route, header, value, wrong] of [
    ['deploy', 'X-Deploy-Token', 'of-the-variable', '{{ getenv DEPLOY }}'],
    ['bearer', 'Authorization', 'Bearer of-the-hook', 'of-the-hook'],
    ['gogs', 'X-Gogs-Signature', hexHmac(body, 'gogs-key'), hexHmac(body, 'GOGS')],
    [
      'hub',
      'X-Hub-Signature',
      `sha512=${createHmac('sha512', 'hub-key').update(body).digest('hex')}`,
      `sha512=${hexHmac(body, 'hub-key')}`,
    ],
    ['list', 'X-Gitee-Token', 'custom-1', 'custom-1,custom-2'],
    ['list', 'X-Gitee-Token', 'custom-2', 'custom-3'],
    ['either', 'X-Gitlab-Token', 'either-1', 'either-3'],
    ['either', 'X-Gitlab-Token', 'either-2', 'either-1,either-2'],
  ] as const) {
    t.equal(await post(route, { [header]: value }), 202, route)
    t.equal(await post(route, { [header]: wrong }), 401, route)
    t.equal(await post(route, {}), 401, route)
  }
  t.equal(await post('query', {}, '?token=in-the-address'), 202)
  t.equal(await post('query', {}, '?token=another'), 401)
})

t.test('what adnanh/webhook passes over is named, and attributes of XML have their name here', async (t) => {
  const rule = { ...hmac(), and: [{ ...is('order.-status', 'paid'), nots: [] }, { match: { ...is('n', '1').match, valeu: '2' } }] }
  const { routes, leftOut, err, takes, env } = await imported(t, 'adnanh', hooks({ id: 'h', 'trigger-rule': rule }))
  t.same(
    leftOut.map(({ what, reason }) => `${what} ${reason.split(':')[0]}`),
    [
      'trigger-rule.match beside "and" it does nothing',
      'trigger-rule.and.0.nots adnanh/webhook knows no such key here, and passes over it',
      'trigger-rule.and.1.match.valeu adnanh/webhook knows no such key here, and passes over it',
      'trigger-rule the hook takes posts that nobody signed; headgate takes none, so the route has a new secret',
    ],
  )
  t.equal(routes.h.filters[0].field, 'order.@status')
  t.ok(await takes('h', { body: { order: { '@status': 'paid' }, n: 1 } }, env.WEBHOOK_SECRET_H))
  t.equal(err, '')
  const cli = fakeCli(t, { hooks: hooks({ id: 'h', 'trigger-rule': hmac('short') }) })
  t.match((await cli.run('import', 'adnanh', cli.file('hooks'))).err, /standard output:\d+:\d+/, 'no file is named that is not there')
})

t.test('what cannot be carried over has its place, and never opens a route', async (t) => {
  const text = hooks(
    { id: 'ip', 'trigger-rule': { and: [hmac(), { not: { match: { type: 'ip-whitelist', 'ip-range': '192.0.2.0/24' } } }] } },
    { id: 'client', 'trigger-rule': { and: [hmac(), is('remote-addr', '192.0.2.1', 'request')] } },
    { id: 'token', 'trigger-rule': { and: [hmac(), is('token', 'hush-hush')] } },
    { id: 'mixed', 'trigger-rule': { or: [hmac(), is('ref', 'x')] } },
    { id: 'get', 'http-methods': ['GET'], 'trigger-rule': hmac() },
    { id: 'several', 'http-methods': ['post ', 'PUT', 'HEAD'], 'trigger-rule': hmac() },
    { id: 'head', 'http-methods': ['HEAD'], 'trigger-rule': hmac() },
    { id: 'pre', 'pre-hook-command': '/bin/check', 'trigger-rule': hmac() },
    { id: 'run me!', 'execute-command': '/bin/x', 'response-message': 'ok', 'pass-environment-to-command': [{}], 'trigger-rule': hmac() },
  )
  const { routes, leftOut, takes, data, code } = await imported(t, 'adnanh', text)
  const places = leftOut.map(({ line, column, route, what }) => [
    route,
    what,
    text
      .split('\n')
      [line - 1]?.slice(column - 1)
      .trim(),
  ])
  t.same(
    places.map(([route, what]) => `${route} ${what}`),
    [
      'ip trigger-rule.and.1.not.match',
      'client trigger-rule.and.1.match.parameter',
      'token trigger-rule.and.1.match',
      'mixed trigger-rule.or.0.match',
      'mixed trigger-rule',
      'several http-methods',
      'head http-methods',
      'pre pre-hook-command',
      'run-me- execute-command',
      'run-me- response-message',
      'run-me- pass-environment-to-command',
    ],
  )
  t.match(places.find(([, what]) => what === 'execute-command')?.[2], /^"execute-command"/)
  t.strictSame([routes.get.methods, routes.several.methods, 'methods' in routes.head], [['GET'], ['POST', 'PUT'], false])
  t.notOk(await takes('get', { body: {} }, secret), 'a post')
  t.ok(await takes('several', { body: {} }, secret))
  for (const name of ['ip', 'client', 'token', 'mixed', 'head', 'pre']) {
    t.equal(routes[name].enabled, false, name)
    t.notOk(await takes(name, { body: {} }, secret), name)
  }
  t.ok(await takes('run-me-', { body: {} }, secret), 'how the answer looks changes nothing of what is let in')
  t.notMatch(data.config, /hush-hush|k7/)
  t.match(data.config, /# Left out, source:\d+ trigger-rule\.and\.1\.not\.match: addresses are listed for a whole route/)
  t.equal(code, 1)
})

t.test('lists of addresses become those of the route', async (t) => {
  const list = (range: string) => ({ match: { type: 'ip-whitelist', 'ip-range': range } })
  const text = hooks(
    { id: 'here', 'trigger-rule': { and: [hmac(), list('127.0.0.1 192.0.2.0/24 ::1')] } },
    { id: 'there', 'trigger-rule': { and: [hmac(), { or: [list('192.0.2.7'), list('2001:db8::/32')] }] } },
    { id: 'alone', 'trigger-rule': list('127.0.0.0/8') },
    { id: 'both', 'trigger-rule': { and: [hmac(), list('127.0.0.1'), list('127.0.0.0/8')] } },
    { id: 'wrong', 'trigger-rule': { and: [hmac(), list('127.0.0.1/99')] } },
    { id: 'either', 'trigger-rule': { or: [hmac(), list('127.0.0.1')] } },
  )
  const { routes, leftOut, takes } = await imported(t, 'adnanh', text)
  t.same(routes.here.allow_from, ['127.0.0.1', '192.0.2.0/24', '::1'])
  t.same(routes.there.allow_from, ['192.0.2.7', '2001:db8::/32'])
  t.same(routes.alone.allow_from, ['127.0.0.0/8'])
  t.ok(await takes('here', { body: {} }, secret))
  t.notOk(await takes('there', { body: {} }, secret), 'from another network')
  t.same(
    leftOut.map(({ route, what }) => `${route} ${what}`),
    [
      'alone trigger-rule',
      'both trigger-rule.and.2.match',
      'wrong trigger-rule.and.1.match',
      'either trigger-rule.or.0.match',
      'either trigger-rule.or.1.match',
      'either trigger-rule',
    ],
  )
  for (const name of ['both', 'wrong', 'either']) t.equal(routes[name].enabled, false, `${name} does not take more than the hook did`)
})

t.test('Go templates and files of another shape are refused with their place', async (t) => {
  const cli = fakeCli(t, {
    'a.json': '[{"id":"a","trigger-rule":{"match":{"type":"payload-hmac-sha256","secret":"{{ .Secret }}"}}}]',
    'b.json': '[{"id":"a","secret":{{ if true }}1{{ end }}}]',
    'f.json': '[{"id":"{{ getenv `S` }}"}]',
    'g.json':
      '[{"id":"a","trigger-rule":{"match":{"type":"value","value":"x{{ getenv `S` }}","parameter":{"source":"payload","name":"a"}}}}]',
    'c.yaml': 'id: a\n',
    'd.yaml': 'platforms: {}\n',
    'e.json': '[{"id": 5}]',
  })
  for (const [from, file, said] of [
    ['adnanh', 'a.json', /a\.json:1:75: a Go template/],
    ['adnanh', 'b.json', /b\.json:1:\d+: it is a Go template/],
    ['adnanh', 'f.json', /f\.json:1:\d+: a Go template/],
    ['adnanh', 'g.json', /g\.json:1:\d+: a Go template/],
    ['adnanh', 'c.yaml', /c\.yaml:1:1: not a hook file/],
    ['adnanh', 'e.json', /e\.json:1:2: a hook without an "id"/],
    ['hermes', 'd.yaml', /d\.yaml has no "platforms\.webhook"/],
  ] as const) {
    const { code, err, out } = await cli.run('import', from, cli.file(file))
    t.match({ code, out }, { code: 1, out: '' }, file)
    t.match(err, said)
  }
  t.match(await cli.run('import', 'adnanh', cli.file('none')), { code: 2, err: /no such file/ })
})

const hermes = `platforms:
  telegram: { token: "123:abc" }
  webhook:
    port: 8700
    extra:
      port: 8655
      secret: global-one
      routes:
        pr:
          events: [pull_request]
          secret: pr-secret
          prompt: "Review {title} #{number}"
          filters:
            - { field: action, in: [opened] }
            - not: { field: draft, equals: true }
        ref: { secret: "\${DEPLOY_SECRET}", prompt: x }
        inherits: { prompt: x }
        half: { secret: "\${OTHER:-fallback-7}", prompt: x }
        part: { secret: "visible-\${OTHER}", prompt: x }
        rich:
          skills: [review]
          toolsets: [terminal]
          colour: red
          deliver: telegram
          filters:
            - { field: title, regex: "(?=x)y" }
            - { field: headers.X-Token, equals: hush-hush }
            - { field: a, equals: 1 }
`

t.test('routes of hermes-agent are taken as they are, and what the loader refuses is told of', async (t) => {
  const { routes, data, env, takes, leftOut } = await imported(t, 'hermes', hermes)
  t.same(env, { WEBHOOK_SECRET: 'global-one', WEBHOOK_SECRET_PR: 'pr-secret', DEPLOY_SECRET: null, OTHER: null, WEBHOOK_SECRET_PART: null })
  t.same(Object.keys(routes.pr), ['events', 'secret', 'prompt', 'filters'])
  t.equal(parse(data.config).platforms.webhook.extra.port, 8655, 'extra wins')
  const headers = { 'X-GitHub-Event': 'pull_request' }
  t.ok(await takes('pr', { headers, body: { action: 'opened', draft: false } }))
  t.notOk(await takes('pr', { headers, body: { action: 'opened', draft: true } }))
  t.notOk(await takes('pr', { headers: { 'X-GitHub-Event': 'push' }, body: { action: 'opened' } }))
  t.ok(await takes('inherits', { body: {} }, 'global-one'))
  t.same(routes.rich, { skills: ['review'], deliver: 'telegram', filters: [{ field: 'a', equals: 1 }], enabled: false })
  t.same(leftOut.map(({ what }) => what).sort(), ['colour', 'filters.1', 'filters.0', 'secret', 'secret', 'telegram', 'toolsets'].sort())
  t.notMatch(data.config, /hush-hush|pr-secret|global-one|123:abc|fallback-7|visible-/)
})

t.test('the global secret of hermes-agent stays that of its routes', async (t) => {
  const text = (secret: string) => `platforms: { webhook: { secret: "${secret}", routes: { a: { prompt: x } } } }\n`
  const cli = fakeCli(t, { 'h.yaml': text('${WEBHOOK_SECRET}'), 'plain.yaml': text('global-one') })
  const run = async (file: string, env: { readonly [name: string]: string }) => {
    const { out, code } = await cli.runWith({ env: { HEADGATE_HOME: cli.dir, ...env } }, 'import', 'hermes', cli.file(file), '--json')
    const { config, env: lines } = JSON.parse(out).data
    return { code, extra: parse(config).platforms.webhook.extra, lines }
  }
  const routes = { a: { prompt: 'x' } }
  const reference = { secret: '${WEBHOOK_SECRET}', routes }
  t.match(await run('h.yaml', {}), { code: 0, extra: reference, lines: [{ name: 'WEBHOOK_SECRET', from: 'elsewhere' }] })
  t.match(await run('plain.yaml', { WEBHOOK_SECRET: 'global-one' }), { code: 0, extra: reference, lines: [{ from: 'kept' }] })
  const other = await run('plain.yaml', { WEBHOOK_SECRET: 'mine' })
  t.match(other, {
    code: 1,
    extra: { routes: { a: { secret: '${WEBHOOK_SECRET_2}' } } },
    lines: [{ name: 'WEBHOOK_SECRET_2', value: null }],
  })
  t.notHas(other.extra, { secret: /./ })
})

const serves = async (t: Test, cli: FakeCli): Promise<void> => {
  const { out } = await cli.run('validate', '--format', 'concise')
  t.notMatch(out, / error: /)
}

t.test('--out never replaces a file unasked, and secrets are masked unless asked for', async (t) => {
  const cli = fakeCli(t, { 'h.json': hooks({ id: 'a', 'trigger-rule': hmac('s3') }), 'kept.yaml': 'x' })
  const masked = await cli.run('import', 'adnanh', cli.file('h.json'))
  t.match(masked, { code: 0, err: /WEBHOOK_SECRET_A=\*\*\*/ })
  t.notMatch(masked.out + masked.err, /s3/)
  t.match((await cli.run('import', 'adnanh', cli.file('h.json'), '--reveal')).err, /WEBHOOK_SECRET_A=s3/)
  t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--out', cli.file('kept.yaml')), { code: 6, err: /is there already/ })
  t.equal(cli.read('kept.yaml'), 'x')
  t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--out', cli.file('kept.yaml'), '--force'), { code: 0 })
  t.match(cli.read('kept.yaml'), /WEBHOOK_SECRET_A/)
  t.equal(statSync(cli.file('kept.yaml')).mode & 0o777, 0o600)
  t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--into', '--out', 'x'), { code: 2 })
})

t.test('numbers past 2^53 keep their digits, in a new file and in one that is there', async (t) => {
  const [id, near] = ['1234567890123456789', '1234567890123456788']
  const bare = { match: { type: 'value', value: '#', parameter: { source: 'payload', name: 'm' } } }
  const hook = hooks({ id: 'a', 'trigger-rule': { and: [hmac(), is('id', id), { not: is('n', near) }, bare] } }).replace('"#"', near)
  const route = `{ secret: abcdefgh, deliver_extra: { chat_id: ${id} }, filters: [{ any: [{ field: id, in: [7, ${id}] }] }] }`
  const config = `platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n        b: ${route}\n`
  const { takes } = await imported(t, 'adnanh', hook)
  const post = (...numbers: string[]) => ({ body: numbers.reduce((text, each) => text.replace('#', each), '{"id":#,"n":#,"m":#}') })
  t.ok(await takes('a', post(id, id, near)))
  for (const numbers of [
    [near, id, near],
    [id, near, near],
    [id, id, id],
  ])
    t.notOk(await takes('a', post(...numbers)), numbers.join())
  for (const into of [[], ['--into']]) {
    const old = 'platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n        old: { secret: abcdefgh }\n'
    const cli = fakeCli(t, { hook, config, ...(into.length > 0 ? { 'config.yaml': old } : {}) })
    const written = async (from: string, file: string) => {
      const { out } = await cli.run('import', from, cli.file(file), ...into)
      return (into.length > 0 ? cli.read('config.yaml') : out).match(/\b\d{19}\b/g)
    }
    t.same(await written('hermes', 'config'), [id, id])
    const ofHook = (await written('adnanh', 'hook')) ?? []
    t.same(ofHook.slice(0, 6), [id, id, near, near, near, near])
  }
})

t.test('--into puts routes in without touching what is there', async (t) => {
  const source = hooks({ id: 'a', 'trigger-rule': { and: [hmac('s3'), is('x', '1')] } }, { id: 'b', 'trigger-rule': hmac("it is 'odd'") })
  const before =
    'platforms:\n  webhook:\n    enabled: true\n    extra:\n      # mine\n      routes: # all\n        # first\n        old: { secret: abcdefgh } # keep\n'
  const cli = fakeCli(t, { 'h.json': source.replace("it is 'odd'", 'two words'), 'config.yaml': before, '.env': '# top\nX=1\n' })
  t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--into'), { code: 0, out: /config\.yaml/ })
  const after = cli.read('config.yaml')
  for (const line of before.split('\n')) t.ok(after.includes(line), line)
  t.same(Object.keys(parse(after).platforms.webhook.extra.routes), ['a', 'b', 'old'])
  t.equal(cli.read('.env'), "# top\nX=1\nWEBHOOK_SECRET_A=s3\nWEBHOOK_SECRET_B='two words'\n")
  await serves(t, cli)
  t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--into'), { code: 6, err: /has "a", "b" already/ })
  t.equal(cli.read('config.yaml'), after)
})

t.test('--into says what to do by hand where it cannot be sure', async (t) => {
  for (const text of ['platforms: { webhook: { enabled: true, extra: { port: 1 } } }\n', 'agent: { runner: echo }\n', 'a: [\n']) {
    const cli = fakeCli(t, { 'h.json': hooks({ id: 'a', 'trigger-rule': hmac() }), 'config.yaml': text })
    t.match(await cli.run('import', 'adnanh', cli.file('h.json'), '--into'), { code: 6, err: /was not touched[\s\S]*--out/ }, text)
    t.equal(cli.read('config.yaml'), text)
    t.throws(() => readFileSync(join(cli.dir, '.env')), 'no secret is written either')
  }
  const fresh = fakeCli(t, { 'h.json': hooks({ id: 'a', 'trigger-rule': hmac() }) })
  t.match(await fresh.run('import', 'adnanh', fresh.file('h.json'), '--into'), { code: 0 })
  await serves(t, fresh)
})

t.test('--into writes no value that could begin another line of .env, and then writes nothing', async (t) => {
  const config = 'platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n        old: { secret: abcdefgh }\n'
  const files = { 'config.yaml': config, '.env': 'X=1\n' }
  for (const odd of ['s3\nADMIN=1', 's3\rADMIN=1', 's3\tx', 's3\u0085ADMIN=1', 's3\u2028ADMIN=1', 's3\u001b[2J']) {
    const refused = { code: 2, err: /\.env cannot hold WEBHOOK_SECRET_B: its value has a line feed[\s\S]*file:\/path/ }
    const hook = hooks({ id: 'a', 'trigger-rule': hmac('plain-one') }, { id: 'b', 'trigger-rule': hmac(odd) })
    const merging = fakeCli(t, { source: hook, ...files })
    t.match(await merging.run('import', 'adnanh', merging.file('source'), '--into'), refused, encodeURIComponent(odd))
    t.same([merging.read('.env'), merging.read('config.yaml')], [files['.env'], files['config.yaml']])
    const route = { platforms: { webhook: { routes: { b: { secret: odd, prompt: 'x' } } } } }
    const fresh = fakeCli(t, { source: JSON.stringify(route) })
    t.match(await fresh.run('import', 'hermes', fresh.file('source'), '--into'), refused, encodeURIComponent(odd))
    t.throws(() => fresh.read('.env'))
  }
})
