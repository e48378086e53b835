import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ajvPackage from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import type { Json } from '../../src/core/json.ts'
import { readTrialPayload } from '../../src/edit/payload/payloads.ts'
import { renderJson } from '../../src/expr/render.ts'
import { compileChecker } from '../../src/expr/schema/checker.ts'
import { learnSchema } from '../../src/expr/schema/learn.ts'
import { type PayloadSchema, parseSchema } from '../../src/expr/schema/payload-schema.ts'
import { excludesPath, schemaPaths } from '../../src/expr/schema/schema-paths.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { startGateway } from '../fakes/gateway.ts'

const require = createRequire(import.meta.url)

const check = (schema: object, payload: Json): string | undefined => {
  const parsed = parseSchema(JSON.stringify(schema))
  if ('message' in parsed) throw new Error(`${parsed.pointer} ${parsed.message}`)
  return compileChecker(parsed)({ payload, text: renderJson(payload, Number.POSITIVE_INFINITY, 0) })
}

const pullRequest = {
  type: 'object',
  required: ['number'],
  properties: { number: { type: 'integer' }, title: { type: 'string', maxLength: 20 } },
}

t.test('payloads that do not fit are ignored, refused or told, before the filters', async (t) => {
  const route = (payload_mismatch?: string): object => ({
    payload_schema: 'schemas/pr.json',
    ...(payload_mismatch ? { payload_mismatch } : {}),
    filters: [{ field: 'title', contains: 'x' }],
    prompt: '{title}',
  })
  const gateway = await startGateway(t, {
    files: { schemas: { 'pr.json': JSON.stringify(pullRequest) } },
    routes: { plain: route(), refuse: route('refuse'), warn: route('warn') },
  })
  for (const name of ['plain', 'refuse', 'warn']) {
    t.match(await gateway.post(name, { body: { number: 1, title: 'x' } }), { status: 202 }, `${name}: fits`)
    t.match((await gateway.post(name, { body: { number: 1, title: 'y' } })).json, { reason: 'filter' }, `${name}: the filters come after`)
  }
  const wrong = { body: { number: 'a secret text', title: 'x' }, headers: { 'X-Request-ID': 'same' } }
  t.match(await gateway.post('plain', wrong), { status: 200, json: { status: 'ignored', reason: 'schema', route: 'plain' } })
  const refused = await gateway.post('refuse', wrong)
  t.match(refused, { status: 422, json: { error: 'Payload does not fit the schema' } })
  t.match(refused.headers.get('x-headgate-event-id'), /^[0-9a-f-]+$/, 'the event has a record')
  t.match(await gateway.post('refuse', { ...wrong, body: { number: 2, title: 'x' } }), { status: 202 }, 'the delivery id stayed free')
  t.match(await gateway.post('warn', wrong), { status: 202 })
  const lines = await Promise.all(
    ['plain', 'refuse', 'warn'].map((name) =>
      gateway.line(({ route, level, reason }) => route === name && level === 'warn' && reason !== undefined),
    ),
  )
  for (const line of lines) t.match(line.reason, 'payload_schema: number must be integer')
  t.notMatch(JSON.stringify(gateway.lines), 'a secret text', 'no value is quoted')
})

