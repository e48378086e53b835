/** Records of events, over the folder of one gateway and over the database of several: the same is read of both. */

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import type { EventRecords } from '../../src/journal/event-records.ts'
import { indexedRecords } from '../../src/journal/index/indexed-records.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { folderRecords } from '../../src/journal/reader.ts'
import type { EventView, Journal, RawRequest, Tried } from '../../src/journal/record.ts'
import type { Limits } from '../../src/journal/retention.ts'
import { databaseRecords } from '../../src/journal/shared/database-records.ts'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import { maskHeaders } from '../../src/secrets/mask.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { openPostgresServer, type PostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { at, ended, received, startMs } from '../fakes/records.ts'
import { until } from '../fakes/wait.ts'

const roomy: Limits = { maxAgeMs: 72 * 3_600_000, maxBytes: 1_073_741_824, maxEvents: 1_000_000 }

type Opened = {
  readonly journal: Journal
  readonly records: EventRecords
  readonly clock: FakeClock
  readonly said: string[]
  /** Forgets the records past the limits, as a gateway of a shared store does. */
  readonly prune: () => Promise<void>
}
type Open = (t: Test, limits?: () => Limits) => Promise<Opened>

const tried = (event_id: string, second: number, attempt: number): Tried => ({
  kind: 'tried',
  at: at(second),
  event_id,
  attempt,
  error: `error ${attempt}`,
  next_at: at(second + 10),
})

const idsOf = (events: readonly EventView[]): string[] => events.map((event) => event.event_id)
const all = async (records: EventRecords) => (await records.events({ limit: 1_000_000 })).events

const found = async (records: EventRecords, id: string): Promise<EventView> => {
  const result = await records.event(id)
  if (result.kind !== 'found') throw new Error(`${id} is ${result.kind}`)
  return result.event
}

const openFolder =
  (recordsOf: (folder: string) => EventRecords): Open =>
  async (t, limits = () => roomy) => {
    const folder = newFolder(t)
    const said: string[] = []
    const clock = fakeClock(startMs)
    const journal = await openJournal({ folder, clock, limits, report: (message) => said.push(message) })
    t.teardown(() => journal.close())
    return { journal, records: recordsOf(folder), clock, said, prune: async () => {} }
  }

const openDatabase =
  (server: PostgresServer): Open =>
  async (t, limits = () => roomy) => {
    const store = await openPostgres({ url: () => server.url, schema: server.newSchema(), durability: 'commit', clock: systemClock })
    const shared = store.shared?.records
    if (!shared) throw new Error('the store shares no records')
    const said: string[] = []
    const clock = fakeClock(startMs)
    const journal = await openSharedJournal({ records: shared, clock, limits, report: (message) => said.push(message) })
    t.teardown(async () => {
      await journal.close()
      await store.close()
    })
    return { journal, records: databaseRecords(shared), clock, said, prune: () => shared.prune(limits()) }
  }

