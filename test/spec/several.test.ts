/** `deliver` as a list: each target once, whatever fails beside it, and one agent run. */

import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, type Sink, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

type Answers = { [name: string]: (response: ServerResponse) => void }

const ok = (response: ServerResponse): void => json(response, 200, {})
const refuse = (response: ServerResponse): void => json(response, 400, {})
const broken = (response: ServerResponse): void => json(response, 500, {})

/** Three receivers of one gateway, `a`, `b` and `c`; how each answers may change. */
const start = async (t: Test, route: { readonly [key: string]: unknown }, answers: Answers, more: object = {}) => {
  const sinks: { [name: string]: Sink } = {}
  for (const name of ['a', 'b', 'c']) sinks[name] = await sink(t, (response) => (answers[name] ?? ok)(response))
  const to = (name: string, extra: object = {}) => ({ target: 'http', deliver_extra: { url: `${sinks[name]?.origin}/{n}`, ...extra } })
  const r = {
    prompt: 'P {n}',
    // A direct delivery with `retry` would be a run.
    ...(route.deliver_only ? {} : { retry: { max_attempts: 3, backoff: 0 } }),
    deliver: [to('a'), to('b', { secret: 'hush-hush' }), to('c')],
    ...route,
  }
  const gateway = await startGateway(t, { level: 'info', routes: { r }, ...more })
  const seen = () => ['a', 'b', 'c'].map((name) => sinks[name]?.seen.length)
  const line = (msg: string) => gateway.line((each) => each.msg === msg)
  return { gateway, seen, line, sinks }
}

t.test('all: each gets it once, with its own settings, from one agent run', async (t) => {
  const { gateway, seen, sinks } = await start(t, {}, {})
  t.equal((await gateway.post('r', { body: { n: 7 } })).status, 202)
  await until(() => seen().every((count) => count === 1))
  t.match(sinks.a?.seen[0], { url: '/7', body: /P 7/ })
  t.match(sinks.b?.seen[0], { headers: { 'webhook-signature': /^v1,/ } })
  t.notOk(sinks.c?.seen[0]?.headers['webhook-signature'])
  t.notOk(gateway.lines.some(({ level }) => level === 'error'))
})

t.test('all: what failed for now is tried again, alone; what was refused is told, and the run is dead', async (t) => {
  const answers: Answers = { b: broken, c: refuse }
  const { gateway, seen, line } = await start(t, {}, answers)
  await gateway.post('r', { body: { n: 1 } })
  await line('run failed, it will be tried again')
  answers.b = ok
  const { reason } = await line('run is dead')
  t.match(reason, /^delivery to http \(3 of 3\): .*HTTP 400.*; delivered to http \(1 of 3\), http \(2 of 3\)$/)
  const [a, b = 0, c] = seen()
  t.same([a, c], [1, 1])
  t.ok(b >= 2)
})

t.test('a dead one that is put back by hand goes to those that have not had it', async (t) => {
  const answers: Answers = { c: refuse }
  const { gateway, seen, line } = await start(t, {}, answers)
  const { headers } = await gateway.post('r', { body: { n: 1 } })
  await line('run is dead')
  answers.c = ok
  t.same(await gateway.operations.retry({ id: headers.get('x-headgate-event-id') ?? '' }), { retried: true })
  await until(() => seen()[2] === 2)
  t.same(seen(), [1, 1, 2])
})

t.test('first_success: in order, until one has it', async (t) => {
  const { gateway, seen } = await start(t, { deliver_mode: 'first_success' }, { a: refuse })
  await gateway.post('r', { body: { n: 1 } })
  await until(() => seen()[1] === 1)
  await gateway.stop()
  t.same(seen(), [1, 1, 0])
})

t.test('first_success: dead only when none has it', async (t) => {
  const { gateway, line, seen } = await start(t, { deliver_mode: 'first_success' }, { a: refuse, b: refuse, c: refuse })
  await gateway.post('r', { body: { n: 1 } })
  t.match((await line('run is dead')).reason, /HTTP 400.*HTTP 400.*HTTP 400/)
  t.same(seen(), [1, 1, 1])
})

t.test('direct: 200 only when the condition of the mode holds; the id is free otherwise', async (t) => {
  const answers: Answers = { b: refuse }
  const { gateway } = await start(t, { deliver_only: true }, answers)
  const headers = { 'X-Request-ID': 'one' }
  t.match(await gateway.post('r', { headers, body: { n: 1 } }), { status: 502, text: 'Delivery failed' })
  t.match(
    await gateway.line(({ reason }) => /^http \(2 of 3\): .*HTTP 400; delivered to http \(1 of 3\), http \(3 of 3\)$/.test(String(reason))),
    {},
  )
  answers.b = ok
  t.match(await gateway.post('r', { headers, body: { n: 1 } }), { status: 200, json: { status: 'delivered', target: 'http, http, http' } })
  t.match(await gateway.post('r', { headers, body: { n: 1 } }), { json: { status: 'duplicate' } })
})

