/** Lists that change while a gateway runs: `headgate lists`, and the operator `in_list` that asks them. */

import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Json } from '../../src/core/json.ts'
import { parseJsonInSteps } from '../../src/expr/json-in-steps.ts'
import { atOnce } from '../../src/expr/list-file.ts'
import { type FakeCli, fakeCli, runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { secret, startGateway } from '../fakes/gateway.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const allowed = { filters: { field: 'by', in_list: { store: 'people' } } }
const blocked = { filters: [{ not: { field: 'by', in_list: { store: 'blocked' } } }] }

t.test('an event is judged by the list as it is now; without the list it is refused', async (t) => {
  const gateway = await startGateway(t, {
    routes: { allowed, blocked, sent: { dispatch: [{ when: allowed.filters, to: 'allowed' }, { to: 'open' }] }, open: { prompt: 'p' } },
  })
  const lists = async (...argv: string[]) => {
    const { code, err, out } = await runAt(gateway.dir, ['lists', ...argv])
    if (code !== 0) throw new Error(`${code} ${err}${out}`)
  }
  const post = async (route: string, by: unknown) => (await gateway.post(route, { body: { by } })).status
  for (const route of ['allowed', 'blocked', 'sent']) {
    const { status, json, headers } = await gateway.post(route, { body: { by: 'ann' } })
    t.match(
      { status, json, retry: headers.get('retry-after') },
      { status: 503, json: { error: 'List is unavailable' }, retry: '60' },
      route,
    )
  }
  await lists('add', 'people', 'ann', '5', '__proto__', 'constructor')
  await lists('add', 'blocked')
  const judged = async (by: unknown) => [await post('allowed', by), await post('blocked', by)]
  t.same(await judged('ann'), [202, 202], 'an empty list blocks nobody')
  await lists('add', 'blocked', 'ann', '5', '__proto__', 'constructor')
  for (const by of ['ann', '5', 5, 5.0, '__proto__', 'constructor']) t.same(await judged(by), [202, 200], JSON.stringify(by))
  for (const by of ['bob', 'Ann', 'toString', 'hasOwnProperty', 6, true, null, ['ann'], { ann: 1 }, undefined])
    t.same(await judged(by), [200, 202], JSON.stringify(by))
  t.equal((await gateway.post('sent', { body: { by: 'ann' } })).status, 202)
  await lists('remove', 'people', 'ann')
  t.equal(await post('allowed', 'ann'), 200)
  await lists('remove', 'people', '--all')
  t.equal(await post('allowed', 'ann'), 503, 'a list that is gone lets nobody in, and nothing be lost')
  writeFileSync(join(gateway.dir, 'lists.json'), '{"people":')
  t.equal(await post('blocked', 'bob'), 503, 'and so does a file that cannot be read')
  t.match((await gateway.operations.status()).refused, { list_unavailable: 5 })
})

t.test('a long list is whole at the first event after its change, whatever else its file has', async (t) => {
  const gateway = await startGateway(t, { routes: { allowed } })
  const post = async (by: unknown) => (await gateway.post('allowed', { body: { by } })).status
  t.equal(await post('u1'), 503)
  const values = [
    ...Array.from({ length: 30_000 }, (_, at) => (at % 2 === 0 ? `u${at}` : String(at))),
    40_007,
    null,
    ['deep'],
    { value: 8 },
  ]
  writeFileSync(join(gateway.dir, 'lists.json'), JSON.stringify({ other: { values }, broken: { values: 'ann' }, people: { values } }))
  const asked = ['u0', 'u498', 'u500', 499, '501', 29_999, 'u29998']
  t.same(
    await Promise.all(asked.map(post)),
    asked.map(() => 202),
  )
  for (const by of ['u499', 500, 40_007, 8, 'deep', 'u30000']) t.equal(await post(by), 200, String(by))
})

t.test('a long file is read in steps as it is read at once', async (t) => {
  const filler = fc.constantFrom('x', 'x'.repeat(30_000), '\\"]},'.repeat(8_000), 'y'.repeat(70_000))
  const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      filler,
      fc.constantFrom(1, null, true, '', [], {}),
      fc.array(tie('tree'), { maxLength: 5 }),
      fc
        .array(fc.tuple(fc.constantFrom('a', '2', '1', '', '__proto__', 'values', '"{'), tie('tree')), { maxLength: 5 })
        .map(
          (members) =>
            JSON.parse(`{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`) as Json,
        ),
    ),
  }))
  const spoilt = fc.tuple(fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '{', ':', '"', ' ', '\u00a0'), fc.nat(1), fc.boolean())
  const read = (parse: () => Json): Json | Error => {
    try {
      return parse()
    } catch (error) {
      return error as Error
    }
  }
  let long = 0
  fc.assert(
    fc.property(
      fc.array(tree, { minLength: 2, maxLength: 5 }),
      fc.constantFrom(undefined, 2),
      spoilt,
      (value, indent, [where, sign, cut, isWhole]) => {
        const text = JSON.stringify(value, null, indent)
        // A mistake between two members, where the text is cut.
        const ends = [...text.matchAll(/[\]},[{]/g)].map(({ index }) => index)
        const at = ends[where % ends.length] as number
        const given = isWhole ? text : text.slice(0, at) + sign + text.slice(at + cut)
        long += Number(given.length > 65_536)
        const [expected, found] = [read(() => JSON.parse(given)), read(() => atOnce(parseJsonInSteps(given)))]
        if (expected instanceof Error) return found instanceof Error
        return JSON.stringify(found) === JSON.stringify(expected)
      },
    ),
    { numRuns: 400 },
  )
  t.ok(long > 100, `${long}`)
})