t.test('a schema that cannot be used or is not bounded is a problem with its place', async (t) => {
  const cases: readonly (readonly [schema: unknown, pointer: string, message: RegExp])[] = [
    [[], '', /a JSON object/],
    [{ type: 'strng' }, '/type', /one of null/],
    [{ properties: { a: { required: 'b' } } }, '/properties/a/required', /a list of texts/],
    [{ properties: { a: { $ref: 'https://example.org/a.json' } } }, '/properties/a/$ref', /same file/],
    [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, '/properties/a/$ref', /same file/],
    [{ items: { $ref: '#/definitions/b' } }, '/items/$ref', /no schema/],
    [{ items: { $ref: '#/required' }, required: ['a'] }, '/items/$ref', /no schema/],
    [{ properties: { 'a/b': { pattern: '(?=x)' } } }, '/properties/a~1b/pattern', /look-around/],
    [{ patternProperties: { '(': true } }, '/patternProperties/(', /missing/],
    [{ prefixItems: [{ type: 'string' }] }, '/prefixItems', /later draft/],
    [{ properties: { a: { $id: 'b' } } }, '/properties/a/$id', /whole file/],
    [{ $async: true }, '', /asynchronous/],
    [{ anyOf: Array.from({ length: 3001 }, () => ({ type: 'string' })) }, '', /more than 3000/],
    [JSON.parse(`${'{"not":'.repeat(102)}{}${'}'.repeat(102)}`), '/not'.repeat(101), /deeper/],
  ]
  for (const [schema, pointer, message] of cases) t.match(parseSchema(JSON.stringify(schema)), { pointer, message }, String(message))
  t.match(parseSchema('{'), { message: /not JSON/ })
})

t.test('a check takes a bounded time, whatever the payload', async (t) => {
  const chain = (depth: number): Json => JSON.parse(`${'{"c":'.repeat(depth)}1${'}'.repeat(depth)}`) as Json
  const branching = {
    definitions: { n: { type: 'object', properties: { c: { anyOf: [{ $ref: '#/definitions/n' }, { $ref: '#/definitions/n' }] } } } },
    $ref: '#/definitions/n',
  }
  const tooLong = /too long/
  const nested = (depth: number, around: Json): Json => (depth === 0 ? around : [nested(depth - 1, around), 1])
  const row = (i: number): Json => Object.fromEntries(Array.from({ length: 25 }, (_, key) => [`a_key_of_a_row_${key}`, `value ${i}`]))
  const times = Array.from({ length: 2_500_000 }, (_, i) => i)
  const cases: readonly (readonly [what: string, schema: object, payload: Json, result: RegExp | undefined])[] = [
    ['choices that fail', branching, chain(50), tooLong],
    ['deep', { properties: { c: { $ref: '#' } } }, chain(90_000), /too deep/],
    ['many', { items: { type: 'integer' } }, times, tooLong],
    ['different items', { uniqueItems: true }, times.slice(0, 60_000).map((i) => ({ i })), undefined],
    [
      'equal items',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      /duplicate/,
    ],
    ['different rows', { uniqueItems: true }, times.slice(0, 10_000).map(row), undefined],
    ['a long text deep in lists', { uniqueItems: true }, [nested(500, 'a'.repeat(1_000_000)), 1], undefined],
    ['lists that are looked at from each depth', { uniqueItems: true, items: { $ref: '#' } }, nested(500, 0), undefined],
    ['too many different items', { uniqueItems: true }, times, tooLong],
    [
      'a pattern that backtracks',
      { items: { pattern: '^(a+)+$' } },
      Array.from({ length: 500 }, () => `${'a'.repeat(500)}!`),
      /0 must match/,
    ],
    ['a long text', { pattern: '^(a|aa)+$' }, 'a'.repeat(10_000_000), tooLong],
    [
      'wide',
      { patternProperties: { '^(a+)+b': false }, additionalProperties: { type: 'null' } },
      Object.fromEntries(times.slice(0, 200_000).map((i) => [`a${i}`, null])),
      undefined,
    ],
    [
      'a text under many schemas',
      { items: { allOf: Array.from({ length: 100 }, () => ({ maxLength: 2 ** 30 })) } },
      Array.from({ length: 100 }, () => 'x'.repeat(10_000)),
      tooLong,
    ],
  ]
  for (const [what, schema, payload, result] of cases) {
    const found = check(schema, payload)
    if (result) t.match(found, result, what)
    else t.equal(found, undefined, what)
  }
})

