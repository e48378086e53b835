import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'

type Entries = { readonly [name: string]: unknown }
type Subscribed = TestGateway & {
  readonly file: string
  /** Replaces the file as the commands do: a new file, moved over the old one. */
  put(entries: Entries | string): void
  status(route: string, key?: string): Promise<number>
  warnings(pattern: RegExp): number
}

const start = async (t: Test, options: GatewayOptions = {}): Promise<Subscribed> => {
  const gateway = await startGateway(t, options)
  const file = join(gateway.dir, 'webhook_subscriptions.json')
  return {
    ...gateway,
    file,
    put(entries) {
      writeFileSync(`${file}.new`, typeof entries === 'string' ? entries : JSON.stringify(entries))
      renameSync(`${file}.new`, file)
    },
    status: async (route, key = secret) => (await gateway.post(route, { sign: false, headers: { 'X-Gitlab-Token': key } })).status,
    warnings: (pattern) => gateway.lines.filter(({ level, msg }) => level === 'warn' && pattern.test(msg)).length,
  }
}

t.test('a subscription is served without a restart, on the next request; removed it is gone', async (t) => {
  const g = await start(t)
  t.equal(await g.status('new'), 404)
  g.put({ new: { prompt: 'one {a}', events: ['push'], description: 'd', created_at: '2026-01-01T00:00:00Z' } })
  t.equal((await g.post('new', { body: { a: 1 } })).json.reason, 'event')
  t.equal((await g.post('new', { body: { a: 1, type: 'push' } })).status, 202)
  t.equal((await g.line(({ msg }) => msg === 'delivered')).text, 'one 1', 'the same features as a configured route')
  g.put({})
  t.equal(await g.status('new'), 404)
  g.put({ new: {} })
  t.equal(await g.status('new'), 202)
  rmSync(g.file)
  t.equal(await g.status('new'), 404, 'without a file there is none')
})

t.test('enabled: false is 403, and back again', async (t) => {
  const g = await start(t)
  for (const [entry, status] of [
    [{}, 202],
    [{ enabled: false }, 403],
    [{ enabled: true }, 202],
  ] as const) {
    g.put({ x: entry })
    t.equal(await g.status('x'), status)
  }
})

t.test('a configured route of the same name always wins, disabled too', async (t) => {
  const g = await start(t, { routes: { mine: { secret: 'configured-secret' }, off: { enabled: false } } })
  g.put({ mine: { secret: 'subscribed-secret' }, off: {} })
  t.equal(await g.status('mine', 'configured-secret'), 202)
  t.equal(await g.status('mine', 'subscribed-secret'), 401)
  t.equal(await g.status('off'), 403)
})

t.test('a changed secret takes effect at once: the old one is dead', async (t) => {
  const g = await start(t)
  g.put({ x: { secret: 'first-secret' } })
  t.equal(await g.status('x', 'first-secret'), 202)
  g.put({ x: { secret: 'other-secret' } })
  t.equal(await g.status('x', 'first-secret'), 401)
  t.equal(await g.status('x', 'other-secret'), 202)
})

