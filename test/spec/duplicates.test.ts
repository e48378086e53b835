/** `duplicates` with a `key`: of events that say the same, only the first makes work, whatever their ids. */

import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { systemClock } from '../../src/core/clock.ts'
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
const why = 'its delivery id is new, but an event with the same key (duplicates.key) came before'

/** Starts a gateway with one route, whose events have the ids 1, 2 and so on where none is given. */
const start = async (t: Test, route: object, more: GatewayOptions = {}) => {
  const clock = fakeClock()
  const gateway = await startGateway(t, { clock, ...more, routes: { r: { prompt: 'p', duplicates: { key: 'k' }, ...route } } })
  let ids = 0
  const post = (body: object | string, id = String(++ids)): Promise<Answer> => gateway.post('r', { body, headers: { 'X-Request-ID': id } })
  const said = async (body: object | string, id?: string): Promise<unknown> => (await post(body, id)).json.status
  return { ...gateway, clock, post, said }
}

const records = async ({ dir }: Pick<TestGateway, 'dir'>, count: number): Promise<readonly EventView[]> => {
  let events: readonly EventView[] = []
  await until(async () => {
    events = (await readEvents(journalFolder(dir), { limit: 1_000 })).events
    return events.length >= count
  })
  return events
}

t.test('the first event with a key counts for its minutes, and an id for an hour all the same', async (t) => {
  const gateway = await start(t, { duplicates: { key: 'k', minutes: 15 } })
  t.strictSame(await Promise.all([gateway.said({ k: 'a' }), gateway.said({ k: 'b' })]), ['accepted', 'accepted'])
  const again = await gateway.post({ k: 'a' }, 'other')
  t.match(again, { status: 200, json: { status: 'duplicate', route: 'r', delivery_id: 'other' } })
  t.match(await gateway.line(({ delivery_id: id }) => id === 'other'), { outcome: 'duplicate', stage: 'duplicate', reason: why })
  t.equal(await gateway.said({ k: 'a' }, '1'), 'duplicate')
  t.equal(gateway.lines.findLast(({ stage }) => stage === 'duplicate')?.reason, undefined, 'by its id')
  gateway.clock.advance(15 * minute - 1_000)
  t.equal(await gateway.said({ k: 'a' }), 'duplicate')
  gateway.clock.advance(1_001)
  t.equal(await gateway.said({ k: 'a' }, 'other'), 'duplicate', 'what was a duplicate has its id kept')
  t.equal(await gateway.said({ k: 'a' }, '1'), 'duplicate', 'as has what was accepted')
  t.equal(await gateway.said({ k: 'a' }), 'accepted')
  t.strictSame(
    (await records(gateway, 8)).filter(({ reason }) => reason === why).map(({ delivery_id: id, stage }) => [id, stage]),
    [
      ['3', 'duplicate'],
      ['other', 'duplicate'],
    ],
  )
})

t.test('hours are those of the key and of the id', async (t) => {
  const gateway = await start(t, { duplicates: { key: 'k', hours: 2 } })
  t.equal(await gateway.said({ k: 'a' }), 'accepted')
  gateway.clock.advance(119 * minute)
  t.strictSame([await gateway.said({ k: 'a' }), await gateway.said({ k: 'b' }, '1')], ['duplicate', 'duplicate'])
  gateway.clock.advance(2 * minute)
  t.strictSame([await gateway.said({ k: 'a' }), await gateway.said({ k: 'b' }, '1')], ['accepted', 'accepted'])
})

t.test('no value forges the key of two fields, and an event without a usable value counts by its id', async (t) => {
  const gateway = await start(t, { duplicates: { key: '{a}-{b}' } })
  const bodies: readonly (object | string)[] = [
    { a: 'x', b: 'y-z' },
    { a: 'x-y', b: 'z' },
    { a: 'x%2Dy', b: 'z' },
    { a: 'x/r', b: 'z' },
    '{"a":9007199254740993,"b":1}',
    '{"a":9007199254740992,"b":1}',
  ]
  for (const body of bodies) t.equal(await gateway.said(body), 'accepted', JSON.stringify(body))
  for (const body of bodies) t.equal(await gateway.said(body), 'duplicate', JSON.stringify(body))
  const without = [{}, { a: 1 }, { a: null, b: 1 }, { a: { c: 1 }, b: 1 }, { a: 'x'.repeat(1_000_000), b: 1 }]
  for (const body of [...without, ...without]) t.equal(await gateway.said(body), 'accepted')
  t.equal(await gateway.said({ a: 1, b: 2 }, '20'), 'duplicate', 'by its id')
})