t.test('lists whose items must differ are read once, however deep and however often a schema asks', async (t) => {
  const times = Array.from({ length: 100_000 }, (_, i) => i)
  const often = { allOf: Array.from({ length: 20 }, () => ({ uniqueItems: true })) }
  t.equal(check(often, times), undefined)
  t.match(check(often, [...times, 7]), /duplicate/)
  const inward = (inner: Json): Json => Array.from({ length: 400 }).reduce<Json>((list, _, i) => [i, list], inner)
  t.equal(check({ uniqueItems: true, items: { $ref: '#' } }, inward(times)), undefined)
  const wide = Object.fromEntries(times.map((i) => [`k${i}`, [i]]))
  const turned = Object.fromEntries(Object.entries(wide).reverse())
  t.match(check(often, [wide, 1, turned]), /duplicate/, 'the order of keys does not count')
  t.equal(check(often, [wide, 1, { ...turned, k5: ['5'] }]), undefined, 'a text is no number')
  const alike: Json[] = [
    '1',
    1,
    [1],
    ['1'],
    'null',
    null,
    [null],
    true,
    'true',
    '#0',
    ['#0'],
    '[1]',
    [[1]],
    [],
    {},
    '',
    [''],
    [1, 1],
    ['1, 1'],
  ]
  const long = 'x'.repeat(80)
  t.equal(check(often, [...alike, [long], [[long]], long, { [long]: 1 }, { [long]: '1' }, { a: long }]), undefined)
})

t.test('multipleOf counts in decimals', async (t) => {
  const prices = Array.from({ length: 10_000 }, (_, cents) => cents / 100)
  t.equal(check({ items: { multipleOf: 0.01 } }, prices), undefined, 'every price')
  t.match(check({ items: { multipleOf: 0.01 } }, [19.99, 19.995]), '1 must be multiple of 0.01')
  const fits = (value: number, multipleOf: number): boolean => check({ multipleOf }, value) === undefined
  for (const [value, factor] of [
    [0, 1e-308],
    [-19.99, 0.01],
    [1e308, 1e-308],
    [1e308, 0.5],
    [1.7e308, 1e307],
    [5e-324, 5e-324],
    [0.3, 0.1],
    [123456789012345.67, 0.01],
    [1e23, 1e22],
    [4.35, 0.05],
    [2 ** 53, 2],
  ] as const)
    t.ok(fits(value, factor), `${value} is a multiple of ${factor}`)
  for (const [value, factor] of [
    [1e-308, 1e308],
    [0.35, 0.1],
    [1e22, 3],
    [1e-7, 1e-6],
    [1.5, 3],
    [123456789012345.67, 0.02],
    [1e22, 1e23],
  ] as const)
    t.notOk(fits(value, factor), `${value} is no multiple of ${factor}`)
  const digits = (value: number): bigint => BigInt(value.toFixed(5).replace('.', ''))
  for (let i = 1; i <= 500; i++) {
    const [value, factor] = [((i * 7919) % 100_003) / 10 ** (i % 5), (((i * 31) % 97) + 1) / 10 ** (i % 4)]
    if (fits(value, factor) !== (digits(value) % digits(factor) === 0n)) t.fail(`${value} and ${factor}`)
  }
  t.match(check({ items: { multipleOf: 1e-300 } }, Array(100_000).fill(1.5e300)), /too long/, 'long divisions are counted')
  t.match(parseSchema('{"multipleOf": 1e400}'), { pointer: '/multipleOf', message: /above 0/ })
})

