/** Lists that change while a gateway runs: `headgate lists`, and the operator `in_list` that asks them. */

import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type FakeCli, fakeCli, runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { startGateway } from '../fakes/gateway.ts'

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