const suite = async (t: Test, open: Open): Promise<void> => {
  await t.test('every kind of line is folded into the event it is about', async (t) => {
    const { journal, records } = await open(t)
    journal.add(received('ignored-1', 0, { outcome: 'ignored', reason: 'filter', stage: 'filters', status: 200 }))
    journal.add(received('waiting-1', 1))
    journal.add(received('done-0001', 2))
    journal.add(tried('done-0001', 3, 1))
    journal.add(tried('done-0001', 4, 2))
    journal.add(ended('done-0001', 5, { attempt: 3, silent: true, target: 'log' }))
    journal.add(received('dead-0001', 6))
    journal.add(ended('dead-0001', 7, { state: 'dead', attempt: 5, error: 'gave up' }))
    journal.add(received('revived-1', 8))
    journal.add(tried('revived-1', 8, 4))
    journal.add(ended('revived-1', 9, { state: 'dead', attempt: 5, error: 'gave up' }))
    journal.add({ kind: 'revived', at: at(10), event_id: 'revived-1' })
    journal.add(received('again-001', 11))
    journal.add(ended('again-001', 12, { state: 'dead', attempt: 5, error: 'gave up' }))
    journal.add({ kind: 'revived', at: at(13), event_id: 'again-001' })
    journal.add(tried('again-001', 14, 1))
    journal.add({ kind: 'started', at: at(15), event_id: 'started-1', profile: 'p', job: 'nightly', delivery_id: 's' })
    journal.add(received('twice-001', 16))
    journal.add(ended('twice-001', 17, { state: 'dead', error: 'the process died' }))
    journal.add(ended('twice-001', 18))
    // A run may be so fast that its end is written before its arrival.
    journal.add(ended('fast-0001', 20))
    journal.add(received('fast-0001', 19))
    // The store's answer was lost, so the sender was told to try again; the work was stored all the same.
    journal.add(received('doubt-001', 21, { outcome: 'unavailable', status: 503 }))
    journal.add(ended('doubt-001', 22))
    await journal.flushed()

    const { events, truncated, skipped } = await records.events({ limit: 100 })
    t.strictSame([truncated, skipped], [false, 0])
    t.strictSame(idsOf(events), [
      'doubt-001',
      'fast-0001',
      'twice-001',
      'started-1',
      'again-001',
      'revived-1',
      'dead-0001',
      'done-0001',
      'waiting-1',
      'ignored-1',
    ])
    const { kind: _, ...ignored } = received('ignored-1', 0, { outcome: 'ignored', reason: 'filter', stage: 'filters', status: 200 })
    const { kind: __, ...done } = received('done-0001', 2)
    const expected = new Map<string, object>([
      ['ignored-1', { ...ignored, state: 'final', tries: [] }],
      ['waiting-1', { state: 'waiting', attempt: undefined, ended_at: undefined, tries: [] }],
      [
        'done-0001',
        {
          ...done,
          target: 'log',
          state: 'done',
          attempt: 3,
          ended_at: at(5),
          silent: true,
          tries: [tried('done-0001', 3, 1), tried('done-0001', 4, 2)],
          steps: [tried('done-0001', 3, 1), tried('done-0001', 4, 2), ended('done-0001', 5, { attempt: 3, silent: true, target: 'log' })],
        },
      ],
      ['dead-0001', { state: 'dead', attempt: 5, error: 'gave up', ended_at: at(7) }],
      ['revived-1', { state: 'waiting', attempt: undefined, error: undefined, ended_at: undefined, tries: [tried('revived-1', 8, 4)] }],
      [
        'again-001',
        {
          state: 'waiting',
          attempt: 1,
          error: 'error 1',
          ended_at: undefined,
          // What was before a retry by hand is told, too.
          steps: [{ kind: 'ended', state: 'dead' }, { kind: 'revived' }, { kind: 'tried' }],
        },
      ],
      ['started-1', { at: at(15), profile: 'p', route: '', job: 'nightly', outcome: 'accepted', delivery_id: 's', state: 'waiting' }],
      ['twice-001', { state: 'done', error: undefined, ended_at: at(18) }],
      ['fast-0001', { at: at(19), state: 'done', ended_at: at(20) }],
      ['doubt-001', { outcome: 'unavailable', state: 'done', ended_at: at(22) }],
    ])
    for (const event of events) {
      t.match(event, expected.get(event.event_id), event.event_id)
      t.strictSame(await found(records, event.event_id), event, `${event.event_id} is the same by its id`)
    }
    t.strictSame(events.at(-1), expected.get('ignored-1'))
    t.strictSame(events.at(-3), expected.get('done-0001'))
  })

  await t.test('of many failed attempts the last fifty are told, oldest first', async (t) => {
    const { journal, records } = await open(t)
    journal.add(received('often-001', 0))
    for (let attempt = 1; attempt <= 60; attempt++) journal.add(tried('often-001', attempt, attempt))
    await journal.flushed()
    const { tries, attempt } = await found(records, 'often-001')
    t.strictSame(
      tries.map((line) => line.attempt),
      Array.from({ length: 50 }, (_, i) => i + 11),
    )
    t.equal(attempt, 60)
  })

  await t.test('members of a group are merged once its run has ended', async (t) => {
    const { journal, records } = await open(t)
    const member = { outcome: 'coalesced', group: 'opener-1' }
    journal.add(received('opener-1', 0, member))
    journal.add(received('other-01', 1, { outcome: 'coalesced', group: 'other-01' }))
    journal.add(received('member-2', 2, member))
    journal.add(received('latest-3', 3, member))
    await journal.flushed()
    t.strictSame(new Set((await all(records)).map((event) => event.state)), new Set(['waiting']))

    journal.add(ended('latest-3', 9, { group: 'opener-1', count: 3 }))
    await journal.flushed()
    const expected = [
      { event_id: 'latest-3', state: 'done', count: 3, ended_at: at(9) },
      { event_id: 'member-2', state: 'merged', ended_at: at(9), group: 'opener-1' },
      { event_id: 'other-01', state: 'waiting', ended_at: undefined },
      { event_id: 'opener-1', state: 'merged', ended_at: at(9) },
    ]
    t.match(await all(records), expected)
    for (const event of expected) t.match(await found(records, event.event_id), event)
  })

  await t.test('an event is found by its id, by the beginning of its id, and by its delivery id', async (t) => {
    const { journal, records } = await open(t)
    const nasty = 'a","b\\"\u0000\ud800'
    journal.add(received('found-0001', 0, { delivery_id: nasty }))
    journal.add(received('found-0002', 1, { delivery_id: 'twice' }))
    journal.add(received('other-0003', 2, { delivery_id: 'twice' }))
    journal.add({ kind: 'started', at: at(3), event_id: 'job-000001', profile: 'p', delivery_id: 'nightly@1', job: 'nightly' })
    await journal.flushed()
    t.match(await found(records, nasty), { event_id: 'found-0001', delivery_id: nasty })
    t.match(await found(records, 'nightly@1'), { event_id: 'job-000001' })
    t.match(await found(records, 'other-'), { event_id: 'other-0003' })
    t.strictSame(await records.event('found-'), { kind: 'ambiguous', by: 'id', ids: ['found-0002', 'found-0001'] })
    const together = await records.eventsOf(['found-0002', 'nobody-0001', 'found-0001'])
    t.strictSame(idsOf(together).sort(), ['found-0001', 'found-0002'])
    t.strictSame(await records.event('twice'), { kind: 'ambiguous', by: 'delivery id', ids: ['other-0003', 'found-0002'] })
    for (const id of ['', 'found', 'nobody', '%', "' or true", 'found-0001\u0000'])
      t.strictSame(await records.event(id), { kind: 'unknown' }, id)
  })

  await t.test('a page goes on where the one before ended, and ends at a time', async (t) => {
    const { journal, records } = await open(t)
    for (let n = 0; n < 2_500; n++) journal.add(received(`page-${String(n).padStart(4, '0')}`, n - 10_000))
    await journal.flushed()
    const first = await records.events({ limit: 1_200 })
    t.strictSame([first.events.length, first.truncated, first.events[0]?.event_id], [1_200, true, 'page-2499'])
    const second = await records.events({ limit: 1_400, after: 'page-1300', since: startMs - 9_990_000 })
    t.strictSame([second.events.length, second.truncated, second.met], [1_290, false, true])
    t.strictSame(
      idsOf([...first.events, ...second.events]),
      Array.from({ length: 2_490 }, (_, n) => `page-${String(2_499 - n).padStart(4, '0')}`),
    )
    t.equal((await records.events({ limit: 1, after: 'page-9999' })).met, false)
    t.strictSame(idsOf((await records.events({ limit: 1, fits: ({ event_id }) => event_id.endsWith('7') })).events), ['page-2497'])
  })

  await t.test('a raw request comes back byte for byte, its secrets masked, and texts with what no database takes', async (t) => {
    const { journal, records } = await open(t)
    const requests: RawRequest[] = [
      { headers: { 'x-emoji': 'é🙂\u0000\ud800', authorization: 'Bearer me' }, body: randomBytes(70_000) },
      { headers: {}, body: Buffer.alloc(0) },
      { headers: { 'x-list': ['1', '2'] }, body: Buffer.from('{"a":"\n\u0000"}\n{"event_id":"raw-0"}\n') },
    ]
    const reason = 'NUL \u0000, half \ud800, "delivery_id":"x","y"'
    for (const [i, raw] of requests.entries()) journal.add(received(`raw-event-${i}`, i, { reason }), raw)
    journal.add(received('raw-event-none', 9))
    await journal.flushed()
    const events = await all(records)
    t.equal(events[0]?.raw, undefined)
    for (const [i, { headers, body }] of requests.entries()) {
      const event = await found(records, `raw-event-${i}`)
      if (!event.raw) throw new Error('no place of the raw request')
      const back = await records.raw(event.raw)
      t.ok(back?.body.equals(body))
      t.strictSame(back?.headers, maskHeaders(headers))
      t.equal(event.reason, reason)
    }
    const place = events[1]?.raw
    if (!place) throw new Error('no place of the raw request')
    t.equal(await records.raw({ ...place, segment: '../0000000001' }), undefined)
    t.equal(await records.raw({ ...place, segment: '0000000007' }), undefined, 'deleted meanwhile')
    t.equal(await records.raw({ ...place, offset: place.offset + 1 }), undefined, 'not whole')
  })

  await t.test('the oldest are forgotten past the number of lines, the bytes and the age', async (t) => {
    let limits = { ...roomy, maxEvents: 3_000 }
    const { journal, records, clock, said, prune } = await open(t, () => limits)
    const fill = async (name: string, body?: Buffer): Promise<void> => {
      for (let batch = 0; batch < 12; batch++) {
        for (let n = 0; n < (body ? 1 : 500); n++) {
          journal.add(received(`${name}-${batch}-${n}`, 0), body && { headers: {}, body })
        }
        await journal.flushed()
      }
    }
    const settled = async (isEnough: (events: readonly EventView[]) => boolean): Promise<readonly EventView[]> =>
      until(async () => {
        // The journal of a folder keeps the limits itself. The records of a database are pruned by one of its gateways.
        clock.advance(60_000)
        await journal.flushed()
        await prune()
        const events = await all(records)
        return isEnough(events) && events
      })
    await fill('lines')
    const kept = await settled((events) => events.length <= 3_000)
    t.ok(kept.length >= 1_500 && kept[0]?.event_id.startsWith('lines-11-'), `${kept.length} are left`)
    limits = { ...roomy, maxBytes: 6 * 1024 * 1024 }
    await fill('bytes', randomBytes(1024 * 1024))
    const large = await settled((events) => events.filter(({ raw }) => raw).length <= 6)
    t.ok(large.filter(({ raw }) => raw).length >= 3 && large[0]?.event_id === 'bytes-11-0', `${large.length} are left`)
    limits = { ...roomy, maxAgeMs: 0 }
    await settled((events) => events.length === 0)
    t.strictSame(said, [])
  })
}

t.test('in a folder', (t) => suite(t, openFolder(folderRecords)))
t.test('in a folder, with an index', (t) => suite(t, openFolder(indexedRecords)))

t.test('in a database', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  await suite(t, openDatabase(server))
})