t.test('members named __proto__ are checked as any others', async (t) => {
  const checkText = (schema: string, payload: string): string | undefined =>
    check(JSON.parse(schema) as object, JSON.parse(payload) as Json)
  const cases: readonly (readonly [schema: string, fits: string, wrong: string])[] = [
    ['{"properties": {"__proto__": {"type": "string"}}}', '{"__proto__": "a", "b": 1}', '{"__proto__": 1}'],
    ['{"properties": {"__proto__": true}, "additionalProperties": false}', '{"__proto__": 1}', '{"a": 1}'],
    [
      '{"properties": {"__proto__": {}}, "patternProperties": {"^__proto__$": {"type": "string"}}}',
      '{"__proto__": "a"}',
      '{"__proto__": 1}',
    ],
    ['{"patternProperties": {"__proto__": {"type": "string"}}}', '{"a__proto__": "a"}', '{"a__proto__": 1}'],
    ['{"dependencies": {"__proto__": ["a"]}}', '{"__proto__": 1, "a": 1}', '{"__proto__": 1}'],
    ['{"dependencies": {"__proto__": {"minProperties": 2}}}', '{"__proto__": 1, "a": 1}', '{"__proto__": 1}'],
    ['{"properties": {"__proto__": {"type": "null"}, "a": {"$ref": "#/properties/__proto__"}}}', '{"a": null}', '{"a": 1}'],
    ['{"required": ["__proto__"]}', '{"__proto__": 1}', '{}'],
  ]
  for (const [schema, fits, wrong] of cases) {
    t.equal(checkText(schema, fits), undefined, `${schema} and ${fits}`)
    t.ok(checkText(schema, wrong), `${schema} and ${wrong}`)
  }
  t.match(
    check({ definitions: { a: { type: 'number' } }, properties: { b: { $ref: '#/definitions/a', minimum: 2 } } }, { b: 1 }),
    /b must be >= 2/,
  )
})

t.test('inherited properties are none of the payload, and its keys are shown safely', async (t) => {
  t.match(check({ required: ['constructor'] }, {}), /constructor/)
  t.match(check({ properties: JSON.parse('{"__proto__":{"type":"string"}}') as object, additionalProperties: false }, { a: 1 }), '"a"')
  t.equal(
    check({ additionalProperties: false }, { '\u001b[31m\n': 1 }),
    'the payload must NOT have additional properties: "\\u{1b}[31m\\n"',
  )
  t.equal(check({ format: 'email', 'x-note': { type: 'strng' }, description: 'a mail' }, 'no mail'), undefined, 'notes check nothing')
})

t.test('events of GitHub fit the schemas that its library has, and changed ones do not, as ajv says', async (t) => {
  const { definitions } = require('@octokit/webhooks-schemas/schema.json') as { definitions: { readonly [name: string]: object } }
  const all = require('@octokit/webhooks-examples') as readonly {
    readonly name: string
    readonly examples: readonly { readonly action?: string }[]
  }[]
  const wanted = ['push', 'github_app_authorization', 'membership', 'organization']
  const fitted = new Set<string>()
  for (const { name, examples } of all.filter((each) => wanted.includes(each.name)))
    for (const example of examples.slice(0, 1)) {
      const own = `${name}$${example.action ?? 'event'}`
      const schema = { $ref: `#/definitions/${own in definitions ? own : `${name}_event`}`, definitions }
      const plain = new ajvPackage.Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema)
      const parsed = parseSchema(JSON.stringify(schema))
      if ('message' in parsed) throw new Error(parsed.message)
      const checker = compileChecker(parsed)
      for (const payload of [example, { ...example, sender: { login: 7 } }, { ...example, more: 1 }] as Json[])
        t.equal(
          checker({ payload, text: renderJson(payload, Number.POSITIVE_INFINITY, 0) }) === undefined,
          plain(payload),
          `${name} ${example.action}`,
        )
      if (plain(example)) fitted.add(name)
    }
  t.ok(fitted.size === 3, [...fitted].join())
})