t.test('a value is in the list until its time is over', async (t) => {
  const clock = fakeClock(Date.now())
  const gateway = await startGateway(t, { clock, routes: { allowed } })
  t.equal((await runAt(gateway.dir, ['lists', 'add', 'people', 'ann', '--for', '2h'])).code, 0)
  const id = () => ({ 'X-Request-ID': randomUUID() })
  t.equal((await gateway.post('allowed', { body: { by: 'ann' }, headers: id() })).status, 202)
  await clock.advance(7_199_000 - 60_000)
  t.equal((await gateway.post('allowed', { body: { by: 'ann' }, headers: id() })).status, 202)
  await clock.advance(120_000)
  t.equal((await gateway.post('allowed', { body: { by: 'ann' }, headers: id() })).status, 200)
})

const shown = async (cli: FakeCli, ...argv: string[]) => JSON.parse((await cli.run('lists', 'show', ...argv, '--json')).out).data

t.test('lists are added to, shown and removed from, also by standard input', async (t) => {
  const cli = fakeCli(t)
  t.match(await cli.run('lists', 'add', 'blocked', 'bob', ' ann ', 'bob'), { code: 0, out: 'blocked: added 2 values, 2 values now\n' })
  t.match(await cli.run('lists', 'add', 'blocked', 'ann'), { out: 'blocked: added 0 values, 2 values now\n' })
  t.match(await cli.runWith({ stdin: async () => 'eve\r\n\r\n zoe\nann\n' }, 'lists', 'add', 'blocked', '@-'), { out: /added 2 values, 4/ })
  t.match(await cli.run('lists', 'show', 'blocked'), { out: 'bob\neve\nzoe\nann\n' })
  t.match(await cli.run('lists', 'add', 'blocked', 'ann', '--for', '1h'), { out: /added 1 value, 4 values/ })
  const { values } = await shown(cli, 'blocked')
  t.match(values.at(-1), { value: 'ann', until: /^\d{4}-.*Z$/ })
  t.match(await cli.run('lists', 'remove', 'blocked', 'bob', 'nobody'), { out: 'blocked: removed 1 value, 3 values now\n' })
  await cli.run('lists', 'add', 'people')
  t.same((await shown(cli)).lists, [
    { name: 'blocked', count: 3 },
    { name: 'people', count: 0 },
  ])
  t.match(await cli.run('lists', 'remove', 'blocked', '--all'), { out: 'blocked: removed the list with 3 values, 0 values now\n' })
  t.match(await cli.run('lists', 'show', 'blokked'), { code: 5, err: /no list "blokked"/ })
  for (const wrong of [
    ['add', '../x', 'a'],
    ['add', '__proto__', 'a'],
    ['add', 'x', ''],
    ['add', 'x', 'a\u001bb'],
    ['add', 'x', 'a'.repeat(1_000_000)],
  ])
    t.match(await cli.run('lists', ...wrong), { code: 2 }, JSON.stringify(wrong).slice(0, 40))
  t.match(await cli.run('lists', 'remove', 'people'), { code: 2 })
  t.match(await cli.run('lists', 'remove', 'people', 'a', '--all'), { code: 2 })
  t.same((await shown(cli)).lists, [{ name: 'people', count: 0 }], 'nothing was written')
})

