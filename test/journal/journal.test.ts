/** The event journal: what was added is read back, by any process and at any time, within bounds and whatever the disk does. */

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openJournal } from '../../src/journal/journal.ts'
import { readEvent, readEvents, readRaw } from '../../src/journal/reader.ts'
import type { EventView, Journal, RawRequest } from '../../src/journal/record.ts'
import type { Limits } from '../../src/journal/retention.ts'
import { maskHeaders } from '../../src/secrets/mask.ts'
import { type FakeClock, fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { at, ended, received, startMs } from '../fakes/records.ts'

const mib = 1024 * 1024
const hourMs = 3_600_000
const roomy: Limits = { maxAgeMs: 72 * hourMs, maxBytes: 1024 * mib, maxEvents: 1_000_000 }

type Opened = {
  readonly journal: Journal
  readonly folder: string
  readonly clock: FakeClock
  readonly said: string[]
  limits: Limits
  lost: number
}

const open = async (t: Test, given: { folder?: string; limits?: Limits; clock?: FakeClock } = {}): Promise<Opened> => {
  const folder = given.folder ?? join(newFolder(t), 'state', 'events')
  const said: string[] = []
  const clock = given.clock ?? fakeClock(startMs)
  const state = { limits: given.limits ?? roomy, lost: 0 }
  const lostLines = (lines: number): void => {
    state.lost += lines
  }
  const journal = await openJournal({ folder, clock, limits: () => state.limits, report: (message) => said.push(message), lostLines })
  t.teardown(() => journal.close())
  return Object.assign(state, { journal, folder, clock, said })
}

/** Written, and what had to be deleted is deleted. */
const settled = async ({ journal }: Opened): Promise<void> => {
  await journal.flushed()
  await journal.flushed()
}

const segments = (folder: string): string[] => readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
const linesIn = (folder: string): string[] =>
  segments(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean))
const idsOf = (events: readonly EventView[]): string[] => events.map((event) => event.event_id)
const all = async (folder: string) => (await readEvents(folder, { limit: 1_000_000 })).events

const found = async (folder: string, id: string): Promise<EventView> => {
  const result = await readEvent(folder, id)
  if (result.kind !== 'found') throw new Error(`${id} is ${result.kind}`)
  return result.event
}

t.test('a raw request comes back byte for byte, its secrets masked', async (t) => {
  const { journal, folder } = await open(t)
  const requests: RawRequest[] = [
    { headers: { 'content-type': 'application/json', 'x-emoji': 'é🙂', authorization: 'Bearer me' }, body: randomBytes(70_000) },
    { headers: {}, body: Buffer.alloc(0) },
    { headers: { 'set-cookie': ['a=b'], 'x-list': ['1', '2'] }, body: Buffer.from('{"a":"\n"}\n{"event_id":"raw-0"}\n') },
  ]
  for (const [i, raw] of requests.entries()) journal.add(received(`raw-event-${i}`, i), raw)
  journal.add(received('raw-event-none', 9))
  await journal.flushed()

  const events = await all(folder)
  t.equal(events[0]?.raw, undefined)
  for (const [i, { headers, body }] of requests.entries()) {
    const { raw } = await found(folder, `raw-event-${i}`)
    if (!raw) throw new Error('no place of the raw request')
    const back = await readRaw(folder, raw)
    t.ok(back?.body.equals(body))
    t.strictSame(back?.headers, maskHeaders(headers))
  }
  t.notOk(readFileSync(join(folder, '0000000001.raw')).includes('Bearer'))
  const place = events[1]?.raw
  if (!place) throw new Error('no place of the raw request')
  t.equal(await readRaw(folder, { ...place, segment: '../0000000001' }), undefined)
  t.equal(await readRaw(folder, { ...place, segment: '0000000007' }), undefined, 'deleted meanwhile')
  t.equal(await readRaw(folder, { ...place, offset: place.offset + 1 }), undefined, 'not whole')
  t.equal(await readRaw(folder, { ...place, body_bytes: Number.MAX_SAFE_INTEGER / 2 }), undefined, 'no memory is taken for it')
})