t.test('a schema is learned of payloads, without their values, and they fit it', async (t) => {
  const payloads: Json[] = [
    { id: 1, user: { login: 'ada-secret', mail: null }, labels: [], more: [1, 'a'] },
    { id: 2.5, user: { login: 'bob', mail: null, admin: true }, labels: [{ name: 'x' }] },
  ]
  const open = learnSchema(payloads, 'open')
  t.same(open, {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    required: ['id', 'user', 'labels'],
    properties: {
      id: { type: 'number' },
      user: {
        type: 'object',
        required: ['login', 'mail'],
        properties: { login: { type: 'string' }, mail: {}, admin: { type: 'boolean' } },
      },
      labels: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
      more: { type: 'array', items: { type: ['integer', 'string'] } },
    },
  })
  const [first] = payloads as [{ [key: string]: Json }]
  for (const closed of [false, true]) {
    const schema = learnSchema(payloads, closed ? 'closed' : 'open')
    for (const payload of payloads) t.equal(check(schema, payload), undefined)
    t.match(check(schema, { ...first, id: 'a' }), 'id must be number')
    t.equal(check(schema, { ...first, novel: 1 }), closed ? 'the payload must NOT have additional properties: "novel"' : undefined)
  }
  const wide = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`k${i}`, { a: i, b: { c: i, d: [i] }, e: 1, f: 2, g: 3, h: 4, i: 5, j: 6 }]),
  )
  t.equal(check(learnSchema([{ wide, deep: wide }], 'closed'), { wide, deep: wide }), undefined, 'past the bounds too')
})

t.test('schema learn reads the recorded events of a route, and a reload takes the file over', async (t) => {
  const gateway = await startGateway(t, {
    files: { schemas: { 'a.json': '{}' } },
    routes: { a: { events: ['push'], payload_schema: 'schemas/a.json', payload_mismatch: 'refuse', prompt: 'p' } },
  })
  const post = (body: object) => gateway.post('a', { body })
  for (const n of [1, 2]) t.match(await post({ type: 'push', n, by: 'ada-secret' }), { status: 202 })
  t.match(await post({ type: 'other', n: 'text' }), { status: 200 })
  const learned = await runAt(gateway.dir, ['schema', 'learn', 'a'])
  t.equal(learned.code, 0, learned.err)
  t.match(learned.err, 'learned from 2 payloads')
  t.notMatch(learned.out, 'ada-secret')
  writeFileSync(join(gateway.dir, 'schemas/a.json'), learned.out)
  t.match(await post({ type: 'push', n: 'text', by: 'x' }), { status: 202 }, 'before the reload')
  t.match(await gateway.operations.reload({}), { ok: true })
  t.match(await post({ type: 'push', n: 'text', by: 'x' }), { status: 422 })
  t.match(await post({ type: 'push', n: 3, by: 'x' }), { status: 202 })
  writeFileSync(join(gateway.dir, 'schemas/a.json'), '{"type":"strng"}')
  t.match(await gateway.operations.reload({}), { ok: false, diagnostics: [{ code: 'WH416' }] })
  t.match(await post({ type: 'push', n: 'text', by: 'x' }), { status: 422 }, 'the schema before it stays in use')
  const seen = async (text: string): Promise<string | undefined> => {
    writeFileSync(join(gateway.dir, 'schemas/a.json'), text)
    return /= see +\S*?(schemas\S+):/.exec((await runAt(gateway.dir, ['validate'])).out)?.[1]
  }
  t.equal(await seen('{\n  "properties": {\n    "a/b": {"type":  "strng"}\n  }\n}'), 'schemas/a.json:3:22', 'a mistake has its place')
  t.equal(await seen('{\n  "anyOf": [{}, {"required": [1]}]\n}'), 'schemas/a.json:2:30')
  t.equal(await seen('{\n  "type": "object",\n}'), 'schemas/a.json:3:1', 'and so has what is no JSON')
})

