/** The reply of a run as the answer to its sender (`respond.wait_seconds`), and the status address where the reply comes too late. */

import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, hexHmac, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Replies as the prompt says; `wait` waits for the file `go`. */
const agent = `
cd "$(dirname "$0")"
prompt=$(cat)
case $prompt in
  wait*) while [ ! -e go ]; do sleep .02; done; echo "late reply" ;;
  fail*) exit 3 ;;
  silent*) echo NO_REPLY ;;
  lines*) printf 'one\\r\\nX-Evil: 1\\r\\n\\r\\n<script>two</script> \\033[31m \\001"' ;;
  json*) echo '{"text": "a reply"}' ;;
  big*) head -c 900000 /dev/zero | tr '\\0' 'a' ;;
  huge*) head -c 5000000 /dev/zero | tr '\\0' 'a' ;;
  *) echo "reply to $prompt" ;;
esac
`

type Waiting = TestGateway & {
  go(): void
  ask(prompt: string, route?: string, id?: string): ReturnType<TestGateway['post']>
  status(location: string | null, method?: string): ReturnType<TestGateway['post']>
}

const start = async (t: Test, respond: object = {}, options: GatewayOptions = {}): Promise<Waiting> => {
  const config = {
    agent: { runner: 'command', command: ['bash', join(options.dir ?? t.testdirName, 'agent.sh')] },
    ...options.config,
  }
  const routes = options.routes ?? { r: { prompt: '{prompt}', respond: { wait_seconds: 20, ...respond }, retry: { max_attempts: 1 } } }
  const gateway = await startGateway(t, { files: { 'agent.sh': agent }, ...options, routes, config })
  t.teardown(() => writeFileSync(join(gateway.dir, 'go'), ''))
  return {
    ...gateway,
    go: () => writeFileSync(join(gateway.dir, 'go'), ''),
    ask: (prompt, route = 'r', id = prompt) => gateway.post(route, { body: { prompt, name: '"x"' }, headers: { 'X-Request-ID': id } }),
    status: (location, method = 'GET') => gateway.post('', { path: location ?? '', method, sign: false }),
  }
}

t.test('the sender gets the reply', async (t) => {
  t.test('as text', async (t) => {
    const gateway = await start(t, { body: 'To {name}: {reply}' })
    const answer = await gateway.ask('hello')
    t.match(answer, { status: 200, text: 'To "x": reply to hello' })
    t.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    t.match(answer.headers.get('x-headgate-event-id'), /^[0-9a-f-]{36}$/)
    t.equal(answer.headers.get('location'), null)
    const line = await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'hello')
    t.equal(line.text, 'reply to hello', 'and the target gets it too')
    // The record of an event may be written a moment after the answer.
    const dry = await until(async () => {
      const replayed = await gateway.operations.replay({ id: answer.headers.get('x-headgate-event-id') ?? '', dry_run: true })
      return replayed.found ? replayed : undefined
    })
    t.match(dry, { outcome: 'accepted', note: /waits for at most 20 s/ }, 'a dry run tells of the wait, and waits for nobody')
    t.equal((await gateway.operations.status()).waiting_requests, 0)
    t.match((await gateway.ask('hello')).json, { status: 'duplicate' })
    t.match(await gateway.ask('silent'), { status: 204, text: '' }, 'an agent that wants nothing to be sent')
  })

  t.test('a reply is text, whatever it has in it', async (t) => {
    const gateway = await start(t)
    const answer = await gateway.ask('lines')
    t.equal(answer.text, 'one\r\nX-Evil: 1\r\n\r\n<script>two</script> [31m "')
    t.equal(answer.headers.get('x-evil'), null)
    const { text } = await gateway.ask('big')
    t.equal(text, 'a'.repeat(65_536))
    t.match(await gateway.ask('huge'), { status: 202 }, 'the agent that wrote more than it may has no reply')
  })

  t.test('in JSON: escaped in a string, as it is where the whole body is the reply', async (t) => {
    const respond = { content_type: 'application/json', status: 201 }
    const inside = await start(t, { ...respond, body: '{"to": "{name}", "text": "{reply}"}' })
    const lines = await inside.ask('lines')
    t.equal(lines.status, 201)
    t.same(lines.json, { to: '"x"', text: 'one\r\nX-Evil: 1\r\n\r\n<script>two</script> \u001b[31m \u0001"' })
    const map = await start(t, { body: { to: '{name}', texts: ['{reply}', 'said: {reply}'] } })
    t.same((await map.ask('json')).json, { to: '"x"', texts: ['{"text": "a reply"}', 'said: {"text": "a reply"}'] })
    const whole = await start(t, respond)
    t.same((await whole.ask('json')).json, { text: 'a reply' })
    t.equal((await whole.ask('hello')).text, '"reply to hello"', 'a reply that is no JSON is a string')
    t.equal(JSON.parse((await whole.ask('big')).text).length, 65_536)
  })
})