t.test('direct: the repeat of the sender goes to those that have not had it, across a restart too', async (t) => {
  const answers: Answers = { b: refuse }
  const config = { storage: { kind: 'sqlite' } }
  const { gateway, seen } = await start(t, { deliver_only: true }, answers, { config })
  const one = { headers: { 'X-Request-ID': 'one' }, body: { n: 1 } }
  t.match(await gateway.post('r', one), { status: 502, text: 'Delivery failed' })
  t.match(await gateway.post('r', one), { status: 502, text: 'Delivery failed' })
  t.same(seen(), [1, 2, 1])
  t.match(await gateway.post('r', { ...one, headers: { 'X-Request-ID': 'two' } }), { status: 502 })
  t.same(seen(), [2, 3, 2], 'another event goes to all')
  await gateway.stop()
  answers.b = ok
  const next = await startGateway(t, { dir: gateway.dir })
  t.match(await next.post('r', one), { status: 200, json: { status: 'delivered', target: 'http, http, http' } })
  t.match(await next.post('r', one), { json: { status: 'duplicate' } })
  t.same(seen(), [2, 4, 2])
})

t.test('direct: a dry replay names all of the targets; one under the same id goes to those that have not had it', async (t) => {
  const answers: Answers = { b: refuse }
  const { gateway, seen } = await start(t, { deliver_only: true }, answers)
  const { headers } = await gateway.post('r', { body: { n: 1 } })
  const eventId = headers.get('x-headgate-event-id') ?? ''
  await until(async () => (await gateway.operations.replay({ id: eventId, dry_run: true })).found)
  const extra = ['a', 'b', 'c'].map(() => ({ url: /\/1$/ }))
  t.match(await gateway.operations.replay({ id: eventId, dry_run: true }), {
    starts: { mode: 'direct', target: 'http, http, http', extra },
  })
  t.same(seen(), [1, 1, 1])
  answers.b = ok
  t.match(await gateway.operations.replay({ id: eventId, same_id: true }), { outcome: 'delivered' })
  t.same(seen(), [1, 2, 1])
})

t.test('direct: who has it is known by what is written, wherever it stands in a list that was changed', async (t) => {
  const answers: Answers = { b: refuse }
  const config = { storage: { kind: 'sqlite' } }
  const { gateway, seen, sinks } = await start(t, { deliver_only: true }, answers, { config })
  const one = { headers: { 'X-Request-ID': 'one' }, body: { n: 1 } }
  const to = (...names: string[]) => names.map((name) => ({ target: 'http', deliver_extra: { url: `${sinks[name]?.origin}/{n}` } }))
  const restart = async (gateway: TestGateway, ...names: string[]) => {
    await gateway.stop()
    const routes = { r: { prompt: 'P {n}', deliver_only: true, deliver: to(...names) } }
    const webhook = { enabled: true, extra: { secret, port: 0, routes } }
    writeFileSync(join(gateway.dir, 'config.yaml'), stringify({ platforms: { webhook }, ...config }))
    return startGateway(t, { dir: gateway.dir })
  }
  const first = await restart(gateway, 'a', 'a', 'b')
  t.match(await first.post('r', one), { status: 502 })
  t.same(seen(), [2, 1, 0])
  answers.b = ok
  const second = await restart(first, 'b', 'c', 'a', 'a', 'a')
  t.match(await second.post('r', one), { status: 200 })
  t.same(seen(), [3, 2, 1], 'b failed, c and the third a are new')
})

/** Targets of a plugin: two that never end, whatever time they are given, and one that has it at once. */
const hanging = `
const never = () => new Promise(() => {})
export const targets = [
  { name: 'acme-hang', send: never },
  { name: 'acme-mute', send: never },
  { name: 'acme-fine', send: () => ({ ok: true }) },
]`

/** Runs faster than the wall's clock. */
const fastClock = (times: number): Clock => {
  const start = systemClock.monotonic()
  return {
    now: systemClock.now,
    monotonic: () => start + (systemClock.monotonic() - start) * times,
    after: (ms, then) => systemClock.after(ms / times, then),
  }
}

