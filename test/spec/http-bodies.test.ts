/** The body that the target `http` posts as a route has it: each value keeps its place, and a secret is not stored. */

import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { knownSecrets } from '../../src/plan/known-secrets.ts'
import { fakeClock } from '../fakes/clock.ts'
import { startGateway } from '../fakes/gateway.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Extra = { readonly [key: string]: unknown }

/** Starts a gateway whose routes post their prompt to a receiver, each with these settings. */
const start = async (t: Test, extras: { readonly [route: string]: Extra }, more: object = {}) => {
  const receiver = await sink(t, (response) => response.end())
  const routes = Object.fromEntries(
    Object.entries(extras).map(([name, extra]) => [
      name,
      { prompt: '{text}', deliver: 'http', deliver_only: true, deliver_extra: { url: `${receiver.origin}/${name}`, ...extra } },
    ]),
  )
  return { gateway: await startGateway(t, { level: 'info', routes, ...more }), receiver }
}

const hostile = `"&<>'\\{}\u0000\n\r\t\u2028=%+"},"admin":true,"x":{"y":"{reply} \${KEY} {{= 1 }}`

t.test('a map is sent as JSON: a placeholder alone keeps its kind and its digits, and other values stay as they are', async (t) => {
  const body = {
    id: '{id}',
    price: '{price}',
    ok: '{ok}',
    nothing: '{nothing}',
    list: '{list}',
    mixed: 'n {id}: {list}',
    missing: '{a.b}',
    sum: '{= $sum(list) }',
    none: '{= nowhere }',
    said: '{reply}',
    of: ['{route}', '{delivery_id}', 1, true, null, { deep: '{ok}' }],
  }
  const { gateway, receiver } = await start(t, { r: { body, method: 'PUT' } })
  const sent = '{"id":12345678901234567890,"price":1.50,"ok":false,"nothing":null,"list":[1,2.0],"text":"he \\"said\\""}'
  const { status, headers } = await gateway.post('r', { body: sent })
  t.equal(status, 200)
  const [one] = receiver.seen
  t.match(one, { method: 'PUT', url: '/r', headers: { 'content-type': 'application/json', 'webhook-id': /^msg_/ } })
  const id = headers.get('x-headgate-delivery-id') ?? JSON.parse(one?.body ?? '').of[1]
  t.equal(
    one?.body,
    `{"id":12345678901234567890,"price":1.50,"ok":false,"nothing":null,"list":[1,2.0],"mixed":"n 12345678901234567890: [1,2.0]","missing":"{a.b}","sum":3,"none":null,"said":"he \\"said\\"","of":["r","${id}",1,true,null,{"deep":false}]}`,
  )
})

t.test('no value leaves its place in JSON, in a form or in XML, whatever a stranger writes', async (t) => {
  const xml = '<a b="{v}">{v}<c>{reply}</c></a>'
  const { gateway, receiver } = await start(t, {
    json: { body: { a: '{v}', b: ['x {v}'], c: { '{v}': '{reply}' } } },
    text: { body: '{"a": "{v}", "b": "{reply}"}', content_type: 'application/json' },
    form: { body: { a: '{v}', 'k&': ['1 {v}', true], c: '{reply}' }, content_type: 'application/x-www-form-urlencoded' },
    xml: { body: xml, content_type: 'text/xml' },
    plain: { body: '{v}|{reply}' },
  })
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 12 }).map((codes) => String.fromCharCode(...codes))
  const holds = async (v: string): Promise<void> => {
    receiver.seen.length = 0
    const text = `<${v}>`
    for (const route of ['json', 'text', 'form', 'xml', 'plain']) t.equal((await gateway.post(route, { body: { v, text } })).status, 200)
    const kept = Buffer.from(v).toString()
    const [json, ofText, form, ofXml, plain] = receiver.seen.map(({ body }) => body)
    t.strictSame(JSON.parse(json ?? ''), { a: kept, b: [`x ${kept}`], c: { '{v}': `<${kept}>` } })
    t.strictSame(JSON.parse(ofText ?? ''), { a: kept, b: `<${kept}>` })
    t.strictSame(
      [...new URLSearchParams(form)],
      [
        ['a', kept],
        ['k&', `1 ${kept}`],
        ['k&', 'true'],
        ['c', `<${kept}>`],
      ],
    )
    t.match(ofXml, /^<a b="[^<>"']*">[^<>"']*<c>[^<>"']*<\/c><\/a>$/)
    t.equal(plain, `${kept}|<${kept}>`)
  }
  for (const v of [hostile, '\ud800', '{reply}', '${KEY}', 'a&b=c', ']]>', '"', '\\']) await holds(v)
  await fc.assert(fc.asyncProperty(units, holds), { numRuns: 40 })
  t.match(
    receiver.seen.map(({ headers }) => headers['content-type']),
    ['application/json', 'application/json', 'application/x-www-form-urlencoded', 'text/xml', 'text/plain; charset=utf-8'],
  )
})