t.test('a secret that was replaced with an overlap verifies beside the new one, and then no more', async (t) => {
  const clock = fakeClock(Date.now())
  const g = await start(t, { clock })
  const first = 'the first secret of x'
  g.put({ x: { secret: first } })
  const run = (...argv: string[]) => runAt(g.dir, ['webhook', ...argv])
  t.match(await run('secret', 'x', '--overlap', '2h'), { code: 2, err: /--overlap goes with --rotate/ })
  t.equal(await g.status('x', first), 202)
  const { out, err } = await run('secret', 'x', '--rotate', '--overlap', '2h')
  const second = out.trim()
  const [, until = ''] = /ITS SECRET IS NEW: the old one holds until (\S+Z)$/m.exec(err) ?? []
  t.equal(Math.round((Date.parse(until) - clock.now()) / 60_000), 120)
  t.same([await g.status('x', first), await g.status('x', second), await g.status('x', 'another')], [202, 202, 401])
  for (const argv of [['list'], ['show', 'x'], ['secret', 'x']]) t.match((await run(...argv)).out, until, argv.join(' '))
  t.match((await run('list')).out, ` (old until ${until}) `)
  t.equal(JSON.parse((await run('list', '--json')).out).data.routes[0].secret.overlap_until, until)
  for (const argv of [
    ['list', '--json'],
    ['show', 'x'],
    ['show', 'x', '--json'],
    ['secret', 'x', '--json'],
  ])
    t.notMatch((await run(...argv)).out, first, `${argv.join(' ')}: masked`)

  clock.advance(3_600_000)
  const third = (await run('secret', 'x', '--rotate', '--overlap', '1m')).out.trim()
  t.same(
    [await g.status('x', first), await g.status('x', second), await g.status('x', third)],
    [202, 202, 202],
    'a second rotation ends none sooner than was promised',
  )
  clock.advance(3_700_000)
  t.same([await g.status('x', first), await g.status('x', second), await g.status('x', third)], [401, 401, 202])
  const refused = g.lines.findLast(({ outcome }) => outcome === 'bad_signature')
  t.match(refused?.reason, /replaced secret .* overlap is over/)

  g.put({ x: { secret: second, overlap: { secrets: [first], until: '2026-01-01T00:00:00Z' } } })
  t.equal(await g.status('x', first), 401)
  for (const argv of [['list'], ['show', 'x'], ['secret', 'x']])
    t.notMatch((await run(...argv)).out, /2026-01-01/, 'what is over is not shown')
  await run('subscribe', 'x', '--description', 'changed')
  t.strictSame(JSON.parse(readFileSync(g.file, 'utf8')).x.overlap, undefined, 'a change takes it out of the file')

  g.put({ x: { secret: 'INSECURE_NO_AUTH' }, global: {} })
  for (const name of ['x', 'global'])
    t.match(await run('secret', name, '--rotate', '--overlap', '1h'), { code: 1, err: /no secret of its own that could verify/ })
  g.put({ x: { secret: second, overlap: { secrets: [first], until: 'tomorrow' } } })
  t.equal(await g.status('x', first), 404, 'an end that is no time is a mistake of the entry')
})

t.test('the same size and the same modification time, but another inode: read again', async (t) => {
  const g = await start(t)
  const at = new Date(1_700_000_000_000)
  const put = (key: string): void => {
    writeFileSync(`${g.file}.new`, JSON.stringify({ x: { secret: key } }))
    utimesSync(`${g.file}.new`, at, at)
    renameSync(`${g.file}.new`, g.file)
  }
  put('first-secret')
  const before = statSync(g.file)
  t.equal(await g.status('x', 'first-secret'), 202)
  put('other-secret')
  const { size, mtimeMs } = statSync(g.file)
  t.same({ size, mtimeMs }, { size: before.size, mtimeMs: before.mtimeMs })
  t.equal(await g.status('x', 'other-secret'), 202)
})

t.test('the file is read again only when time, size or inode changed', async (t) => {
  const g = await start(t)
  // A file that is not usable is told of each time that it is read.
  g.put('{')
  for (let i = 0; i < 5; i++) await g.status('x')
  t.equal(g.warnings(/not valid JSON/), 1)
  utimesSync(g.file, new Date(), new Date())
  for (let i = 0; i < 5; i++) await g.status('x')
  t.equal(g.warnings(/not valid JSON/), 2)
})

t.test('a torn or corrupt file keeps the last good set', async (t) => {
  const g = await start(t)
  const good = JSON.stringify({ kept: {}, other: { secret: 'canary-secret', prompt: 'p' } })
  const bad: { readonly [what: string]: string } = {
    torn: good.slice(0, -12),
    empty: '',
    blank: '\n',
    'an array': '[{}]',
    'a number': '1',
    null: 'null',
    'a byte order mark': `\ufeff${good}`,
    'a NUL': `\0${good}`,
    'two values': `${good}${good}`,
    'unquoted text': '{"kept": {"secret": canary-secret}}',
    'nested without end': `{"kept":${'['.repeat(100_000)}`,
  }
  for (const [what, text] of Object.entries(bad)) {
    g.put(good)
    t.equal(await g.status('kept'), 202)
    g.put(text)
    t.equal(await g.status('kept'), 202, what)
    t.equal(await g.status('nosuch'), 404)
  }
  t.equal(g.warnings(/last good|not valid JSON|not a JSON object|nested deeper/), Object.keys(bad).length)
  t.notOk(
    g.lines.some((line) => JSON.stringify(line).includes('canary-secret')),
    'what is wrong is told without the text around it',
  )
})