t.test('values of headers that open doors are masked, others stay', (t) => {
  const hostile = JSON.parse('{"__proto__":"mine","x-__proto__-token":"t"}')
  t.strictSame(
    maskHeaders({
      Authorization: 'a',
      'proxy-authorization': 'b',
      cookie: 'c',
      'set-cookie': ['d', 'e'],
      'x-gitlab-token': 'f',
      'x-hostb-token': 'g',
      'x-my-secret-thing': 'h',
      'x-password': 'i',
      'x-api-key': 'j',
      'x-apikey': 'k',
      'x-hub-signature-256': 'l',
      'x-cookie-policy': 'plain',
      'x-github-event': 'push',
      'X-Credential': 'm',
      'x-passphrase': 'n',
      'x-private-key': 'o',
      'x-auth': 'p',
      'x-event-key': 'pr:opened',
      'paypal-auth-version': 'v2',
      'x-author': 'me',
    }),
    {
      Authorization: '***',
      'proxy-authorization': '***',
      cookie: '***',
      'set-cookie': '***',
      'x-gitlab-token': '***',
      'x-hostb-token': '***',
      'x-my-secret-thing': '***',
      'x-password': '***',
      'x-api-key': '***',
      'x-apikey': '***',
      'x-hub-signature-256': '***',
      'x-cookie-policy': 'plain',
      'x-github-event': 'push',
      'X-Credential': '***',
      'x-passphrase': '***',
      'x-private-key': '***',
      'x-auth': '***',
      'x-event-key': 'pr:opened',
      'paypal-auth-version': 'v2',
      'x-author': 'me',
    },
  )
  t.equal(JSON.stringify(maskHeaders(hostile)), '{"__proto__":"mine","x-__proto__-token":"***"}')
  t.strictSame(maskHeaders(Object.create({ inherited: 'x' })), {})
  t.end()
})

t.test('only the owner may read: folder 0700, files 0600', async (t) => {
  const { journal, folder } = await open(t)
  t.notOk(readdirSync(join(folder, '..', '..')).length, 'nothing is created before the first line')
  journal.add(received('modes-001', 0), { headers: {}, body: Buffer.from('x') })
  await journal.flushed()
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  t.equal(modeOf(folder), 0o700)
  t.strictSame(
    readdirSync(folder).map((file) => [file, modeOf(join(folder, file))]),
    [
      ['0000000001.jsonl', 0o600],
      ['0000000001.raw', 0o600],
    ],
  )
})

t.test('each start begins a segment, and a torn or foreign line harms nothing else', async (t) => {
  const first = await open(t)
  const { folder } = first
  first.journal.add(received('first-0001', 0))
  first.journal.add(received('first-0002', 1))
  await first.journal.close()
  first.journal.add(received('too-late-1', 2))
  const path = join(folder, '0000000001.jsonl')
  truncateSync(path, statSync(path).size - 20)

  const second = await open(t, { folder })
  second.journal.add(received('second-001', 3))
  await second.journal.flushed()
  t.strictSame(segments(folder), ['0000000001.jsonl', '0000000002.jsonl'])
  t.match(await readEvents(folder, { limit: 9 }), { skipped: 1, events: [{ event_id: 'second-001' }, { event_id: 'first-0001' }] })

  const foreign = [
    'nonsense',
    '[]',
    '{"kind":"other","at":"x","event_id":"foreign-1"}',
    '{"kind":"received","at":"x","event_id":"foreign-2"}',
  ]
  const wrong = JSON.stringify({ ...received('foreign-3', 0), status: '202' })
  const inherits = '{"kind":"constructor","__proto__":{"at":"x"},"event_id":"foreign-4"}'
  appendFileSync(join(folder, '0000000002.jsonl'), `${[...foreign, wrong, inherits, 'x'.repeat(2 * mib)].join('\n')}\n\n`)
  writeFileSync(join(folder, 'notes.txt'), 'not a segment')
  second.journal.add(received('second-002', 4))
  await second.journal.flushed()
  appendFileSync(join(folder, '0000000002.jsonl'), '{"kind":"rece')
  const { events, skipped } = await readEvents(folder, { limit: 9 })
  t.strictSame(idsOf(events), ['second-002', 'second-001', 'first-0001'])
  t.equal(skipped, 8, 'the line that is just being written is none of them')
  t.strictSame(await readEvent(folder, 'foreign-3'), { kind: 'unknown' })
})

