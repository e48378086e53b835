/** `cooldown`: after an event, those with the same key are ignored for some minutes, or the last of them runs when the time is over. */

import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type Answer, type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const minute = 60_000

const start = async (t: Test, route: object, more: GatewayOptions = {}) => {
  const clock = fakeClock()
  const gateway = await startGateway(t, { clock, ...more, routes: { r: { prompt: '{n}', cooldown: { key: 'k', minutes: 10 }, ...route } } })
  let ids = 0
  const post = (body: object, id = String(++ids)): Promise<Answer> => gateway.post('r', { body, headers: { 'X-Request-ID': id } })
  const said = async (body: object, id?: string): Promise<unknown> => (await post(body, id)).json.status
  const texts = (): unknown[] => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
  return { ...gateway, clock, post, said, texts }
}

const records = async ({ dir }: Pick<TestGateway, 'dir'>, count: number): Promise<readonly EventView[]> => {
  let events: readonly EventView[] = []
  await until(async () => {
    events = (await readEvents(journalFolder(dir), { limit: 1_000 })).events
    return events.length >= count
  })
  return events
}

t.test('the first event passes; those after it are ignored, recorded and listed, until the time is over', async (t) => {
  const gateway = await start(t, {})
  t.equal(await gateway.said({ k: 'a', n: 1 }), 'accepted')
  const second = await gateway.post({ k: 'a', n: 2 }, 'second')
  t.match(second, { status: 200, json: { status: 'ignored', reason: 'cooldown', route: 'r' } })
  const reason = 'cooldown: less than 10 minutes after the first event'
  t.match(await gateway.line(({ delivery_id: id }) => id === 'second'), { outcome: 'ignored', stage: 'cooldown', reason })
  t.strictSame(
    [await gateway.said({ k: 'b', n: 3 }), await gateway.said({ n: 4 }), await gateway.said({ n: 5 })],
    ['accepted', 'accepted', 'accepted'],
  )
  gateway.clock.advance(10 * minute - 1)
  t.equal(await gateway.said({ k: 'a', n: 6 }), 'ignored', 'nothing prolongs it')
  gateway.clock.advance(1)
  t.equal(await gateway.said({ k: 'a', n: 2 }, 'second'), 'duplicate', 'the repeat of what was ignored does not run later')
  t.equal(await gateway.said({ k: 'a', n: 7 }), 'accepted')
  t.equal(await gateway.said({ k: 'a', n: 8 }), 'ignored')
  await records(gateway, 9)
  const { out } = await runAt(gateway.dir, ['events', 'list', '--outcome', 'ignored:cooldown', '--json'])
  t.match(
    JSON.parse(out).data.events.map((event: EventView) => [event.stage, event.reason]),
    [
      ['cooldown', reason],
      ['cooldown', reason],
      ['cooldown', reason],
    ],
  )
  await until(() => gateway.texts().length === 5)
  t.strictSame(gateway.texts().sort(), ['1', '3', '4', '5', '7'])
})

t.test('last: the last event of the burst runs when the time is over, and says how many others there were', async (t) => {
  const gateway = await start(t, { cooldown: { key: '{k}-{l}', minutes: 10, last: true } })
  const of = (n: number) => ({ k: 'a', l: 'b-c', n })
  t.equal(await gateway.said(of(1)), 'accepted')
  await until(() => gateway.texts().length === 1)
  gateway.clock.advance(minute)
  const waiting = await gateway.post(of(2))
  t.match(waiting, { status: 202, json: { status: 'coalesced' } })
  gateway.clock.advance(8 * minute)
  t.strictSame([await gateway.said(of(3)), await gateway.said(of(4))], ['coalesced', 'coalesced'])
  t.equal(await gateway.said({ k: 'a-b', l: 'c', n: 9 }), 'accepted', 'another key')
  t.equal(await gateway.said(of(4), '4'), 'duplicate')
  gateway.clock.advance(minute - 1)
  t.equal(gateway.texts().length <= 2, true)
  gateway.clock.advance(1)
  await until(() => gateway.texts().length === 3)
  t.match(gateway.texts().at(-1), /^4\n.*2 earlier events for this target were replaced by this one; 3 arrived/s)
  t.equal(await gateway.said(of(5)), 'accepted', 'the run at the end begins no cooldown')
  t.equal(await gateway.said(of(6)), 'coalesced')
  gateway.clock.advance(10 * minute)
  await until(() => gateway.texts().length === 5)
  t.strictSame(gateway.texts().slice(3), ['5', '6'], 'one that was alone says nothing of others')
})

t.test('without a key it is that of the route; without work it has not begun', async (t) => {
  const route = await start(t, { cooldown: { minutes: 10 }, prompt: '{= $number(n) }', expression_error: 'refuse' })
  t.equal((await route.post({ n: 'no' })).status, 422)
  t.strictSame([await route.said({ n: 1 }), await route.said({ n: 2 })], ['accepted', 'ignored'])
  const full = await start(t, { delay_seconds: 60 }, { config: { gateway: { max_queued_runs: 1 } } })
  t.equal(await full.said({ k: 'a', n: 1 }), 'accepted')
  t.equal((await full.post({ k: 'b', n: 1 })).status, 503)
  full.clock.advance(61_000)
  await until(async () => (await full.post({ k: 'b', n: 2 })).status === 202)
})

