import t from 'tap'
import { hexHmac, secret, startGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const opened = { action: 'opened', number: 7, pull_request: { title: 'Fix it', draft: false }, repository: { full_name: 'acme/web' } }

t.test('Responses', async (t) => {
  const receiver = await sink(t, (response, seen) => json(response, seen.body.includes('fail') ? 500 : 200, {}))
  const gateway = await startGateway(t, {
    extra: { max_body_bytes: 10_000 },
    routes: {
      agent: { prompt: 'PR #{number}' },
      listed: { events: ['pull_request', 'merge_request'] },
      filtered: { filters: [{ field: 'action', equals: 'opened' }] },
      direct: { deliver_only: true, deliver: 'http', deliver_extra: { url: `${receiver.origin}/in` }, prompt: '{text}' },
      kept: {
        ...{ deliver_only: true, deliver: 'http', deliver_extra: { url: `${receiver.origin}/in` }, prompt: '{text}' },
        retry: { max_attempts: 2, backoff: 0 },
      },
      off: { enabled: false },
    },
  })

  t.test('readiness: 200 while the gateway takes events', async (t) => {
    const answer = await gateway.post('', { path: '/readyz', method: 'GET' })
    t.match(answer, { status: 200, json: { status: 'ready' } })
    t.equal((await gateway.post('', { path: '/readyz', method: 'HEAD' })).status, 200)
  })

  t.test('health: 200 with status and platform', async (t) => {
    const answer = await gateway.post('', { path: '/health', method: 'GET' })
    t.equal(answer.status, 200)
    t.same(answer.json, { status: 'ok', platform: 'webhook' })
  })

  t.test('agent run accepted: 202, and the reply goes to the log by default', async (t) => {
    const answer = await gateway.post('agent', { body: opened, headers: { 'X-GitHub-Event': 'pull_request', 'X-GitHub-Delivery': 'd-1' } })
    t.equal(answer.status, 202)
    t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    t.match(answer.headers.get('x-headgate-event-id'), /^[0-9a-f-]{36}$/)
    t.same(answer.json, { status: 'accepted', route: 'agent', event: 'pull_request', delivery_id: 'd-1' })
    const line = await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'd-1')
    t.equal(line.text, 'PR #7')
  })

  t.test('duplicate delivery id: 200 duplicate, nothing runs again', async (t) => {
    const headers = { 'X-GitHub-Delivery': 'd-2' }
    t.equal((await gateway.post('agent', { headers })).status, 202)
    const again = await gateway.post('agent', { headers })
    t.equal(again.status, 200)
    t.same(again.json, { status: 'duplicate', route: 'agent', delivery_id: 'd-2' })
    t.equal(
      (await gateway.post('listed', { headers: { ...headers, 'X-GitHub-Event': 'pull_request' } })).status,
      202,
      'another route is another delivery',
    )
  })

  t.test('fifty requests with one id at once: one is accepted', async (t) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.post('agent', { headers: { 'X-Request-ID': 'race' } })))
    t.equal(answers.filter(({ status }) => status === 202).length, 1)
    t.equal(answers.filter(({ json }) => json.status === 'duplicate').length, 49)
  })

  t.test('fifty requests without an id: all are accepted', async (t) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.post('agent', { headers: { 'X-Request-ID': '' } })))
    t.ok(answers.every(({ status }) => status === 202))
  })

  t.test('event not listed: 200 ignored event; header, payload and host B titles are read', async (t) => {
    const answer = await gateway.post('listed', { body: { event_type: 'push' } })
    t.same(answer.json, { status: 'ignored', reason: 'event', event: 'push', route: 'listed' })
    t.equal((await gateway.post('listed', { body: { type: 'pull_request' } })).status, 202)
    t.equal((await gateway.post('listed', { body: { event_type: 'push' }, headers: { 'X-HostA-Event': 'pull_request' } })).status, 202)
    t.equal(
      (await gateway.post('listed', { body: { object_kind: 'merge_request' }, headers: { 'X-Gitlab-Event': 'Merge Request Hook' } }))
        .status,
      202,
    )
    for (const title of ['Merge Request Hook', 'Confidential Merge Request Hook'])
      t.equal((await gateway.post('listed', { body: { a: 1 }, headers: { 'X-Gitlab-Event': title } })).status, 202, 'its title alone')
    t.match((await gateway.post('listed', { body: {}, headers: { 'X-Gitlab-Event': 'Issue Hook' } })).json, { reason: 'event' })
    for (const [title, kind] of [
      ['Push Hook', 'merge_request'],
      ['Merge Request Hook', 'push'],
    ])
      t.match(
        (await gateway.post('listed', { body: { object_kind: kind }, headers: { 'X-Gitlab-Event': String(title) } })).json,
        { reason: 'event', event: 'unknown' },
        'header and payload name different types',
      )
    t.equal((await gateway.post('listed', { body: { event_type: { a: 1 } } })).json.event, 'unknown')
  })

  t.test('filters say no: 200 ignored filter, and the log says which rule and what it saw', async (t) => {
    const answer = await gateway.post('filtered', { body: { action: 'closed' } })
    t.same(answer.json, { status: 'ignored', reason: 'filter', route: 'filtered' })
    const line = await gateway.line(({ msg, route }) => msg === 'ignored' && route === 'filtered')
    t.match(line.reason, /filters\[0\].*action.*opened.*closed/)
  })

  t.test('an ignored event leaves its id free', async (t) => {
    const headers = { 'X-Request-ID': 'later' }
    t.equal((await gateway.post('filtered', { body: { action: 'closed' }, headers })).json.status, 'ignored')
    t.equal((await gateway.post('filtered', { body: { action: 'opened' }, headers })).status, 202)
  })

  t.test('direct delivery: 200 delivered with the expanded prompt as the message', async (t) => {
    const answer = await gateway.post('direct', { body: { text: 'hello' }, headers: { 'X-Request-ID': 'm-1' } })
    t.equal(answer.status, 200)
    t.same(answer.json, { status: 'delivered', route: 'direct', target: 'http', delivery_id: 'm-1' })
    t.match(receiver.seen.at(-1)?.body, /hello/)
    const again = await gateway.post('direct', { body: { text: 'hello' }, headers: { 'X-Request-ID': 'm-1' } })
    t.equal(again.json.status, 'duplicate')
  })

  t.test('direct delivery failed: 502, exactly `Delivery failed`, the id is free again and the reason is in the log only', async (t) => {
    const headers = { 'X-Request-ID': 'm-2' }
    const failed = await gateway.post('direct', { body: { text: 'fail' }, headers })
    t.equal(failed.status, 502)
    t.equal(failed.text, 'Delivery failed')
    t.match(failed.headers.get('content-type'), /^text\/plain/)
    t.match(await gateway.line(({ outcome }) => outcome === 'delivery_failed'), {
      route: 'direct',
      profile: 'default',
      delivery_id: 'm-2',
      event_type: String,
      event_id: String,
    })
    t.equal((await gateway.post('direct', { body: { text: 'well' }, headers })).status, 200)
  })

  t.test('direct delivery of a route with `retry`: 202 as a run, tried again, sent whatever it says, and dead at last', async (t) => {
    const kept = await gateway.post('kept', { body: { text: '[SILENT]' }, headers: { 'X-Request-ID': 'm-3', 'X-GitHub-Event': 'push' } })
    t.equal(kept.status, 202)
    t.same(kept.json, { status: 'accepted', route: 'kept', event: 'push', delivery_id: 'm-3' })
    await until(() => receiver.seen.some(({ body }) => body.includes('m-3')))
    t.same(JSON.parse(String(receiver.seen.at(-1)?.body)).text, '[SILENT]')
    t.equal((await gateway.post('kept', { body: {}, headers: { 'X-Request-ID': 'm-3' } })).json.status, 'duplicate')

    t.equal((await gateway.post('kept', { body: { text: 'fail' }, headers: { 'X-Request-ID': 'm-4' } })).status, 202)
    t.match(await gateway.line(({ msg, delivery_id }) => msg === 'run is dead' && delivery_id === 'm-4'), {
      attempt: 2,
      reason: /^delivery to http: .*HTTP 500/,
    })
    t.equal(receiver.seen.filter(({ body }) => body.includes('fail') && body.includes('m-4')).length, 2)
  })

  t.test('unknown route, prototype names and encoded ones: 404 naming it', async (t) => {
    for (const name of ['nosuch', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'agent/', 'agent/x', 'AGENT']) {
      const answer = await gateway.post(name, { body: {} })
      t.equal(answer.status, 404, name)
      t.same(answer.json, { error: `Unknown route: ${name}` })
    }
    for (const name of ['%5F%5Fproto%5F%5F', '..%2f..%2fetc%2fpasswd', 'a%00b', 'a%0d%0ab', '%E0%A4%A', 'a'.repeat(101)]) {
      t.equal((await gateway.post(name)).status, 404, name)
    }
  })

  t.test('route switched off: 403', async (t) => {
    const answer = await gateway.post('off')
    t.equal(answer.status, 403)
    t.same(answer.json, { error: 'Route disabled: off' })
  })

  t.test('signature wrong or missing: 401 with one fixed body, and a warning with `Invalid signature`', async (t) => {
    const answers = [
      await gateway.post('agent', { sign: false }),
      await gateway.post('agent', { sign: false, headers: { 'X-Webhook-Signature': '0'.repeat(64) } }),
    ]
    for (const { status, text } of answers) {
      t.equal(status, 401)
      t.equal(text, '{"error":"Invalid signature"}')
    }
    t.equal((await gateway.line(({ msg }) => msg.includes('Invalid signature'))).level, 'warn')
  })

  t.test('not JSON: 400, and no id is consumed', async (t) => {
    for (const body of ['', '{', 'nul', "{'a':1}", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]) {
      const answer = await gateway.post('agent', { body, headers: { 'X-Request-ID': 'bad' } })
      t.equal(answer.status, 400)
      t.same(answer.json, { error: 'Cannot parse body' })
    }
    t.equal((await gateway.post('agent', { headers: { 'X-Request-ID': 'bad' } })).status, 202)
  })

  t.test('any JSON value is a payload; a byte order mark is passed over', async (t) => {
    for (const body of ['[1,2]', '"text"', '12', 'null', 'true', '\ufeff{"a":1}'])
      t.equal((await gateway.post('agent', { body })).status, 202, body)
  })

  t.test('a form: its payload field as JSON, else the fields', async (t) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    t.equal((await gateway.post('filtered', { headers, body: `payload=${encodeURIComponent('{"action":"opened"}')}` })).status, 202)
    t.equal((await gateway.post('filtered', { headers, body: 'action=opened&x=1' })).status, 202)
    const shouted = { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' }
    t.equal((await gateway.post('filtered', { headers: shouted, body: 'action=opened' })).status, 202)
    t.equal((await gateway.post('filtered', { headers, body: 'payload=%7B' })).status, 400)
    for (const body of ['{"action":"opened"}', '\ufeff \r\n\t{"action":"opened"}'])
      t.equal((await gateway.post('filtered', { headers, body })).status, 202, `JSON, although it says to be a form: ${body}`)
    t.equal((await gateway.post('filtered', { headers, body: '{action=opened' })).status, 400)
  })

  t.test('body too large: 413 from the declared length alone, before the route is looked up', async (t) => {
    const answer = await gateway.raw('POST /webhooks/nosuch HTTP/1.1\r\nHost: x\r\nContent-Length: 10001\r\n\r\n', 2_000)
    t.match(answer, /^HTTP\/1\.1 413 /)
    t.match(answer, /"error":"Payload too large"/)
    const invited = await gateway.raw(
      'POST /webhooks/agent HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10001\r\n\r\n',
      2_000,
    )
    t.match(invited, /^HTTP\/1\.1 413 /, 'no 100 invites it')
  })

  t.test('a chunked body is cut off at the limit; one of exactly the limit passes', async (t) => {
    const chunked = (size: number): string => {
      const body = `"${'a'.repeat(size - 2)}"`
      return `POST /webhooks/agent HTTP/1.1\r\nHost: x\r\nX-Webhook-Signature: ${hexHmac(body)}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    }
    t.match(await gateway.raw(chunked(10_000)), /^HTTP\/1\.1 202 /)
    t.match(await gateway.raw(chunked(10_001)), /^HTTP\/1\.1 413 /)
  })

  t.test('a large body that is already on its way still gets to read its 413', async (t) => {
    const response = await fetch(`${gateway.url}/webhooks/agent`, { method: 'POST', body: Buffer.alloc(2_000_000) })
    t.equal(response.status, 413)
  })

  t.test('another method on a webhook path: 405 with Allow; another path: 404', async (t) => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await gateway.post('agent', { method })
      t.equal(answer.status, 405, method)
      t.equal(answer.headers.get('allow'), 'POST')
      t.ok(answer.json.error)
    }
    t.equal((await gateway.post('', { path: '/' })).status, 404)
    t.equal((await gateway.post('', { path: '/webhooks' })).status, 404)
  })

  t.test('a declared secret never comes back', async (t) => {
    t.notOk(gateway.lines.some((line) => JSON.stringify(line).includes(secret)))
  })
})

t.test('Rate limit', async (t) => {
  let now = 1_700_000_000_000
  const clock = { now: () => now, monotonic: () => now, after: () => () => {} }
  const gateway = await startGateway(t, { clock, extra: { rate_limit: 3 }, routes: { a: {}, b: {} } })

  t.test('past the limit 429 with Retry-After; another route has its own minute', async (t) => {
    for (let i = 0; i < 3; i++) t.equal((await gateway.post('a')).status, 202)
    const full = await gateway.post('a')
    t.equal(full.status, 429)
    t.same(full.json, { error: 'Rate limit exceeded' })
    t.equal(full.headers.get('retry-after'), '60')
    t.equal((await gateway.post('b')).status, 202)
    now += 60_000
    t.equal((await gateway.post('a')).status, 202, 'a new minute')
  })

  t.test('failed signatures spend a window of their own, and a good request still passes', async (t) => {
    now += 60_000
    for (let i = 0; i < 3; i++) t.equal((await gateway.post('a', { sign: false })).status, 401)
    t.equal((await gateway.post('a', { sign: false })).status, 429)
    t.equal((await gateway.post('a')).status, 202)
  })
})

t.test('Profiles', async (t) => {
  const gateway = await startGateway(t, {
    config: { gateway: { multiplex_profiles: true } },
    routes: { plain: {}, bound: { profile: 'team' }, lost: { profile: 'nowhere' } },
    files: { profiles: { team: { 'config.yaml': '' } } },
  })
  t.equal((await gateway.post('', { path: '/p/team/webhooks/bound' })).status, 202)
  t.equal((await gateway.post('plain')).status, 202)
  const wrong = [
    await gateway.post('', { path: '/p/team/webhooks/plain' }),
    await gateway.post('', { path: '/p/default/webhooks/bound' }),
    await gateway.post('bound'),
    await gateway.post('', { path: '/p/team/webhooks/bound', sign: false, headers: { 'X-Webhook-Signature': 'x' } }),
  ]
  t.same(
    wrong.map(({ status }) => status),
    [404, 404, 404, 401],
  )
  t.same(wrong[0]?.text, '{"error":"Unknown route: plain"}')
  t.same(wrong[1]?.text, wrong[2]?.text, 'either way round, the same bytes')
  for (const path of ['/p/nowhere/webhooks/lost', '/p/other/webhooks/plain', '/p/__proto__/webhooks/plain']) {
    const answer = await gateway.post('', { path })
    t.equal(answer.status, 404)
    t.same(answer.json, { error: 'Unknown or unconfigured profile' })
  }
})
