/** Numbers are told apart by their decimal value, and written with the digits that came: no id, key, comparison or text rounds them. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownUser, type Right } from '../../src/console/access/users.ts'
import { createAnswers } from '../../src/console/answers/answers.ts'
import { systemClock } from '../../src/core/clock.ts'
import { exportedTest } from '../../src/dryrun/route-tests/exported-test.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { compileChecker } from '../../src/expr/schema/checker.ts'
import { parseSchema } from '../../src/expr/schema/payload-schema.ts'
import { openAudit } from '../../src/features/audit/audit.ts'
import { pollPage } from '../../src/parts/polling/svix.ts'
import { runNumbersFuzz } from '../../tools/fuzz-numbers/run.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { fakeModel } from '../fakes/model.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { pollToken, startPoller } from '../fakes/sender-logs/svix.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const id = '1234567890123456789'
const neighbour = '1234567890123456788'

const texts = ({ lines }: TestGateway): unknown[] => lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
const settled = async (gateway: TestGateway, count: number): Promise<unknown[]> => {
  await until(() => texts(gateway).length >= count)
  return texts(gateway).sort()
}
const outcome = async (gateway: TestGateway, route: string, body: string): Promise<unknown> => {
  const { status, json } = await gateway.post(route, { body })
  return status === 202 ? 'accepted' : json.reason
}

t.test('two ids past 2^53 are two deliveries, and one value is one, whichever way it is written', async (t) => {
  const gateway = await startGateway(t, {
    routes: {
      body: {
        verify: { algorithm: 'token', signature: { header: 'X-Tok' }, id: { body: ['id', '0.id'] } },
        prompt: 'order {id}',
        deliver: 'log',
      },
      items: { split: { items: 'list', id: ['id'] }, prompt: 'item {id}', deliver: 'log' },
    },
  })
  const token = { sign: false, headers: { 'X-Tok': secret } }
  const answers = []
  for (const written of [id, neighbour, id, '7', '7.0', '70e-1', '0.1', '0.1000000000000000055511151231257827']) {
    const { json } = await gateway.post('body', { ...token, body: `{"id":${written}}` })
    answers.push(`${json.status} ${json.delivery_id}`)
  }
  t.strictSame(answers, [
    `accepted ${id}`,
    `accepted ${neighbour}`,
    `duplicate ${id}`,
    'accepted 7',
    'duplicate 7',
    'duplicate 7',
    'accepted 0.1',
    'accepted 0.1000000000000000055511151231257827',
  ])
  const { json } = await gateway.post('items', { body: `{"list":[{"id":${id}},{"id":${neighbour}},{"id":1e3},{"id":1000}]}` })
  t.strictSame(json.items, { accepted: 3, duplicate: 1 })
  t.same((await settled(gateway, 8)).slice(0, 3), [`item ${neighbour}`, `item ${id}`, 'item 1e3'])
})

const big = BigInt(id)
/** Each row: a condition, a payload that passes, and one that does not. */
const rows: readonly [condition: object, passes: string, fails: string][] = [
  [{ field: 'id', equals: big }, `{"id":${id}.0}`, `{"id":${neighbour}}`],
  [{ field: 'id', not_equals: big }, `{"id":${neighbour}}`, `{"id":${id}}`],
  [{ field: 'payload.a.id', in: [1, big] }, `{"a":{"id":${id}}}`, `{"a":{"id":${neighbour}}}`],
  [{ field: 'ids', contains: big }, `{"ids":[1,${id}]}`, `{"ids":[${neighbour}]}`],
  [{ not: { field: 'a', equals: { id: [big] } } }, `{"a":{"id":[${neighbour}]}}`, `{"a":{"id":[${id}]}}`],
  [{ field: 'id', equals: id }, `{"id":"${id}"}`, `{"id":${id}}`],
  [{ field: 'id', regex: `^${id}$` }, `{"id":${id}}`, `{"id":${neighbour}}`],
  [{ field: 'id', contains: id.slice(9) }, `{"id":${id}}`, `{"id":${neighbour}}`],
  [{ field: 'id', in_file: 'ids.json' }, `{"id":${id}}`, `{"id":${neighbour}}`],
  [{ field: 'id', in_file: 'ids.txt' }, `{"id":${id}}`, `{"id":${neighbour}}`],
  [{ field: 'id', in_file: 'ids.txt' }, '{"id":1.5}', '{"id":1.50000000000000001}'],
  [{ jsonata: `payload.id = "${id}"` }, `{"id":${id}}`, `{"id":${neighbour}}`],
  [{ jsonata: 'payload.price * 2 = 3 and payload.big > 1e300' }, '{"price":1.50,"big":1e301}', '{"price":1.51,"big":1e301}'],
  [{ field: 'n', equals: 1000 }, '{"n":1e3}', '{"n":1000.00000000000000001}'],
  [{ field: 'n', equals: 0 }, '{"n":-0.0}', '{"n":1e-999}'],
]