t.test('a reply that is the whole body is the JSON that it is, else a text of JSON; elsewhere it is only a text', async (t) => {
  const { gateway, receiver } = await start(t, {
    whole: { body: '{reply}', content_type: 'application/json' },
    part: { body: ['{reply}'] },
  })
  for (const text of ['{"a":[1]}', 'no "json"']) for (const route of ['whole', 'part']) await gateway.post(route, { body: { text } })
  t.same(
    receiver.seen.map(({ body }) => JSON.parse(body)),
    [{ a: [1] }, ['{"a":[1]}'], 'no "json"', ['no "json"']],
  )
})

t.test('a body that is too long is not sent, and is said; the longest one is', async (t) => {
  const { gateway, receiver } = await start(t, { r: { body: { v: '{v}' } }, said: { body: { v: '{reply}' } } })
  const longest = 'x'.repeat(131_072 - '{"v":""}'.length)
  t.equal((await gateway.post('r', { body: { v: longest } })).status, 200)
  t.equal((await gateway.post('said', { body: { text: longest } })).status, 200)
  const values = [`${longest}x`, '"'.repeat(100_000), 'ü'.repeat(70_000), 'x'.repeat(900_000), Array(90_000).fill(1)]
  for (const v of values) t.equal((await gateway.post('r', { body: { v } })).status, 502)
  t.equal((await gateway.post('said', { body: { text: `${longest}x` } })).status, 502)
  t.equal(receiver.seen.length, 2)
  await gateway.line(({ reason }) => /the body has more than 131072 bytes/.test(String(reason)))
})

t.test(
  'a secret of the body or of the address is read for each attempt, is in no file and no line, and the bytes that are sent are signed',
  async (t) => {
    let isUp = false
    const receiver = await sink(t, (response) => void (isUp ? response.end() : response.writeHead(503).end()))
    const body = { token: '${KEY}', deep: [{ as: 'Key ${KEY}' }], text: '{v}', unset: '${OTHER:-none}' }
    const env = { KEY: 'canary"&key', HOOK: `${receiver.origin}/services/T0/canary-hook-1234567890`, PART: 'canary-part' }
    const one = { url: '${HOOK}', body, secret: 'sign' }
    const form = {
      ...one,
      url: `${receiver.origin}/in/${'${PART}'}`,
      content_type: 'application/x-www-form-urlencoded',
      body: { token: '${KEY}', m: '{reply}' },
    }
    const gateway = await startGateway(t, {
      env,
      level: 'debug',
      config: { storage: { kind: 'sqlite' } },
      routes: {
        r: {
          prompt: '{v}',
          deliver: ['log', { target: 'http', deliver_extra: one }, { target: 'http', deliver_extra: form }],
          retry: { backoff: 1 },
        },
      },
    })
    t.equal((await gateway.post('r', { body: { v: 'v ${KEY}', HOOK: 'https://evil.example/', PART: '..' } })).status, 202)
    await until(() => receiver.seen.length >= 2)
    const state = join(gateway.dir, 'state')
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    t.ok(files.some(({ name }) => name === 'headgate.db'))
    for (const { parentPath, name } of files) t.notOk(readFileSync(join(parentPath, name)).includes('canary'), name)
    t.notOk(JSON.stringify(gateway.lines).includes('canary'))
    isUp = true
    const refused = receiver.seen.length
    await until(() => receiver.seen.length === refused + 2)
    const [json, fields] = receiver.seen.slice(-2)
    t.same(JSON.parse(json?.body ?? ''), { token: 'canary"&key', deep: [{ as: 'Key canary"&key' }], text: 'v ${KEY}', unset: 'none' })
    t.match(Object.fromEntries(new URLSearchParams(fields?.body)), { token: 'canary"&key' })
    t.same([json?.url, fields?.url], ['/services/T0/canary-hook-1234567890', '/in/canary-part'])
    for (const sent of [json, fields]) {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = sent?.headers ?? {}
      t.equal(signature, `v1,${createHmac('sha256', 'sign').update(`${id}.${at}.${sent?.body}`).digest('base64')}`)
    }
    const { config } = loadConfig({ dataDir: gateway.dir, env })
    t.ok(knownSecrets(config).includes('canary"&key'), 'it is taken out of logs')
    t.match(knownSecrets(config).join('\n'), 'canary-hook', 'and so is what an address has of it')
  },
)

