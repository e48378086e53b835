import { randomUUID } from 'node:crypto'
import t from 'tap'
import { startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const textOf = async (gateway: TestGateway, route: string, body: unknown): Promise<unknown> => {
  const id = randomUUID()
  const { status, text } = await gateway.post(route, { body, headers: { 'X-Request-ID': id } })
  if (status !== 202) throw new Error(`${status} ${text}`)
  return (await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)).text
}

const ignored = (route: string) => ({ status: 200, json: { status: 'ignored', reason: 'transform', route } })

t.test('transform rules', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const by = (transform: string, more: object = {}): object => ({ transform, ...more })
  const gateway = await startGateway(t, {
    extra: { max_body_bytes: 8_000_000 },
    files: { scripts: { 'note.sh': 'printf "by a script"' } },
    routes: {
      map: by('{ "title": issue.title, "by": issue.user.login }', { prompt: '{title} by {by}, not {issue.title}' }),
      more: by('$merge([payload, { "total": $formatNumber(cents / 100, "0.00") }])', { prompt: '{name}: {total} {= total }' }),
      list: by('alerts.{ "name": labels.alertname }', { prompt: '{__raw__}' }),
      around: by('{ "of": event & " " & headers.`x-note` & " " & route & " " & request.query.a }', { prompt: '{of}' }),
      digits: by('{ "order": order, "id": order.id, "price": order.price }', { prompt: '{order.id} {order.price} {id} {price}' }),
      json: by('{ "order": order, "id": order.id }', {
        deliver: 'http',
        deliver_only: true,
        deliver_extra: { url: `${receiver.origin}/x`, body: { whole: '{order}', id: '{id}' } },
      }),
      after: by('{ "made": script_output & "!" }', { script: 'note.sh', prompt: '{made}' }),
      keyed: by('{ "key": $lowercase(name), "n": n }', { duplicates: { key: '{key}', hours: 1 }, prompt: '{n}' }),
      some: by('state = "open" ? { "state": state }', { prompt: '{state}' }),
      fails: by('{ "n": $number(n) }', { prompt: '{n}' }),
      refuses: by('{ "n": $number(n) }', { prompt: '{n}', expression_error: 'refuse' }),
      hostile: by(
        `kind = "text" ? "x" : kind = "number" ? 5 : kind = "null" ? null : kind = "function" ? { "f": function($x) { $x } }
          : kind = "pattern" ? { "f": /x/ } : kind = "builtin" ? [$sum] : kind = "keys" ? $merge(names.{ $: "v" })
          : kind = "wide" ? ($big := [1..10000]; { "all": [1..10000].{ "b": $big } })
          : kind = "long" ? { "a": text & "x" } : kind = "steps" ? { "n": $sum([1..10000].$sum([1..10000])) } : payload`,
        { prompt: '{__raw__}' },
      ),
    },
  })

  t.test('the result is the payload of all that comes after', async (t) => {
    t.equal(await textOf(gateway, 'map', { issue: { title: 'T', user: { login: 'ann' } } }), 'T by ann, not {issue.title}')
    t.equal(await textOf(gateway, 'more', { name: 'order', cents: 123_456 }), 'order: 1234.56 1234.56')
    t.equal(
      await textOf(gateway, 'list', { alerts: [{ labels: { alertname: 'a' } }, { labels: { alertname: 'b' } }] }),
      JSON.stringify([{ name: 'a' }, { name: 'b' }], null, 2),
    )
    const { status } = await gateway.post('around', {
      path: '/webhooks/around?a=b',
      body: { event_type: 'push' },
      headers: { 'X-Note': 'n' },
    })
    t.equal(status, 202)
    t.equal((await gateway.line(({ msg, route }) => msg === 'delivered' && route === 'around')).text, 'push n around b')
  })

  t.test('it reads what a script made, and keys read its result', async (t) => {
    t.equal(await textOf(gateway, 'after', { n: 1 }), 'by a script!')
    t.equal(await textOf(gateway, 'keyed', { name: 'A', n: 1 }), '1')
    t.match(await gateway.post('keyed', { body: { name: 'a', n: 2 } }), { status: 200, json: { status: 'duplicate' } })
  })

  t.test('numbers keep their digits in lists and maps that are passed on as they are', async (t) => {
    const order = '{"id":9007199254740993,"price":12.50}'
    t.equal(await textOf(gateway, 'digits', `{"order":${order}}`), '9007199254740993 12.50 9007199254740993 12.5')
    t.equal((await gateway.post('json', { body: `{"order":${order}}` })).status, 200)
    t.equal((await until(() => receiver.seen.at(-1))).body, `{"whole":${order},"id":"9007199254740993"}`)
  })

  t.test('without a value the event is ignored, and its id stays free', async (t) => {
    const headers = { 'X-Request-ID': 'free' }
    t.match(await gateway.post('some', { body: { state: 'closed' }, headers }), ignored('some'))
    t.equal((await gateway.post('some', { body: { state: 'open' }, headers })).status, 202)
  })

  t.test('where it fails, the event is ignored or refused, and the log says why without the value', async (t) => {
    t.match(await gateway.post('fails', { body: { n: 'private words' } }), ignored('fails'))
    const line = await gateway.line(({ msg }) => msg === 'transform failed: the event is ignored')
    t.match(line, { level: 'warn', route: 'fails', reason: /number/ })
    t.notMatch(JSON.stringify(gateway.lines), 'private words')
    t.match(await gateway.post('refuses', { body: { n: 'private words' } }), { status: 422, json: { error: 'Expression failed' } })
    t.equal(await textOf(gateway, 'refuses', { n: '7' }), '7')
  })

  t.test('what is no map or list, has functions or is too large: ignored; nothing is polluted', async (t) => {
    const reasons = {
      text: /a text, and no map/,
      number: /a number, and no map/,
      function: /a function/,
      pattern: /a function/,
      builtin: /a function/,
    }
    for (const [kind, reason] of Object.entries(reasons)) {
      t.match(await gateway.post('hostile', { body: { kind } }), ignored('hostile'), kind)
      t.ok(await gateway.line(({ reason: said }) => reason.test(String(said))), kind)
    }
    for (const kind of ['null', 'wide', 'steps']) t.match(await gateway.post('hostile', { body: { kind } }), ignored('hostile'), kind)
    t.match(await gateway.post('hostile', { body: { kind: 'long', text: 'x'.repeat(1_048_576) } }), ignored('hostile'))
    t.ok(await gateway.line(({ reason }) => /more than 1048576 characters/.test(String(reason))))
    const names = ['__proto__', 'constructor', 'toString']
    t.equal((await gateway.post('hostile', { body: JSON.stringify({ kind: 'keys', names }) })).status, 202)
    t.equal((await gateway.post('hostile', { body: '{"__proto__":{"polluted":1},"kind":"x"}' })).status, 202)
    t.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})

t.test('an expression that cannot be read stops the start', async (t) => {
  for (const transform of ['{ "a": ', '$nothing(1)', '[payload["a"]]'])
    await t.rejects(startGateway(t, { routes: { r: { transform, prompt: 'p' } } }), { message: /WH412/ }, transform)
})