t.test('a sample as the schema says the kinds of values, and nothing else', async (t) => {
  const samples = new URL('../../samples/', import.meta.url)
  const push: { body: { commits: Json; ref: string } } = JSON.parse(readFileSync(new URL('github/push.json', samples), 'utf8'))
  const own = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body_text: 'n=1&n=2&who=ada' }
  const gateway = await startGateway(t, {
    files: { 'samples/own': { 'form.json': JSON.stringify(own) } },
    routes: {
      a: { payload_schema: 'github/push', payload_mismatch: 'refuse', prompt: 'p' },
      own: { payload_schema: 'own/form', payload_mismatch: 'refuse', prompt: 'p' },
    },
  })
  const statusOf = async (name: string, body: object) => (await gateway.post(name, { body })).status
  t.equal(await statusOf('a', push.body), 202)
  t.equal(await statusOf('a', { ref: null, novel: 1, repository: { id: 1.5 } }), 202, 'keys may be missing, new or null')
  t.equal(await statusOf('a', { ...push.body, commits: 'many' }), 422)
  t.equal(await statusOf('a', { ...push.body, repository: { id: '1' } }), 422)
  t.equal(await statusOf('own', { n: ['3'], who: 'x' }), 202)
  t.equal(await statusOf('own', { n: '3' }), 422, 'a sample of a form has the kinds of its payload')
  const said = async (route: string): Promise<string> => {
    const config = `{ platforms: { webhook: { enabled: true, extra: { routes: { a: { prompt: p, ${route} } } } } } }`
    return (await fakeCli(t, { 'config.yaml': config }).run('validate')).out
  }
  t.match(await said('payload_schema: github/pushed'), /there is no such file, and no such sample[\s\S]*headgate samples list/)
  t.match(await said('payload_schema: github/push, filters: [{ field: ref.name, exists: true }]'), 'WH417')
  t.match(
    await said('payload_schema: sendgrid/delivered, verify: sendgrid, split: "*"'),
    /is a whole request, and the route checks each item/,
  )
})

t.test('paths that no fitting payload has are errors of filters and templates', async (t) => {
  const closed = { type: 'object', additionalProperties: false }
  const schema = {
    definitions: { user: { ...closed, properties: { login: { type: 'string' }, manager: { $ref: '#/definitions/user' } } } },
    ...closed,
    properties: {
      action: { enum: ['opened'] },
      user: { $ref: '#/definitions/user' },
      labels: { type: 'array', items: { ...closed, properties: { name: true } } },
      open: { type: 'object', properties: { a: true, b: false } },
      either: { anyOf: [{ type: 'string' }, { ...closed, properties: { x: true } }] },
    },
    patternProperties: { '^x-': { type: 'integer' } },
  }
  const parsed = parseSchema(JSON.stringify(schema)) as PayloadSchema
  for (const path of ['action', 'user.manager.manager.login', 'labels.7.name', 'open.c.d', 'open.a.0', 'either.x', 'x-1'])
    t.notOk(excludesPath(parsed, path), path)
  for (const path of [
    'actoin',
    'user.mail',
    'user.manager.mail',
    'user.login.x',
    'labels.name',
    'labels.0.nam',
    'open.b',
    'either.y',
    'x-1.a',
  ])
    t.ok(excludesPath(parsed, path), path)
  t.notOk(excludesPath({ root: { $ref: '#' }, exact: {} }, 'a'), 'a circle')
  t.match(schemaPaths(parsed).slice(0, 3), [{ path: 'action' }, { path: 'user', kinds: ['object'] }, { path: 'labels', kinds: ['array'] }])
  t.ok(schemaPaths(parsed).some(({ path }) => path === 'user.manager.login'))

  const cli = fakeCli(t, {
    'schemas/a.json': JSON.stringify(schema),
    'config.yaml': `platforms:
  webhook:
    enabled: true
    extra:
      routes:
        a:
          secret: abcabcabcabcabcabc
          payload_schema: schemas/a.json
          filters: [{ field: payload.user.logn, equals: ada }, { field: action, equals: opened }]
          prompt: "{user.login} {labels.0.nam} {event_type}"
          respond: { wait_seconds: 5, body: "{reply}", outcomes: { ignored: { body: "{reason}" } } }
`,
  })
  const { diagnostics } = JSON.parse((await cli.run('validate', '--json')).out).data as { diagnostics: readonly object[] }
  t.match(
    diagnostics.filter((each) => 'code' in each && each.code === 'WH417'),
    [{ suggest: ['user.login'] }, { suggest: ['labels.0.name'] }],
  )

  const workspace = { dataDir: cli.dir, env: { WEBHOOK_ENABLED: 'true' }, self: 'headgate' }
  const { values } = await readTrialPayload(workspace, { choice: { from: 'text', text: '{"action":"opened"}' }, route: 'a' })
  const shown = (path: string) => values.filter((each) => each.path === path)
  t.match(shown('user.login'), [{ type: 'string', shown: 'in the schema' }])
  t.match(shown('action'), [{ shown: '"opened"' }])

  const { code, out } = await cli.run('export', 'asyncapi', '--json')
  t.equal(code, 0)
  t.match(JSON.parse(out).data, {
    asyncapi: '3.0.0',
    servers: { gateway: { protocol: 'http' } },
    channels: { a: { address: '/webhooks/a', messages: { event: { payload: { $ref: '#/components/schemas/a' } } } } },
    operations: { 'receive-a': { action: 'receive', channel: { $ref: '#/channels/a' } } },
    components: { schemas: { a: { properties: { user: { $ref: '#/components/schemas/a/definitions/user' } } } } },
  })
  t.notMatch(out, 'abcabcabc', 'no secret')
  const yaml = await cli.run('export', 'asyncapi', 'a')
  t.same(parse(yaml.out), JSON.parse(out).data, 'as YAML')
})