t.test('a list of a hundred thousand values is judged at once, and 200,001 are too many', async (t) => {
  const gateway = await startGateway(t, { routes: { allowed } })
  const many = (from: number, count: number): string => Array.from({ length: count }, (_, i) => `user-${from + i}@example.org\n`).join('')
  const add = (text: string) => runAt(gateway.dir, ['lists', 'add', 'people', '@-'], { stdin: async () => text })
  t.match(await add(many(0, 100_000)), { code: 0, out: /100000 values now/ })
  t.equal((await gateway.post('allowed', { body: { by: 'user-99999@example.org' } })).status, 202)
  t.equal((await gateway.post('allowed', { body: { by: 'user-100000@example.org' } })).status, 200)
  t.match(await add(many(100_000, 100_001)), { code: 1, err: /at most 200000 values/ })
  t.equal((await gateway.post('allowed', { body: { by: 'user-0@example.org' } })).status, 202)
})

t.test('validate names a list that is not there, and a trace says what the list decides', async (t) => {
  const routes = 'r: { prompt: p, secret: abcabcabcabcabcabc, filters: [{ field: by, in_list: { store: people } }] }'
  const cli = fakeCli(t, { 'config.yaml': `platforms: { webhook: { enabled: true, extra: { routes: { ${routes} } } } }\n` })
  const found = async () => JSON.parse((await cli.run('validate', '--json')).out).data.diagnostics
  t.match(
    (await found()).filter(({ code }: { code: string }) => code === 'WH407'),
    [{ message: /no list "people"/, help: /headgate lists add people/ }],
  )
  t.match(await cli.run('webhook', 'trace', 'r', '--payload', '{"by":"ann"}'), { code: 1, out: /list_unavailable/ })
  await cli.run('lists', 'add', 'people', 'ann')
  t.same(
    (await found()).filter(({ code }: { code: string }) => code === 'WH407'),
    [],
  )
  t.match(await cli.run('webhook', 'trace', 'r', '--payload', '{"by":"ann"}'), { code: 0, out: /accepted/ })
  t.match(await cli.run('webhook', 'trace', 'r', '--payload', '{"by":"bob"}'), { code: 1, out: /ignored/ })
})

type Answer = (response: ServerResponse, seen: Seen) => void
const fetched = (origin: string, more: object = {}) => ({
  filters: { field: 'by', in_list: { url: `${origin}/people?key=tok`, allow_private: true, ...more } },
})
const said = (text: string, headers: { [name: string]: string } = {}, status = 200): Answer => {
  return (response) => response.writeHead(status, headers).end(text)
}

/** A gateway whose route `r` asks a list of a server, which answers as `server.answer` says now. */
const startFetching = async (t: Test, first: Answer, more: object = {}) => {
  const server = { answer: first }
  const { origin, seen } = await sink(t, (response, each) => server.answer(response, each))
  const clock = fakeClock(Date.now())
  const gateway = await startGateway(t, { clock, env: { TOKEN: 'tok' }, routes: { r: fetched(origin, more), open: {} } })
  const post = async (by: unknown) => {
    const { status } = await gateway.post('r', { body: { by }, headers: { 'X-Request-ID': randomUUID() } })
    return status
  }
  const state = async () => ((await gateway.operations.status()).lists ?? [])[0]
  /** Passes time until the server was asked once more, and the gateway has the answer. */
  const askAgain = async (ms = 60_000) => {
    const before = await state()
    clock.advance(ms)
    await until(async () => {
      const now = await state()
      return now?.failure?.times !== before?.failure?.times || now?.fetched_at !== before?.fetched_at
    })
  }
  const post1 = (body: object, route = 'r') => gateway.post(route, { body, headers: { 'X-Request-ID': randomUUID() } })
  return { ...gateway, post1, server, origin, seen, clock, post, state, askAgain }
}