t.test('something else in its place keeps the last good set and stops nothing', async (t) => {
  const g = await start(t)
  const elsewhere = join(g.dir, 'elsewhere.json')
  writeFileSync(elsewhere, '{"evil":{}}')
  const odd: { readonly [what: string]: () => void } = {
    'a link': () => symlinkSync(elsewhere, g.file),
    'a link to itself': () => symlinkSync(g.file, g.file),
    'a folder': () => mkdirSync(g.file),
    'a FIFO': () => execFileSync('mkfifo', [g.file]),
    'a device': () => symlinkSync('/dev/zero', g.file),
  }
  for (const [what, make] of Object.entries(odd)) {
    g.put({ kept: {} })
    t.equal(await g.status('kept'), 202)
    // Moved away at once: without a file there would be no subscription.
    rmSync(g.file)
    make()
    t.equal(await g.status('kept'), 202, what)
    t.equal(await g.status('evil'), 404, what)
    t.equal((await g.post('', { path: '/health', method: 'GET' })).status, 200)
    rmSync(g.file, { recursive: true })
  }
})

t.test('an entry that is not valid on its own is skipped with a warning; the others are served', async (t) => {
  const g = await start(t)
  const bad: Entries = {
    'unknown-key': { promt: 'x' },
    'wrong-type': { events: 'push' },
    'not-a-map': 'x',
    nothing: null,
    'Upper-Case': {},
    'a/b': {},
    'bad-filter': { filters: [{ field: 'a', regex: '(' }] },
    'no-target': { deliver_only: true },
    'only-log': { deliver_only: true, deliver: 'log' },
    'empty-secret': { secret: ' ' },
    unresolved: { secret: '${NO_SUCH_VARIABLE}' },
    outside: { script: '../../x.sh' },
  }
  g.put({ first: {}, ...bad, last: {} })
  t.equal(await g.status('first'), 202)
  t.equal(await g.status('last'), 202)
  for (const name of Object.keys(bad)) {
    t.equal(await g.status(name), 404, name)
    t.ok(
      g.lines.some(({ level, route, code }) => level === 'warn' && route === name && /^WH/.test(String(code))),
      `${name}: a warning`,
    )
  }
})

t.test('a __proto__ entry pollutes nothing and is no route', async (t) => {
  const g = await start(t)
  g.put('{"__proto__":{"secret":"x","enabled":false,"polluted":1},"constructor":{},"ok":{}}')
  t.equal(await g.status('ok'), 202, 'it inherits nothing')
  t.equal(await g.status('__proto__', 'x'), 404)
  t.equal(await g.status('constructor'), 202, 'a name like another')
  t.equal(await g.status('toString'), 404)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('INSECURE_NO_AUTH in a subscription: served on loopback, skipped on any other binding', async (t) => {
  for (const [host, status] of [
    ['127.0.0.1', 202],
    ['0.0.0.0', 404],
  ] as const) {
    t.test(host, async (t) => {
      const g = await start(t, { extra: { host } })
      g.put({ open: { secret: 'INSECURE_NO_AUTH' }, both: { secrets: ['INSECURE_NO_AUTH', 'x'] }, safe: {} })
      t.equal((await g.post('open', { sign: false })).status, status)
      t.equal(await g.status('both', 'x'), 404, 'never beside another secret')
      t.equal(await g.status('safe'), 202)
    })
  }
})

t.test('without a global secret an entry needs one of its own', async (t) => {
  const g = await start(t, { extra: { secret: '' } })
  g.put({ none: {}, own: { secret: 'own-secret' } })
  t.equal(await g.status('none', ''), 404)
  t.equal(await g.status('own', 'own-secret'), 202)
})

t.test('a subscription of a profile is reached under its prefix only', async (t) => {
  const g = await start(t, { config: { gateway: { multiplex_profiles: true } }, files: { profiles: { team: { 'config.yaml': '' } } } })
  g.put({ bound: { profile: 'team' }, plain: { profile: 'default' } })
  t.equal((await g.post('', { path: '/p/team/webhooks/bound' })).status, 202)
  t.equal(await g.status('bound'), 404)
  t.equal(await g.status('plain'), 202)
  t.equal((await g.post('', { path: '/p/team/webhooks/plain' })).status, 404)
})

t.test('a file that is replaced all the time: a route that stays is never missed', async (t) => {
  const g = await start(t)
  for (let i = 0; i < 200; i++) {
    g.put({ stays: {}, [`r${i}`]: { prompt: 'x'.repeat(i * 20) } })
    const [stays, now, before] = await Promise.all([g.status('stays'), g.status(`r${i}`), g.status(`r${i - 1}`)])
    if (stays !== 202 || now !== 202 || before !== 404) t.fail(`round ${i}`, { stays, now, before })
  }
})