t.test('conditions compare the decimal value', async (t) => {
  const routes = Object.fromEntries(rows.map(([condition], i) => [`r${i}`, { filters: [condition], prompt: '{id}', deliver: 'log' }]))
  const gateway = await startGateway(t, { routes, files: { 'ids.json': `[${id}]`, 'ids.txt': `${id}\n1.50\n` } })
  for (const [i, [, passes, fails]] of rows.entries()) {
    t.equal(await outcome(gateway, `r${i}`, passes), 'accepted', `${i} ${passes}`)
    t.equal(await outcome(gateway, `r${i}`, fails), 'filter', `${i} ${fails}`)
  }
})

t.test('texts have the digits that came; an expression has ids as text, other numbers as doubles', async (t) => {
  const gateway = await startGateway(t, {
    routes: { r: { prompt: '{id} {= id } {= $string(id) } {= o } {price} {= price } {o} {list.1}', deliver: 'log' } },
  })
  await gateway.post('r', { body: `{"id":${id},"o":{"id":${id}},"price":1.50,"list":[1,-0]}` })
  t.strictSame(await settled(gateway, 1), [`${id} ${id} ${id} {"id":"${id}"} 1.50 1.5 {"id":${id}} -0`])
})

for (const kind of ['sqlite', 'postgres'] as const)
  t.test(
    `ids, prompts, conversations and contexts of jobs keep their digits (${kind})`,
    { skip: kind === 'postgres' && withoutPostgres },
    async (t) => {
      const server = kind === 'postgres' ? await openPostgresServer() : undefined
      const storage = server ? { kind, url: server.url, schema: server.newSchema(), durability: 'commit' } : { kind }
      const job = { schedule: '2999-01-01T00:00:00', prompt: 'Sum up.', deliver: 'log' }
      const byBody = { algorithm: 'token', signature: { header: 'X-Tok' }, id: { body: 'id' } }
      const gateway = await startGateway(t, {
        files: { 'agent.sh': 'cat' },
        config: {
          storage,
          agent: { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] },
          jobs: { nightly: job, hourly: job },
        },
        routes: {
          body: { verify: byBody, prompt: 'order {id} {o}', deliver: 'log' },
          items: { split: { items: 'list', id: ['id'] }, prompt: 'item {id}', deliver: 'log' },
          chat: { session: { key: '{id}' }, prompt: 'say {id} {price}', deliver: 'log' },
          job: { cron_job: 'nightly', prompt: 'Because of {id} {o}.' },
          whole: { cron_job: 'hourly' },
        },
      })
      if (server) t.teardown(() => server.stop())
      const token = { sign: false, headers: { 'X-Tok': secret } }
      const answers = []
      for (const written of [id, neighbour, `${id}.0`]) {
        const { json } = await gateway.post('body', { ...token, body: `{"id":${written},"o":{"id":${written}}}` })
        answers.push(json.status)
      }
      t.strictSame(answers, ['accepted', 'accepted', 'duplicate'])
      t.match(await settled(gateway, 2), [`order ${neighbour} {"id":${neighbour}}`, `order ${id} {"id":${id}}`])
      const { json } = await gateway.post('items', { body: `{"list":[{"id":${id}},{"id":${neighbour}},{"id":${id}}]}` })
      t.strictSame(json.items, { accepted: 2, duplicate: 1 })
      await settled(gateway, 4)

      for (const written of [id, neighbour]) await gateway.post('chat', { body: `{"id":${written},"price":1.50}` })
      t.match((await settled(gateway, 6)).slice(-2), [new RegExp(`say ${neighbour} 1.50$`), new RegExp(`say ${id} 1.50$`)])
      const { sessions } = await until(async () => {
        const found = await gateway.operations.sessions({ route: 'chat', max: 10 })
        return found.sessions.every(({ messages }) => messages === 2) && found.sessions.length === 2 && found
      })
      t.strictSame(sessions.map(({ name }) => name).sort(), [neighbour, id])
      for (const { key, name } of sessions) {
        const { conversation } = await gateway.operations.conversation({ key, max: 10 })
        t.match(conversation?.messages[0], { text: `say ${name} 1.50` })
      }

      const contexts = { job: `Because of ${id} {"id":${neighbour}}.`, whole: `"id": ${id},\n  "o": {\n    "id": ${neighbour}\n  }` }
      for (const [route, context] of Object.entries(contexts)) {
        const { status } = await gateway.post(route, { body: `{"id":${id},"o":{"id":${neighbour}}}` })
        t.equal(status, 202)
        await until(() => texts(gateway).some((text) => String(text).includes(context)))
      }
      const listed = async (written: string) => (await runAt(gateway.dir, ['events', 'list', '--field', `id=${written}`, '--json'])).out
      for (const [asked, other] of [
        [id, neighbour],
        [neighbour, id],
      ] as const) {
        const { events } = JSON.parse(await listed(asked)).data
        const found = events.map((event: { delivery_id: string; route: string }) => `${event.route} ${event.delivery_id}`)
        t.match(found.join('\n'), `body ${asked}`)
        t.notMatch(found.join('\n'), `body ${other}`)
      }
    },
  )

