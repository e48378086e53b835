/** A new configuration takes the place of the old one whole, under load, without a lost request; a bad one does not. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { command, dataDir, type ProcessGateway, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

type Routes = { [name: string]: object }

/** Writes other routes (and top-level sections) into the config.yaml of a data directory. */
const rewrite = (dir: string, routes: Routes, more: object = {}, extra: object = {}): void => {
  const file = join(dir, 'config.yaml')
  const config = parse(readFileSync(file, 'utf8')) as { platforms: { webhook: { extra: object } } }
  config.platforms.webhook.extra = { ...config.platforms.webhook.extra, ...extra, routes }
  writeFileSync(file, stringify({ ...config, ...more }))
}

const said = (gateway: ProcessGateway, text: string): number => gateway.lines.filter(({ msg }) => msg.includes(text)).length

/** The `count`-th line with this text. */
const nth = (gateway: ProcessGateway, text: string, count: number) => gateway.line(() => said(gateway, text) >= count)

t.test('SIGHUP under load: no request is lost, routes come and go, a removed one is not revived', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { stays: { prompt: 'a' }, goes: { prompt: 'b' } } }))
  const statuses = new Map<number, number>()
  let stopped = false
  const load = Array.from({ length: 4 }, async (_, sender) => {
    for (let i = 0; !stopped; i++) {
      const { status } = await gateway.post('stays', `load-${sender}-${i}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  })
  t.equal((await gateway.post('goes', 'g1')).status, 202)
  for (let round = 1; round <= 20; round++) {
    rewrite(gateway.dir, { stays: { prompt: `a${round}` }, ...(round % 2 === 0 ? { comes: { prompt: 'c' } } : {}) })
    gateway.kill('SIGHUP')
    await nth(gateway, 'configuration reloaded', round)
    t.equal((await gateway.post('comes', `c${round}`)).status, round % 2 === 0 ? 202 : 404)
    t.equal((await gateway.post('goes', `g-${round}`)).status, 404)
  }
  stopped = true
  await Promise.all(load)
  t.same([...statuses.keys()], [202])
  await gateway.line(({ msg, text }) => msg === 'delivered' && text === 'a20')
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })
})

t.test('a bad configuration is refused loudly, with its place, and the old one serves on', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { r: { prompt: 'old' } } }))
  writeFileSync(
    join(gateway.dir, 'config.yaml'),
    'platforms: { webhook: { enabled: true, extra: { secret: s3cret, routes: { r: { promt: x } } } } }',
  )
  gateway.kill('SIGHUP')
  await gateway.line(({ msg, level }) => msg.includes('reload refused') && level === 'error')
  const found = await gateway.line(({ code }) => code === 'WH101')
  t.match(found, { file: /config\.yaml$/, line: 1 })
  t.equal((await gateway.post('r', 'one')).status, 202)
  const asked = command(gateway, 'gateway', 'reload')
  t.equal(asked.status, 1)
  t.match(asked.stderr + asked.stdout, /WH101/)
  t.equal((await gateway.post('r', 'two')).status, 202)
  writeFileSync(join(gateway.dir, 'config.yaml'), ': not yaml')
  t.equal(command(gateway, 'gateway', 'reload').status, 1)
  t.equal((await gateway.post('r', 'three')).status, 202)
})

t.test('a corrupt subscriptions file does not cost the routes that are in use: the reload is refused until it is mended', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { r: { prompt: 'old' } } }))
  t.equal(command(gateway, 'webhook', 'subscribe', 'made').status, 0)
  const key = JSON.parse(readFileSync(join(gateway.dir, 'webhook_subscriptions.json'), 'utf8')).made.secret as string
  t.equal((await gateway.post('made', 'm1', { key })).status, 202)
  const whole = readFileSync(join(gateway.dir, 'webhook_subscriptions.json'))
  writeFileSync(join(gateway.dir, 'webhook_subscriptions.json'), '{ "made": ')
  t.equal((await gateway.post('made', 'm2', { key })).status, 202)
  const refused = command(gateway, 'gateway', 'reload')
  t.match(refused, { status: 1, stdout: /WH803/ })
  t.equal((await gateway.post('made', 'm3', { key })).status, 202)
  writeFileSync(join(gateway.dir, 'webhook_subscriptions.json'), whole)
  t.equal(command(gateway, 'gateway', 'reload').status, 0)
  t.equal((await gateway.post('made', 'm4', { key })).status, 202)
})

t.test('gateway reload: the answer tells what needs a restart, and the bound address decides over INSECURE_NO_AUTH', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { r: { prompt: 'old' } } }), { args: ['--host', '0.0.0.0', '--port', '0'] })
  const changed = { storage: { durability: 'commit' }, metrics: { enabled: true, port: 0 } }
  rewrite(gateway.dir, { r: { prompt: 'new' } }, changed, { port: 8644 })
  for (const _ of ['first', 'second']) {
    const done = command(gateway, '--json', 'gateway', 'reload')
    t.equal(done.status, 0, done.stderr)
    t.same(JSON.parse(done.stdout).data.restart, ['metrics', 'storage.durability'])
  }
  const doctor = JSON.parse(command(gateway, '--json', 'doctor').stdout).data.checks as { name: string }[]
  const port = doctor.find(({ name }) => name === 'port')
  t.match(port, { result: 'ok', message: /as it was started \(the configuration says 8644\)/ })
  rewrite(gateway.dir, { r: { prompt: 'new', secret: 'INSECURE_NO_AUTH' } }, {}, { host: '127.0.0.1' })
  const refused = command(gateway, 'gateway', 'reload')
  t.equal(refused.status, 1, 'the process is bound to all addresses, whatever the file says now')
  t.match(refused.stderr + refused.stdout, /WH205/)
  const status = command(gateway, '--json', 'gateway', 'status')
  t.match(JSON.parse(status.stdout), {
    ok: true,
    data: { pid: gateway.pid, routes: 1, reloaded_at: String, need_restart: ['metrics', 'storage.durability'] },
  })
})

t.test('a reload names the agent and other sections that changed, as it names routes', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { r: { prompt: 'p' } }, config: { agent: { runner: 'echo' } } }))
  rewrite(
    gateway.dir,
    { r: { prompt: 'p' } },
    { agent: { runner: 'echo', timeout_seconds: 7 }, jobs: { j: { schedule: '0 9 * * *', prompt: 'p' } } },
  )
  t.match(command(gateway, 'gateway', 'reload').stdout, /^changed: agent, jobs$/m)
  await gateway.line(({ msg, sections }) => msg === 'configuration reloaded' && sections === 'agent, jobs')
  t.same(JSON.parse(command(gateway, '--json', 'gateway', 'reload').stdout).data.sections, [])
  writeFileSync(join(gateway.dir, '.env'), 'WEBHOOK_SECRET=another-secret-of-all-routes\n', { mode: 0o600 })
  t.match(command(gateway, 'gateway', 'reload').stdout, /\nchanged: \.env\n/, 'a value that stands in no section')
})

t.test('a file that was emptied or cut off is not taken over by itself; status says what differs; --force takes it', async (t) => {
  const routes = { a: { prompt: 'a' }, b: { prompt: 'b' }, c: { prompt: 'c' }, off: { prompt: 'd', enabled: false } }
  const gateway = await startGateway(t, dataDir(t, { routes }), { args: ['--watch'], env: { WEBHOOK_ENABLED: 'true' } })
  const file = join(gateway.dir, 'config.yaml')
  const state = () => JSON.parse(command(gateway, '--json', 'gateway', 'status').stdout).data
  t.match(state(), { routes: 3, reload_failed: null, changed_files: [] }, 'one that is switched off is not served')
  writeFileSync(file, '')
  await nth(gateway, 'reload refused', 1)
  t.ok(gateway.lines.some(({ code, level, msg }) => code === 'WH808' && level === 'error' && /is empty.*4 of 4/.test(msg)))
  t.match(state(), { reload_failed: { at: String, reason: /^WH808 / }, changed_files: [file] })
  t.equal((await gateway.post('a', 'a1')).status, 202)
  writeFileSync(
    file,
    stringify({
      platforms: { webhook: { enabled: true, extra: { port: 0, secret: 'It is a secret to everybody', routes: { a: routes.a } } } },
    }),
  )
  await nth(gateway, 'reload refused', 2)
  t.match(command(gateway, 'gateway', 'reload'), { status: 1, stdout: /WH808[\s\S]*gateway reload --force/ })
  t.equal((await gateway.post('c', 'c1')).status, 202)
  const forced = command(gateway, 'gateway', 'reload', '--force')
  t.match(forced, { status: 0, stdout: /removed 3 routes: b, c, off/ })
  t.match(state(), { routes: 1, reload_failed: null, changed_files: [] })
  t.equal((await gateway.post('c', 'c2')).status, 404)
  await gateway.line(({ msg, removed }) => msg === 'configuration reloaded' && removed === 'b, c, off')
  rewrite(gateway.dir, { renamed: { prompt: 'a' } })
  await gateway.line(({ msg, added }) => msg === 'configuration reloaded' && added === 'renamed')
})

t.test('what is found is logged at a reload as at the start: one line each, with its place', async (t) => {
  const script = { prompt: 'a', script: 'gone.sh' }
  const gateway = await startGateway(t, dataDir(t, { routes: { first: script } }))
  const found = (route: string) => gateway.line((line) => line.code === 'WH601' && line.route === route)
  t.match(await found('first'), { level: 'error', file: /config\.yaml$/, line: Number })
  rewrite(gateway.dir, { first: script, second: script })
  gateway.kill('SIGHUP')
  await nth(gateway, 'configuration reloaded', 1)
  t.match(await found('second'), { level: 'error', file: /config\.yaml$/, line: Number })
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' }, 'no other text stands between')
})

t.test('a credential is read anew at a reload, and while it cannot be read, the earlier secret stays', async (t) => {
  const [first, second] = ['a credential of systemd 1', 'a credential of systemd 2']
  const dir = dataDir(t, { routes: { r: { prompt: 'x', secret: 'credential:key' } }, files: { key: `${first}\n` } })
  const gateway = await startGateway(t, dir, { env: { CREDENTIALS_DIRECTORY: dir } })
  t.equal((await gateway.post('r', 'c1', { key: first })).status, 202)
  writeFileSync(join(dir, 'key'), second)
  gateway.kill('SIGHUP')
  await nth(gateway, 'configuration reloaded', 1)
  t.equal((await gateway.post('r', 'c2', { key: first })).status, 401)
  t.equal((await gateway.post('r', 'c3', { key: second })).status, 202)
  rmSync(join(dir, 'key'))
  gateway.kill('SIGHUP')
  const found = await gateway.line(({ code }) => code === 'WH305')
  t.match(found, { level: 'error', route: 'r', file: join(dir, 'config.yaml'), line: Number, msg: /credential:key: there is no such file/ })
  t.equal((await gateway.post('r', 'c4', { key: second })).status, 202)
  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  t.notMatch(`${out}${err}`, /a credential of systemd/)
  const { status, stdout } = command(gateway, 'validate')
  t.equal(status, 1)
  t.match(
    stdout,
    /WH305[\s\S]*config\.yaml:\d+:\d+[\s\S]*CREDENTIALS_DIRECTORY is not set|CREDENTIALS_DIRECTORY is not set[\s\S]*config\.yaml:\d+:\d+/,
  )
  t.match(stdout, /LoadCredential=key:/)
})

t.test('--watch: a changed file is taken over by itself, a secret in .env too', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { r: { prompt: 'one' } } }), { args: ['--watch'] })
  rewrite(gateway.dir, { r: { prompt: 'one' }, more: { prompt: 'two' } })
  await nth(gateway, 'configuration reloaded', 1)
  t.equal((await gateway.post('more', 'm1')).status, 202)
  writeFileSync(join(gateway.dir, '.env'), 'WEBHOOK_SECRET=another one for everybody\n')
  await nth(gateway, 'configuration reloaded', 2)
  t.equal((await gateway.post('more', 'm2')).status, 401)
  t.equal((await gateway.post('more', 'm3', { key: 'another one for everybody' })).status, 202)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
})

t.test('--watch: a change while it starts is taken over, too', async (t) => {
  const dir = dataDir(t, { routes: { r: { prompt: 'one' } } })
  const gateway = spawnGateway(t, dir, { args: ['--watch'] })
  // Its files have been read by now.
  await until(() => existsSync(join(dir, 'state')))
  rewrite(dir, { r: { prompt: 'one' }, more: { prompt: 'two' } })
  await nth(gateway, 'configuration reloaded', 1)
  t.equal((await gateway.post('more', 'm1')).status, 202)
})

t.test('--json, as --log-format json: every line is JSON, the warnings of the start and the address too', async (t) => {
  const dir = dataDir(t, { routes: { open: { secret: 'INSECURE_NO_AUTH' } } })
  const gateway = spawnGateway(t, dir, { args: ['--json', '--log-level', 'warn'] })
  const url = await gateway.listening
  gateway.kill('SIGTERM')
  const { out, err } = await gateway.ended
  t.equal(err, '')
  t.match(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { level: 'warn', code: 'WH304', route: 'open', file: join(dir, 'config.yaml'), line: Number, msg: String },
      { level: 'info', url, routes: 1, msg: `headgate is listening on ${url} (1 route)` },
    ],
  )
  rewrite(dir, { bad: { prompt: 'x', events: 1 } })
  const refused = await spawnGateway(t, dir, { args: ['--log-format', 'json'] }).ended
  t.match({ ...refused, out: JSON.parse(refused.out) }, { code: 78, err: '', out: { level: 'error', code: 'WH102' } })
})

t.test('a control socket that was deleted is made again, and meanwhile nobody says that no gateway runs', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: {} }))
  const socket = join(gateway.dir, 'state', 'gateway.sock')
  rmSync(socket)
  const asked = command(gateway, 'gateway', 'status')
  t.match(asked, asked.status === 0 ? { stdout: /running/ } : { status: 4, stderr: new RegExp(`runs \\(process ${gateway.pid}\\)`) })
  await until(() => existsSync(socket))
  t.match(command(gateway, 'gateway', 'reload'), { status: 0 })
  writeFileSync(`${socket}.own`, '')
  renameSync(`${socket}.own`, socket)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })
  t.match(command(gateway, 'gateway', 'status'), { status: 4, stderr: /gateway run/ })
})

t.test('with no gateway running, the command says how to start one', async (t) => {
  const dir = dataDir(t, { routes: {} })
  const asked = command({ dir } as ProcessGateway, 'gateway', 'reload')
  t.equal(asked.status, 4)
  t.match(asked.stderr, /gateway run/)
})

t.test('a command that changes a running gateway answers when the change holds: the next request shows it', async (t) => {
  const agent = 'if [ -e "$dir/fails" ]; then exit 1; fi\nwhile [ ! -e "$dir/go" ]; do sleep .02; done\necho done'
  const routes = { r: { prompt: 'p', retry: { max_attempts: 1 } }, starts: { cron_job: 'tick' } }
  const alerts = [{ deliver: 'log' }]
  const gateway = await startGateway(t, dataDir(t, { routes, agent, config: { storage: { kind: 'sqlite' }, alerts } }))
  const { dir } = gateway
  const ok = (...args: string[]) => {
    const { status, stdout, stderr } = command({ dir }, ...args, '--json')
    t.equal(status, 0, `${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout).data
  }
  let posts = 0
  // The gateway may close an idle connection while this process waits for a command.
  const post = (route: string, key?: string) => {
    const send = (id = `post-${posts}`) => gateway.post(route, id, key === undefined ? {} : { key })
    posts++
    return send().catch(() => send())
  }
  const answers = async (status: number, route: string, key?: string) =>
    t.equal((await post(route, key)).status, status, `${route}: ${status}`)
  const idOf = async (route: string) => String((await post(route)).headers['x-headgate-event-id'])
  const stateOf = (id: string) => ok('events', 'show', id).state

  const first = 'the first secret of it'
  ok('webhook', 'subscribe', 'sub', '--prompt', 'p', '--events', 'release', '--secret', first)
  await answers(200, 'sub', first)
  ok('webhook', 'disable', 'sub')
  await answers(403, 'sub', first)
  ok('webhook', 'enable', 'sub')
  await answers(200, 'sub', first)
  const [{ secret }] = ok('webhook', 'secret', 'sub', '--rotate').secrets
  await answers(401, 'sub', first)
  await answers(200, 'sub', secret)
  const [{ secret: newest }] = ok('webhook', 'secret', 'sub', '--rotate', '--overlap', '1h').secrets
  for (const each of [secret, newest]) await answers(200, 'sub', each)
  ok('webhook', 'subscribe', 'sub', '--events', 'push')
  await answers(202, 'sub', newest)
  ok('webhook', 'remove', 'sub', '--yes')
  await answers(404, 'sub', newest)

  for (let i = 0; i < 2; i++) {
    ok('webhook', 'pause', 'r')
    await answers(503, 'r')
    ok('webhook', 'resume', 'r')
    await answers(202, 'r')
  }

  const under = await idOf('r')
  ok('events', 'cancel', under)
  t.equal(stateOf(under), 'cancelled')
  ok('webhook', 'pause', 'r', '--hold')
  const held = await idOf('r')
  t.equal(stateOf(held), 'waiting')
  writeFileSync(join(dir, 'fails'), '')
  ok('webhook', 'resume', 'r')
  await gateway.line(({ msg, event_id }) => msg === 'run is dead' && event_id === held)
  rmSync(join(dir, 'fails'))
  ok('events', 'retry', held)
  t.match(stateOf(held), /^(?:waiting|running)$/)

  ok('cron', 'create', 'Tick', '--id', 'tick', '--schedule', '@yearly', '--prompt', 'p')
  ok('cron', 'pause', 'tick')
  t.match((await post('starts')).json, { reason: 'job_paused' })
  ok('cron', 'resume', 'tick')
  await answers(202, 'starts')
  ok('cron', 'remove', 'tick', '--yes')
  t.match((await post('starts')).json, { reason: 'job_missing' })
  ok('alerts', 'silence', 'all')
  t.match(ok('alerts', 'list'), { silenced: [{ name: 'all' }] })
  ok('alerts', 'silence', 'all', '--end')
  t.match(ok('alerts', 'list'), { silenced: [] })
})
