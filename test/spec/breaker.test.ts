/** Breakers: what is held back while a target is down, when it is tried again, and that nothing is lost, reordered or spent by it. */

import { subscribe } from 'node:diagnostics_channel'
import { cpSync, rmSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Fact } from '../../src/core/facts/fact.ts'
import { defaults } from '../../src/generated/defaults.ts'
import { echo } from '../../src/parts/runners/echo.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { Breakers } from '../../src/runs/breaker/breakers.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const [down, up] = ['target is down: its texts wait until it works again', 'target works again']

const asks = 'target asks to wait: its texts wait'

/** The path of calls that are not waited for, because nobody answers them. */
const never = '/never'
type Call = { readonly request: { readonly path: string } }
/** The calls of `fetch` that have no whole answer yet, as Node tells of them. */
const calls = new Set<Call['request']>()
subscribe('undici:request:create', (told) => {
  const { request } = told as Call
  if (request.path !== never) calls.add(request)
})
for (const end of ['trailers', 'error']) subscribe(`undici:request:${end}`, (told) => calls.delete((told as Call).request))

/** A receiver that answers with `status`, and with `headers` while that is no 200. With the status 0 it never answers. */
type Receiver = {
  status: number
  headers: { [name: string]: string }
  readonly seen: Seen[]
  readonly texts: () => string[]
  readonly origin: string
}

const receiver = async (t: Test): Promise<Receiver> => {
  const state = { status: 200, headers: {} as { [name: string]: string } }
  const { seen, origin } = await sink(t, (response, { url }) => {
    const status = url === '/poison' ? 500 : state.status
    if (status > 0) json(response, status, {}, status === 200 ? {} : state.headers)
  })
  const textOf = ({ body }: Seen): string => String(JSON.parse(body).text)
  return Object.assign(state, { seen, origin, texts: () => seen.map(textOf) })
}

type Setting = TestGateway & {
  readonly clock: FakeClock
  /** The prompts that the agent got. */
  readonly asked: string[]
  readonly send: (route: string, id: string) => Promise<number>
  /** Lets time pass in steps of a second, and everything happen that is due. `each` is done at the beginning of each second. */
  readonly pass: (seconds: number, each?: (second: number) => Promise<unknown>) => Promise<void>
  readonly said: (msg: string) => number
}

const start = async (t: Test, options: GatewayOptions & { readonly slow?: () => Promise<void> }): Promise<Setting> => {
  const clock = fakeClock()
  const asked: string[] = []
  const runner = {
    ...echo,
    compile: () => async (prompt: string) => {
      asked.push(prompt)
      await options.slow?.()
      return prompt
    },
  }
  const parts = { ...builtinCatalogue, runners: new Map([...builtinCatalogue.runners, ['echo', runner]]) }
  const gateway = await startGateway(t, { ...options, clock, parts })
  /** Waits until each call has its answer and nothing happens any more. What is left then needs turns of this process alone. */
  const quiet = async (): Promise<void> => {
    let [before, turns] = [-1, 0]
    while (turns++ < 200) {
      await nextTurn()
      const now = gateway.lines.length + asked.length
      if (now !== before || calls.size > 0) [before, turns] = [now, 0]
    }
  }
  return {
    ...gateway,
    clock,
    asked,
    send: async (route, id) =>
      (await gateway.post(route, { body: { prompt: id }, headers: { 'X-Request-ID': id, 'X-GitHub-Event': 'push' } })).status,
    async pass(seconds, each) {
      for (let second = 0; second < seconds; second++) {
        await each?.(second)
        await quiet()
        clock.advance(1_000)
      }
      await quiet()
    },
    said: (msg) => gateway.lines.filter((line) => line.msg === msg).length,
  }
}

const outgoing = { text: 'x', profile: 'default', route: 'r', delivery: { target: 'http', extra: {} }, position: 0, budgetMs: 1_000 }