t.test('no folder is an empty journal', async (t) => {
  const folder = join(newFolder(t), 'nowhere')
  t.strictSame(await readEvents(folder, { limit: 5 }), { events: [], truncated: false, skipped: 0, met: true })
  t.strictSame(await readEvent(folder, 'abcdef'), { kind: 'unknown' })
})

t.test('the newest that fit, up to the limit, since a time', async (t) => {
  const { journal, folder } = await open(t)
  for (let i = 0; i < 3000; i++) {
    journal.add(received(`list-${i}`, i, i % 100 === 0 ? { route: 'rare' } : {}))
    if (i >= 10) journal.add(ended(`list-${i - 10}`, i))
  }
  await journal.flushed()
  const newest = await readEvents(folder, { limit: 3 })
  t.strictSame([idsOf(newest.events), newest.truncated], [['list-2999', 'list-2998', 'list-2997'], true])
  t.equal((await readEvents(folder, { limit: 3000 })).truncated, false)
  t.equal((await readEvents(folder, { limit: 2999 })).truncated, true)

  const rare = await readEvents(folder, { limit: 2, fits: (view) => view.route === 'rare' && view.state === 'done' })
  t.strictSame([idsOf(rare.events), rare.truncated], [['list-2900', 'list-2800'], true])
  const waiting = await readEvents(folder, { limit: 50, fits: (view) => view.state === 'waiting' })
  t.strictSame([waiting.events.length, waiting.truncated], [10, false])
  const touch = (ms: number): void => {
    for (const end of ['jsonl', 'raw']) utimesSync(join(folder, `0000000001.${end}`), ms / 1000, ms / 1000)
  }
  touch(startMs + 3_000_000)
  const since = await readEvents(folder, { limit: 50, since: startMs + 2995_000 })
  t.strictSame([idsOf(since.events).at(-1), since.truncated], ['list-2995', false])
  touch(startMs - 1_000)
  t.strictSame((await readEvents(folder, { limit: 50, since: startMs })).events, [], 'an older segment is not even read')
})

t.test('an id may be shortened while it stays unambiguous', async (t) => {
  const { journal, folder } = await open(t)
  journal.add(received('abcdef-111', 0))
  journal.add(received('abcdef-222', 1))
  journal.add(ended('abcdef-111', 2))
  journal.add(received('mentions', 3, { replay_of: 'abcdef-111', delivery_id: 'unknown-1' }))
  await journal.flushed()
  t.equal((await found(folder, 'abcdef-1')).state, 'done')
  t.strictSame(await readEvent(folder, 'abcdef'), { kind: 'ambiguous', by: 'id', ids: ['abcdef-111', 'abcdef-222'] })
  t.strictSame(await readEvent(folder, 'abcde'), { kind: 'unknown' }, 'too short')
  t.strictSame(await readEvent(folder, 'unknown-11'), { kind: 'unknown' })
  t.equal((await found(folder, 'unknown-1')).event_id, 'mentions', 'a delivery id names it, too')
  journal.add(received('another', 4, { delivery_id: 'unknown-1' }))
  await journal.flushed()
  t.strictSame(await readEvent(folder, 'unknown-1'), { kind: 'ambiguous', by: 'delivery id', ids: ['another', 'mentions'] })
  for (let i = 0; i < 50; i++) journal.add(received(`abcdef-3${i}`, 4))
  await journal.flushed()
  t.match(await readEvent(folder, 'abcdef'), { ids: { length: 10 } })
})

