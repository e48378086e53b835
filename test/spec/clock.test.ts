/** A wall clock that jumps by an hour, either way, changes no window, lease, claim or limit: only signatures and schedules follow it. */

import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import { fakeClock } from '../fakes/clock.ts'
import { startGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const hour = 3_600_000

/** A clock whose wall can be set apart from what has passed. */
const jumpingClock = () => {
  const clock = fakeClock()
  let offset = 0
  const jumping: Clock = { now: () => clock.now() + offset, monotonic: clock.monotonic, after: clock.after }
  const jump = (ms: number): void => {
    offset += ms
  }
  return { clock: jumping, advance: clock.advance, jump }
}

const start = async (t: Test, routes: object, more: object = {}) => {
  const { clock, advance, jump } = jumpingClock()
  const gateway = await startGateway(t, { clock, level: 'info', routes: routes as { [name: string]: object }, ...more })
  const delivered = (): string[] => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text))
  /** Lets time pass in steps, each followed by what it set off. */
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      advance(1_000)
      for (let turns = 0; turns < 4; turns++) await turn()
    }
  }
  return { gateway, jump, pass, delivered, monotonic: clock.monotonic }
}

for (const [title, by] of [
  ['forward', hour],
  ['back', -hour],
] as const) {
  t.test(`an hour ${title}: a group waits for its window, no less and no more`, async (t) => {
    const { gateway, jump, pass, delivered } = await start(t, { r: { prompt: '{n}', coalesce: { key: 'k', window_seconds: 20 } } })
    t.equal((await gateway.post('r', { body: { k: 1, n: 1 } })).json.status, 'coalesced')
    jump(by)
    await pass(10)
    t.equal((await gateway.post('r', { body: { k: 1, n: 2 } })).json.status, 'coalesced')
    await pass(19)
    t.same(delivered(), [])
    await pass(1)
    await until(() => delivered().length === 1)
    t.match(delivered()[0], /^2\n.*1 earlier event/s)
  })

  t.test(`an hour ${title}: the route's minute goes on`, async (t) => {
    const { gateway, jump, pass } = await start(t, { r: { prompt: 'p' } }, { extra: { rate_limit: 2 } })
    for (const status of [202, 202, 429]) t.equal((await gateway.post('r')).status, status)
    jump(by)
    await pass(30)
    const full = await gateway.post('r')
    t.equal(full.status, 429)
    t.ok(Number(full.headers.get('retry-after')) <= 30)
    await pass(30)
    t.equal((await gateway.post('r')).status, 202)
  })

  t.test(`an hour ${title}: a delivery id is known for its hour`, async (t) => {
    const { gateway, jump, pass } = await start(t, { r: { prompt: 'p' } }, { extra: { rate_limit: 100_000 } })
    const again = async (): Promise<unknown> => (await gateway.post('r', { headers: { 'X-Request-ID': 'one' } })).json.status
    t.equal(await again(), 'accepted')
    jump(by)
    t.equal(await again(), 'duplicate')
    await pass(3_599)
    t.equal(await again(), 'duplicate')
    await pass(2)
    t.equal(await again(), 'accepted')
  })

  t.test(`an hour ${title}: a delivery id is known for as long as its route says`, async (t) => {
    const { gateway, jump, pass } = await start(t, { r: { prompt: 'p', duplicates: { hours: 2 } } }, { extra: { rate_limit: 100_000 } })
    const again = async (): Promise<unknown> => (await gateway.post('r', { headers: { 'X-Request-ID': 'one' } })).json.status
    t.equal(await again(), 'accepted')
    jump(by)
    await pass(7_199)
    t.equal(await again(), 'duplicate')
    await pass(2)
    t.equal(await again(), 'accepted')
  })

  t.test(`an hour ${title}: a run is tried again after its back-off, and no running one is taken for lost`, async (t) => {
    const { gateway, jump, pass } = await start(
      t,
      { r: { prompt: 'p', retry: { max_attempts: 2, backoff: 10 } } },
      { config: { storage: { kind: 'memory' }, agent: { runner: 'command', command: ['sh', '-c', 'exit 3'] } } },
    )
    await gateway.post('r')
    await gateway.line(({ msg }) => msg.includes('will be tried again'))
    jump(by)
    t.notOk(gateway.lines.some(({ msg }) => msg === 'run is dead'))
    await pass(11)
    t.match(await gateway.line(({ msg }) => msg === 'run is dead'), { attempt: 2 })
    t.notOk(gateway.lines.some(({ msg }) => msg.includes('taken over')))
  })
}