const to = (url: string, more: object = {}): object => ({ prompt: '{prompt}', deliver: 'http', deliver_extra: { url }, ...more })
const both = (first: string, second: string, more: object): object => ({
  prompt: '{prompt}',
  deliver: [first, second].map((url) => ({ target: 'http', deliver_extra: { url } })),
  ...more,
})
t.test('a receiver that is down for ten minutes under load: nothing is lost, spent or asked in vain, and the order stays', async (t) => {
  const [bad, good, oncall] = [await receiver(t), await receiver(t), await receiver(t)]
  const alerts = [{ deliver: 'http', deliver_extra: { url: `${oncall.origin}/alerts` } }]
  const gateway = await start(t, {
    config: { gateway: { max_concurrent_runs: 2 }, alerts },
    routes: {
      plain: to(`${bad.origin}/plain`),
      lane: to(`${bad.origin}/lane`, { concurrency: { limit: 1 } }),
      fine: to(`${good.origin}/fine`),
      all: both(`${bad.origin}/all`, `${good.origin}/all`, { deliver_mode: 'all' }),
      first: both(`${bad.origin}/first`, `${good.origin}/first`, { deliver_mode: 'first_success' }),
      asks: to(`${bad.origin}/asks`, { when_down: 'run' }),
    },
  })
  const routes = ['plain', 'lane', 'fine', 'all', 'first', 'asks']
  const sent: { [route: string]: string[] } = Object.fromEntries(routes.map((route) => [route, []]))
  const post = async (second: number): Promise<void> => {
    for (const route of routes) {
      if (second % (route === 'plain' ? 2 : 10) > 0) continue
      const id = `${route}-${String(second).padStart(4, '0')}`
      t.equal(await gateway.send(route, id), 202)
      sent[route]?.push(id)
    }
  }
  bad.status = 503
  await gateway.pass(600, post)
  t.equal(gateway.said(down), 1)
  t.ok(bad.seen.length <= 20 + 10, `${bad.seen.length} posts: twenty failures, and a trial at most each five to ten seconds, later minutes`)
  const { breakers } = await gateway.operations.breakers()
  t.match(breakers, [{ target: 'http', address: bad.origin, state: 'open', reason: /HTTP 503/ }])
  t.ok((breakers[0]?.waiting ?? 0) > 300)
  t.match(await gateway.operations.status(), { targets_down: 1 })
  t.equal(good.texts().filter((text) => text.startsWith('fine')).length, sent.fine?.length, 'others go on')
  t.equal(good.texts().filter((text) => text.startsWith('all')).length, sent.all?.length, 'those that can have the text get it')
  t.equal(good.texts().filter((text) => text.startsWith('first')).length, sent.first?.length, 'the next target takes it')
  const held = gateway.lines.findLast(({ delivery_id }) => delivery_id === sent.plain?.at(-1))
  t.match(await gateway.operations.standings({ ids: [String(held?.event_id)] }), {
    standings: [{ state: 'waiting', attempt: 0, dueAt: Number }],
  })
  const askedBefore = gateway.asked.filter((prompt) => prompt.startsWith('plain')).length
  t.ok(askedBefore < 30, `${askedBefore} agents were asked whose reply waits`)
  t.equal(gateway.asked.filter((prompt) => prompt.startsWith('asks')).length, sent.asks?.length, 'when_down: run')

  bad.status = 200
  await gateway.pass(310)
  await until(async () => (await gateway.operations.status()).backlog === 0, 60_000)
  t.equal(gateway.said(down), 1, 'one opening')
  await gateway.pass(150)
  // Its post may still be on its way.
  await until(() => oncall.seen.length > 1)
  t.equal(oncall.seen.length, 2, `one alert, and its end: ${oncall.texts()}`)
  t.match(oncall.texts()[0], bad.origin)
  t.equal(gateway.said(up), 1, 'one closing')
  t.equal(gateway.said('run is dead'), 0)
  t.equal(gateway.asked.length, new Set(gateway.asked).size, 'no agent was asked twice')
  for (const route of routes) {
    const where = route === 'fine' || route === 'first' ? good : bad
    const had = where.seen.filter(({ url }) => url === `/${route}`).map(({ body }) => String(JSON.parse(body).text))
    const [first] = [had.length - new Set(had).size]
    t.same(new Set(had), new Set(sent[route]), `${route}: all arrived`)
    // What failed before the breaker opened was sent before. The runs that were held follow in their order.
    const heldBack = had.filter((text) => (sent[route] ?? []).indexOf(text) > 30)
    if (route !== 'first') t.ok(isInOrder(heldBack), `${route}: in order`)
    t.ok(first < 40)
  }
  t.equal(gateway.lines.filter(({ attempt }) => Number(attempt) > 2).length, 0, 'no attempt was spent on waiting')
})