t.test('a flood of raw requests is kept up to its allowance, which time fills again; the lines of all are kept', async (t) => {
  const opened = await open(t, { limits: { ...roomy, maxBytes: 16 * mib } })
  const { journal, folder, clock } = opened
  const flood = async (name: string, count: number): Promise<number> => {
    for (let i = 0; i < count; i++) {
      journal.add(received(`${name}-${i}`, i), { headers: {}, body: Buffer.alloc(mib, i) })
      await settled(opened)
    }
    const mine = (await all(folder)).filter(({ event_id }) => event_id.startsWith(name))
    t.equal(mine.length, count)
    return mine.filter(({ raw }) => raw !== undefined).length
  }
  t.equal(await flood('first', 12), 8)
  t.equal(await flood('second', 2), 0)
  clock.advance(3_000)
  t.equal(await flood('third', 5), 3)
})

t.test('past its bytes the oldest segments go, files and events', async (t) => {
  const opened = await open(t, { limits: { ...roomy, maxBytes: 4 * mib } })
  const { journal, folder } = opened
  for (let i = 0; i < 20; i++) {
    journal.add(received(`bytes-${i}`, i), { headers: {}, body: Buffer.alloc(600_000, i) })
    await settled(opened)
    opened.clock.advance(1_000)
  }
  const size = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  t.ok(size <= 4 * mib && size > 2 * mib, `${size} bytes are kept`)
  t.notOk(readdirSync(folder).includes('0000000001.raw'))
  const events = await all(folder)
  t.strictSame(idsOf(events).at(0), 'bytes-19')
  t.ok(events.length >= 4 && events.length <= 6)
  for (const { raw } of events) t.ok(raw && (await readRaw(folder, raw)), 'what is left is whole')

  // The end of a run whose arrival is gone.
  journal.add(ended('bytes-0', 99, { job: 'nightly' }))
  await journal.flushed()
  t.match((await all(folder)).at(-1), { event_id: 'bytes-0', at: at(99), state: 'done', outcome: 'accepted', job: 'nightly' })
  t.match(await found(folder, 'bytes-0'), { state: 'done' })

  opened.limits = { ...roomy, maxBytes: 2 * mib }
  journal.add(received('after-reload', 100))
  await settled(opened)
  t.ok((await all(folder)).length < events.length, 'a lower limit holds at once')
})

t.test('past its number of events the oldest segments go, those of earlier processes too', async (t) => {
  const limits = { ...roomy, maxEvents: 3_000 }
  const opened = await open(t, { limits })
  for (let i = 0; i < 5_000; i += 100) {
    for (let j = i; j < i + 100; j++) opened.journal.add(received(`count-${j}`, j))
    await settled(opened)
  }
  const { folder } = opened
  const kept = linesIn(folder).length
  t.ok(kept <= 3_000 && kept >= 1_900, `${kept} lines are kept`)
  await opened.journal.close()

  const second = await open(t, { folder, limits: { ...limits, maxEvents: 1_500 } })
  const left = linesIn(folder).length
  t.ok(left <= 1_500 && left > 0, `${left} lines are left after the start`)
  second.journal.add(received('count-new', 0))
  await settled(second)
  t.strictSame(
    idsOf(await all(folder))
      .sort()
      .slice(-2),
    ['count-4999', 'count-new'],
  )
})

t.test('past its age a segment goes, also when nothing arrives', async (t) => {
  const limits = { ...roomy, maxAgeMs: 16 * hourMs }
  const opened = await open(t, { limits })
  const { journal, folder, clock } = opened
  journal.add(received('age-00001', 0))
  await settled(opened)
  clock.advance(hourMs + 1)
  journal.add(received('age-00002', 1))
  await settled(opened)
  journal.add(received('age-00003', 2))
  await settled(opened)
  t.strictSame(segments(folder), ['0000000001.jsonl', '0000000002.jsonl'], 'the first was finished by its age')

  clock.advance(15 * hourMs)
  await settled(opened)
  t.equal((await all(folder)).length, 3)
  clock.advance(hourMs + 1)
  await settled(opened)
  t.strictSame(readdirSync(folder), [])

  // What an earlier process left is judged by the time of its files.
  journal.add(received('age-00004', 3))
  await journal.close()
  const [name = ''] = segments(folder).map((file) => file.slice(0, -'.jsonl'.length))
  for (const end of ['jsonl', 'raw']) utimesSync(join(folder, `${name}.${end}`), 1, 1)
  await open(t, { folder, limits, clock })
  t.strictSame(readdirSync(folder), [])
})

