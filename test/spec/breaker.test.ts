/** Breakers: what is held back while a target is down, when it is tried again, and that nothing is lost, reordered or spent by it. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { echo } from '../../src/parts/runners/echo.ts'
import { catalogue } from '../../src/plan/catalogue.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const [down, up] = ['target is down: its texts wait until it works again', 'target works again']

/** A receiver that answers with `status`, and with `headers` while that is no 200. */
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
    json(response, status, {}, status === 200 ? {} : state.headers)
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
  const parts = { ...catalogue, runners: new Map([...catalogue.runners, ['echo', runner]]) }
  const gateway = await startGateway(t, { ...options, clock, parts })
  /** Waits until nothing happens any more. */
  const quiet = async (): Promise<void> => {
    let [before, turns] = [-1, 0]
    while (turns++ < 25) {
      await nextTurn()
      const now = gateway.lines.length + asked.length
      if (now !== before) [before, turns] = [now, 0]
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

const to = (url: string, more: object = {}): object => ({ prompt: '{prompt}', deliver: 'http', deliver_extra: { url }, ...more })
const both = (first: string, second: string, more: object): object => ({
  prompt: '{prompt}',
  deliver: [first, second].map((url) => ({ target: 'http', deliver_extra: { url } })),
  ...more,
})
t.test('a receiver that is down for ten minutes under load: nothing is lost, spent or asked in vain, and the order stays', async (t) => {
  const [bad, good] = [await receiver(t), await receiver(t)]
  const gateway = await start(t, {
    config: { gateway: { max_concurrent_runs: 2 } },
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
  t.match(await gateway.operations.standings({ ids: [String(held?.event_id)] }), { standings: [{ state: 'waiting', attempt: 0 }] })
  const askedBefore = gateway.asked.filter((prompt) => prompt.startsWith('plain')).length
  t.ok(askedBefore < 30, `${askedBefore} agents were asked whose reply waits`)
  t.equal(gateway.asked.filter((prompt) => prompt.startsWith('asks')).length, sent.asks?.length, 'when_down: run')

  bad.status = 200
  await gateway.pass(310)
  await until(async () => (await gateway.operations.status()).backlog === 0, 60_000)
  t.equal(gateway.said(down), 1, 'one opening')
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