t.test('the answer to a test has its digits, and an expression over the data of a command has ids as text', async (t) => {
  const respond = { status: 200, content_type: 'application/json', body: '{"id":{id},"price":{price}}' }
  const gateway = await startGateway(t, { routes: { r: { prompt: 'p', respond } } })
  const test = async (...more: string[]) => {
    const payload = `{"id":${id},"price":1.50,"n":${more.length}}`
    return (await runAt(gateway.dir, ['webhook', 'test', 'r', '--url', `${gateway.url}/webhooks/r`, '--payload', payload, ...more])).out
  }
  t.match(await test(), `\n{"id":${id},"price":1.50}\n`)
  t.match(await test('--json'), `"body":{"id":${id},"price":1.50}`)
  t.equal(await test('--json', '--jsonata', '[$type(response.body.id), response.body.id]'), `["string","${id}"]\n`)
})

t.test('a trace and the preview of the console show the digits', async (t) => {
  const route = `{ prompt: "{id} {price}", deliver: http, deliver_extra: { url: "https://x.example/{id}" }, filters: [{ field: id, equals: ${id} }] }`
  const routes = `platforms:\n  webhook:\n    enabled: true\n    secret: c2a91f70e35bd846\n    routes:\n      r: ${route}\n`
  const cli = fakeCli(t, {
    'config.yaml': routes,
    'samples/shop/id.json': `{"headers":{},"body":{"id":${id},"price":1.50}}`,
    'samples/shop/near.json': `{"headers":{},"body":{"id":${neighbour}}}`,
  })
  const traced = async (sample: string, ...more: string[]) => (await cli.run('webhook', 'trace', 'r', '--sample', sample, ...more)).out
  t.match(await traced('shop/id', '--json'), `${id} 1.50`)
  t.match(await traced('shop/id', '--json'), `https://x.example/${id}`)
  for (const json of [[], ['--json']]) {
    const near = await traced('shop/near', ...json)
    t.match(near, id, 'the operand')
    t.match(near, neighbour, 'the value that was seen')
  }
  const workspace = { dataDir: cli.dir, env: {}, self: 'headgate' }
  const gateway = { find: async () => undefined, need: async () => Promise.reject(new Error('no gateway runs')) }
  const service = createEditorService(workspace, gateway)
  const answers = createAnswers({ workspace, gateway, service, audit: openAudit(workspace.dataDir, systemClock), clock: systemClock })
  const signIn = { id: '0', name: 'browser 0', user: ownUser, rights: new Set<Right>(['view', 'payloads']) }
  const { from, name, source } = await answers.routeText({ name: 'r' }, signIn)
  t.match(from, id)
  const asked = (sample: string, to = from) =>
    answers.routePreview({ name, source, from, to, payload: { from: 'sample', id: sample } }, signIn)
  t.match(await asked('shop/id'), { trace: { name: 'accepted' }, prompt: { text: `${id} 1.50` } })
  const { trace, findings } = await asked('shop/near')
  t.equal(trace?.name, 'ignored')
  t.match(JSON.stringify(trace), id)
  t.match(JSON.stringify(trace), neighbour)
  t.notMatch(JSON.stringify(findings), 'WH418')
  t.match(await asked('shop/near', from.replace(id, neighbour)), { trace: { name: 'accepted' } })
})