t.test('a key and an id never stand for each other, nor the keys of two routes', async (t) => {
  const routes = { r: { prompt: 'p', duplicates: { key: 'k' } }, s: { prompt: 'p', duplicates: { key: 'k' } } }
  const gateway = await startGateway(t, { routes })
  const said = async (route: string, k: string, id: string) =>
    (await gateway.post(route, { body: { k }, headers: { 'X-Request-ID': id } })).json.status
  t.strictSame([await said('r', 'a', '1'), await said('s', 'a', '1'), await said('r', '1', 'a')], ['accepted', 'accepted', 'accepted'])
  t.equal(await said('r', 'default/s/a', '@repeat/default/r/a'), 'accepted')
})

t.test('without work the key is free: a full queue, a refused expression, a job that runs', async (t) => {
  const held = await start(t, { delay_seconds: 60 }, { config: { gateway: { max_queued_runs: 1 } } })
  t.equal(await held.said({ k: 'a' }), 'accepted')
  t.equal((await held.post({ k: 'b' })).status, 503)
  held.clock.advance(61_000)
  await until(async () => (await held.post({ k: 'b' })).status === 202)

  const strict = await start(t, { prompt: '{= $number(n) }', expression_error: 'refuse' })
  t.equal((await strict.post({ k: 'a', n: 'no' })).status, 422)
  t.equal(await strict.said({ k: 'a', n: 1 }), 'accepted')

  const agent = { runner: 'command', command: ['sleep', '30'] }
  const jobs = { nightly: { schedule: '2999-01-01T00:00:00', prompt: 'p' } }
  const job = await start(t, { cron_job: 'nightly' }, { config: { jobs, agent }, clock: systemClock })
  t.equal(await job.said({ k: 'a' }), 'accepted')
  t.equal(await job.said({ k: 'a' }), 'duplicate', 'though the job runs')
  t.equal(await job.said({ k: 'b' }, 'busy'), 'ignored')
  t.equal(await job.said({ k: 'b' }, 'busy'), 'ignored', 'neither its key nor its id is kept')
})

t.test('a direct delivery that failed leaves both free, and who comes meanwhile waits for its end', async (t) => {
  let fails = true
  const open: (() => void)[] = []
  const receiver = await sink(t, (response) => void open.push(() => json(response, fails ? 400 : 200, {})))
  const gateway = await start(
    t,
    { deliver_only: true, deliver: 'http', deliver_extra: { url: receiver.origin } },
    { config: { targets: { breaker: { enabled: false } } } },
  )
  const first = gateway.post({ k: 'a' }, 'first')
  await until(() => open.length === 1)
  const second = gateway.post({ k: 'a' }, 'second')
  // It asks for its claims again and again.
  open[0]?.()
  t.equal((await first).status, 502)
  fails = false
  await until(() => {
    gateway.clock.advance(200)
    return open.length === 2
  })
  const third = gateway.post({ k: 'a' }, 'third')
  open[1]?.()
  t.match(await second, { status: 200, json: { status: 'delivered' } })
  let isOver = false
  void third.finally(() => {
    isOver = true
  })
  await until(() => {
    gateway.clock.advance(200)
    return isOver
  })
  t.match(await third, { status: 200, json: { status: 'duplicate' } })
  t.equal(await gateway.said({ k: 'a' }, 'first'), 'duplicate', 'the repeat of the first finds it done')
  t.equal(receiver.seen.length, 2)
})

t.test('a delivery to several targets: the repeat reaches those that lack the text, and an equal event after it none', async (t) => {
  let fails = true
  const good = await sink(t, (response) => json(response, 200, {}))
  const bad = await sink(t, (response) => json(response, fails ? 400 : 200, {}))
  const to = [good, bad].map(({ origin }) => ({ target: 'http', deliver_extra: { url: origin } }))
  const gateway = await start(t, { deliver_only: true, deliver: to }, { config: { targets: { breaker: { enabled: false } } } })
  t.equal((await gateway.post({ k: 'a' }, 'one')).status, 502)
  fails = false
  t.equal(await gateway.said({ k: 'a' }, 'one'), 'delivered')
  t.equal(await gateway.said({ k: 'a' }, 'two'), 'duplicate')
  t.strictSame([good.seen.length, bad.seen.length], [1, 2])
})