t.test('a direct delivery that failed has not begun one; with retry the last one waits', async (t) => {
  let fails = true
  const receiver = await sink(t, (response) => json(response, fails ? 400 : 200, {}))
  const to = { deliver_only: true, deliver: 'http', deliver_extra: { url: receiver.origin } }
  const direct = await start(t, to, { config: { targets: { breaker: { enabled: false } } } })
  t.equal((await direct.post({ k: 'a', n: 1 })).status, 502)
  fails = false
  t.strictSame([await direct.said({ k: 'a', n: 2 }), await direct.said({ k: 'a', n: 3 })], ['delivered', 'ignored'])
  const queued = await start(t, { ...to, retry: {}, cooldown: { minutes: 10, last: true } })
  const said = [await queued.said({ n: 4 }), await queued.said({ n: 5 }), await queued.said({ n: 6 })]
  t.strictSame(said, ['accepted', 'coalesced', 'coalesced'])
  queued.clock.advance(10 * minute)
  await until(() => receiver.seen.length === 4)
  t.match(receiver.seen.at(-1)?.body, /6.*1 earlier event for this target was replaced by this one; 2 arrived in all/)
})

t.test('items of a request: one passes, and the last of the others waits', async (t) => {
  const all = [1, 2, 3].map((n) => ({ k: 'a', n }))
  const plain = await start(t, { split: 'all' })
  t.strictSame((await plain.post({ all })).json.items, { accepted: 1, ignored: 2 })
  const last = await start(t, { split: 'all', cooldown: { key: 'k', minutes: 10, last: true } })
  t.strictSame((await last.post({ all })).json.items, { accepted: 1, coalesced: 2 })
  last.clock.advance(10 * minute)
  await until(() => last.texts().length === 2)
  t.match(last.texts().at(-1), /^3\n.*1 earlier event/s)
})

t.test('a replay under a new id is not held back, and says so', async (t) => {
  const gateway = await start(t, {})
  await gateway.post({ k: 'a', n: 1 })
  const { headers } = await gateway.post({ k: 'a', n: 2 })
  const id = headers.get('x-headgate-event-id') ?? ''
  await records(gateway, 2)
  t.match(await gateway.operations.replay({ id }), { outcome: 'accepted', reason: 'as a replay it was not held back by cooldown' })
  t.equal(await gateway.said({ k: 'a', n: 3 }), 'ignored')
})

t.test('it goes on after a restart, and the last event is not lost', async (t) => {
  const config = { storage: { kind: 'sqlite' } }
  const cooldown = { key: 'k', minutes: 10, last: true }
  const first = await start(t, { cooldown }, { config })
  t.strictSame([await first.said({ k: 'a', n: 1 }), await first.said({ k: 'a', n: 2 })], ['accepted', 'coalesced'])
  await first.stop()
  const second = await startGateway(t, { clock: first.clock, dir: first.dir, config })
  const texts = (): unknown[] => [...first.lines, ...second.lines].filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
  await until(() => texts().length === 2)
  t.strictSame(texts(), ['1', '2'], 'an orderly stop does not wait for the time')
  const answer = await second.post('r', { body: { k: 'a', n: 3 }, headers: { 'X-Request-ID': 'new' } })
  t.equal(answer.json.status, 'coalesced')
})

t.test('validate refuses what does not fit together', async (t) => {
  const route = (more: object, last = true) => ({ prompt: 'p', cooldown: { minutes: 10, last }, ...more })
  const routes = {
    group: route({ coalesce: { key: 'k' } }),
    same: route({ duplicates: { key: 'k' } }),
    direct: route({ deliver_only: true, deliver: 'http', deliver_extra: { url: 'https://example.org' } }),
    job: route({ cron_job: 'nightly' }),
    fine: route({ rate_limit: { per_minute: 5, when_over: 'queue' }, concurrency: { limit: 1 }, session: { key: 'k' } }),
    'fine-job': route({ cron_job: 'nightly' }, false),
  }
  const jobs = { nightly: { schedule: '2999-01-01T00:00:00', prompt: 'p' } }
  const config = { jobs, platforms: { webhook: { enabled: true, extra: { secret: 'a-secret-of-some-length', routes } } } }
  const { out } = await runAt(newFolder(t, { 'config.yaml': stringify(config) }), ['validate', '--json'])
  const { diagnostics } = JSON.parse(out).data as { diagnostics: { code: string; message: string; severity: string }[] }
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  t.strictSame(
    errors.map(({ code }) => code),
    ['WH208', 'WH208', 'WH208', 'WH208'],
  )
  const words = errors.map(({ message }) => /coalesce|duplicates\.key|deliver_only|cron_job/.exec(message)?.[0])
  t.strictSame(words.sort(), ['coalesce', 'cron_job', 'deliver_only', 'duplicates.key'])
})
