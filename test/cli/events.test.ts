/** The commands about what arrived: events list, show, retry, replay, export; and gateway reload and status. */

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { StoreFault } from '../../src/core/fault.ts'
import type { RunningGateway } from '../../src/datadir/running-gateway.ts'
import type { ReplayResult, RunStanding } from '../../src/generated/control.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { JournalRecord, RawRequest, Received, RunEndedRecord, Tried } from '../../src/journal/record.ts'
import { type FakeCli, fakeCli } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { fakeOperations, noChanges, serveOperations, shortDir, status } from '../fakes/operations.ts'

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/
const idOf = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`
const timeOf = (number: number): string => new Date(Date.UTC(2026, 2, 1, 12, 0, number)).toISOString()

const received = (number: number, more: Partial<Received> = {}): Received => ({
  kind: 'received',
  at: timeOf(number),
  event_id: idOf(number),
  profile: 'default',
  route: 'deploys',
  event_type: 'push',
  delivery_id: `d-${number}`,
  outcome: 'accepted',
  stage: 'agent',
  status: 202,
  duration_ms: 3,
  target: 'log',
  ...more,
})

const ended = (number: number, more: Partial<RunEndedRecord> = {}): RunEndedRecord => ({
  kind: 'ended',
  at: timeOf(number + 30),
  event_id: idOf(number),
  profile: 'default',
  route: 'deploys',
  event_type: 'push',
  delivery_id: `d-${number}`,
  state: 'done',
  attempt: 1,
  target: 'log',
  ...more,
})

const tried = (number: number, attempt: number): Tried => ({
  kind: 'tried',
  at: timeOf(number + 1),
  event_id: idOf(number),
  attempt,
  error: `agent: timeout ${attempt}`,
  next_at: timeOf(number + 20),
})

const request = (body: string | Buffer, headers: RawRequest['headers'] = { 'content-type': 'application/json' }): RawRequest => ({
  headers,
  body: Buffer.from(body),
})

type Line = JournalRecord | readonly [JournalRecord, RawRequest]

const fault = (message: string): never => {
  throw new Error(message)
}

/** Adds lines to the journal of a data directory. */
const write = async (dataDir: string, lines: readonly Line[]): Promise<void> => {
  const limits = { maxAgeMs: 1e12, maxBytes: 1e9, maxEvents: 1e6 }
  const journal = await openJournal({ folder: join(dataDir, 'state', 'events'), clock: fakeClock(), limits: () => limits, report: fault })
  for (const line of lines) journal.add(...((Array.isArray(line) ? line : [line]) as [JournalRecord, RawRequest?]))
  await journal.close()
}

type Fixture = FakeCli & {
  readonly home: string
  readonly serve: (own?: Partial<RunningGateway>) => Promise<ReturnType<typeof fakeOperations>>
}

/** A command line over a journal with these lines. */
const fixture = async (t: Test, lines: readonly Line[]): Promise<Fixture> => {
  const home = shortDir(t)
  await write(home, lines)
  const serve = async (own: Partial<RunningGateway> = {}) => {
    const operations = fakeOperations(own)
    await serveOperations(t, home, operations)
    return operations
  }
  return { ...fakeCli(t, {}, { HEADGATE_HOME: home }), home, serve }
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n')
const dead = (...numbers: number[]): RunStanding[] =>
  numbers.map((number) => ({ eventId: idOf(number), state: 'dead', attempt: 5, error: 'gone' }))
const among =
  (standings: readonly RunStanding[]): RunningGateway['standings'] =>
  async ({ ids }) => ({ standings: standings.filter(({ eventId }) => ids.includes(eventId)) })

t.test('list: newest first, one event a line in stable columns, with no gateway running', async (t) => {
  const cli = await fixture(t, [
    received(1, { outcome: 'ignored', reason: 'no rule holds', stage: 'filters', status: 200 }),
    [received(2), request('{}')],
    ended(2, { state: 'dead', attempt: 5, error: 'delivery to log: no' }),
    received(3, { event_type: 'a-long-event-type' }),
    tried(3, 1),
    { kind: 'started', at: timeOf(4), event_id: idOf(4), profile: 'default', job: 'nightly', delivery_id: 's-4' },
    ended(4, { route: '', job: 'nightly', event_type: 'cron', silent: true }),
  ])
  const { code, out, err } = await cli.run('events', 'list')
  t.equal(code, 0)
  t.equal(err, '')
  t.same(linesOf(out), [
    '00000004  2026-03-01T12:00:04Z  job:nightly  cron               accepted         done     1  silent',
    '00000003  2026-03-01T12:00:03Z  deploys      a-long-event-type  accepted         waiting  1  next try 2026-03-01T12:00:23Z; agent: timeout 1',
    '00000002  2026-03-01T12:00:02Z  deploys      push               accepted         dead     5  delivery to log: no',
    '00000001  2026-03-01T12:00:01Z  deploys      push               ignored:filters  final    -  no rule holds',
  ])
  t.match((await cli.runWith({ isTty: true }, 'events', 'list')).out, /^ID +TIME +ROUTE +EVENT +OUTCOME +STATE +ATTEMPTS +NOTE\n/)
  t.match((await cli.run('events', 'list', '--wide')).out, new RegExp(`^${idOf(4)} .* default +log +s-4 +silent`))
})

t.test('list: no journal, or nothing that fits, is an empty answer', async (t) => {
  const cli = fakeCli(t, {}, { HEADGATE_HOME: shortDir(t) })
  t.match(await cli.run('events', 'list'), { code: 0, out: '', err: /no such events/ })
  t.same(JSON.parse((await cli.run('events', 'list', '--json')).out), {
    v: 1,
    kind: 'events.list',
    ok: true,
    data: { events: [], more: false, next: null, skipped: 0 },
    warnings: [],
  })
})

t.test('list: each option selects', async (t) => {
  const now = (ago: number): string => new Date(Date.now() - ago).toISOString()
  const cli = await fixture(t, [
    received(1, { at: now(7_200_000), outcome: 'ignored', stage: 'filters' }),
    received(2, { at: now(3_000_000), outcome: 'ignored', stage: 'events', route: 'other' }),
    received(3, { at: now(60_000), outcome: 'bad_json', profile: 'team' }),
    received(4, { at: now(50_000), job: 'nightly' }),
    ended(4, { job: 'nightly' }),
    received(5, { at: now(40_000) }),
  ])
  const listed = async (...flags: string[]): Promise<number[]> => {
    const { data } = JSON.parse((await cli.run('events', 'list', '--json', ...flags)).out)
    return data.events.map(({ event_id }: { event_id: string }) => Number(event_id.slice(0, 8)))
  }
  t.same(await listed(), [5, 4, 3, 2, 1])
  t.same(await listed('--route', 'other'), [2])
  t.same(await listed('--outcome', 'ignored'), [2, 1])
  t.same(await listed('--outcome', 'ignored:filters,bad_json'), [3, 1])
  t.same(await listed('--state', 'final'), [3, 2, 1])
  t.same(await listed('--state', 'done', '--state', 'waiting'), [5, 4])
  t.same(await listed('--since', '1h'), [5, 4, 3, 2])
  t.same(await listed('--until', '1h'), [1])
  t.same(await listed('--since', now(55_000), '--until', now(45_000)), [4])
  t.same(await listed('--job', 'nightly'), [4])
  t.same(await listed('--profile', 'team'), [3])
  t.same(await listed('--limit', '2'), [5, 4])
  t.match(await cli.run('events', 'list', '--limit', '2'), { err: /there are more: headgate events list --limit 2 --cursor / })
  for (const [flag, value, said] of [
    ['--since', 'yesterday', /not a time/],
    ['--until', '5', /not a time/],
    ['--state', 'deadd', /did you mean "dead"/],
    ['--limit', '0', /must be a number/],
  ] as const) {
    t.match(await cli.run('events', 'list', flag, value), { code: 2, out: '', err: said }, `${flag} ${value}`)
  }
})

t.test('list: words and values of fields are looked for in all that was recorded', async (t) => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const cli = await fixture(t, [
    [
      received(1),
      request('{"action":"opened","n":7,"big":1234567890123456789,"draft":false,"note":null,"list":[{"id":"x=y"}],"said":"Caf\\u00e9"}'),
    ],
    [received(2), request('{"action":"closed","big":1234567890123456788}', { 'content-type': 'application/json', 'x-trace': 'Room-17' })],
    [received(3), request('action=opened&who=Ada+L%C3%B6w', form)],
    received(4, { reason: 'payload.action equals "opened"', outcome: 'ignored', stage: 'filters' }),
    [received(5), request('no JSON, but Words')],
    [ended(5, { state: 'dead', error: 'disk full' }), request('{"prompt":"Look at it","reply":"All Good"}', {})],
    [tried(2, 1), request('{"prompt":"An earlier prompt"}', {})],
  ])
  const listed = async (...flags: string[]): Promise<number[]> => {
    const { data } = JSON.parse((await cli.run('events', 'list', '--json', ...flags)).out)
    return data.events.map(({ event_id }: { event_id: string }) => Number(event_id.slice(0, 8)))
  }
  t.same(await listed('--delivery-id', 'd-3'), [3])
  t.same(await listed('--text', 'OPENED'), [4, 3, 1], 'in a body or in a reason, in any case')
  t.same(await listed('--text', 'caf\u00e9'), [1], 'as JSON escapes it')
  t.same(await listed('--text', 'Ada L\u00f6w'), [3], 'as a form encodes it')
  t.same(await listed('--text', 'x-trace: room-17'), [2])
  t.same(await listed('--text', 'but words'), [5])
  t.same(await listed('--text', 'disk full'), [5])
  t.same(await listed('--text', 'all good'), [5])
  t.same(await listed('--text', 'earlier'), [2])
  t.same(await listed('--text', 'd-4'), [4])
  t.same(await listed('--text', 'nowhere'), [])
  t.same(await listed('--field', 'action=opened'), [3, 1])
  t.same(await listed('--field', 'payload.action=opened', '--field', 'n=7'), [1], 'all of them hold')
  t.same(await listed('--field', 'big=1234567890123456789'), [1], 'and not its neighbour')
  t.same(await listed('--field', 'n=7.0'), [1], 'by its value')
  t.same(await listed('--field', 'draft=false', '--field', 'note=null', '--field', 'list.0.id=x=y'), [1])
  t.same(await listed('--field', 'headers.X-Trace=Room-17'), [2])
  t.same(await listed('--field', 'event=push'), [3, 2, 1], 'an event without a payload has no fields')
  t.same(await listed('--field', 'list='), [])
  t.same(await listed('--text', 'opened', '--field', 'n=7'), [1])
  t.same(await listed('--text', 'e', '--state', 'dead'), [5])
  t.match(await cli.run('events', 'list', '--field', 'event=push', '--delivery-id', 'd-1', '--limit', '1'), { err: '' })
  const page = await cli.run('events', 'list', '--field', 'event=push', '--text', 'd-', '--limit', '2')
  const next = /there are more: headgate (.*)$/m.exec(page.err)?.[1] ?? ''
  t.match(next, /^events list --field event=push --text d- --limit 2 --cursor /)
  t.match(linesOf((await cli.run(...next.split(' '))).out), [/^00000001/])
  t.match(await cli.run('events', 'export', '--field', 'n=7', '--as', 'jsonl'), { code: 0, out: /^\{"event_id":"00000001[^\n]*\n$/ })
  t.match(await cli.run('events', 'list', '--field', 'action'), { code: 2, err: /must be a path=value/ })
  t.match(await cli.run('events', 'list', '--text', ''), { code: 2, err: /which words/ })
  t.match(await cli.run('events', 'list', '--follow', '--text', 'x'), { code: 2, err: /without --text and --field/ })
})

t.test('list: a running gateway says how those stand that have not ended', async (t) => {
  const coalesced = { outcome: 'coalesced', group: idOf(5) }
  const cli = await fixture(t, [
    received(1),
    received(2),
    tried(2, 1),
    received(3),
    received(4),
    received(5, coalesced),
    received(6, coalesced),
    received(7),
    ended(7),
  ])
  const dueAt = Date.UTC(2026, 2, 1, 13)
  const { asked } = await cli.serve({
    standings: among([
      { eventId: idOf(1), state: 'running', attempt: 1 },
      { eventId: idOf(2), state: 'waiting', attempt: 2, dueAt, error: 'agent: down' },
      { eventId: idOf(3), state: 'dead', attempt: 5, error: 'agent: dead' },
      { eventId: idOf(6), state: 'waiting', attempt: 0, dueAt },
    ]),
  })
  const { data } = JSON.parse((await cli.run('events', 'list', '--json')).out)
  t.same(
    data.events.map(({ event_id, state, attempt, error, next_at }: { [name: string]: unknown }) => [
      event_id,
      state,
      attempt,
      error,
      next_at,
    ]),
    [
      [idOf(7), 'done', 1, null, null],
      [idOf(6), 'waiting', 0, null, '2026-03-01T13:00:00.000Z'],
      [idOf(5), 'merged', 0, null, null],
      [idOf(4), 'unknown', 0, null, null],
      [idOf(3), 'dead', 5, 'agent: dead', null],
      [idOf(2), 'waiting', 2, 'agent: down', '2026-03-01T13:00:00.000Z'],
      [idOf(1), 'running', 1, null, null],
    ],
  )
  t.notOk(
    asked.some(([, question]) => (question as { ids: string[] }).ids.includes(idOf(7))),
    'what has ended is not asked about',
  )
  const ids = async (state: string) => linesOf((await cli.run('events', 'list', '--state', state)).out).map((line) => line.slice(0, 8))
  t.same(await ids('running,dead'), ['00000003', '00000001'])
  t.same(await ids('unknown'), ['00000004'])
  t.same(await ids('merged'), ['00000005'], 'also while the run of its group waits')
  t.match((await cli.run('events', 'list', '--state', 'unknown')).out, 'its end is not in the journal')
})

t.test('list: a run that ends while it is being asked about is shown as ended', async (t) => {
  const cli = await fixture(t, [received(1)])
  await cli.serve({
    standings: async () => {
      await write(cli.home, [ended(1)])
      return { standings: [] }
    },
  })
  t.match(JSON.parse((await cli.run('events', 'list', '--json')).out).data.events, [{ state: 'done', ended_at: timeOf(31) }])
})

t.test('list: with more than a thousand that wait, each is asked about', async (t) => {
  const cli = await fixture(
    t,
    Array.from({ length: 1100 }, (_, i) => received(i)),
  )
  await cli.serve({ standings: async ({ ids }) => ({ standings: ids.map((eventId) => ({ eventId, state: 'running', attempt: 1 })) }) })
  const { data } = JSON.parse((await cli.run('events', 'list', '--json', '--state', 'running', '--limit', '2000')).out)
  t.equal(data.events.length, 1100)
})

t.test('list --cursor: pages lose nothing of one millisecond, and nothing whose line came late', async (t) => {
  const at = timeOf(5)
  const cli = await fixture(t, [
    ...[1, 2, 3, 4, 5].map((number) => received(number, { at })),
    // A slow request: it arrived first, and its line was written last.
    received(6, { at: timeOf(0) }),
  ])
  const seen: string[] = []
  for (let cursor: string[] = [], pages = 0; pages < 10; pages++) {
    const { data } = JSON.parse((await cli.run('events', 'list', '--json', '--limit', '2', ...cursor)).out)
    seen.push(...data.events.map(({ event_id }: { event_id: string }) => event_id))
    t.equal(data.more, data.next !== null)
    if (data.next === null) break
    cursor = ['--cursor', data.next]
  }
  t.strictSame(seen.sort(), [1, 2, 3, 4, 5, 6].map(idOf))
  const { err } = await cli.run('events', 'list', '--limit', '2', '--route', 'deploys', '--wide')
  t.equal(err, `there are more: headgate events list --limit 2 --route deploys --wide --cursor ${idOf(5)}\n`)
  t.match(await cli.run('events', 'list', '--cursor', 'gone'), { code: 5, err: /not in the journal any more[\s\S]*--cursor/ })
})

t.test('list --state: a gateway whose store is broken keeps nobody from reading the journal', async (t) => {
  const cli = await fixture(t, [received(1), received(2), ended(2)])
  await cli.serve({ standings: () => Promise.reject(new StoreFault('disk I/O error')) })
  const { code, out, err } = await cli.run('events', 'list', '--state', 'waiting')
  t.match({ code, lines: linesOf(out).length, err }, { code: 0, lines: 1, err: /as the journal says: .*disk I\/O error/ })
  t.match(await cli.run('events', 'show', idOf(1)), { code: 0, out: /state +waiting/ })
})

t.test('list --json has every member', async (t) => {
  const cli = await fixture(t, [[received(1), request('{}')]])
  const { data } = JSON.parse((await cli.run('events', 'list', '--json')).out)
  t.same(data.events, [
    {
      event_id: idOf(1),
      at: timeOf(1),
      profile: 'default',
      route: 'deploys',
      event_type: 'push',
      delivery_id: 'd-1',
      outcome: 'accepted',
      reason: null,
      stage: 'agent',
      status: 202,
      duration_ms: 3,
      agent: null,
      target: 'log',
      answer: null,
      job: null,
      group: null,
      count: null,
      batch_of: null,
      batch_index: null,
      dispatched_by: null,
      replay_of: null,
      edited: false,
      unverified: false,
      state: 'waiting',
      attempt: 0,
      error: null,
      next_at: null,
      ended_at: null,
      ended_by: null,
      ends: null,
      silent: false,
      payload_kept: true,
      trace_id: null,
    },
  ])
})

t.test('show: what became of it first; on --body the body, laid out with the digits of its sender', async (t) => {
  const body = '{"id":12345678901234567890,"a":[],"b":[1,{"c":"x"}]}'
  const cli = await fixture(t, [
    [received(1), request(body, { 'content-type': 'application/json', 'x-hub-signature-256': '***' })],
    tried(1, 1),
    tried(1, 2),
    [ended(1, { state: 'dead', attempt: 3, error: 'agent: gave up' }), request('{"prompt":"P","reply":"R"}', {})],
  ])
  const { code, out } = await cli.run('events', 'show', idOf(1))
  t.equal(code, 0)
  for (const line of [
    `id          ${idOf(1)}`,
    'outcome     accepted',
    'state       dead',
    'attempts    3',
    'error       agent: gave up',
    `try 2       ${timeOf(2)}  agent: timeout 2`,
    'x-hub-signature-256: ***',
  ])
    t.ok(linesOf(out).includes(line), line)
  t.equal(linesOf(out)[1], 'error       agent: gave up', 'the error stands below the id')
  t.match(out, /prompt of try 3\nP\n\nreply of try 3\nR\n\ncontent-type: /, 'prompt and reply stand before the request')
  t.ok(out.endsWith(`\n\nbody        52 bytes: headgate events show ${idOf(1)} --body\n`), out)
  const whole = (await cli.run('events', 'show', idOf(1), '--body')).out
  t.ok(whole.endsWith('{\n  "id": 12345678901234567890,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": "x"\n    }\n  ]\n}\n'), whole)
  t.match(await cli.run('events', 'show', idOf(1), '--body', '--raw'), { code: 2, err: /--body or --raw/ })
  t.match(JSON.parse((await cli.run('events', 'show', idOf(1).slice(0, 8), '--json')).out), {
    kind: 'events.show',
    ok: true,
    data: {
      event_id: idOf(1),
      state: 'dead',
      tries: [{ attempt: 1 }, { attempt: 2 }],
      payload: 'kept',
      body,
      body_base64: null,
      body_bytes: 52,
    },
  })
})

t.test('show: every attempt with its words and answers, also those before a retry by hand', async (t) => {
  const words = (prompt: string, reply?: string): RawRequest =>
    request(JSON.stringify({ prompt, ...(reply === undefined ? {} : { reply }) }), {})
  const cli = await fixture(t, [
    [received(1), request('{}')],
    [tried(1, 1), words('P')],
    [ended(1, { state: 'dead', attempt: 2, error: 'delivery to slack: 500' }), words('P', 'first \u001b[2J reply')],
    { kind: 'revived', at: timeOf(40), event_id: idOf(1) },
    [ended(1, { at: timeOf(50), attempt: 1, target: 'slack', answer: 'slack: ts 17.3' }), words('P', 'second reply')],
    received(2, { delivery_id: 'shared' }),
    received(3, { delivery_id: 'shared', route: 'other' }),
  ])
  const { code, out } = await cli.run('events', 'show', 'd-1')
  t.equal(code, 0, 'a delivery id names it, too')
  for (const line of [
    `id          ${idOf(1)}`,
    `try 1       ${timeOf(2)}  agent: timeout 1`,
    `try 2       ${timeOf(31)}  dead: delivery to slack: 500`,
    `retried     ${timeOf(40)}  by hand`,
    `try 1       ${timeOf(50)}  done: slack  answer slack: ts 17.3`,
  ])
    t.ok(linesOf(out).includes(line), `${line}\n${out}`)
  t.match(out, /\nprompt of try 1\nP\n\nreply of try 2\nfirst \\u\{1b\}\[2J reply\n\nreply of try 1\nsecond reply\n/)
  t.match(JSON.parse((await cli.run('events', 'show', idOf(1), '--json')).out).data.attempts, [
    { end: 'failed', attempt: 1, prompt: 'P', reply: null },
    { end: 'dead', attempt: 2, error: 'delivery to slack: 500' },
    { end: 'retried', attempt: null },
    { end: 'done', attempt: 1, target: 'slack', answer: 'slack: ts 17.3', reply: 'second reply' },
  ])
  t.match(await cli.run('events', 'show', 'shared'), {
    code: 5,
    err: new RegExp(`several events have the delivery id "shared"[\\s\\S]*${idOf(3)} .* other {2}accepted\\n.*${idOf(2)} .* deploys`),
  })
})

t.test('list: a word that nothing has is refused, and the nearest is named', async (t) => {
  const cli = await fixture(t, [received(1, { route: 'gone' })])
  cli.write(
    'config.yaml',
    'platforms: { webhook: { enabled: true, extra: { secret: hush-hush, routes: { deploys: {} } } } }\njobs: { nightly: { schedule: "0 6 * * *", prompt: x } }\n',
  )
  const home = ['--data-dir', cli.dir]
  t.match(await cli.run(...home, 'events', 'list', '--route', 'deplyos'), {
    code: 5,
    err: /no route "deplyos"[\s\S]*did you mean "deploys"/,
  })
  t.match(await cli.run(...home, 'events', 'list', '--route', 'deploys'), { code: 0, err: /no such events/ })
  t.match(await cli.run(...home, 'events', 'list', '--job', 'nightl'), { code: 5, err: /no job "nightl"[\s\S]*did you mean "nightly"/ })
  t.match(await cli.run('events', 'list', '--route', 'gone'), { code: 0, out: /gone/ }, 'a route that is gone still has events')
  t.match(await cli.run('events', 'list', '--outcome', 'dead'), { code: 2, err: /dead is the state of a run[\s\S]*--state dead/ })
  t.match(await cli.run('events', 'list', '--outcome', 'ignord'), { code: 2, err: /no outcome "ignord"[\s\S]*did you mean "ignored"/ })
  t.match(await cli.run('events', 'list', '--outcome', 'ignored:filter'), { code: 2, err: /no stage "filter"[\s\S]*"filters"/ })
})

t.test('show --raw: the exact bytes and nothing else, never at a terminal', async (t) => {
  const bytes = Buffer.from([0x00, 0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0d, 0x0a])
  const cli = await fixture(t, [[received(1), request(bytes)]])
  t.same(await cli.run('events', 'show', idOf(1), '--raw'), { code: 0, out: bytes.toString('latin1'), err: '' })
  t.match(await cli.runWith({ isTty: true }, 'events', 'show', idOf(1), '--raw'), { code: 2, out: '', err: /a file or a pipe/ })
  t.match((await cli.run('events', 'show', idOf(1), '--body')).out, /\(8 bytes, not UTF-8: headgate events show \S+ --raw > file\)/)
  t.match(JSON.parse((await cli.run('events', 'show', idOf(1), '--json')).out).data, { body: null, body_base64: bytes.toString('base64') })
})

t.test('show: a payload that was not kept, or is gone, is said to be', async (t) => {
  const cli = await fixture(t, [received(1), [received(2), request('{}')]])
  const folder = join(cli.home, 'state', 'events')
  for (const file of readdirSync(folder)) if (file.endsWith('.raw')) truncateSync(join(folder, file), 1)
  t.match((await cli.run('events', 'show', idOf(1))).out, /^payload +not kept: .*best effort/m)
  t.match((await cli.run('events', 'show', idOf(2))).out, /^payload +gone: .*best effort/m)
  t.match(JSON.parse((await cli.run('events', 'show', idOf(2), '--json')).out).data, { payload: 'gone', headers: null, body: null })
  t.match(await cli.run('events', 'show', idOf(1), '--raw'), { code: 5, out: '' })
  for (const file of readdirSync(folder)) if (file.endsWith('.raw')) rmSync(join(folder, file))
  t.match((await cli.run('events', 'show', idOf(2))).out, /^payload +gone/m)
})

t.test('show: an id that is not there, too short or not clear is exit 5', async (t) => {
  const twins = ['aaaaaaaa-1', 'aaaaaaaa-2'].map((event_id) => received(1, { event_id }))
  const cli = await fixture(t, twins)
  t.match(await cli.run('events', 'show', idOf(9)), { code: 5, err: /no event .*\n.*events list/ })
  t.match(await cli.run('events', 'show', 'aaa'), { code: 5, err: /at least six characters/ })
  t.match(await cli.run('events', 'show', 'aaaaaaaa'), { code: 5, err: /several ids begin with "aaaaaaaa"/ })
  t.match(JSON.parse((await cli.run('events', 'show', 'aaaaaaaa', '--json')).out), { error: { code: 'ambiguous' } })
  const shown = linesOf((await cli.run('events', 'list')).out).map((line) => line.split(' ')[0] ?? '')
  t.same(shown.sort(), ['aaaaaaaa-1', 'aaaaaaaa-2'], 'the ids listed are long enough to tell them apart')
})

t.test('retry: the dead runs of these ids; the others are said to be none', async (t) => {
  const others = [received(2), ended(2), received(3), ended(3, { state: 'dead' }), received(4, { outcome: 'delivery_failed' })]
  const cli = await fixture(t, [received(1), ended(1, { state: 'dead' }), ...others])
  const { asked } = await cli.serve({ standings: among(dead(1)) })
  const { code, out } = await cli.run('events', 'retry', idOf(1).slice(0, 8), idOf(2), idOf(3), idOf(4))
  t.equal(code, 1)
  t.same(linesOf(out), [
    `started  ${idOf(1)}  deploys  -> log`,
    `failed   ${idOf(2)}  deploys  no dead run is kept of it (done): events replay starts it anew`,
    `failed   ${idOf(3)}  deploys  its stored work is not kept any more: events replay starts it anew`,
    `failed   ${idOf(4)}  deploys  its request was not kept, so there is nothing to send again`,
    '1 started, 3 failed',
  ])
  t.same(
    asked.filter(([name]) => name === 'retry'),
    [['retry', { id: idOf(1) }]],
  )
  t.match(await cli.run('events', 'retry', idOf(1)), { code: 0, out: /1 started\n$/ })
})

t.test('retry: a direct delivery that failed is made again under its delivery id, unless it was delivered since', async (t) => {
  const failed = (number: number): Line => [received(number, { outcome: 'delivery_failed', status: 502, stage: 'dispatch' }), request('{}')]
  const cli = await fixture(t, [failed(1), failed(2), failed(3)])
  const answers: { readonly [id: string]: ReplayResult } = {
    [idOf(1)]: { found: true, event_id: idOf(99), status: 200, outcome: 'delivered', stage: 'dispatch' },
    [idOf(2)]: { found: true, event_id: idOf(98), status: 200, outcome: 'duplicate', stage: 'dispatch' },
    [idOf(3)]: { found: true, event_id: idOf(97), status: 502, outcome: 'delivery_failed', stage: 'dispatch', reason: 'log: HTTP 503' },
  }
  const { asked } = await cli.serve({ standings: among(dead()), replay: async ({ id }) => answers[id] ?? fault(id) })
  t.match(await cli.run('events', 'retry', idOf(1), '--dry-run'), { code: 0, out: /^would start .*\n1 would start\n$/ })
  t.match(
    await cli.run('events', 'retry', '--dead', '--dry-run'),
    { code: 0, out: /^0 would start/, err: /3 \(3 of deploys\): headgate events replay --outcome delivery_failed --same-id/ },
    'those without a run are left out of all dead ones, and it says so',
  )
  t.match(JSON.parse((await cli.run('events', 'retry', '--dead', '--yes', '--json')).out), { data: { summary: { left_out: 3 } } })
  t.same(
    asked.filter(([name]) => name === 'replay'),
    [],
  )
  const { code, out } = await cli.run('events', 'retry', idOf(1), idOf(2), idOf(3))
  t.equal(code, 1)
  t.same(linesOf(out), [
    `started  ${idOf(1)}  deploys  -> log`,
    `failed   ${idOf(2)}  deploys  it has been delivered since: its delivery id is taken`,
    `failed   ${idOf(3)}  deploys  delivery_failed: log: HTTP 503`,
    '1 started, 2 failed',
  ])
  t.same(
    asked.flatMap(([name, question]) => (name === 'replay' ? [question] : [])),
    [{ same_id: true, id: idOf(1), ahead: [idOf(2), idOf(3)] }, ...[2, 3].map((number) => ({ same_id: true, id: idOf(number) }))],
  )
})

t.test('retry --dead: shows its plan, asks or needs --yes, oldest first', async (t) => {
  const lines = [1, 2, 3, 4].flatMap((number): Line[] => {
    const route = number === 3 ? 'other' : 'deploys'
    return [received(number, { route }), ...(number === 4 ? [] : [ended(number, { state: 'dead', route })])]
  })
  const cli = await fixture(t, lines)
  const { asked } = await cli.serve({ standings: among(dead(1, 2, 3, 4)) })
  const started = (): string[] => asked.splice(0).flatMap(([name, question]) => (name === 'retry' ? [(question as { id: string }).id] : []))

  const dry = await cli.run('events', 'retry', '--dead', '--dry-run')
  t.match(dry, { code: 0, out: /^would start {2}0000000\d-\S+ +deploys +-> log$/m })
  t.match(dry.out, /4 would start\n$/)
  t.match(await cli.run('events', 'retry', '--dead'), { code: 2, err: /--yes/ })
  t.same(started(), [])

  const questions: string[] = []
  const ask = (reply: string) => async (question: string) => {
    questions.push(question)
    return reply
  }
  t.match(await cli.runWith({ ask: ask('') }, 'events', 'retry', '--dead'), { code: 130, out: '', err: /starts +0000000/ })
  t.same(questions, ['start 4 (3 of deploys, 1 of other)? [y/N] '])
  t.same(started(), [])
  t.match(await cli.runWith({ ask: ask('y') }, 'events', 'retry', '--dead', '--route', 'other'), { code: 0 })
  t.same(started(), [idOf(3)])
  t.match(await cli.run('events', 'retry', '--dead', '--yes', '--limit', '3'), { code: 0, out: /3 started/, err: /only the newest 3/ })
  t.same(started(), [idOf(2), idOf(3), idOf(4)])
  t.match(JSON.parse((await cli.run('events', 'retry', '--dead', '--dry-run', '--json', '--since', timeOf(4))).out), {
    kind: 'events.retry',
    ok: true,
    data: {
      dry_run: true,
      runs: [{ event_id: idOf(4), route: 'deploys', job: null, target: 'log', result: 'would_start', why: null }],
      summary: { started: 0, failed: 0 },
    },
  })
})

t.test('retry: one that fails does not stop the rest, and is exit 1', async (t) => {
  const cli = await fixture(
    t,
    [1, 2, 3].flatMap((number) => [received(number), ended(number, { state: 'dead' })]),
  )
  await cli.serve({
    standings: among(dead(1, 2, 3)),
    retry: async ({ id }) => {
      if (id === idOf(1)) throw new StoreFault('the disk is full')
      return { retried: id === idOf(3) }
    },
  })
  const { code, out } = await cli.run('events', 'retry', '--dead', '--yes', '--json')
  t.equal(code, 1)
  t.match(JSON.parse(out), {
    ok: false,
    data: {
      runs: [
        { event_id: idOf(1), result: 'failed', why: /the disk is full/ },
        { event_id: idOf(2), result: 'failed', why: 'it is not dead any more' },
        { event_id: idOf(3), result: 'started', why: null },
      ],
      summary: { started: 1, failed: 2 },
    },
  })
})

const accepted: ReplayResult = {
  found: true,
  event_id: idOf(99),
  status: 202,
  outcome: 'accepted',
  stage: 'agent',
}
const wouldStart: ReplayResult = {
  found: true,
  status: 202,
  outcome: 'accepted',
  stage: 'agent',
  starts: { mode: 'agent', prompt: 'Look at\nthis', target: 'github_comment', extra: { repo: 'a/b' } },
}

t.test('replay: as new events, through another route when asked', async (t) => {
  const cli = await fixture(t, [
    [received(1), request('{}')],
    [received(2), request('{}')],
  ])
  const { asked } = await cli.serve({ replay: async () => accepted })
  t.match(await cli.run('events', 'replay', idOf(1), idOf(2), '--route', 'r', '--same-id'), {
    code: 0,
    out: `${idOf(1)}  deploys  202  accepted  new ${idOf(99)}\n${idOf(2)}  deploys  202  accepted  new ${idOf(99)}\n2 replayed\n`,
  })
  t.same(
    asked.filter(([name]) => name === 'replay'),
    [1, 2].map((number) => [
      'replay',
      { id: idOf(number), route: 'r', same_id: true, dry_run: false, ...(number === 1 ? { ahead: [idOf(2)] } : {}) },
    ]),
  )
})

t.test('replay and retry count at a terminal, and nowhere else', async (t) => {
  const cli = await fixture(
    t,
    [1, 2, 3].map((number) => [received(number), request('{}')] as const),
  )
  await cli.serve({ replay: async () => accepted, standings: among(dead(1, 2, 3)), retry: async () => ({ retried: true }) })
  const terminal = { input: new PassThrough(), output: new PassThrough() }
  const ids = [1, 2, 3].map(idOf)
  const counted = '\r1 of 3\r2 of 3\r      \r'
  for (const verb of ['replay', 'retry']) {
    t.match(await cli.runWith({ terminal }, 'events', verb, ...ids), { code: 0, err: counted })
    t.equal((await cli.runWith({ terminal }, 'events', verb, idOf(1))).err, '')
    t.equal((await cli.run('events', verb, ...ids)).err, '')
  }
})

t.test('replay --edit: the payload as the editor leaves it, once it is known that it can be replayed', async (t) => {
  const cli = await fixture(t, [
    [received(1), request('{"id":12345678901234567890, "n":1}')],
    received(2),
    [received(3), request(Buffer.from([255]))],
  ])
  const { asked } = await cli.serve({
    replay: async ({ route, dry_run, body }) => {
      if (route !== undefined || body === '{"n":"gone"}') return { found: false, why: 'there is no such route' }
      return dry_run ? wouldStart : accepted
    },
  })
  const questions = (): unknown[] => asked.splice(0).flatMap(([name, question]) => (name === 'replay' ? [question] : []))
  const seen: string[] = []
  const replay = (change: (text: string) => string, ...argv: string[]) => {
    const edit = async (file: string): Promise<void> => {
      seen.push(readFileSync(file, 'utf8'))
      writeFileSync(file, change(seen.at(-1) ?? ''))
    }
    return cli.runWith({ edit }, 'events', 'replay', ...argv, '--edit')
  }
  const drafts = (): readonly string[] => readdirSync(join(cli.home, '.drafts'))
  const done = await replay((text) => text.replace('"n": 1', '"n": 2'), idOf(1))
  t.match(done, { code: 0, out: `${idOf(1)}  deploys  202  accepted  new ${idOf(99)}\n1 replayed\n` })
  t.equal(seen.pop(), '{\n  "id": 12345678901234567890,\n  "n": 1\n}\n')
  const question = { id: idOf(1), same_id: false }
  t.same(questions(), [
    { ...question, dry_run: true },
    { ...question, dry_run: false, body: '{"id":12345678901234567890,"n":2}' },
  ])
  await replay((text) => text, idOf(1), '--dry-run')
  t.same(
    questions(),
    [
      { ...question, dry_run: true },
      { ...question, dry_run: true },
    ],
    'what is left as it is, is no other body',
  )
  t.same(drafts(), [])
  t.match(await replay(() => '{"n":"gone"}', idOf(1)), { code: 1, out: /no such route/, err: /the draft is kept: / })
  t.match(await replay(() => '', idOf(1)), { code: 130, err: /nothing was sent/ })
  t.equal(drafts().length, 2)
  seen.length = 0
  t.match(await replay(String, idOf(1), '--route', 'nope'), { code: 1, out: /no such route/ })
  t.match(await replay(String, idOf(2)), { code: 1, err: /its payload is not kept/ })
  t.match(await replay(String, idOf(3)), { code: 1, err: /no text/ })
  t.match(await replay(String, idOf(1), idOf(3)), { code: 2, err: /one event/ })
  t.match(await replay(String, '--state', 'done'), { code: 2, err: /one event/ })
  t.match(await cli.run('events', 'replay', idOf(1), '--edit'), { code: 2, err: /needs a terminal/ })
  t.same(seen, [], 'no editor opened')
})

t.test('show of a duplicate names the event that it repeats', async (t) => {
  const same = { delivery_id: 'd' }
  const cli = await fixture(t, [
    received(1, same),
    received(2, { ...same, route: 'other' }),
    received(3, { ...same, outcome: 'ignored', stage: 'filters' }),
    received(4, { ...same, outcome: 'duplicate', stage: 'duplicate', status: 200 }),
    received(5, { ...same, outcome: 'duplicate', stage: 'duplicate', status: 200 }),
    received(6, { ...same, outcome: 'delivered' }),
    received(7, { delivery_id: 'e', outcome: 'duplicate', stage: 'duplicate', status: 200 }),
  ])
  t.match((await cli.run('events', 'show', idOf(5))).out, `repeats     ${idOf(1)} of 2026-03-01T12:00:01.000Z\n`)
  t.match(JSON.parse((await cli.run('events', 'show', idOf(5), '--json')).out).data, { repeats: idOf(1) })
  for (const id of [idOf(1), idOf(7)]) t.notMatch((await cli.run('events', 'show', id)).out, 'repeats')
})

t.test('an edited replay says so in the list, in show and as JSON', async (t) => {
  const cli = await fixture(t, [received(2, { replay_of: idOf(1), edited: true }), received(3, { replay_of: idOf(1) })])
  t.match((await cli.run('events', 'list')).out, / {2}replay of 00000001\n.* {2}edited replay of 00000001\n$/)
  t.match((await cli.run('events', 'show', idOf(2))).out, `${idOf(1)} (edited)`)
  t.match(JSON.parse((await cli.run('events', 'list', '--json')).out).data.events, [
    { edited: false, replay_of: idOf(1) },
    { edited: true, replay_of: idOf(1) },
  ])
})

t.test('replay --dry-run: what each would start', async (t) => {
  const cli = await fixture(t, [[received(1), request('{}')]])
  const { asked } = await cli.serve({ replay: async () => wouldStart })
  const { code, out } = await cli.run('events', 'replay', idOf(1), '--dry-run')
  t.equal(code, 0)
  t.same(linesOf(out), [
    `${idOf(1)}  deploys  202  accepted`,
    '    agent -> github_comment  {"repo":"a/b"}',
    '    Look at\\nthis',
    '1 would be replayed',
  ])
  t.same(
    asked.filter(([name]) => name === 'replay'),
    [['replay', { id: idOf(1), same_id: false, dry_run: true }]],
  )
  t.match(JSON.parse((await cli.run('events', 'replay', idOf(1), '--dry-run', '--json')).out), {
    kind: 'events.replay',
    data: {
      dry_run: true,
      replays: [
        {
          of: idOf(1),
          ok: true,
          event_id: null,
          status: 202,
          starts: { mode: 'agent', prompt: 'Look at\nthis', target: 'github_comment' },
        },
      ],
      summary: { replayed: 0, failed: 0 },
    },
  })
})

t.test('replay of a selection: a dry run first, then asks or needs --yes; what has no payload is left out', async (t) => {
  const refused = { outcome: 'ignored', stage: 'filters', status: 200 }
  const cli = await fixture(t, [
    [received(1, refused), request('{}')],
    received(2, refused),
    [received(3, { ...refused, route: 'other' }), request('{}')],
    [received(4), request('{}')],
  ])
  const { asked } = await cli.serve({ replay: async ({ dry_run }) => (dry_run ? wouldStart : accepted) })
  const replays = (): unknown[] => asked.splice(0).flatMap(([name, question]) => (name === 'replay' ? [question] : []))
  const selection = ['events', 'replay', '--from-route', 'deploys', '--outcome', 'ignored:filters']
  t.match(await cli.run(...selection), { code: 2, err: /1 left out: their payload was not kept[\s\S]*--yes/ })
  t.same(replays(), [])
  t.match(await cli.runWith({ ask: async () => 'n' }, ...selection), { code: 130, err: /agent -> github_comment/ })
  t.same(replays(), [{ id: idOf(1), same_id: false, dry_run: true }])
  t.match(await cli.run(...selection, '--yes'), { code: 0, out: /1 replayed/ })
  t.same(replays(), [{ id: idOf(1), same_id: false, dry_run: false }])
})

t.test('replay: what cannot be found or is refused is exit 1', async (t) => {
  const cli = await fixture(
    t,
    [1, 2, 3].map((number): Line => [received(number), request('{}')]),
  )
  await cli.serve({
    replay: async ({ id }) => {
      if (id === idOf(1)) return { found: false, why: 'there is no route "deploys" any more' }
      return id === idOf(2) ? { found: true, status: 400, outcome: 'bad_json', stage: 'json', reason: 'not JSON' } : accepted
    },
  })
  const { code, out } = await cli.run('events', 'replay', idOf(1), idOf(2), idOf(3))
  t.equal(code, 1)
  t.match(out, /failed +there is no route "deploys" any more/)
  t.match(out, /400 +bad_json +not JSON/)
  t.match(out, /1 replayed, 2 failed\n$/)
})

t.test('retry, replay and export want ids or a selection, not both', async (t) => {
  const cli = await fixture(t, [received(1)])
  await cli.serve()
  for (const argv of [
    ['retry'],
    ['retry', idOf(1), '--dead'],
    ['retry', '--route', 'deploys'],
    ['replay'],
    ['replay', '--route', 'deploys'],
    ['replay', idOf(1), '--outcome', 'ignored'],
    ['export'],
  ]) {
    t.match(await cli.run('events', ...argv), { code: 2, out: '' }, argv.join(' '))
  }
})

t.test('without a gateway: what needs one is exit 4 and says how to start it', async (t) => {
  const cli = await fixture(t, [[received(1), request('{}')], ended(1, { state: 'dead' })])
  for (const argv of [
    ['events', 'retry', idOf(1)],
    ['events', 'retry', '--dead', '--dry-run'],
    ['events', 'replay', idOf(1)],
    ['events', 'replay', '--state', 'dead', '--yes'],
    ['gateway', 'reload'],
    ['gateway', 'status'],
  ]) {
    t.match(
      await cli.run(...argv),
      { code: 4, out: '', err: /no gateway is running on .*\n {2}start it: headgate gateway run/ },
      argv.join(' '),
    )
  }
  t.match(JSON.parse((await cli.run('gateway', 'status', '--json')).out), { kind: 'error', ok: false, error: { code: 'unreachable' } })
})

t.test('export: samples, JSON lines, or all in one document', async (t) => {
  const cli = await fixture(t, [
    [received(1), request('{"n":12345678901234567890}', { 'x-gitlab-token': '***' })],
    [received(2), request('a=b\u001b', {})],
    [received(3), request(Buffer.from([0xff]), {})],
    received(4),
  ])
  const samples = await cli.run('events', 'export', idOf(1))
  t.same(samples, {
    code: 0,
    out: '{\n  "headers": {\n    "x-gitlab-token": "***"\n  },\n  "body": {\n    "n": 12345678901234567890\n  }\n}\n',
    err: '',
  })
  t.same(JSON.parse((await cli.run('events', 'export', idOf(2))).out), { headers: {}, body_text: 'a=b\u001b' })
  t.same(JSON.parse((await cli.run('events', 'export', idOf(3))).out), { headers: {}, body_base64: '/w==' })
  const add = (name: string, exported: string) => cli.runWith({ stdin: async () => exported }, 'samples', 'add', name, '-')
  t.match(await add('acme/one', samples.out), { code: 0 })
  t.match(JSON.parse((await cli.run('samples', 'show', 'acme/one', '--headers')).out), JSON.parse(samples.out), 'an export is a sample')
  t.match(await cli.run('events', 'export', idOf(4)), { code: 5, out: '', err: /no payload was kept/ })
  t.match(await cli.run('events', 'export', idOf(1), idOf(4)), { code: 1, out: samples.out, err: /1 left out/ })
  const lines = linesOf((await cli.run('events', 'export', '--route', 'deploys', '--as', 'jsonl')).out).map((line) => JSON.parse(line))
  t.match(lines, [
    { event_id: idOf(1), state: 'waiting', payload: 'kept', body: '{"n":12345678901234567890}' },
    { event_id: idOf(2), body: 'a=b\u001b' },
    { body: null, body_base64: '/w==', body_bytes: 1 },
    { event_id: idOf(4), payload: 'not kept', body: null },
  ])
  t.match(JSON.parse((await cli.run('events', 'export', '--limit', '1', '--json')).out), {
    kind: 'events.export',
    ok: true,
    data: { events: [{ event_id: idOf(4) }] },
  })
})

t.test('export --as curl: a shell sends the same bytes and runs nothing of them', async (t) => {
  const bodies = ['{"a":"it\'s $(touch x) `id`"}', '@/etc/passwd', '\u001b[2J\r\n', Buffer.from([0x00, 0xff, 0x0a])].map((body) =>
    Buffer.from(body),
  )
  const cli = await fixture(
    t,
    bodies.map((body, i): Line => [received(i), request(body, { 'x-a': "b'; touch y", host: 'h', 'content-length': '5' })]),
  )
  // Instead of curl: says the body it was given, in hex.
  const curl = 'curl() { for last do :; done; if [ "$last" = @- ]; then od -An -v -tx1; else printf %s "$last" | od -An -v -tx1; fi; }'
  for (const [i, body] of bodies.entries()) {
    const { code, out } = await cli.run('events', 'export', idOf(i), '--as', 'curl')
    t.equal(code, 0)
    t.notMatch(out, controls)
    const sent = execFileSync('/bin/sh', ['-c', `${curl}\n${out}`], { cwd: cli.home, encoding: 'utf8' })
    t.equal(sent.replaceAll(/\s/g, ''), body.toString('hex'), out)
    t.match(out, /curl -sS http:\/\/127\.0\.0\.1:8644\/webhooks\/deploys -H 'x-a: b'\\''; touch y'/)
    t.notMatch(out, /host:|content-length/)
  }
  t.same(readdirSync(cli.home), ['state'])
  const globbed = await fixture(t, [[received(0), { ...request('{}'), pathAndQuery: '/webhooks/deploys?a=[1-8]&b={x,y}' }]])
  t.match((await globbed.run('events', 'export', idOf(0), '--as', 'curl')).out, /^curl -gsS '[^']*\?a=\[1-8\]&b=\{x,y\}'/, 'one post')
})

t.test('a hostile record drives no terminal and fills no screen', async (t) => {
  const evil = `\u001b[2J\u001b]0;x\u0007\r\n\u202e\u2028\u009b${'A'.repeat(20_000)}`
  const event_id = `evil-\u202e\u009b2Jid-${'9'.repeat(40)}`
  const record = received(1, {
    event_id,
    route: evil,
    event_type: evil,
    delivery_id: evil,
    reason: evil,
    target: evil,
    job: evil,
    replay_of: evil,
  })
  const nested = `${'['.repeat(50_000)}"${evil.slice(0, 20).replaceAll(/[\r\n\u001b\u0007]/g, '')}"${']'.repeat(50_000)}`
  const cli = await fixture(t, [
    [record, request(nested, { [`x-\u001b[2J${evil.slice(0, 500)}`]: evil, list: [evil] })],
    ended(1, { event_id, state: 'dead', error: evil, target: evil, route: evil }),
    [received(2, { event_id: 'plain-text' }), request(`${evil}\n`.repeat(3), {})],
  ])
  const started = { mode: 'agent', prompt: evil, target: evil, extra: { evil } } as const
  await cli.serve({
    standings: async ({ ids }) => ({ standings: ids.map((eventId) => ({ eventId, state: 'dead', attempt: 1, error: evil })) }),
    replay: async () => ({ found: true, event_id: evil, status: 202, outcome: evil, reason: evil, stage: evil, starts: started }),
    status: async () => ({ ...status, url: evil }),
    reload: async () => ({ ok: true, diagnostics: [], restart: [evil], changes: { added: [evil], changed: [], removed: [] } }),
  })
  const mostChars = 200_000
  for (const argv of [
    ['events', 'list'],
    ['events', 'list', '--wide'],
    ['events', 'show', event_id, '--body'],
    ['events', 'show', 'plain-text', '--body'],
    ['events', 'retry', '--dead', '--dry-run'],
    ['events', 'replay', event_id, '--dry-run'],
    ['events', 'replay', event_id],
    ['gateway', 'status'],
    ['gateway', 'reload'],
  ]) {
    const { code, out, err } = await cli.run(...argv)
    t.equal(code, 0, argv.join(' '))
    t.ok(out.length > 0)
    t.notMatch(out + err, controls, argv.join(' '))
    t.ok(out.length < mostChars, `${argv.join(' ')}: ${out.length}`)
    const { out: document } = await cli.run(...argv, '--json')
    t.notMatch(document, controls, `${argv.join(' ')} --json`)
    t.match(JSON.parse(document), { v: 1, ok: true })
  }
  t.equal(linesOf((await cli.run('events', 'list')).out).length, 2)
  t.match(
    (await cli.run('events', 'show', 'plain-text', '--body')).out,
    /\(cut here; all \d+ bytes: headgate events show plain-text --raw\)/,
  )
  for (const as of ['sample', 'jsonl', 'curl', 'test'])
    t.notMatch((await cli.run('events', 'export', '--limit', '2', '--as', as)).out, controls, as)
})

const everyUnsafe = '\u007f\u0080\u0085\u009f\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029'

t.test('what is exported shows each character that a terminal could act on, and reads back as it was', async (t) => {
  const payload = { title: `a${everyUnsafe}b`, [`k${everyUnsafe}`]: 1 }
  const cli = await fixture(t, [
    [received(1, { event_type: `push\u202e` }), request(JSON.stringify(payload), { 'x-kept': `v${everyUnsafe}` })],
  ])
  const exported = async (...argv: string[]): Promise<string> => {
    const { code, out } = await cli.run('events', 'export', '--limit', '1', ...argv)
    t.equal(code, 0)
    t.notMatch(out, controls, argv.join(' '))
    return out
  }
  t.same(JSON.parse(JSON.parse(await exported('--as', 'jsonl')).body), payload)
  t.same(JSON.parse(JSON.parse(await exported('--json')).data.events[0].body), payload)
  t.same(JSON.parse(await exported('--as', 'sample')).body, payload)
  t.match(parse(await exported('--as', 'test')).tests, [
    { send: { payload, event: 'push\u202e', headers: { 'x-kept': `v${everyUnsafe}` } } },
  ])
  t.match(await exported('--as', 'jsonl'), '\\u202e\\u2066')
})

t.test('gateway reload: what was found, and whether it is served', async (t) => {
  const cli = await fixture(t, [])
  cli.write('config.yaml', 'platforms:\n  webhook:\n    prot: 5\n')
  const place = { file: cli.file('config.yaml'), line: 3, column: 5, endLine: 3, endColumn: 9 }
  const problem = {
    code: 'WH101',
    severity: 'error',
    stopsStart: true,
    message: 'unknown key "prot"',
    help: 'did you mean port?',
    place,
    pointer: '/platforms/webhook/prot',
  } as const
  const many = Array.from({ length: 22 }, (_, i) => `r${i}`)
  let answer: Awaited<ReturnType<RunningGateway['reload']>> = {
    ok: true,
    diagnostics: [],
    restart: ['platforms.webhook.extra.port'],
    changes: { added: ['new'], changed: [], removed: many },
  }
  await cli.serve({ reload: async () => answer })
  t.same(await cli.run('gateway', 'reload'), {
    code: 0,
    out: `reloaded (0 errors, 0 warnings)\nadded 1 route: new\nremoved 22 routes: ${many.slice(0, 20).join(', ')} and 2 more\nneeds a restart: platforms.webhook.extra.port\n`,
    err: '',
  })
  answer = { ok: false, diagnostics: [problem], restart: [], changes: noChanges }
  const { code, out } = await cli.run('gateway', 'reload')
  t.equal(code, 1)
  t.match(
    out,
    /error\[WH101\] unknown key "prot" .*config\.yaml:3:5[\s\S]*3 \| {5}prot: 5[\s\S]*not reloaded: the configuration before it serves on \(1 error/,
  )
  t.match(JSON.parse((await cli.run('gateway', 'reload', '--json')).out), {
    kind: 'gateway.reload',
    ok: false,
    data: { reloaded: false, diagnostics: [{ code: 'WH101', range: { start: { line: 3, column: 5, offset: 26 } } }], restart: [] },
  })
})

t.test('gateway status: the running gateway about itself', async (t) => {
  const cli = await fixture(t, [])
  await cli.serve()
  t.match(await cli.run('gateway', 'status'), { code: 0, out: /^gateway +running\nurl +http:\/\/127\.0\.0\.1:8644\npid +4711\n/ })
  t.same(JSON.parse((await cli.run('gateway', 'status', '--json')).out), {
    v: 1,
    kind: 'gateway.status',
    ok: true,
    data: status,
    warnings: [],
  })
})

t.test('gateway status: files that are not what is served, and why the last reload failed', async (t) => {
  const cli = await fixture(t, [])
  const failed = { at: '2026-03-01T13:00:00.000Z', reason: 'WH101 unknown key "prot" (config.yaml:3:5)' }
  await cli.serve({ status: async () => ({ ...status, reload_failed: failed, changed_files: ['/d/config.yaml'] }) })
  const { out } = await cli.run('gateway', 'status')
  t.match(out, /reload failed +2026-03-01T13:00:00.000Z: WH101 unknown key "prot"/)
  t.match(out, /not served +\/d\/config.yaml has changed since it was read/)
})

t.test('gateway status: a store that cannot say its backlog hides nothing else', async (t) => {
  const cli = await fixture(t, [])
  await cli.serve({ status: async () => ({ ...status, backlog: null }) })
  t.match(await cli.run('gateway', 'status'), {
    code: 0,
    out: /jobs +1\nbacklog +unknown, for the store does not answer\nrefused +3 rate_limited \(429\), 1 bad_signature \(401\)\n$/,
  })
  t.match(JSON.parse((await cli.run('gateway', 'status', '--json')).out), { ok: true, data: { backlog: null } })
})