t.test('what cannot be written is dropped and reported once a minute, and it recovers by itself', async (t) => {
  const opened = await open(t)
  const { journal, folder, clock, said } = opened
  journal.add(received('before-01', 0))
  await settled(opened)

  // The same failing write that a full disk gives, without needing to be root. The runner would end the process over this signal.
  const ignore = (): void => {}
  process.on('SIGXFSZ', ignore)
  const limitFiles = (bytes: string): Buffer => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
  t.teardown(() => {
    limitFiles('unlimited')
    process.off('SIGXFSZ', ignore)
  })
  limitFiles('0')
  for (let i = 0; i < 5; i++) {
    journal.add(received(`lost-000${i}`, 1), { headers: {}, body: Buffer.from('x') })
    await settled(opened)
    clock.advance(1_000)
  }
  t.equal(said.length, 1)
  t.match(said[0], /^event journal: 1 line not written: EFBIG/)
  t.strictSame(segments(folder), ['0000000001.jsonl'], 'failed attempts leave no empty segments behind')
  clock.advance(60_000)
  await settled(opened)
  t.equal(said.length, 2)
  t.match(said[1], /^event journal: 4 lines not written: EFBIG/)
  t.equal(opened.lost, 5)

  journal.add(received('lost-0005', 2))
  await settled(opened)
  limitFiles('unlimited')
  journal.add(received('lost-0006', 2))
  await settled(opened)
  t.strictSame(idsOf(await all(folder)), ['before-01'], 'right after a failure nothing is tried')
  clock.advance(1_000)
  const raw = { headers: {}, body: Buffer.from('body') }
  journal.add(received('after-001', 3), raw)
  await settled(opened)
  const [event] = await all(folder)
  t.equal(event?.event_id, 'after-001')
  t.ok(event?.raw && (await readRaw(folder, event.raw))?.body.equals(raw.body))

  // A write that stops half-way: the segment is given up, a new one holds what comes later.
  limitFiles('100000')
  journal.add(received('half-0001', 4), { headers: {}, body: Buffer.alloc(200_000) })
  await settled(opened)
  limitFiles('unlimited')
  clock.advance(60_000)
  journal.add(received('whole-001', 5), raw)
  await settled(opened)
  t.match(said.at(-1), /3 lines not written: only a part/)
  const last = await readEvents(folder, { limit: 2 })
  t.match(last, { skipped: 0, events: [{ event_id: 'whole-001' }, { event_id: 'after-001' }] })
  const place = last.events[0]?.raw
  t.ok(place && (await readRaw(folder, place))?.body.equals(raw.body))
})

t.test('a folder that cannot be used, at the start or later, is waited for', async (t) => {
  const folder = join(newFolder(t, { state: 'a file in its place' }), 'state', 'events')
  const opened = await open(t, { folder })
  const { journal, clock, said } = opened
  journal.add(received('nowhere-1', 0))
  await settled(opened)
  t.equal(said.length, 1)
  t.match(said[0], /^event journal: 1 line not written: E(NOTDIR|EXIST)/)
  rmSync(join(folder, '..'))
  clock.advance(1_000)
  journal.add(received('there-001', 1))
  await settled(opened)
  t.strictSame(idsOf(await all(folder)), ['there-001'])

  // Taken away while it is written: the next segment brings it back.
  renameSync(folder, `${folder}-moved`)
  clock.advance(roomy.maxAgeMs / 16 + 60_000)
  await settled(opened)
  journal.add(received('there-002', 2))
  await settled(opened)
  t.strictSame(idsOf(await all(folder)), ['there-002'])
})

t.test('a number that somebody else took is left to them', async (t) => {
  const opened = await open(t)
  mkdirSync(opened.folder, { recursive: true })
  writeFileSync(join(opened.folder, '0000000001.jsonl'), '')
  writeFileSync(join(opened.folder, '0000000002.raw'), 'theirs')
  opened.journal.add(received('number-01', 0), { headers: {}, body: Buffer.from('x') })
  await settled(opened)
  t.strictSame(readdirSync(opened.folder), ['0000000001.jsonl', '0000000002.raw', '0000000003.jsonl', '0000000003.raw'])
  t.strictSame(opened.said, [])
})