t.test('subscriptions keep the digits of their operands, whatever is changed in them', async (t) => {
  const gateway = await startGateway(t, { routes: { r: { prompt: 'p' } } })
  const run = (argv: string, io: Parameters<typeof runAt>[2] = {}) => runAt(gateway.dir, argv.split(' '), io)
  const saved = () => readFileSync(join(gateway.dir, 'webhook_subscriptions.json'), 'utf8')
  const passes = async (written: string) => {
    const { json } = await gateway.post('s', { body: `{"id":${written}}` })
    return json.reason ?? json.status
  }
  const filter = (of: string) => ['--filter', `{"field":"id","in":[${of},7]}`]
  const made = await runAt(gateway.dir, ['webhook', 'subscribe', 's', '--prompt', 'p', '--secret', secret, ...filter(id)])
  t.match(made, { code: 0 }, made.err)
  t.notMatch(made.err, 'WH418')
  t.match(saved(), id)
  t.strictSame([await passes(id), await passes(neighbour)], ['accepted', 'filter'])

  await run('webhook subscribe other --prompt p')
  for (const way of ['disable', 'enable']) t.match(await run(`webhook ${way} s`), { code: 0 })
  t.match(saved(), id)
  for (const json of ['', ' --json']) t.match((await run(`webhook show s${json}`)).out, id)

  const edit = async (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(id, neighbour))
  t.match(await run('webhook edit s', { edit }), { code: 0, out: 'updated  s (filters)\n' })
  t.match(saved(), neighbour)
  t.match(await run('webhook edit s', { edit: async () => {} }), { out: 'no change: s\n' })
  t.strictSame([await passes(id), await passes(neighbour)], ['filter', 'accepted'])
  t.match(await runAt(gateway.dir, ['webhook', 'subscribe', 's', ...filter(id)]), { code: 0, out: /filters/ })
  t.match(saved(), id)
})