/** AsyncAPI's own parser: too large to be installed with everything else. */
const parserPackage = '@asyncapi/parser'
const parserIn = (): string | undefined => {
  try {
    return require.resolve(parserPackage, { paths: [process.env.ASYNCAPI_PARSER ?? process.cwd()] })
  } catch {
    return undefined
  }
}
const noParser = parserIn() === undefined && `npm install --no-save ${parserPackage}, or name its folder in ASYNCAPI_PARSER`

t.test("AsyncAPI's own parser takes the document of routes of every kind", { skip: noParser }, async (t) => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/definitions/b' }, 'x/y~z': { enum: [1, null] } },
    definitions: { b: { type: 'array', items: [{ type: 'string' }] } },
  }
  const senders = ['stripe', 'mandrill', 'microsoft_graph', 'sendgrid_inbound', 'github', 'svix', 'postmark']
  const key = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKmxoi4MgGf3sK9KiQYL8/bzRTle9WOU//P6hYpoaPJAhuwtDANQnGfCPUoM8wm4TGh6Ipryl2LdK1/E7Jg/uoA=='
  const keyOf = (name: string) => (name.startsWith('sendgrid') ? { public_key: key } : { secret: `abcabcabcabcabcabc-${name}` })
  const routes = {
    ...Object.fromEntries(senders.map((name) => [name, { verify: name, ...keyOf(name), events: ['a.b', '*'], prompt: 'p' }])),
    schema: { secret: 'abcabcabcabcabcabc', payload_schema: 'schemas/a.json', prompt: 'p', description: 'A: "b"' },
    own: { secret: 'abcabcabcabcabcabc-2', verify: { algorithm: 'token', signature: { query: 'key' } }, split: 'rows', prompt: 'p' },
    split: { secret: 'abcabcabcabcabcabc-3', split: '*', enabled: false, respond: { status: 204 }, prompt: 'p' },
  }
  const cli = fakeCli(t, {
    'schemas/a.json': JSON.stringify(schema),
    'config.yaml': JSON.stringify({
      platforms: { webhook: { enabled: true, extra: { public_url: 'https://hooks.example.com/in', routes } } },
    }),
  })
  const { Parser } = require(parserIn() ?? parserPackage)
  const { code, out } = await cli.run('export', 'asyncapi')
  t.equal(code, 0)
  const { document, diagnostics } = await new Parser().parse(out)
  t.same(
    diagnostics.filter(({ severity }: { severity: number }) => severity === 0),
    [],
    'no error',
  )
  t.equal(document?.channels().all().length, Object.keys(routes).length - 1, 'all but the one that is switched off')
})