t.test('a journal that is closed within the minute after a report tells what was lost since', async (t) => {
  const { journal, said } = await open(t, { folder: join(newFolder(t, { file: '' }), 'file', 'events') })
  for (const id of ['first-01', 'later-01']) {
    journal.add(received(id, 0))
    await journal.flushed()
  }
  await journal.close()
  t.same(
    said.map((line) => line.slice(0, 36)),
    Array(2).fill('event journal: 1 line not written: E'),
  )
})

t.test('what waits is bounded: first raw requests are left out, then lines, which are counted', async (t) => {
  const opened = await open(t)
  const { journal, folder, said } = opened
  const body = Buffer.alloc(mib)
  for (let i = 0; i < 20_500; i++) journal.add(received(`bound-${i}`, i), i < 20 ? { headers: {}, body } : undefined)
  await settled(opened)
  const lines = linesIn(folder)
  t.equal(lines.length, 20_000)
  t.equal(lines.filter((line) => line.includes('"raw":{')).length, 7)
  t.equal(lines.filter((line) => line.includes('"raw_dropped":true')).length, 13)
  t.strictSame(said, ['event journal: 500 lines not written: too many were waiting to be written'])
  t.equal(opened.lost, 500)
  t.equal((await found(folder, 'bound-19999')).raw, undefined)

  journal.add(received('free-again', 0), { headers: {}, body: Buffer.alloc(9 * mib, 'x') })
  await settled(opened)
  const { raw } = await found(folder, 'free-again')
  t.equal(raw && (await readRaw(folder, raw))?.body.length, 9 * mib, 'one that is larger than the bound is taken when none waits')

  journal.add(ended('far-too-long', 0, { error: 'x'.repeat(mib) }))
  await settled(opened)
  t.strictSame(await readEvent(folder, 'far-too-long'), { kind: 'unknown' })
  t.equal(said.length, 1, 'not yet a minute later')
})

t.test('it is read while it is written and while segments vanish', async (t) => {
  const opened = await open(t, { limits: { ...roomy, maxEvents: 1_000 } })
  const { journal, folder } = opened
  const body = Buffer.alloc(10_000)
  let reads = 0
  const writing = (async () => {
    for (let i = 0; i < 20_000; i += 200) {
      for (let j = i; j < i + 200; j++) journal.add(received(`live-${j}`, j), j % 50 === 0 ? { headers: {}, body } : undefined)
      await journal.flushed()
    }
  })()
  let over = false
  void writing.finally(() => {
    over = true
  })
  while (!over) {
    const { events, skipped } = await readEvents(folder, { limit: 5_000 })
    const numbers = idsOf(events).map((id) => Number(id.slice('live-'.length)))
    if (skipped > 0 || numbers.some((n, i) => i > 0 && n !== (numbers[i - 1] ?? 0) - 1)) t.fail('a line was not whole, or left out')
    reads++
  }
  await writing
  t.ok(reads > 1, `${reads} reads`)
  t.equal((await all(folder))[0]?.event_id, 'live-19999')
})

t.test('the oldest of 200,000 lines is found by its id, and all are listed', async (t) => {
  const { journal, folder } = await open(t)
  for (let i = 0; i < 100_000; i++) {
    journal.add(received(`many-${String(i).padStart(6, '0')}`, i))
    journal.add(ended(`many-${String(i).padStart(6, '0')}`, i + 1))
    if (i % 5_000 === 4_999) await journal.flushed()
  }
  await journal.flushed()
  t.match(await found(folder, 'many-000000'), { state: 'done', ended_at: at(1) })
  t.match(await found(folder, 'many-099999'), { state: 'done' })
  const { events, truncated, skipped } = await readEvents(folder, { limit: 10, fits: ({ event_id }) => event_id < 'many-000005' })
  t.strictSame([events.length, truncated, skipped], [5, false, 0])
  t.ok(events.every(({ state }) => state === 'done'))
})