t.test('direct: slow targets use up no more than ten seconds, and first_success still asks the next one', async (t) => {
  const clock = fastClock(10)
  const route = (deliver: readonly string[], deliver_mode: string) => ({ prompt: 'p', deliver_only: true, deliver, deliver_mode })
  const routes = {
    all: route(['acme-hang', 'acme-mute', 'acme-hang'], 'all'),
    none: route(['acme-hang', 'acme-mute', ...Array(8).fill('acme-hang')], 'first_success'),
    third: route(['acme-hang', 'acme-mute', 'acme-fine'], 'first_success'),
  }
  const gateway = await startGateway(t, { clock, routes, files: { 'p.mjs': hanging }, config: { plugins: ['./p.mjs'] } })
  for (const [name, answer] of Object.entries({
    all: { status: 502, text: 'Delivery failed' },
    none: { status: 502, text: 'Delivery failed' },
    third: { status: 200, json: { target: 'acme-fine' } },
  })) {
    const before = clock.monotonic()
    t.match(await gateway.post(name), answer, name)
    // Nine and a half; what the test itself takes counts tenfold. Half a second for each target would be fourteen.
    t.ok(clock.monotonic() - before < 12_000, `${name}: ${clock.monotonic() - before} ms`)
  }
  t.match(await gateway.line(({ reason }) => /no time was left/.test(String(reason))), {})
})

t.test('direct: a repeat that waited for another request with its id is answered in ten seconds, too', async (t) => {
  const clock = fastClock(10)
  const routes = { r: { prompt: 'p', deliver_only: true, deliver: 'acme-hang' } }
  const gateway = await startGateway(t, { clock, routes, files: { 'p.mjs': hanging }, config: { plugins: ['./p.mjs'] } })
  const one = { headers: { 'X-Request-ID': 'one' }, body: { n: 1 } }
  const posted = clock.monotonic()
  const first = gateway.post('r', one)
  // The first delivery fails while the repeat still has some of its time.
  await until(() => clock.monotonic() - posted > 2_000)
  const before = clock.monotonic()
  const repeat = await gateway.post('r', one)
  t.ok(clock.monotonic() - before < 12_000, `${clock.monotonic() - before} ms`)
  t.ok([502, 503].includes(repeat.status), `${repeat.status}`)
  t.match(await first, { status: 502 })
})

t.test('direct, first_success: the one that has it is named', async (t) => {
  const { gateway, seen } = await start(t, { deliver_only: true, deliver_mode: 'first_success' }, { a: broken })
  t.match(await gateway.post('r', { body: { n: 1 } }), { status: 200, json: { target: 'http' } })
  t.same(seen(), [1, 1, 0])
})

t.test('how far it got survives a restart', async (t) => {
  const answers: Answers = { b: broken }
  const config = { storage: { kind: 'sqlite' } }
  const { gateway, seen, line } = await start(t, { retry: { max_attempts: 5, backoff: 3_600, max_delay_seconds: 3_600 } }, answers, {
    config,
  })
  await gateway.post('r', { body: { n: 1 } })
  await line('run failed, it will be tried again')
  await gateway.stop()
  answers.b = ok
  const next = await startGateway(t, { dir: gateway.dir, level: 'info' })
  const id = String(gateway.lines.find(({ event_id }) => event_id)?.event_id)
  const [event] = (await next.operations.standings({ ids: [id] })).standings
  t.match(event, { state: 'waiting' })
  t.same(seen(), [1, 1, 1])
})

t.test('what was given up stays so when a stop breaks off the attempt beside it', async (t) => {
  const answers: Answers = { a: refuse, b: () => undefined }
  const { gateway, seen } = await start(t, {}, answers, { config: { storage: { kind: 'sqlite' } } })
  await gateway.post('r', { body: { n: 1 } })
  await until(() => seen()[1] === 1)
  await gateway.stop(50)
  answers.b = ok
  const next = await startGateway(t, { dir: gateway.dir, level: 'info' })
  t.match(await next.line(({ msg }) => msg === 'run is dead'), { reason: /HTTP 400/ })
  t.same(seen(), [1, 2, 1])
})

t.test('a list is checked item by item', async (t) => {
  const bad = (deliver: unknown, more: object = {}) =>
    startGateway(t, { routes: { r: { prompt: 'p', deliver, ...more } } }).then(
      () => 'started',
      (error: Error) => error.message,
    )
  t.match(await bad(['http', 'log']), /WH705.*url/)
  t.match(await bad([{ target: 'http', deliver_extra: { url: 'nowhere' } }]), /WH707/)
  t.match(await bad([{ target: 'htp' }]), /./)
  t.match(await bad(['log', 'log'], { deliver_only: true }), /WH202/)
  t.match(await bad([]), /./)
  t.equal(await bad(['log']), 'started')
})