/** Whether each text comes after those before, or at most one place earlier, as two runs are in progress at once. */
const isInOrder = (texts: readonly string[]): boolean =>
  texts.every((text, i) => texts.slice(0, Math.max(0, i - 1)).every((earlier) => earlier < text))

/** A number from 0 to 1 for each call, the same for each seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

t.test('a receiver that fails one time in three never opens the breaker, in turn or at random', async (t) => {
  for (const fails of [(n: number) => n % 3 === 0, ...[1, 2, 3, 4, 5].map(randomOf).map((random) => () => random() < 1 / 3)]) {
    const told: Fact[] = []
    const breakers = new Breakers({
      clock: fakeClock(),
      facts: { emit: (fact) => told.push(fact) },
      settings: () => ({ failures: defaults.breaker.failures, longestWaitMs: 300_000 }),
      makeDue: async () => {},
    })
    const place = { target: 'http', address: 'https://example.org' }
    const send = (n: number, isDown: boolean) =>
      breakers.send(place, { ...outgoing, deliveryId: String(n) }, async () =>
        isDown ? { ok: false, why: 'HTTP 503', repeatable: true } : { ok: true },
      )
    for (let n = 0; n < 20_000; n++) await send(n, fails(n))
    t.same(told, [])
    for (let n = 0; n < defaults.breaker.failures; n++) await send(n, true)
    t.match(told, [{ kind: 'breaker_changed', state: 'open' }], 'and one that is down opens it')
    breakers.close()
  }
})

t.test('Retry-After, one trial at a time, a text that always fails, reset, and direct delivery', async (t) => {
  const bad = await receiver(t)
  const gateway = await start(t, {
    config: { targets: { breaker: { failures: 4 } }, gateway: { max_concurrent_runs: 8 } },
    routes: {
      r: to(`${bad.origin}/r`, { retry: { backoff: 0 } }),
      poison: to(`${bad.origin}/poison`, { retry: { backoff: 0 } }),
      direct: to(`${bad.origin}/direct`, { deliver_only: true }),
    },
  })
  const { operations, clock } = gateway
  const breaker = async () => (await operations.breakers()).breakers[0]
  t.equal(await gateway.send('poison', 'p'), 202)
  await gateway.pass(1)
  t.equal(await breaker(), undefined, 'one text that always fails opens nothing')
  await gateway.line(({ msg, delivery_id }) => msg === 'run is dead' && delivery_id === 'p')
  bad.status = 429
  bad.headers = { 'retry-after': '1200' }
  for (const id of ['a', 'b', 'c', 'd', 'e']) t.equal(await gateway.send('r', id), 202)
  await gateway.pass(1)
  const opened = await breaker()
  t.match(opened, { state: 'open', address: bad.origin })
  t.ok(Date.parse(opened?.retry_at ?? '') - clock.now() > 1_190_000, 'the wait that the receiver asked for')
  const before = bad.seen.length
  t.equal(await gateway.send('r', 'f'), 202)
  const refused = await gateway.post('direct', { body: { prompt: 'x' } })
  t.equal(refused.status, 502)
  t.ok(Number(refused.headers.get('retry-after')) > 1_100, 'the sender is asked to repeat after the next trial')
  await gateway.pass(1_100)
  t.equal(bad.seen.length, before, 'nobody calls it meanwhile')
  bad.headers = {}
  bad.status = 503
  await gateway.pass(100)
  t.equal(bad.seen.length, before + 1, 'one trial for all')
  const tried = new Set(bad.texts().slice(before))
  const again = await breaker()
  t.match(again, { state: 'open', waiting: 6 })
  t.same(again?.opened_at, opened?.opened_at)
  clock.advance(Date.parse(again?.retry_at ?? '') - clock.now() - 1)
  await gateway.pass(0)
  t.equal(bad.seen.length, before + 1, 'not before its time')
  await gateway.pass(1)
  t.equal(bad.seen.length, before + 2)
  t.notOk(tried.has(bad.texts().at(-1) ?? ''), 'the next trial is that of another run')

  const http = { target: 'http', address: bad.origin }
  const failed = gateway.said('run failed, it will be tried again')
  t.same(await operations.resetBreaker({ target: 'http', address: 'https://other.example.org' }), { reset: [] })
  t.same(await operations.resetBreaker({ target: 'http' }), { reset: [http] })
  await gateway.pass(1)
  t.equal(bad.seen.length, before + 3, 'a reset while the receiver is down: one trial, and no text of the others')
  t.match(await breaker(), { state: 'open', waiting: 6, opened_at: opened?.opened_at })
  t.equal(gateway.said('run failed, it will be tried again'), failed, 'it spends no attempt')
  t.equal(gateway.said(up), 0)

  bad.status = 200
  t.same(await operations.resetBreaker({ target: 'http' }), { reset: [http] })
  await gateway.pass(1)
  await until(async () => (await operations.status()).backlog === 0)
  t.same(new Set(bad.texts().slice(before + 3)), new Set(['a', 'b', 'c', 'd', 'e', 'f']), 'what waited went out at once')
  t.equal(gateway.asked.length, new Set(gateway.asked).size)
  t.equal((await gateway.post('direct', { body: { prompt: 'x' } })).status, 200)
  t.equal(gateway.said('run is dead'), 1, 'the text that failed alone')
  t.match(
    gateway.lines.find(({ msg }) => msg === up),
    { reason: /answered HTTP 503/, target: 'http' },
  )

  bad.status = 503
  for (let text = 0; text < 4; text++) t.equal((await gateway.post('direct', { body: { prompt: `${text}` } })).status, 502)
  t.match(await breaker(), { state: 'open', waiting: 0 })
  t.same(await operations.resetBreaker({ target: 'http' }), { reset: [http] })
  t.equal(await breaker(), undefined, 'a breaker that no run waits for is closed')
  t.match(
    gateway.lines.find(({ msg }) => msg.startsWith('an operator closed')),
    { target: 'http', reason: /answered HTTP 503/ },
  )
})

t.test('a receiver that asks to wait is left alone from its first answer on, and the wait spends no attempt', async (t) => {
  const [busy, oncall] = [await receiver(t), await receiver(t)]
  const gateway = await start(t, {
    config: {
      alerts: [{ on: ['breaker_open', 'dead_run'], deliver: 'http', deliver_extra: { url: oncall.origin } }],
      gateway: { max_concurrent_runs: 1 },
    },
    routes: {
      r: to(`${busy.origin}/r`, { retry: { max_attempts: 1 } }),
      other: to(`${busy.origin}/other`, { retry: { max_attempts: 1 } }),
    },
  })
  const breaker = async () => (await gateway.operations.breakers()).breakers[0]
  busy.status = 429
  busy.headers = { 'retry-after': '600' }
  const sent = Array.from({ length: 13 }, (_, i) => `event-${10 + i}`)
  for (const [i, id] of sent.entries()) t.equal(await gateway.send(i % 2 ? 'other' : 'r', id), 202)
  await gateway.pass(2)
  t.equal(busy.seen.length, 1, 'one try')
  t.match(await breaker(), { state: 'open', waiting: 13, reason: /429/ })
  t.equal(gateway.said(asks), 1)
  await gateway.pass(590)
  t.equal(busy.seen.length, 1, 'and none before the wait is over')
  await gateway.pass(10)
  t.equal(busy.seen.length, 2, 'then one trial')
  // The wait is short enough for the target to post again itself. Meanwhile the others wait as well.
  busy.headers = { 'retry-after': '30' }
  busy.status = 503
  await gateway.pass(620)
  const before = busy.seen.length
  await gateway.pass(20)
  t.ok(busy.seen.length <= before + 1)
  busy.status = 200
  await gateway.pass(120)
  await until(async () => (await gateway.operations.status()).backlog === 0)
  t.same(new Set(busy.texts()), new Set(sent))
  t.equal(gateway.said('run is dead'), 0)
  t.equal(gateway.said(down), 0, 'nobody is told that it is down')
  t.equal(oncall.seen.length, 0)
  t.equal(gateway.said('target takes texts again'), 1)
  t.equal(gateway.asked.length, new Set(gateway.asked).size)
})

t.test('many texts of one route that always fail keep the texts of another route waiting for one trial', async (t) => {
  const bad = await receiver(t)
  const gateway = await start(t, {
    config: { targets: { breaker: { failures: 2 } }, gateway: { max_concurrent_runs: 8 } },
    routes: { poison: to(`${bad.origin}/poison`, { retry: { backoff: 0 } }), fine: to(`${bad.origin}/fine`) },
  })
  for (let n = 0; n < 30; n++) t.equal(await gateway.send('poison', `poison-${n}`), 202)
  await gateway.pass(2)
  t.match((await gateway.operations.breakers()).breakers, [{ state: 'open', waiting: 30 }])
  t.equal(await gateway.send('fine', 'fine'), 202)
  const before = bad.seen.length
  await gateway.pass(40)
  const after = bad.seen.slice(before).map(({ url }) => url)
  t.ok(after.includes('/fine') && after.indexOf('/fine') <= 1, `${after}`)
})

t.test('a target that stays down is tried as often as max_wait_seconds says', async (t) => {
  const bad = await receiver(t)
  const gateway = await start(t, {
    config: { targets: { breaker: { failures: 2, max_wait_seconds: 10 } } },
    routes: { r: to(`${bad.origin}/r`) },
  })
  bad.status = 503
  for (let n = 0; n < 3; n++) t.equal(await gateway.send('r', `${n}`), 202)
  await gateway.pass(60)
  const before = bad.seen.length
  await gateway.pass(120)
  t.ok(bad.seen.length - before >= 10, `${bad.seen.length - before} trials in two minutes`)
})

t.test('a text that is asked to wait again and again has an end', async (t) => {
  const busy = await receiver(t)
  const gateway = await start(t, { routes: { r: to(`${busy.origin}/r`, { retry: { max_attempts: 2, backoff: 0 } }) } })
  busy.status = 503
  busy.headers = { 'retry-after': '90' }
  t.equal(await gateway.send('r', 'a'), 202)
  await gateway.pass(19 * 90)
  t.equal(gateway.said('run is dead'), 0)
  await gateway.pass(5 * 90)
  t.match(
    gateway.lines.find(({ msg }) => msg === 'run is dead'),
    { attempt: 2 },
  )
  t.equal(busy.seen.length, 22, 'twenty answers are spared, and two count')
})

t.test('a run that was killed in its attempt, and fails alone after the start, keeps the attempts that it has left', async (t) => {
  const bad = await receiver(t)
  const files = {
    config: { storage: { kind: 'sqlite' } },
    routes: { r: to(`${bad.origin}${never}`, { retry: { max_attempts: 2, backoff: 0 } }), late: { prompt: 'p', delay_seconds: 3_600 } },
  }
  const killed = await start(t, files)
  bad.status = 0
  t.equal(await killed.send('late', 'b'), 202, 'another run waits, and is not due yet')
  t.equal(await killed.send('r', 'a'), 202)
  await until(() => bad.seen.length === 1)
  // What a kill leaves is what the disk has now.
  const dir = `${killed.dir}-later`
  t.teardown(() => rmSync(dir, { recursive: true }))
  cpSync(killed.dir, dir, { recursive: true, filter: (path) => !/\.(?:lock|sock|pid)$/.test(path) })
  bad.status = 503
  const next = await start(t, { ...files, dir })
  const passUntil = (isSo: () => boolean) =>
    until(async () => {
      await next.pass(1)
      return isSo()
    })
  // Without a wait between attempts, many of them may come within one second of this test.
  await passUntil(() => next.said('run is dead') === 1)
  t.ok(bad.seen.length > 20, `${bad.seen.length} posts: twenty answers are spared, before the attempts that are left count`)
})