t.test('a list at a web address is asked for again, and only a changed one is sent again', async (t) => {
  const list =
    (values: unknown, etag: string): Answer =>
    (response, { headers }) =>
      headers['if-none-match'] === etag ? void response.writeHead(304).end() : json(response, 200, { data: { members: values } }, { etag })
  const gateway = await startFetching(t, list([{ login: 'ann' }, { login: 5 }], '"1"'), {
    path: 'data.members',
    item: 'login',
    refresh_minutes: 1,
    headers: { Authorization: 'Bearer ${TOKEN}' },
  })
  t.same(await Promise.all(['ann', 5, '5', 'bob', true].map(gateway.post)), [202, 202, 202, 200, 200], 'the first events wait for the list')
  t.match(gateway.seen[0], { url: '/people?key=tok', headers: { authorization: 'Bearer tok' } })
  await gateway.askAgain()
  t.equal(gateway.seen[1]?.headers['if-none-match'], '"1"')
  t.match(await gateway.state(), { address: /^127\.0\.0\.1:\d+\/people$/, usable: true, values: 2, age_seconds: 0, failure: undefined })
  gateway.server.answer = list(
    ['bob'].map((login) => ({ login })),
    '"2"',
  )
  await gateway.askAgain()
  t.same([await gateway.post('ann'), await gateway.post('bob')], [200, 202])
  t.equal(gateway.seen.length, 3)
})

t.test('lines of text are a list, too', async (t) => {
  const gateway = await startFetching(t, said('\ufeffann\r\n\n 7 \n', { 'content-type': 'text/plain' }))
  t.same(await Promise.all(['ann', 7, 'bob'].map(gateway.post)), [202, 202, 200])
})

t.test('the last good list counts until it is too old, and nothing that is no list replaces it', async (t) => {
  const gateway = await startFetching(t, said('["ann"]'), { refresh_minutes: 1, max_age_minutes: 60 })
  t.same([await gateway.post('ann'), await gateway.post('bob')], [202, 200])
  const wrong: readonly Answer[] = [
    said('', {}, 500),
    said('["bob"]', { location: '/elsewhere' }, 302),
    said(''),
    said('<html>bob</html>'),
    said('bob', { 'content-type': 'text/html' }),
    said('bob\u0000'),
    said(Buffer.from([0xff, 0xfe, 0x62]).toString('latin1'), { 'content-type': 'application/json' }),
    said('{"bob":1}'),
    said('"bob"', { 'content-type': 'application/json' }),
    said('["bob",{"a":1}]'),
    said('["bob"'),
    said(JSON.stringify(['bob', 'x'.repeat(513)])),
    said(`bob\n${'x\n'.repeat(2_200_000)}`),
    said(JSON.stringify(Array.from({ length: 200_001 }, (_, at) => at))),
    (response) => response.writeHead(200, { 'content-length': '100' }).write('["bob"]', () => response.destroy()),
  ]
  for (const [at, answer] of wrong.entries()) {
    gateway.server.answer = answer
    await gateway.askAgain(75_000)
    t.same([await gateway.post('ann'), await gateway.post('bob')], [202, 200], `${at}`)
    t.match(await gateway.state(), { usable: true, values: 1, failure: { times: at + 1, reason: /^[^<]+$/ } }, `${at}`)
  }
  t.equal(gateway.lines.filter(({ msg }) => msg?.startsWith('a list could not be fetched')).length, 1, 'a failure is logged once')
  gateway.clock.advance(3_600_000)
  t.match(await gateway.post('ann'), 503)
  t.match(await gateway.state(), { usable: false })
  t.match((await runAt(gateway.dir, ['doctor'])).out, /people is too old, of .*, so events get 503/)
  t.match(await gateway.line(({ outcome }) => outcome === 'list_unavailable'), { reason: /in_list .*people.* is older than 60 minutes/ })
  gateway.server.answer = said('["bob"]')
  await gateway.askAgain(75_000)
  t.same([await gateway.post('ann'), await gateway.post('bob')], [200, 202])
  t.ok(await gateway.line(({ msg }) => msg === 'a list is fetched again'))
  t.notMatch(JSON.stringify([gateway.lines, await gateway.operations.status()]), /key=tok|xxx|<html/, 'no query and no answer is quoted')
})

t.test('a gateway starts while the server is down; Retry-After holds it off', async (t) => {
  const gateway = await startFetching(t, said('', { 'retry-after': '100' }, 429), { refresh_minutes: 1 })
  const { status, json: answered, headers } = await gateway.post1({ by: 'ann' })
  t.match({ status, answered, retry: headers.get('retry-after') }, { status: 503, answered: { error: 'List is unavailable' }, retry: '60' })
  t.match(await gateway.state(), { usable: false, values: null, failure: { reason: /HTTP 429/ } })
  t.match(
    (await runAt(gateway.dir, ['gateway', 'status'])).out,
    /list +127.*not fetched yet, events that need it get 503, no newer one since .*429/,
  )
  t.match((await runAt(gateway.dir, ['doctor'])).out, /people was not fetched yet, so events get 503: the server answered HTTP 429/)
  gateway.server.answer = said('["ann"]')
  gateway.clock.advance(99_000)
  t.equal(gateway.seen.length, 1)
  await gateway.askAgain(2_000)
  t.equal(await gateway.post('ann'), 202)
})