t.test('a reply that does not come in time: 202 with an address that tells the state', async (t) => {
  const clock = fakeClock()
  const gateway = await start(t, { wait_seconds: 5, status_hours: 1 }, { clock })
  const asked = gateway.ask('wait')
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  clock.advance(4_999)
  t.equal((await gateway.operations.status()).waiting_requests, 1)
  clock.advance(1)
  const answer = await asked
  t.match(answer, { status: 202, json: { status: 'accepted', route: 'r', delivery_id: 'wait' } })
  const location = answer.headers.get('location') ?? ''
  t.match(location, /^\/webhooks\/status\/[0-9a-f-]{36}\.[0-9a-z]+\.[\w-]{43}$/)
  t.equal((await gateway.operations.status()).waiting_requests, 0)

  const running = await gateway.status(location)
  t.match(running, { status: 200, text: '{"status":"running"}' })
  t.equal(running.headers.get('retry-after'), '2')
  t.equal(running.headers.get('cache-control'), 'no-store')
  t.equal(running.headers.get('x-content-type-options'), 'nosniff')
  gateway.go()
  await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'wait')
  const done = await until(async () => {
    const now = await gateway.status(location)
    return now.json.status === 'done' ? now : undefined
  })
  t.equal(done.text, '{"status":"done"}', 'the reply only where the route allows it')
  t.match(await gateway.status(location, 'HEAD'), { status: 200, text: '' })

  const [eventId = '', ends = '', seal = ''] = location.slice('/webhooks/status/'.length).split('.')
  const forged = [
    `${eventId}.${ends}.${seal.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `${eventId}.${ends}0.${seal}`,
    `${eventId.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'))}.${ends}.${seal}`,
    'x',
    `${eventId}.${ends}`,
  ]
  const notThere = await gateway.status('/webhooks/status/nobody')
  t.match(notThere, { status: 404, text: '{"error":"Not found"}' })
  for (const token of forged) t.match(await gateway.status(`/webhooks/status/${token}`), { status: 404, text: notThere.text }, token)
  clock.advance(3_600_000)
  t.match(await gateway.status(location), { status: 404, text: notThere.text }, 'and the address ends')
})

t.test('the status address: a dead run, and the reply where the route shows it', async (t) => {
  const respond = { wait_seconds: 20, max_waiting: 1, status_body: true }
  const gateway = await start(t, {}, { routes: { r: { prompt: '{prompt}', respond, retry: { max_attempts: 1 } } } })
  const dead = await gateway.ask('fail')
  t.match(dead, { status: 202, json: { status: 'accepted' } }, 'a run that died is not waited for')
  await until(async () => (await gateway.status(dead.headers.get('location'))).json.status === 'dead')
  const first = gateway.ask('wait 1')
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  const second = await gateway.ask('wait 2')
  t.match(second, { status: 202, json: { status: 'accepted' } }, 'one more than may wait')
  gateway.go()
  t.match(await first, { status: 200, text: 'late reply' })
  await until(async () => {
    const { json } = await gateway.status(second.headers.get('location'))
    return json.status === 'done' && json.reply === 'late reply'
  })
})

t.test('200 senders, of whom 100 may wait', async (t) => {
  const config = { gateway: { max_waiting_requests: 100, max_concurrent_runs: 2 } }
  const gateway = await start(
    t,
    {},
    { config: { ...config, agent: { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] } } },
  )
  let early = 0
  const answers = Array.from({ length: 200 }, async (_, i) => {
    const answer = await gateway.ask(`wait ${i}`)
    if (answer.status === 202) early++
    return answer
  })
  await until(() => early === 100)
  t.equal((await gateway.operations.status()).waiting_requests, 100)
  await gateway.stop(0)
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  t.same(new Set(statuses), new Set([202]), 'a stop answers those that wait')
})

t.test('a sender that hangs up frees its place, and its run goes on', async (t) => {
  const gateway = await start(t, { max_waiting: 1 })
  const body = JSON.stringify({ prompt: 'wait' })
  const head = ['POST /webhooks/r HTTP/1.1', 'Host: a', 'X-Request-ID: gone', `X-Webhook-Signature: ${hexHmac(body)}`]
  const socket = connect(gateway.port, '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  socket.destroy()
  await until(async () => (await gateway.operations.status()).waiting_requests === 0)
  const next = gateway.ask('wait too')
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  gateway.go()
  t.match(await next, { status: 200 })
  await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'gone')
})

