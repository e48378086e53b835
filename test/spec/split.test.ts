/** `split`: each item of a request is an event with its own type, filters, id and run; all are accepted together, or none. */

import t, { type Test } from 'tap'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const delivered = ({ lines }: TestGateway): unknown[] => lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)

const start = (t: Test, route: object, more: GatewayOptions = {}): Promise<TestGateway> =>
  startGateway(t, { ...more, routes: { r: { prompt: '{name}', deliver: 'log', ...route } } })

const as = (id: string) => ({ 'X-Request-ID': id })
const named = (...names: readonly string[]): object[] => names.map((name) => ({ name }))

/** The records of a gateway, as soon as there are so many. */
const records = async ({ dir }: TestGateway, count: number): Promise<readonly EventView[]> => {
  let events: readonly EventView[] = []
  await until(async () => {
    events = (await readEvents(journalFolder(dir), { limit: 1_000 })).events
    return events.length >= count
  })
  return events
}

t.test('each item has its own type, filters, id and run, and reads the whole request as batch', async (t) => {
  const gateway = await start(t, {
    split: { items: 'alerts', type: 'status', id: ['key', 'status'] },
    events: ['firing'],
    filters: [
      { field: 'batch.severity', equals: '{n}' },
      { field: 'n', exists: true },
      { jsonata: '$count(batch.alerts) = 6 and payload.n != 3' },
    ],
    prompt: '{event_type} {delivery_id} {n} {batch.receiver} {batch.big} {batch.delivery_id} {= batch.receiver & name }',
  })
  const body = `{"receiver":"ops","severity":"{n}","big":12345678901234567890,"batch":"no","alerts":[
    {"status":"firing","key":"a","n":98765432109876543210,"name":"!","batch":{"receiver":"no"}},{"status":"resolved","key":"b","n":1},
    {"status":"firing","n":"two"},{"status":"firing","key":"a","n":5},{"status":"firing","key":"c"},{"status":"firing","key":"d","n":3}]}`
  const answer = await gateway.post('r', { headers: as('req-1'), body })
  t.match(answer, { status: 202, json: { status: 'split', route: 'r', event: 'unknown', delivery_id: 'req-1' } })
  t.strictSame(answer.json.items, { accepted: 2, ignored: 3, duplicate: 1 })
  await until(() => delivered(gateway).length === 2)
  t.strictSame(delivered(gateway).sort(), [
    'firing a firing 98765432109876543210 ops 12345678901234567890 req-1 ops!',
    'firing req-1#2 two ops 12345678901234567890 req-1 ops',
  ])
  t.strictSame((await gateway.post('r', { headers: as('req-1'), body })).json.items, { duplicate: 3, ignored: 3 }, 'its repeat')
  t.equal((await gateway.post('r', { headers: as('req-1'), body })).status, 200)
  const events = await records(gateway, 21)
  const whole = events.find(({ event_id }) => event_id === answer.headers.get('x-headgate-event-id'))
  t.match(whole, { outcome: 'split', state: 'final', status: 202, reason: 'its items: 2 accepted, 3 ignored, 1 duplicate' })
  const items = events.filter(({ batch_of: of }) => of === whole?.event_id).sort((a, b) => Number(a.batch_index) - Number(b.batch_index))
  t.match(
    items.map(({ outcome, stage, event_type: type, delivery_id: id }) => [outcome, stage, type, id].join(' ')),
    [
      'accepted dispatch firing a firing',
      'ignored events resolved b resolved',
      'accepted dispatch firing req-1#2',
      /^duplicate duplicate/,
      /^ignored filters/,
      /^ignored filters/,
    ],
  )
  t.ok(whole?.raw)
  t.notOk(
    items.some(({ raw }) => raw),
    'the body is kept once',
  )
})