t.test('no wait before another attempt is longer than max_delay_seconds', async (t) => {
  const { gateway, pass } = await start(
    t,
    { r: { prompt: 'p', retry: { max_attempts: 5, backoff: 3_600, max_delay_seconds: 3 } } },
    { config: { storage: { kind: 'memory' }, agent: { runner: 'command', command: ['sh', '-c', 'exit 3'] } } },
  )
  await gateway.post('r')
  for (let attempt = 1; attempt < 5; attempt++) {
    await gateway.line((line) => line.msg.includes('will be tried again') && line.attempt === attempt)
    await pass(4)
  }
  t.match(await gateway.line(({ msg }) => msg === 'run is dead'), { attempt: 5 })
})

t.test('rate_limit of a route: each value of the key has its own minute, and past it the answer is 429', async (t) => {
  const rate_limit = { per_minute: 2, key: '{repo}' }
  const routes = { r: { prompt: '{n}', rate_limit, filters: [{ field: 'repo', not_equals: 'z' }] } }
  const { gateway, pass, jump, delivered } = await start(t, routes)
  const post = async (repo: string, n: number): Promise<number> => (await gateway.post('r', { body: { repo, n } })).status
  for (const status of [200, 200, 200]) t.equal(await post('z', 0), status, 'what a filter ignores is not counted')
  for (const [repo, status] of Object.entries({ x: 202, y: 202 })) t.equal(await post(repo, 1), status)
  await pass(20)
  t.equal(await post('x', 2), 202)
  const over = await gateway.post('r', { body: { repo: 'x', n: 3 } })
  t.match(over, { status: 429, text: 'Rate limit exceeded' })
  t.equal(over.headers.get('retry-after'), '40')
  t.match(await gateway.line(({ stage }) => stage === 'event_rate'), {
    reason: /^the rate_limit of the route was reached: 2 events a minute/,
  })
  t.equal(await post('y', 4), 202)
  jump(-hour)
  await pass(40)
  t.equal(await post('x', 5), 202)
  await until(() => delivered().length === 5)
  t.same(delivered().sort(), ['1', '1', '2', '4', '5'])
  t.match(await gateway.operations.status({}), { refused: { rate_limited: 1 } })
})

t.test('rate_limit with when_over: queue: all are accepted, and their runs begin so many a minute, in order', async (t) => {
  const rate_limit = { per_minute: 2, key: 'repo', when_over: 'queue' }
  const { gateway, pass, delivered } = await start(t, { r: { prompt: '{repo}{n}', rate_limit } })
  for (const n of [1, 2, 3, 4, 5]) t.equal((await gateway.post('r', { body: { repo: 'x', n } })).status, 202)
  t.equal((await gateway.post('r', { body: { repo: 'y', n: 1 } })).status, 202)
  await until(() => delivered().length === 3)
  await pass(59)
  t.same(delivered().sort(), ['x1', 'x2', 'y1'])
  await pass(1)
  await until(() => delivered().length === 5)
  await pass(59)
  t.same(delivered().slice(3), ['x3', 'x4'])
  await pass(1)
  await until(() => delivered().length === 6)
  t.equal(delivered()[5], 'x5')
})

t.test('rate_limit: what queues expires in its time', async (t) => {
  const route = { prompt: '{n}', rate_limit: { per_minute: 1, when_over: 'queue' }, expires_seconds: 70 }
  const { gateway, pass, delivered } = await start(t, { r: route })
  for (const n of [1, 2, 3]) t.equal((await gateway.post('r', { body: { n } })).status, 202)
  await until(() => delivered().length === 1)
  await pass(60)
  await until(() => delivered().length === 2)
  await pass(11)
  await gateway.line(({ msg }) => msg === 'run is expired')
  t.same(delivered(), ['1', '2'])
})

t.test('a direct message with retry waits for its delay, for its turn, and expires, as a run does', async (t) => {
  const { origin, seen } = await sink(t, (response) => json(response, 200, {}))
  const direct = (path: string, more: object) => ({
    prompt: '{n}',
    deliver: 'http',
    deliver_extra: { url: `${origin}/${path}` },
    deliver_only: true,
    retry: {},
    ...more,
  })
  const { gateway, pass } = await start(t, {
    later: direct('later', { delay_seconds: 60 }),
    paced: direct('paced', { rate_limit: { per_minute: 1, when_over: 'queue' }, expires_seconds: 70 }),
  })
  const sent = (path: string): unknown[] => seen.filter(({ url }) => url === `/${path}`).map(({ body }) => JSON.parse(body).text)
  t.equal((await gateway.post('later', { body: { n: 1 } })).status, 202)
  for (const n of [1, 2, 3]) t.equal((await gateway.post('paced', { body: { n } })).status, 202)
  await until(() => sent('paced').length === 1)
  await pass(59)
  t.same(sent('later'), [])
  await pass(1)
  await until(() => sent('later').length === 1 && sent('paced').length === 2)
  await pass(11)
  await gateway.line(({ msg, route }) => msg === 'run is expired' && route === 'paced')
  t.same(sent('paced'), ['1', '2'])
})
