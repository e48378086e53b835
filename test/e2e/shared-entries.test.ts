/** Subscriptions and jobs that were made at run time belong to all gateways on one database: the built command on a real server. */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { type OwnServer, startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { command, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const subscriptions = 'webhook_subscriptions.json'
const jobs = 'cron_jobs.json'
/** What is made in one data directory is served everywhere within two seconds; a busy machine may need longer. */
const servedMs = 5_000
const key = 'a secret of nobody'
/** The pushes that a test posts are ignored with 200, so that no work is left. */
const route = ['--prompt', 'hi', '--events', 'release', '--secret', key]

const entriesOf = (dir: string, file = subscriptions): { readonly [name: string]: { readonly [key: string]: unknown } } =>
  existsSync(join(dir, file)) ? JSON.parse(readFileSync(join(dir, file), 'utf8')) : {}
const writeEntries = (dir: string, entries: object, file = subscriptions): void => writeFileSync(join(dir, file), JSON.stringify(entries))
const said = ({ lines }: ProcessGateway, words: RegExp): Promise<string> => until(() => lines.find(({ msg }) => words.test(msg))?.msg)

/** Runs a command of which several run at the same time. */
const beside = (dir: string, ...args: string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    spawn(process.execPath, [main, '--data-dir', dir, ...args], { env, stdio: 'ignore' }).once('exit', resolve)
  })

t.test('gateways on one database', { skip: withoutOwnPostgres }, async (t) => {
  const server: OwnServer = await startPostgresServer(true)
  t.teardown(() => server.stop())
  /** Makes data directories on one schema of the database. */
  const directories = (t: Test, count: number): string[] => {
    // This is registered before the folders are made. Otherwise they are removed while a gateway still writes to them.
    t.teardown(() => undefined)
    const home = t.testdir()
    const webhook = { enabled: true, extra: { port: 0, rate_limit: 100_000 } }
    const config = stringify({ platforms: { webhook }, storage: { kind: 'postgres', url: server.url, schema: server.newSchema() } })
    return Array.from({ length: count }, (_, i) => {
      const dir = join(home, 'abc'.charAt(i))
      mkdirSync(dir, { mode: 0o700 })
      writeFileSync(join(dir, 'config.yaml'), config)
      return dir
    })
  }
  const ok = (t: Test, dir: string, ...args: string[]): string => {
    const { status, stdout, stderr } = command({ dir }, ...args)
    t.equal(status, 0, `${args.slice(0, 3).join(' ')}: ${stderr}`)
    return stdout
  }
  const answers = async (t: Test, gateway: ProcessGateway, name: string, status: number, secret = key): Promise<void> => {
    const began = Date.now()
    // While this process waited for a command, the gateway may have closed an idle connection.
    const post = () => gateway.post(name, `${name}-${Date.now()}`, { key: secret }).catch(() => undefined)
    await until(async () => (await post())?.status === status)
    t.ok(Date.now() - began < servedMs, `${name} answers ${status} after ${Date.now() - began} ms`)
  }

  await t.test('a subscription is served everywhere, wherever its commands ran', async (t) => {
    const [a = '', b = '', c = ''] = directories(t, 3)
    const [first, second] = await Promise.all([startGateway(t, a), startGateway(t, b)])
    ok(t, a, 'webhook', 'subscribe', 'one', ...route)
    await answers(t, second, 'one', 200)
    ok(t, c, 'webhook', 'subscribe', 'two', ...route)
    await Promise.all([first, second].map((gateway) => answers(t, gateway, 'two', 200)))
    t.equal(statSync(join(b, subscriptions)).mode & 0o777, 0o600)
    ok(t, c, 'webhook', 'disable', 'one')
    await answers(t, second, 'one', 403)
    ok(t, b, 'webhook', 'enable', 'one')
    await answers(t, first, 'one', 200)
    const { data } = JSON.parse(ok(t, a, 'webhook', 'secret', 'one', '--rotate', '--json'))
    await answers(t, second, 'one', 200, data.secret)
    t.equal((await second.post('one', 'old')).status, 401, 'the old secret holds nowhere')
    ok(t, b, 'webhook', 'remove', 'two', '--yes')
    await answers(t, first, 'two', 404)
    t.match(ok(t, c, 'webhook', 'list'), /^one /)
  })

  await t.test('a job is created, paused and removed everywhere', async (t) => {
    const [a = '', b = ''] = directories(t, 2)
    const second = await startGateway(t, b)
    ok(t, a, 'cron', 'create', 'Each second', '--id', 'tick', '--schedule', 'every 1s', '--prompt', 'hi', '--deliver', 'log')
    await second.line(({ job }) => job === 'tick')
    ok(t, a, 'cron', 'pause', 'tick')
    await until(() => entriesOf(b, jobs).tick?.paused === true)
    t.match(ok(t, b, 'cron', 'list'), /paused/)
    ok(t, b, 'cron', 'remove', 'tick', '--yes')
    t.notMatch(ok(t, a, 'cron', 'list'), /tick/)
  })

  await t.test('of ten commands at once none is lost', async (t) => {
    const dirs = directories(t, 3)
    await startGateway(t, dirs[0] ?? '')
    const names = Array.from({ length: 10 }, (_, i) => `name-${i}`)
    const codes = await Promise.all(names.map((name, i) => beside(dirs[i % 3] ?? '', 'webhook', 'subscribe', name, ...route)))
    t.same(codes, Array(10).fill(0))
    for (const dir of dirs) {
      ok(t, dir, 'webhook', 'list')
      t.same(Object.keys(entriesOf(dir)).sort(), names)
    }
    const twice = await Promise.all(
      dirs.map((dir) => beside(dir, 'cron', 'create', 'Same', '--id', 'same', '--schedule', '@daily', '--prompt', 'hi')),
    )
    t.same(twice.sort(), [0, 6, 6], 'one id is given once')
  })

  await t.test('the first start takes the entries of the file over, and later ones keep what only they have', async (t) => {
    const [a = '', b = ''] = directories(t, 2)
    const own = { prompt: 'hi', events: ['release'], secret: key }
    writeEntries(a, { one: own })
    writeEntries(b, { one: own, two: own })
    const first = await startGateway(t, a)
    t.match(await said(first, /had no entries/), /everybody's now: one/)
    const second = await startGateway(t, b)
    const words = await said(second, /was replaced/)
    t.match(words, /webhook_subscriptions\.json\.local has what only the file had \(two\)/)
    await answers(t, second, 'one', 200)
    t.same(Object.keys(entriesOf(b)), ['one'])
    t.same(Object.keys(entriesOf(b, `${subscriptions}.local`)), ['one', 'two'])
    // As the message says.
    writeEntries(b, entriesOf(b, `${subscriptions}.local`))
    t.match(await said(second, /by hand/), /everybody's now: two/)
    await answers(t, first, 'two', 200)
  })

  await t.test('a file that is no copy any more: unusable, missing, or changed while others changed theirs', async (t) => {
    const [a = '', b = ''] = directories(t, 2)
    const first = await startGateway(t, a)
    ok(t, a, 'webhook', 'subscribe', 'one', ...route)
    await answers(t, first, 'one', 200)
    rmSync(join(a, subscriptions))
    await until(() => existsSync(join(a, subscriptions)))
    writeFileSync(join(a, subscriptions), '{"one": ')
    await said(first, /not valid JSON/)
    await answers(t, first, 'one', 200)
    t.equal(command({ dir: a }, 'webhook', 'disable', 'one').status, 6, 'nothing is written over a file that cannot be read')
    ok(t, b, 'webhook', 'subscribe', 'two', ...route)
    await answers(t, first, 'two', 200)
    t.equal(readFileSync(join(a, `${subscriptions}.local`), 'utf8'), '{"one": ')
  })

  await t.test('the database is away: nothing is saved, the last copy is served and shown', async (t) => {
    const [a = '', b = ''] = directories(t, 2)
    const first = await startGateway(t, a)
    ok(t, b, 'webhook', 'subscribe', 'one', ...route)
    await answers(t, first, 'one', 200)
    await server.kill()
    const refused = command({ dir: a }, 'webhook', 'subscribe', 'two', ...route)
    t.equal(refused.status, 4)
    t.match(refused.stderr, /the database cannot be opened.*\n.*check that the server runs/)
    const shown = command({ dir: b }, 'webhook', 'list')
    t.match(shown, { status: 0, stdout: /^one / })
    t.match(shown.stderr, /as they were last heard of: the database cannot be opened/)
    await said(first, /stay as they were last heard of/)
    const ignored = await first.post('one', 'x', { key })
    t.match(ignored, { status: 200, json: { status: 'ignored' } })
    await server.start()
    ok(t, b, 'webhook', 'subscribe', 'two', ...route)
    await answers(t, first, 'two', 200)
  })
})
