/** The control socket: who may open it, what it takes the place of, and what it answers. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, Server } from 'node:net'
import { dirname, join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { Fact } from '../../src/core/facts/fact.ts'
import { StoreFault } from '../../src/core/fault.ts'
import type { Json } from '../../src/core/json.ts'
import type { RunningGateway } from '../../src/datadir/running-gateway.ts'
import { controlOperations, type SessionView } from '../../src/generated/control.ts'
import { askGateway, tryGateway } from '../../src/http/control/ask.ts'
import { gatewayAt } from '../../src/http/control/client.ts'
import { listenControl } from '../../src/http/control/server.ts'
import { controlSocket, openShortPath } from '../../src/http/control/socket-path.ts'
import type { EventView } from '../../src/journal/record.ts'
import { standingsOf } from '../../src/operate/events/events.ts'
import { createTails, maxTails } from '../../src/serve/tails.ts'
import { fakeClock } from '../fakes/clock.ts'
import { exampleOf, fakeOperations, shortDir, status } from '../fakes/operations.ts'
import { tell } from '../fakes/tell.ts'
import { until } from '../fakes/wait.ts'

const logged = (): { readonly log: Parameters<typeof listenControl>[0]['log']; readonly lines: unknown[][] } => {
  const lines: unknown[][] = []
  return { log: Object.assign((...line: unknown[]) => void lines.push(line), { writes: () => true }), lines }
}

/** A control server on a data directory of its own. */
const serve = async (t: Test, own: Partial<RunningGateway> = {}, dataDir = shortDir(t)) => {
  const operations = fakeOperations(own)
  const { log, lines } = logged()
  const path = controlSocket(dataDir)
  const control = await listenControl({ path, operations, log })
  t.teardown(() => control.close())
  const post = (route: string, body?: string, type = 'application/json') =>
    ask(openShortPath(path)?.path ?? path, 'POST', route, body, type)
  return { dataDir, path, operations, lines, control, post, cli: { dataDir, self: 'headgate' } }
}

const ask = (socketPath: string, method: string, path: string, body?: string, type?: string): Promise<{ status: number; body: Json }> =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': type }
    const asked = request({ socketPath, method, path, agent: false, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end(body)
  })

t.test('nobody else can open it from its first moment, whatever the mask and the folder', async (t) => {
  const before = process.umask(0o000)
  t.teardown(() => process.umask(before))
  const dir = shortDir(t)
  mkdirSync(join(dir, 'state'))
  chmodSync(join(dir, 'state'), 0o777)
  const path = controlSocket(dir)
  const modes: number[] = []
  const { listen } = Server.prototype
  t.teardown(() => Object.assign(Server.prototype, { listen }))
  Object.assign(Server.prototype, {
    listen(this: Server, ...args: Parameters<typeof listen>) {
      listen.apply(this, args)
      modes.push(lstatSync(path).mode & 0o777)
      return this
    },
  })
  await serve(t, {}, dir)
  t.same(
    modes.map((mode) => mode & 0o077),
    [0],
  )
  t.equal(lstatSync(path).mode & 0o777, 0o600)
  t.equal(process.umask(), 0, 'the mask is as before')
})

t.test('it makes its folder, for its user alone, and is gone when closed', async (t) => {
  const { path, control } = await serve(t)
  t.equal(statSync(dirname(path)).mode & 0o777, 0o700)
  t.ok(lstatSync(path).isSocket())
  await control.close()
  t.notOk(existsSync(path))
})