t.test('callbacks and alerts, which no event fills in, know their own fields', async (t) => {
  const clock = fakeClock(Date.UTC(2026, 0, 5, 12))
  const receiver = await sink(t, (response) => response.end())
  const body = { s: '{status}', r: '{reply}', of: '{route}', event: '{nothing} {event}' }
  const gateway = await startGateway(t, {
    level: 'info',
    clock,
    config: {
      alerts: [
        {
          on: ['dead_run'],
          deliver: 'http',
          deliver_extra: { url: `${receiver.origin}/alert`, body: { k: '{kind}', s: '{severity}', t: '{reply}' } },
        },
      ],
    },
    routes: {
      r: {
        prompt: 'p "{n}"',
        deliver: 'log',
        callback: { url: `${receiver.origin}/end`, body, method: 'PUT', content_type: 'application/json; charset=utf-8' },
      },
      dead: { prompt: 'p', deliver: 'http', deliver_extra: { url: `${receiver.origin}/{none}` } },
    },
  })
  await gateway.post('r', { body: { n: 1 } })
  await gateway.post('dead', { body: {} })
  await until(async () => {
    clock.advance(30_000)
    await gateway.operations.alerts()
    return receiver.seen.length === 2
  })
  const end = receiver.seen.find(({ url }) => url === '/end')
  t.match(end, { method: 'PUT', headers: { 'content-type': 'application/json; charset=utf-8' } })
  const bodies = new Map(receiver.seen.map(({ url, body }) => [url, JSON.parse(body)]))
  t.match(bodies.get('/end'), { s: 'done', r: /p "1"/, of: 'r', event: '{nothing} unknown' })
  t.match(bodies.get('/alert'), { k: 'dead_run', s: 'error', t: /dead/ })
})

t.test('mistakes in the body are reported where they stand', async (t) => {
  const url = 'https://x.example/'
  const wrong: readonly (readonly [Extra, RegExp])[] = [
    [{ body: { a: '{v} ${KEY}' } }, /WH707.*a reference and a placeholder/],
    [{ body: { a: ['${NOWHERE}'] } }, /WH305.*NOWHERE/],
    [{ url: '${NOWHERE}' }, /WH305.*NOWHERE/],
    [{ url: 'https://x.example/${KEY}/{v}' }, /WH707.*a reference and a placeholder/],
    [{ body: '{"a": {v}}', content_type: 'application/json' }, /WH707.*no JSON once it is filled in/],
    [{ body: { a: 1 }, content_type: 'text/xml' }, /WH707.*sent as JSON or as a form/],
    [{ body: { a: { b: 1 } }, content_type: 'application/x-www-form-urlencoded' }, /WH707.*field of a form/],
    [{ content_type: 'text/plain' }, /WH707.*no effect without body/],
    [{ body: 'x', content_type: 'text/plain\r\nx: y' }, /content_type/],
    [{ body: 'x', content_type: 'text/{v}' }, /content_type/],
    [{ body: 7 }, /body/],
    [{ method: 'DELETE' }, /method/],
    [{ body: { a: '{= ( }' } }, /WH503/],
  ]
  for (const [extra, message] of wrong)
    await t.rejects(start(t, { r: { url, ...extra } }, { env: { KEY: 'k' } }), message, JSON.stringify(extra))
})