t.test('a sender that has a deadline of its own gets its answer before it', async (t) => {
  const clock = fakeClock()
  const route = { prompt: '{event.text}', verify: 'slack', secret, respond: { wait_seconds: 30 } }
  const gateway = await start(t, {}, { clock, routes: { s: route } })
  const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev1', event: { type: 'message', text: 'wait' } })
  const time = String(Math.floor(clock.now() / 1000))
  const signature = `v0=${hexHmac(`v0:${time}:${body}`)}`
  const asked = gateway.post('s', { body, sign: false, headers: { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': time } })
  await until(async () => (await gateway.operations.status()).waiting_requests === 1)
  clock.advance(2_500)
  const answer = await asked
  t.match(answer, { status: 200, text: '' }, 'what Slack takes, in place of 202')
  t.match(answer.headers.get('location'), /^\/webhooks\/status\//)
})

t.test('what does not go with a wait is an error', async (t) => {
  const refused = async (route: object, why: RegExp): Promise<void> => {
    await t.rejects(start(t, {}, { routes: { r: { prompt: 'p', ...route } } }), why)
  }
  const respond = { wait_seconds: 5 }
  await refused({ respond, deliver_only: true, deliver: 'ntfy' }, /WH208 .*deliver_only/)
  await refused({ respond, coalesce: { key: '{a}' } }, /WH208 .*coalesce/)
  await refused({ respond, split: 'items' }, /WH208 .*split/)
  await refused({ respond: { ...respond, content_type: 'text/html' } }, /WH208 .*browser/)
  await refused({ respond: { ...respond, body: '{= 1 }{reply}' } }, /WH503/)
  await refused({ respond: { outcomes: { ignored: { body: '{= 1 }' } } } }, /WH503/)
  await refused({ respond: { outcomes: { ignored: { body: { why: ['{= 1 }'] } } } } }, /WH503/)
  await refused({ respond: { body: { a: 1 }, content_type: 'text/xml' } }, /WH208 .*map is sent as JSON or as a form/)
  await refused({ respond: { body: { a: { b: 1 } }, content_type: 'application/x-www-form-urlencoded' } }, /WH208 .*field of a form/)
})

t.test('callback: the end of each run is posted, signed, and once', async (t) => {
  let failures = 2
  const receiver = await sink(t, (response) => json(response, failures-- > 0 ? 503 : 200, {}))
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const route = {
    prompt: '{prompt}',
    callback: { url: `${receiver.origin}/ended`, secret: key, headers: { 'X-Key': 'k' } },
    retry: { max_attempts: 1, backoff: 0.01 },
  }
  const more = { targets: { breaker: { enabled: false } } }
  const config = { ...more, agent: { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] } }
  const gateway = await start(t, {}, { config, routes: { r: { ...route, retry: { max_attempts: 3, backoff: 0.01 } }, once: route } })
  const accepted = await gateway.ask('hello')
  t.match(accepted, { status: 202, json: { status: 'accepted' } })
  await until(() => receiver.seen.length === 3)
  const [first, , third] = receiver.seen
  const eventId = accepted.headers.get('x-headgate-event-id')
  const about = { route: 'r', event: 'unknown', delivery_id: 'hello', event_id: eventId }
  t.same(JSON.parse(third?.body ?? ''), { status: 'done', ...about, reply: 'reply to hello' })
  t.equal(third?.headers['x-key'], 'k')
  t.equal(third?.headers['webhook-id'], first?.headers['webhook-id'], 'a repeat is recognised')
  const signed = `${third?.headers['webhook-id']}.${third?.headers['webhook-timestamp']}.${third?.body}`
  const mac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(signed)
    .digest('base64')
  t.equal(third?.headers['webhook-signature'], `v1,${mac}`)

  await gateway.ask('fail', 'once')
  await until(() => receiver.seen.length === 4)
  const dead = JSON.parse(receiver.seen[3]?.body ?? '')
  t.match(dead, { status: 'dead', route: 'once', delivery_id: 'fail', error: /exit code 3/ })
  writeFileSync(join(gateway.dir, 'agent.sh'), 'echo better')
  // The report is committed before the end that it tells, so its receiver may be ahead of the store.
  await until(async () => (await gateway.operations.retry({ id: dead.event_id })).retried)
  await until(() => receiver.seen.length === 5)
  t.match(
    JSON.parse(receiver.seen[4]?.body ?? ''),
    { status: 'done', event_id: dead.event_id, reply: 'better' },
    'a revived run ends again',
  )
  t.not(receiver.seen[4]?.headers['webhook-id'], receiver.seen[3]?.headers['webhook-id'], 'its receiver does not take it for a repeat')
  writeFileSync(join(gateway.dir, 'agent.sh'), agent)
  await gateway.ask('silent', 'once')
  await until(() => receiver.seen.length === 6)
  t.strictSame(Object.keys(JSON.parse(receiver.seen[5]?.body ?? '')), ['status', 'route', 'event', 'delivery_id', 'event_id'])
  const ended = gateway.lines.filter(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'hello')
  t.equal(ended.length, 1, 'deliver goes on as always')
  await t.rejects(start(t, {}, { routes: { r: { prompt: 'p', callback: route.callback, cron_job: 'j' } } }), /WH208 .*callback/)
})