t.test('tests of routes send the numbers that are written, signing changes none, and the configuration is shown so', async (t) => {
  const keys = {
    plain: '',
    linear: ', verify: linear',
    own: ', verify: { algorithm: token, signature: { header: X-T }, id: { body: key } }',
  }
  const routes = Object.entries(keys).map(
    ([name, more]) => `      ${name}: { prompt: "{id} {price}", filters: [{ field: id, equals: ${id} }]${more} }`,
  )
  const test = (route: string, send: string, expect: string) =>
    `  - { name: ${route} ${expect.length}, route: ${route}, send: { ${send} }, expect: { ${expect} } }`
  const tests = Object.keys(keys).flatMap((route) => [
    test(route, `payload: { id: ${id}, price: 1.5 }`, `outcome: accepted, prompt: "${id} 1.5"`),
    test(route, `payload: { id: ${neighbour} }`, 'outcome: ignored'),
    test(route, `body: '{"id":1}', set: { id: ${id}, price: 2 }`, `outcome: accepted, prompt: "${id} 2"`),
    test(route, `body: '{"id":${id}.0,"price":1.50}'`, `outcome: accepted, prompt: "${id}.0 1.50"`),
  ])
  const cli = fakeCli(t, {
    'config.yaml': `platforms:\n  webhook:\n    enabled: true\n    secret: c2a91f70e35bd846\n    routes:\n${routes.join('\n')}\n`,
    'a.webhook-test.yaml': `tests:\n${tests.join('\n')}\n`,
  })
  t.match(await cli.run('test'), { code: 0, out: /12 passed/ })
  for (const way of [[], ['--resolved'], ['--json'], ['--resolved', '--json']]) {
    const { out } = await cli.run('config', 'show', ...way)
    t.equal(out.match(new RegExp(`"?equals"?: ?${id}`, 'g'))?.length, 3, `config show ${way.join(' ')}`)
  }
})

t.test('numbers in deliver_extra have their digits: on the wire, in tests of routes, and after a reload', async (t) => {
  const receiver = await sink(t, (response) => void response.writeHead(204).end())
  const config = (number: string) => `platforms:
  webhook:
    enabled: true
    extra:
      secret: ${secret}
      port: 0
      routes:
        r:
          deliver_only: true
          prompt: "{id}"
          deliver: [{ target: http, deliver_extra: { url: ${receiver.origin}, headers: { X-Id: ${number}, X-Of: "{id}" } } }]
          tests: [{ name: wire, send: { payload: { id: ${number} } }, expect: { deliver: { extra: { headers: { X-Of: "${number}" } } } } }]
        chat:
          deliver_only: true
          prompt: "{id}"
          deliver: telegram
          deliver_extra: { chat_id: ${number}, of: [{ n: ${number} }], same: 7 }
          tests:
            - { name: same, send: { payload: {} }, expect: { deliver: { extra: { chat_id: ${number}, of: [{ n: ${number} }], same: 7.0 } } } }
            - { name: near, send: { payload: {} }, expect: { deliver: { extra: { chat_id: 1234567890123456790 } } } }
            - { name: deep, send: { payload: {} }, expect: { deliver: { extra: { of: [{ n: 1234567890123456790 }] } } } }
`
  const file = 'config.yaml'
  const gateway = await startGateway(t, { dir: newFolder(t, { [file]: config(id) }) })
  const headers = async () => {
    await gateway.post('r', { body: `{"id":${id}}` })
    const { 'x-id': fixed, 'x-of': filled } = receiver.seen.at(-1)?.headers ?? {}
    return [fixed, filled]
  }
  t.strictSame(await headers(), [id, id])
  const tested = await runAt(gateway.dir, ['test'])
  for (const line of [/ok +r: wire/, /ok +chat: same/, /NO +chat: near/, /NO +chat: deep/, /2 passed, 2 failed/]) t.match(tested.out, line)
  t.match(tested.out, 'expected "1234567890123456790"')

  writeFileSync(join(gateway.dir, file), config(neighbour))
  await gateway.operations.reload()
  t.strictSame(await headers(), [neighbour, id])
})