t.test('places of lists, and requests without one', async (t) => {
  const gateway = await startGateway(t, {
    routes: {
      top: { split: '*', prompt: '{name}' },
      deep: { split: 'entry.*.changes', prompt: '{name}{id}' },
      one: { split: 'list', prompt: 'whole {name}' },
    },
  })
  const items = async (route: string, body: unknown) => (await gateway.post(route, { body })).json
  t.match(await items('top', named('a', 'b')), { status: 'split', items: { accepted: 2 } })
  t.match(await items('top', []), { status: 'split', items: {} })
  t.match(await items('deep', { entry: [{ changes: named('c', 'd') }, { id: 'e' }] }), { items: { accepted: 3 } })
  t.match(await items('one', { name: 'f' }), { status: 'accepted' })
  t.match(await items('one', { list: { 0: {} }, name: 'g' }), { status: 'accepted' })
  await until(() => delivered(gateway).length === 7)
  t.strictSame(delivered(gateway).sort(), ['a', 'b', 'c{id}', 'd{id}', 'whole f', 'whole g', '{name}e'])
})

t.test('values of an id never give the id of other values', async (t) => {
  const gateway = await start(t, { split: { items: '*', id: ['a', 'b'] } })
  const pairs = [
    { a: 'x y', b: 'z' },
    { a: 'x', b: 'y z' },
    { a: '"x y"', b: 'z' },
    { a: 'x', b: 'y' },
    { a: 'x', b: 'y' },
  ]
  t.match(await gateway.post('r', { body: pairs }), { json: { items: { accepted: 4, duplicate: 1 } } })
})

t.test('no item has the id of a request, or of an item that is named in another way', async (t) => {
  const receiver = await sink(t, (response) => response.writeHead(202).end())
  const route = { split: { items: 'list', id: ['name'] }, deliver: 'http', deliver_extra: { url: `${receiver.origin}/in` } }
  const gateway = await start(t, route)
  t.match(await gateway.post('r', { headers: as('q'), body: { list: named('a', 'b', 'p#0') } }), { json: { items: { accepted: 3 } } })
  t.match(await gateway.post('r', { headers: as('a'), body: { name: 'a request' } }), { json: { status: 'accepted', delivery_id: 'a' } })
  t.match(await gateway.post('r', { headers: as('p'), body: { list: [{}] } }), { json: { items: { accepted: 1 } } })
  t.match(await gateway.post('r', { headers: as('p#0'), body: {} }), { json: { status: 'accepted', delivery_id: 'p#0' } })
  t.match(await gateway.post('r', { headers: as('n'), body: { list: named('a') } }), { json: { items: { duplicate: 1 } } }, 'an item again')
  t.match(await gateway.post('r', { headers: as('a'), body: {} }), { json: { status: 'duplicate' } }, 'a request again')
  await until(() => receiver.seen.length === 6)
  t.equal(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size, 6, 'nor has the receiver one id for two')
})

t.test('a thousand items are taken, and one more is refused with the bound', async (t) => {
  const gateway = await start(t, { split: '*', deliver: 'log' })
  const many = Array.from({ length: 1_001 }, (_, n) => ({ name: `n${n}` }))
  t.match(await gateway.post('r', { body: many }), { status: 413, json: { error: 'Payload too large: at most 1000 items in a request' } })
  t.match(await gateway.post('r', { body: many.slice(1) }), { status: 202, json: { items: { accepted: 1_000 } } })
})

t.test('where the queue has no room for all, none is taken, and the repeat is taken whole', async (t) => {
  const config = { storage: { kind: 'memory' }, gateway: { max_queued_runs: 3 } }
  const gateway = await start(t, { split: '*' }, { config })
  const many = { headers: as('many'), body: named('a', 'b', 'c', 'd') }
  const answer = await gateway.post('r', many)
  t.match([answer.status, answer.headers.get('retry-after')], [503, '5'])
  t.match(await gateway.line(({ outcome }) => outcome === 'overloaded'), { reason: /no room for the 4 runs/ })
  t.match(await gateway.post('r', { headers: as('many'), body: named('a', 'b', 'c') }), { json: { items: { accepted: 3 } } })
  await until(() => delivered(gateway).length === 3)
  t.match((await records(gateway, 5)).map(({ outcome }) => outcome).sort(), ['accepted', 'accepted', 'accepted', 'overloaded', 'split'])
})