t.test('the socket of a dead process is replaced', async (t) => {
  const dir = shortDir(t)
  const path = controlSocket(dir)
  mkdirSync(dirname(path))
  const code = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`
  const dead = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(dead.stdout, 'data')
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  t.ok(lstatSync(path).isSocket(), 'it is left behind')
  const { cli } = await serve(t, {}, dir)
  t.match(await askGateway(cli, 'GET', '/status'), { pid: status.pid })
})

t.test('where another gateway answers the start is refused, and that one serves on', async (t) => {
  const { dataDir, path, cli } = await serve(t)
  await t.rejects(serve(t, {}, dataDir), { code: 'already_running', exitCode: 6, message: /already running/ })
  t.ok(lstatSync(path).isSocket())
  t.match(await askGateway(cli, 'GET', '/status'), { pid: status.pid })
})

t.test('what is not a socket is never removed', async (t) => {
  for (const make of [
    (path: string) => writeFileSync(path, 'precious'),
    (path: string) => mkdirSync(path),
    (path: string) => symlinkSync('/nowhere', path),
  ]) {
    const dir = shortDir(t)
    const path = controlSocket(dir)
    mkdirSync(dirname(path))
    make(path)
    const before = lstatSync(path)
    await t.rejects(serve(t, {}, dir), { code: 'control_socket', exitCode: 6, message: /is not a socket/ })
    t.equal(lstatSync(path).ino, before.ino)
    if (before.isFile()) t.equal(readFileSync(path, 'utf8'), 'precious')
  }
})

t.test('a path too long for a socket is taken through a handle of its folder, or relative to the working folder', async (t) => {
  const dir = shortDir(t)
  const deep = join(dir, 'd'.repeat(60), 'e'.repeat(60))
  const path = controlSocket(deep)
  t.ok(Buffer.byteLength(path) > 103 && Buffer.byteLength(relative(process.cwd(), path)) > 103)
  const far = await serve(t, {}, deep)
  t.match(await askGateway(far.cli, 'GET', '/status'), { pid: status.pid })
  t.equal(lstatSync(path).mode & 0o777, 0o600)
  await t.rejects(serve(t, {}, deep), { code: 'already_running' }, 'who listens is found out in the same way')
  t.same(far.lines, [])
  await far.control.close()
  t.notOk(existsSync(path), 'it is removed in the same way, too')
  await t.rejects(askGateway(far.cli, 'GET', '/status'), { exitCode: 4, message: /no gateway is running/ })

  const cwd = process.cwd()
  process.chdir(deep)
  t.teardown(() => process.chdir(cwd))
  t.equal(openShortPath(path)?.path, 'state/gateway.sock')
  const { cli } = await serve(t, {}, deep)
  t.match(await askGateway(cli, 'GET', '/status'), { pid: status.pid })
})

t.test('every operation is reached with what was asked', async (t) => {
  const { cli, operations } = await serve(t, {
    standings: async ({ ids }) => ({ standings: ids.map((eventId) => ({ eventId, state: 'dead', attempt: 3, error: 'e' })) }),
  })
  t.same(await askGateway(cli, 'GET', '/status'), status)
  t.match(await askGateway(cli, 'POST', '/reload'), { ok: true, diagnostics: [], restart: [] })
  t.match(await askGateway(cli, 'POST', '/events/standings', { ids: ['a'] }), { standings: [{ eventId: 'a', state: 'dead' }] })
  t.same(await askGateway(cli, 'POST', '/events/a%2Fb/retry'), { retried: true })
  t.match(await askGateway(cli, 'POST', '/events/a/replay', { route: 'r', same_id: true, dry_run: false }), { found: true })
  t.match(await askGateway(cli, 'POST', '/events/a/replay'), { found: true })
  t.match(await askGateway(cli, 'POST', '/jobs/start', { profile: 'default', job: 'nightly' }), { started: true, job: 'nightly' })
  t.same(operations.asked, [
    ['status', {}],
    ['reload', {}],
    ['standings', { ids: ['a'] }],
    ['retry', { id: 'a/b' }],
    ['replay', { id: 'a', route: 'r', same_id: true, dry_run: false }],
    ['replay', { id: 'a' }],
    ['startJob', { profile: 'default', job: 'nightly' }],
  ])
})

t.test('a body of the wrong shape is a 400 with a sentence, and nothing is done', async (t) => {
  const { post, operations } = await serve(t)
  const many = JSON.stringify({ ids: Array.from({ length: 1001 }, () => 'a') })
  const cases: [path: string, body: string | undefined, sentence: RegExp][] = [
    ['/events/standings', undefined, /"ids" must be a list/],
    ['/events/standings', '[]', /"ids" must be a list/],
    ['/events/standings', '{"ids":["a",1]}', /"ids" must be a list/],
    ['/events/standings', many, /at most 1,000/],
    ['/events/a/replay', '{"route":5}', /"route" must be a string/],
    ['/events/a/replay', '{"body":{}}', /"body" must be a string/],
    ['/events/a/replay', '{"dry_run":"yes"}', /"dry_run" must be a boolean/],
    ['/events/a/replay', '{"dryRun":true}', /"dryRun" is not known/],
    ['/events/a/replay', '{"constructor":true}', /"constructor" is not known/],
    ['/events/a/replay', '["x"]', /must be a JSON object/],
    ['/events/a/replay', '{"id":"b"}', /"id" is not known/],
    ['/jobs/start', '{"profile":"default"}', /"profile" and "job" are needed/],
    ['/jobs/start', '{', /JSON/],
    ['/jobs/start', '{"__proto__":{"profile":"a","job":"b"}}', /./],
  ]
  for (const [path, body, sentence] of cases) {
    t.match(await post(path, body), { status: 400, body: { error: sentence } }, `${path} ${body?.slice(0, 40)}`)
  }
  t.match(await post('/jobs/start', 'profile=a', 'text/x'), { status: 415 })
  t.match(await post('/jobs/start', `{"profile":"${'a'.repeat(1_048_576)}"}`), { status: 413 })
  t.match(await post('/nothing'), { status: 404 })
  t.same(operations.asked, [])
})

t.test('a store that cannot is a 503; whatever else is thrown a 500 with fixed words and a line in the log', async (t) => {
  const odd = Object.assign(new Error('secret detail'), { statusCode: 404 })
  const { post, lines, cli } = await serve(t, {
    retry: async () => Promise.reject(new StoreFault('the disk is full')),
    replay: async () => Promise.reject(odd),
    status: () => {
      throw odd
    },
  })
  t.same(await post('/events/a/retry'), { status: 503, body: { error: 'the disk is full' } })
  t.same(lines, [])
  const { status, body } = await post('/events/a/replay')
  t.equal(status, 500)
  t.notMatch(JSON.stringify(body), 'secret detail')
  t.match(lines, [['error', { reason: 'secret detail' }, /internal error/]])
  await t.rejects(askGateway(cli, 'POST', '/events/a/retry'), { exitCode: 1, message: /the disk is full/ })
  await t.rejects(askGateway(cli, 'GET', '/status'), { exitCode: 3, message: /the gateway failed/ })
  await t.rejects(askGateway(cli, 'POST', '/nothing'), { exitCode: 1, message: /not known to this version/ })
})

t.test('closing waits for no idle connection and answers what is in flight', async (t) => {
  let finish = (): void => {}
  const asked = new Promise<void>((begun) => {
    finish = begun
  })
  let reply = (_: { retried: boolean }): void => {}
  const { path, cli, control } = await serve(t, {
    retry: () => {
      finish()
      return new Promise((resolve) => {
        reply = resolve
      })
    },
  })
  const idle = connect(path)
  await once(idle, 'connect')
  const answer = askGateway(cli, 'POST', '/events/a/retry')
  await asked
  const closed = control.close()
  reply({ retried: true })
  t.same(await answer, { retried: true })
  await closed
  idle.destroy()
  t.equal(await tryGateway(cli, 'GET', '/status'), undefined)
})

t.test('without a gateway: exit 4 and how to start it, or undefined for those that can do without', async (t) => {
  const cli = { dataDir: shortDir(t), self: 'headgate --data-dir x' }
  t.equal(await tryGateway(cli, 'GET', '/status'), undefined)
  await t.rejects(askGateway(cli, 'GET', '/status'), {
    exitCode: 4,
    message: /no gateway is running on/,
    hint: /headgate --data-dir x gateway run/,
  })
})

const session: SessionView = {
  key: 'session/default/chat/x',
  profile: 'default',
  route: 'chat',
  name: '42',
  place: { platform: 'telegram', chat: '42' },
  messages: 1,
  createdAt: 1,
  updatedAt: 2,
}

t.test('the typed client: every operation, any number of ids, and none without a gateway', async (t) => {
  const { cli, operations, control } = await serve(t, {
    standings: async ({ ids }) => ({ standings: ids.map((eventId) => ({ eventId, state: 'dead', attempt: 3 })) }),
    runningJobs: async () => ({ jobs: [{ profile: 'default', job: 'nightly', event_id: 'e', since: '2026-03-01T12:00:00.000Z' }] }),
    sessions: async () => ({ sessions: [session] }),
    conversation: async ({ key }) => ({
      conversation: key === session.key ? { session, messages: [{ role: 'user', text: 'x', at: 1, label: 'alerts' }] } : null,
    }),
  })
  const finder = gatewayAt(cli)
  const gateway = await finder.need()
  t.same(operations.asked, [], 'it is found without a question')
  t.same(await gateway.status(), status)
  t.match(await gateway.reload(), { ok: true })
  t.same(await gateway.retry({ id: 'a/b' }), { retried: true })
  t.match(await gateway.replay({ id: 'a', route: 'r', same_id: true, dry_run: false }), { found: true, event_id: 'e-new' })
  t.match(await gateway.startJob({ profile: 'default', job: 'nightly' }), { started: true, job: 'nightly' })
  t.match(await gateway.runningJobs(), { jobs: [{ job: 'nightly' }] })
  t.same(await gateway.sessions({ route: 'chat', max: 5 }), { sessions: [session] })
  t.match(await gateway.conversation({ key: session.key, max: 5 }), { conversation: { session, messages: [{ label: 'alerts' }] } })
  t.same(await gateway.conversation({ key: 'nobody', max: 5 }), { conversation: null })
  t.same(operations.asked.splice(0), [
    ['status', {}],
    ['reload', {}],
    ['retry', { id: 'a/b' }],
    ['replay', { id: 'a', route: 'r', same_id: true, dry_run: false }],
    ['startJob', { profile: 'default', job: 'nightly' }],
    ['runningJobs', {}],
    ['sessions', { route: 'chat', max: 5 }],
    ['conversation', { key: session.key, max: 5 }],
    ['conversation', { key: 'nobody', max: 5 }],
  ])
  const body = '"'.repeat(1_048_576)
  t.match(await gateway.replay({ id: 'a', body }), { found: true })
  t.match(operations.asked.splice(0), [['replay', { id: 'a', body }]], 'a payload may be larger than any other question')
  const views = Array.from({ length: 2_001 }, (_, i) => ({ event_id: `id-${i}` }) as EventView)
  t.equal((await standingsOf(gateway, views)).size, 2_001)
  t.equal(operations.asked.length, 3, 'no request has more ids than the gateway takes')
  await control.close()
  t.equal(await finder.find(), undefined)
  await t.rejects(finder.need(), { code: 'unreachable', exitCode: 4 })
  await t.rejects(gateway.status(), { exitCode: 4, message: /no gateway is running/ }, 'one that was found and went away')
})

const requestEnded = (route: string): Fact => ({
  kind: 'request_ended',
  ended: { outcome: { kind: 'ignored', reason: 'filter', route, detail: () => 'filters[0]' }, stage: 'filters' },
  route: { name: route, profile: 'default' },
  headers: { 'content-length': '2' },
  remote: () => '127.0.0.1',
  ms: () => 1,
})

/** A control server with watchers. */
const serveTails = async (t: Test) => {
  const clock = fakeClock()
  const tails = createTails({ clock, redact: (text) => text })
  const served = await serve(t, {
    tail: async ({ outcome, per_second, ...filter } = {}) =>
      tails.open({ ...filter, ...(outcome === undefined ? {} : { outcome: outcome.split(',') }) }, per_second),
  })
  return { ...served, clock, tails, gateway: await gatewayAt(served.cli).need() }
}

t.test('tail: lines of what is asked for, for a few watchers at once; one that leaves makes room', async (t) => {
  const { tails, gateway } = await serveTails(t)
  const first = await gateway.tail({ route: 'a', outcome: 'ignored:filters' })
  t.match(await first.next(), { value: { type: 'init' } })
  tell(tails, requestEnded('b'))
  tell(tails, requestEnded('a'))
  t.match(await first.next(), { value: { type: 'event', route: 'a', bytes: 2, event_id: null } })
  t.match(await first.next(), { value: { type: 'outcome', route: 'a', outcome: 'ignored', stage: 'filters', reason: 'filters[0]' } })
  const others = await Promise.all(Array.from({ length: maxTails - 1 }, () => gateway.tail({})))
  await t.rejects(gateway.tail({}), { exitCode: 1, message: /8 watch already/ })
  const waiting = first.next()
  await first.return?.()
  await t.rejects(waiting, { message: /went away/, exitCode: 4 })
  const again = await until(() => gateway.tail({}).catch(() => undefined))
  for (const lines of [...others, again]) t.match(await lines.next(), { value: { type: 'init' } })
  tails.close()
  for (const lines of [...others, again]) {
    t.match(await lines.next(), { value: { type: 'end' } })
    t.match(await lines.next(), { done: true })
  }
  await t.rejects(gateway.tail({}), { message: /it is stopping/ })
})

t.test('tail: a watcher that wants few lines a second gets them in groups, and is told how many were left out', async (t) => {
  const { tails, gateway, clock } = await serveTails(t)
  const lines = await gateway.tail({ per_second: 2 })
  t.match((await lines.next()).value, { type: 'init' })
  const take = async (count: number) => {
    const taken = []
    while (taken.length < count) taken.push((await lines.next()).value)
    return taken.map((line) => (line?.type === 'lost' ? line.lines : line && 'route' in line ? `${line.type} ${line.route}` : line?.type))
  }
  for (const route of ['a', 'b', 'c', 'd']) tell(tails, requestEnded(route))
  const begun = take(5)
  t.equal(await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 100, 'nothing yet'))]), 'nothing yet')
  clock.advance(100)
  t.strictSame(await begun, ['event a', 'outcome a', 'event b', 'outcome b', 4])
  clock.advance(900)
  tell(tails, requestEnded('e'))
  tell(tails, requestEnded('f'))
  tell(tails, requestEnded('g'))
  tails.close()
  t.strictSame(await take(6), ['event e', 'outcome e', 'event f', 'outcome f', 2, 'end'], 'nothing is kept back at the end')
})

t.test('tail: who reads slowly loses lines, is told how many, and holds nobody up', async (t) => {
  const { tails, gateway, control } = await serveTails(t)
  const slow = await gateway.tail({})
  const all = 20_000
  for (let i = 0; i < all; i++) tell(tails, requestEnded('a'))
  const seen = { event: 0, outcome: 0, lost: 0 }
  while (seen.event + seen.outcome + seen.lost < 2 * all) {
    const { value } = await slow.next()
    if (value?.type === 'lost') seen.lost += value.lines
    else if (value?.type === 'event') seen.event++
    else if (value?.type === 'outcome') seen.outcome++
  }
  t.ok(seen.lost > 0 && seen.event > 0, JSON.stringify(seen))
  t.equal(seen.event, seen.outcome, 'a request is told whole or not at all')
  tell(tails, requestEnded('b'))
  t.match(await slow.next(), { value: { type: 'event', route: 'b' } }, 'and it goes on')
  await control.close()
  await slow.next()
  await t.rejects(slow.next(), { exitCode: 4, message: /went away/ })
})

t.test('an answer that is not what it should be is a fault, never taken for another', async (t) => {
  const odd = async (own: { readonly [Name in keyof RunningGateway]?: unknown }): Promise<RunningGateway> => {
    const { cli } = await serve(t, Object.fromEntries(Object.entries(own).map(([name, given]) => [name, async () => given])))
    return gatewayAt(cli).need()
  }
  const fault = { code: 'gateway_fault', exitCode: 3, message: /unexpected answer/, hint: /another version/ }
  const { url: _, ...noUrl } = status
  await t.rejects((await odd({ status: noUrl })).status(), fault)
  t.match(await (await odd({ status: { ...status, later: 1 } })).status(), status, 'what a later version adds is let through')
  await t.rejects((await odd({ standings: { standings: [{ eventId: 'a', state: 'gone', attempt: 1 }] } })).standings({ ids: ['a'] }), fault)
  await t.rejects((await odd({ standings: { standings: 'none' } })).standings({ ids: ['a'] }), fault)
  await t.rejects((await odd({ retry: { retried: 'yes' } })).retry({ id: 'a' }), fault)
  await t.rejects((await odd({ replay: { found: true, status: '202' } })).replay({ id: 'a' }), fault)
  await t.rejects((await odd({ startJob: { started: false, reason: 'moon' } })).startJob({ profile: 'default', job: 'a' }), fault)
  await t.rejects((await odd({ runningJobs: { jobs: [{ job: 'a' }] } })).runningJobs(), fault)
  const diagnostic = { code: 'WH999', severity: 'error', stopsStart: true, message: 'm', pointer: '' }
  await t.rejects((await odd({ reload: { ok: true, restart: [], diagnostics: [diagnostic] } })).reload(), fault)
})

t.test('the example of each operation is an answer of its shape', async (t) => {
  for (const [name, { checkAnswer }] of Object.entries(controlOperations))
    t.ok(checkAnswer(exampleOf(name as keyof typeof controlOperations)), name)
})