t.test('an exported test has the numbers of its event', (t) => {
  const view = { event_id: '12345678', route: 'r', outcome: 'accepted' } as Parameters<typeof exportedTest>[0]
  for (const [body, send] of [
    ['{"a":1.5}', { payload: { a: 1.5 } }],
    [`{"a":${id}}`, { body: `{"a":${id}}` }],
    ['{"a":1.50}', { body: '{"a":1.50}' }],
  ] as const)
    t.match(exportedTest(view, { headers: {}, body: Buffer.from(body) }, []), { send })
  t.end()
})

t.test('a message that was polled has the digits of its payload', async (t) => {
  const poller = await startPoller(t)
  const payload = `{"id":${id},"price":1.50}`
  poller.next.push({ status: 200, body: `{"data":[{"id":"m","eventType":"a","payload":${payload}}],"iterator":"i","done":true}` })
  const page = await pollPage({ url: poller.url, token: pollToken }, { taken: undefined, limit: 1 }, { now: Date.now })
  t.match(page, { messages: [{ body: payload }] })
})

for (const [runner, level] of [
  ['openai', 'info'],
  ['openai', 'debug'],
  ['anthropic', 'info'],
  ['anthropic', 'debug'],
] as const)
  t.test(`calls of tools have the digits that the model wrote (${runner}, log level ${level})`, async (t) => {
    const properties = `{"id":{"type":"integer","enum":[${id},7],"maximum":${neighbour}},"price":{"const":1.50}}`
    const mcp = await sink(t, (response, { body }) => {
      const { id: call, method } = JSON.parse(body)
      const results: { readonly [method: string]: string } = {
        initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}',
        'tools/list': `{"tools":[{"name":"find","inputSchema":{"type":"object","properties":${properties}}}]}`,
        'tools/call': `{"content":[],"structuredContent":{"next":${neighbour},"price":2.50}}`,
      }
      if (call === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","id":${call},"result":${results[method]}}`)
    })
    const input = { id: `#${id}`, in: [{ price: '#1.50', text: id }, '#-0', '#7'] }
    const model = await fakeModel(t, [{ calls: [{ name: 'notes_find', input }] }, { text: 'found' }])
    const gateway = await startGateway(t, {
      level,
      routes: { r: { prompt: 'p', deliver: 'log', toolsets: ['notes'] } },
      config: {
        agent: { runner, base_url: model.baseUrl, api_key: 'k', model: 'm', max_steps: 3 },
        toolsets: { notes: { url: `${mcp.origin}/mcp`, allow: ['find'] } },
      },
    })
    await gateway.post('r', { body: '{}' })
    t.strictSame(await settled(gateway, 1), ['found'])
    const args = `{"id":${id},"in":[{"price":1.50,"text":"${id}"},-0,7]}`
    t.match(mcp.seen.find(({ body }) => body.includes('tools/call'))?.body, `"arguments":${args}`)
    t.match(model.seen[0]?.body, properties, 'the model reads the schema as the server wrote it')
    const asked = model.seen[1]?.body.replaceAll('\\', '') ?? ''
    t.match(asked, args, 'the model reads its own call as it wrote it')
    t.match(asked, `{"next":${neighbour},"price":2.50}`)
  })

t.test('a quick run of `npm run fuzz:numbers` finds nothing', async (t) => {
  t.same(await runNumbersFuzz({ seed: 1, requests: 2_000 }), [], 'npm run fuzz:numbers -- --seed 1 --requests 2000')
})