t.test('items of a request, and events of a group', async (t) => {
  const items = await start(t, { split: 'all' })
  const answer = await items.post({ all: [{ k: 'a' }, { k: 'b' }, { k: 'a' }, {}] })
  t.strictSame(answer.json.items, { accepted: 3, duplicate: 1 })
  t.strictSame((await items.post({ all: [{ k: 'b' }, { k: 'c' }] })).json.items, { duplicate: 1, accepted: 1 })
  t.match(
    (await records(items, 8)).filter(({ outcome }) => outcome === 'duplicate').map(({ reason }) => reason),
    [why, why],
  )
  const group = await start(t, { prompt: '{n}', coalesce: { key: 'g', window_seconds: 5 } })
  const said = [
    await group.said({ g: 1, k: 'a', n: 1 }),
    await group.said({ g: 1, k: 'a', n: 2 }),
    await group.said({ g: 1, k: 'b', n: 3 }),
  ]
  t.strictSame(said, ['coalesced', 'duplicate', 'coalesced'])
  group.clock.advance(6_000)
  t.match(await group.line(({ msg }) => msg === 'delivered'), { text: /^3\n.*1 earlier event for this target was replaced.*2 arrived/s })
})

t.test('a replay under a new id does the work once more and says why; under the same id it is compared', async (t) => {
  const gateway = await start(t, {})
  const { headers } = await gateway.post({ k: 'a' })
  const id = headers.get('x-headgate-event-id') ?? ''
  await records(gateway, 1)
  const reason = 'as a replay it was not compared by the key of duplicates'
  t.match(await gateway.operations.replay({ id, dry_run: true }), { outcome: 'accepted', note: reason })
  const replayed = await gateway.operations.replay({ id })
  t.match(replayed, { outcome: 'accepted', reason })
  t.ok((await records(gateway, 2)).some((event) => event.reason === reason && event.outcome === 'accepted'))
  t.match(await gateway.operations.replay({ id, same_id: true }), { outcome: 'duplicate' })
  t.equal(await gateway.said({ k: 'a' }), 'duplicate')
  const { headers: second } = await gateway.post({ k: 'a' })
  const copy = second.get('x-headgate-event-id') ?? ''
  await records(gateway, 5)
  t.match(await gateway.operations.replay({ id: copy, same_id: true }), { outcome: 'duplicate' })
})

t.test('keys are known after a restart', async (t) => {
  const config = { storage: { kind: 'sqlite' } }
  const first = await start(t, { duplicates: { key: 'k', minutes: 90 } }, { config })
  t.equal(await first.said({ k: 'a' }), 'accepted')
  await first.stop()
  const routes = { r: { prompt: 'p', duplicates: { key: 'k', minutes: 90 } } }
  const second = await startGateway(t, { clock: first.clock, dir: first.dir, routes, config })
  const said = async (k: string) => (await second.post('r', { body: { k }, headers: { 'X-Request-ID': `new-${k}` } })).json.status
  t.strictSame([await said('a'), await said('b')], ['duplicate', 'accepted'])
})

t.test('validate says what does not fit together, and trace that an event has no key', async (t) => {
  const route = (duplicates: object) => ({ prompt: 'p', duplicates })
  const routes = { both: route({ key: 'k', hours: 2, minutes: 15 }), alone: route({ minutes: 15 }), fine: route({ key: '{k}' }) }
  const config = { platforms: { webhook: { enabled: true, extra: { secret: 'a-secret-of-some-length', routes } } } }
  const dir = newFolder(t, { 'config.yaml': stringify(config) })
  const { diagnostics } = JSON.parse((await runAt(dir, ['validate', '--json'])).out).data
  t.match(
    diagnostics.filter(({ message }: { message: string }) => message.includes('minutes')),
    [
      { code: 'WH208', severity: 'error', message: /"hours" and "minutes" cannot be used together/ },
      { code: 'WH210', severity: 'warning' },
    ],
  )
  const { out } = await runAt(dir, ['webhook', 'trace', 'fine', '--payload', '{}', '--json'])
  t.match(JSON.parse(out).data, {
    outcome: 'accepted',
    notes: ['the event has no value for the key of "duplicates": only its delivery id counts'],
  })
})