t.test('lanes and groups take items in their order', async (t) => {
  const gateway = await startGateway(t, {
    routes: {
      lane: { split: '*', prompt: '{name}', concurrency: { limit: 1, key: 'lane' } },
      group: { split: '*', prompt: '{name}', coalesce: { key: '{lane}', window_seconds: 0.01, max_wait_seconds: 1 } },
    },
  })
  const body = [...named('a', 'b'), { name: 'c', lane: 'x' }, { name: 'd', lane: 'x' }]
  t.match(await gateway.post('lane', { body }), { status: 202, json: { items: { accepted: 4 } } })
  await until(() => delivered(gateway).length === 4)
  const order = delivered(gateway)
  t.ok(order.indexOf('a') < order.indexOf('b') && order.indexOf('c') < order.indexOf('d'))
  t.match(await gateway.post('group', { body }), { status: 202, json: { items: { accepted: 2, coalesced: 2 } } })
  await until(() => delivered(gateway).length === 7)
  t.match(delivered(gateway).at(-1), /^d/)
})

t.test('a script takes each item, one after the other', async (t) => {
  const gateway = await start(
    t,
    { split: '*', script: 'mark.sh', prompt: '{name} {script_output} {batch.1.name}' },
    {
      files: { scripts: { 'mark.sh': 'read -r x; case $x in *skip*) ;; *) echo "$HEADGATE_DELIVERY_ID $x" ;; esac' } },
    },
  )
  t.match(await gateway.post('r', { headers: as('q'), body: named('a', 'skip', 'b') }), { json: { items: { accepted: 2, ignored: 1 } } })
  await until(() => delivered(gateway).length === 2)
  t.strictSame(delivered(gateway).sort(), ['a q#0 {"name":"a"} skip', 'b q#2 {"name":"b"} skip'])
})

t.test('a replay of a request makes new events of its items; that of an item makes one', async (t) => {
  const gateway = await start(t, { split: { items: 'list', id: ['name'] } })
  const answer = await gateway.post('r', { headers: as('q'), body: { list: named('a', 'b') } })
  const id = answer.headers.get('x-headgate-event-id') ?? ''
  const items = (await records(gateway, 3)).filter(({ batch_of: of }) => of === id)
  const replay = (more: object) => gateway.operations.replay({ id, ...more })
  t.match(await replay({}), { found: true, outcome: 'split', reason: 'its items: 2 accepted' })
  t.match(await replay({ same_id: true }), { found: true, reason: 'its items: 2 duplicate' })
  const item = items.find(({ batch_index: index }) => index === 1)?.event_id ?? ''
  t.match(await replay({ id: item }), { found: true, outcome: 'accepted', status: 202 })
  t.match(await replay({ id: item, same_id: true }), { found: true, outcome: 'duplicate' })
  t.match(await replay({ id: item, dry_run: true }), { found: true, outcome: 'accepted', starts: { prompt: 'b' } })
  t.match(await replay({ dry_run: true }), { outcome: 'accepted', note: /^the request is split into 2 events/ })
  t.match(await replay({ id: item, body: '{}' }), { found: false, why: /edited as a whole: replay / })
  await until(() => delivered(gateway).length === 5)
  t.strictSame(delivered(gateway).sort(), ['a', 'a', 'b', 'b', 'b'])
})

t.test('split goes neither with direct delivery nor with jobs, and true needs a sender with a list', async (t) => {
  for (const route of [
    { split: '*', deliver: 'http', deliver_extra: { url: 'http://127.0.0.1:1' }, deliver_only: true },
    { split: true },
    { split: true, verify: 'github' },
  ])
    await t.rejects(start(t, route), /WH208/)
})