t.test('a server that hangs holds up nobody, and a stop ends the question', async (t) => {
  let open = 0
  const gateway = await startFetching(t, (response) => {
    open++
    response.on('close', () => open--)
    response.writeHead(200).write('["ann"')
  })
  const waits = gateway.post('ann')
  await until(() => open === 1)
  t.equal((await gateway.post1({}, 'open')).status, 202)
  gateway.clock.advance(3_100)
  t.equal(await waits, 503)
  t.equal(open, 1)
  await gateway.askAgain(28_000)
  t.match(await gateway.state(), { failure: { reason: 'no answer in time' } })
  gateway.clock.advance(12_000)
  await until(() => open === 1)
  await gateway.stop(0)
  await until(() => open === 0)
})

t.test('equal questions are asked once, a reload keeps the list, and a list that no route asks is not fetched', async (t) => {
  const { origin, seen } = await sink(t, said('["ann"]'))
  const clock = fakeClock(Date.now())
  const list = fetched(origin)
  const gateway = await startGateway(t, { clock, routes: { a: list, b: list, sent: { dispatch: [{ when: list.filters, to: 'a' }] } } })
  const config = (routes: object) =>
    writeFileSync(
      join(gateway.dir, 'config.yaml'),
      JSON.stringify({
        platforms: { webhook: { enabled: true, extra: { secret, port: 0, routes } } },
        storage: { kind: 'memory' },
      }),
    )
  for (const route of ['a', 'b', 'sent']) t.equal((await gateway.post(route, { body: { by: 'ann' } })).status, 202, route)
  t.equal(seen.length, 1)
  config({ a: { ...list, prompt: 'other' }, c: list })
  await gateway.operations.reload({})
  t.equal((await gateway.post('c', { body: { by: 'ann' } })).status, 202)
  t.equal(seen.length, 1)
  config({ a: {} })
  await gateway.operations.reload({})
  await until(async () => (await gateway.operations.status()).lists === undefined)
  clock.advance(3_600_000)
  t.equal(seen.length, 1)
})

t.test('a cancelling event is refused, too, while its list is missing', async (t) => {
  const cancel_on = { filters: allowed.filters, key: '{id}' }
  const gateway = await startGateway(t, { routes: { r: { prompt: 'p', cancel_on, session: { key: '{id}' } } } })
  t.equal((await gateway.post('r', { body: { by: 'ann', id: 1 } })).status, 503)
  await runAt(gateway.dir, ['lists', 'add', 'people', 'bob'])
  t.equal((await gateway.post('r', { body: { by: 'ann', id: 1 } })).status, 202)
})

t.test('validate says which address can never be asked, and asks none', async (t) => {
  const { origin, seen } = await sink(t, said('["ann"]'))
  const found = async (operand: object) => {
    const routes = { r: { prompt: 'p', secret: 'kq3v9xw2mz7fhd1b', filters: [{ field: 'by', in_list: operand }] } }
    const config = JSON.stringify({ platforms: { webhook: { enabled: true, extra: { routes } } } })
    const cli = fakeCli(t, { 'config.yaml': config, 'lists.json': '{"people":{"values":[]}}' })
    const { diagnostics } = JSON.parse((await cli.run('validate', '--json')).out).data
    return diagnostics.map(({ code, message }: { code: string; message: string }) => `${code} ${message}`)
  }
  t.same(await found({ url: `${origin}/x`, allow_private: true }), [])
  t.same(seen, [])
  for (const [operand, message] of [
    [{ url: `${origin}/x` }, /^WH421 .*private network/],
    [{ url: 'https://x.internal/a' }, /^WH421 .*private network/],
    [{ url: 'https://ann:pw@example.org/a' }, /^WH421 url is not an http/],
    [{ url: 'https://example.org/{by}' }, /^WH421 url has a placeholder/],
    [{ url: 'ftp://example.org/' }, /^WH421/],
    [{ url: 'https://example.org/', store: 'people' }, /^WH421 .*exactly one of: store, url/],
    [{ path: 'a' }, /^WH421 .*exactly one of: store, url/],
    [{ url: 'https://example.org/', headers: { Host: 'x' } }, /^WH421 the header Host/],
    [{ url: 'https://example.org/', refresh_minutes: 60, max_age_minutes: 5 }, /^WH421 the list is too old/],
    [{ store: 'people', refresh_minutes: 5 }, /^WH210 .*"refresh_minutes" has no effect without "url"/],
  ] as const)
    t.match((await found(operand)).join('\n'), message, JSON.stringify(operand))
})