t.test('validate names numbers that are rounded before they are compared, and no others', async (t) => {
  const route = (filters: string) =>
    `platforms:\n  webhook:\n    enabled: true\n    secret: c2a91f70e35bd846\n    routes:\n      r: ${filters}\n`
  const found = async (files: { readonly [name: string]: string }): Promise<unknown[]> => {
    const { out } = await fakeCli(t, files).run('validate', '--json')
    return JSON.parse(out).data.diagnostics.flatMap(({ code, pointer }: { code: string; pointer: string }) =>
      code === 'WH418' ? [pointer] : [],
    )
  }
  const yaml = route(
    `{ prompt: "{= payload.id = ${id} }", filters: [{ field: a, in: [${id}, 1.5] }, { jsonata: 'payload.a = "${id}" and payload.b = ${id}' }, { field: b, equals: 1e20 }] }`,
  )
  t.strictSame(await found({ 'config.yaml': yaml }), [
    '/platforms/webhook/routes/r/prompt',
    '/platforms/webhook/routes/r/filters/1/jsonata',
    '/platforms/webhook/routes/r/filters/2/equals',
  ])
  const entry = `{"s":{"prompt":"p","secret":"c2a91f70e35bd846","filters":[{"field":"a","in":[${id},1e20]}]}}`
  t.strictSame(await found({ 'config.yaml': route('{ prompt: p }'), 'webhook_subscriptions.json': entry }), ['/s/filters/0/in/1'])
})

t.test('a payload schema compares numbers as they are written, in the schema and in the payload', async (t) => {
  const rows: readonly [schema: string, payload: string, fits: boolean][] = [
    [`{"const":${id}}`, id, true],
    [`{"const":${id}}`, neighbour, false],
    [`{"enum":[1,${id}]}`, `${id}.0`, true],
    [`{"enum":[1,${id}]}`, neighbour, false],
    [`{"properties":{"a":{"items":{"const":{"id":${id}}}}}}`, `{"a":[{"id":${id}}]}`, true],
    [`{"properties":{"a":{"items":{"const":{"id":${id}}}}}}`, `{"a":[{"id":${neighbour}}]}`, false],
    [`{"items":{"maximum":${neighbour}}}`, `[${id}]`, false],
    [`{"items":{"exclusiveMaximum":${id}}}`, `[${neighbour}]`, true],
    [`{"properties":{"n":{"minimum":${id}}}}`, `{"n":${neighbour}}`, false],
    ['{"properties":{"n":{"exclusiveMinimum":1}}}', '{"n":1.00000000000000000001}', true],
    ['{"properties":{"n":{"maximum":-1}}}', '{"n":-1.00000000000000000001}', true],
    ['{"properties":{"n":{"minimum":0}}}', '{"n":-1e-999}', false],
    ['{"items":{"multipleOf":2}}', '[1234567890123456788,1e999999999]', true],
    ['{"items":{"multipleOf":2}}', `[${id}]`, false],
    ['{"items":{"multipleOf":0.01}}', '[19.99,19.990,12345678901234567890.12]', true],
    ['{"items":{"multipleOf":0.01}}', '[12345678901234567890.125]', false],
    ['{"uniqueItems":true}', `[${id},${neighbour},1.5]`, true],
    ['{"uniqueItems":true}', '[{"a":1.0},{"a":1}]', false],
    ['{"uniqueItems":true}', `[${id},7,${neighbour},7.0]`, false],
    ['{"uniqueItems":true}', `[${id},"7",7,true,"true",null,[7],[[7]],{},[]]`, true],
    ['{"uniqueItems":true}', '[0,-0]', false],
    ['{"uniqueItems":true}', '["a",1,"b",2,"a"]', false],
    ['{"uniqueItems":true}', '[{"a":1,"b":[1,2]},{"b":[1,2],"a":1}]', false],
    ['{"uniqueItems":true}', '[{"a":[1],"b":2},{"a":[1,2]},[1,2],[[1],2]]', true],
  ]
  for (const [schema, text, fits] of rows) {
    const parsed = parseSchema(schema)
    if ('message' in parsed) throw new Error(parsed.message)
    t.equal(compileChecker(parsed)({ text, payload: JSON.parse(text) }) === undefined, fits, `${schema} ${text}`)
  }
})