t.test('tests and traces take their lists from whoever runs them', async (t) => {
  const { origin, seen } = await sink(t, said('{"all":["eve"]}'))
  const url = `${origin}/people`
  const filters = [
    { field: 'by', in_list: { url, path: 'all', allow_private: true } },
    { not: { field: 'by', in_list: { store: 'blocked' } } },
  ]
  const test = (name: string, by: unknown, lists: unknown, expect: object) => ({
    name,
    send: { payload: { by } },
    mocks: { lists },
    expect,
  })
  const out = { outcome: 'list_unavailable', status: 503 }
  const tests = [
    test('in', 'ann', { [url]: { all: ['ann', 5] }, blocked: [] }, { outcome: 'accepted' }),
    test('a number', 5, { [`${origin}/x/../people`]: { all: ['ann', 5] }, blocked: ['5.5'] }, { outcome: 'accepted' }),
    test('kept out', 'ann', { [url]: { all: ['ann'] }, blocked: ['ann'] }, { outcome: 'ignored', rule: 'filters[1]' }),
    test('not in', 'bob', { [url]: { all: ['ann'] }, blocked: ['ann'] }, { outcome: 'ignored', rule: 'filters[0]' }),
    test('not given', 'ann', { [url]: { all: ['ann'] } }, { ...out, reason: { contains: 'mocks.lists' } }),
    test('another shape', 'ann', { [url]: ['ann'], blocked: [] }, { ...out, reason: { contains: 'no list at "all"' } }),
    {
      name: 'a list that changes',
      steps: [
        { send: { payload: { by: 'ann' } }, mocks: { lists: { [url]: { all: [] }, blocked: '' } }, expect: { outcome: 'ignored' } },
        {
          send: { payload: { by: 'ann' } },
          mocks: { lists: { [url]: { all: ['ann'] }, blocked: 'bob\neve' } },
          expect: { outcome: 'accepted' },
        },
      ],
    },
  ]
  const route = { prompt: 'p', secret, filters, tests }
  const config = JSON.stringify({ platforms: { webhook: { enabled: true, extra: { routes: { r: route } } } } })
  // The lists of the data directory do not decide a test.
  const cli = fakeCli(t, { 'config.yaml': config, 'lists.json': '{"blocked":{"values":["bob"]}}' })
  t.match(await cli.run('test'), { code: 0 }, (await cli.run('test')).out)
  t.same(seen, [])
  const trace = (by: string, ...argv: string[]) => cli.run('webhook', 'trace', 'r', '--payload', JSON.stringify({ by }), ...argv)
  t.match((await trace('ann')).out, /list_unavailable(?:.|\n)*a dry run fetches no list/)
  t.match((await trace('ann', '--lists', JSON.stringify({ [url]: { all: ['ann'] } }))).out, /accepted/)
  t.match((await trace('bob', '--lists', JSON.stringify({ [url]: { all: ['bob'] } }))).out, /ignored/, 'the data directory has the others')
  t.match((await trace('bob', '--lists', JSON.stringify({ [url]: { all: ['bob'] }, blocked: [] }))).out, /accepted/)
  t.same(seen, [])
  t.match((await trace('eve', '--ask')).out, /accepted/)
  t.equal(seen.length, 1)
  const { side_effects: effects } = JSON.parse((await trace('eve', '--ask', '--json')).out).data
  t.equal(effects, `list ${url.replace(/^https?:\/\//, '')}`)
  t.match(await trace('ann', '--lists', '[]'), { code: 2, err: /--lists is no map/ })
})

t.test('a backup has the lists', async (t) => {
  const cli = fakeCli(t, { 'config.yaml': 'platforms: { webhook: { enabled: true } }\n' })
  await cli.run('lists', 'add', 'people', 'ann')
  const before = readFileSync(cli.file('lists.json'), 'utf8')
  const to = join(cli.dir, '..', `${randomUUID()}.tar.gz`)
  t.equal((await cli.run('backup', to)).code, 0)
  rmSync(cli.file('lists.json'))
  t.match(await cli.run('restore', to, '--force'), { code: 0 })
  t.equal(readFileSync(cli.file('lists.json'), 'utf8'), before)
})
