/**
 * Subscriptions and jobs that were made at run time belong to all gateways on one database. The tests use the built command and a real
 * server.
 */

import { spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runAt } from '../fakes/cli.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { startGateway } from '../fakes/process-gateway.ts'
import { answers, entriesOf, key, ok, routeOptions, sharedDirectories } from '../fakes/shared-gateways.ts'
import { until } from '../fakes/wait.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const subscriptions = 'webhook_subscriptions.json'
const jobs = 'cron_jobs.json'

/** Runs a command without blocking this process, so that several commands can run at the same time. */
const beside = (dir: string, ...args: string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    spawn(process.execPath, [main, '--data-dir', dir, ...args], { env, stdio: 'ignore' }).once('exit', resolve)
  })

t.test('gateways on one database', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())

  await t.test('a subscription is served everywhere, wherever its commands ran', async (t) => {
    const [a = '', b = '', c = ''] = sharedDirectories(t, server, 3)
    const [first, second] = await Promise.all([startGateway(t, a), startGateway(t, b)])
    ok(t, a, 'webhook', 'subscribe', 'one', ...routeOptions)
    await answers(t, second, 'one', 200)
    ok(t, c, 'webhook', 'subscribe', 'two', ...routeOptions)
    await Promise.all([first, second].map((gateway) => answers(t, gateway, 'two', 200)))
    t.equal(statSync(join(b, subscriptions)).mode & 0o777, 0o600)
    ok(t, c, 'webhook', 'disable', 'one')
    await answers(t, second, 'one', 403)
    // At the gateway of the folder where a command runs, the change holds when the command has answered.
    const atOnce = async (status: number, ...args: string[]): Promise<void> => {
      ok(t, b, 'webhook', ...args)
      const post = () => second.post('one', `at-once-${args[0]}`, { key })
      t.equal((await post().catch(post)).status, status, `${args[0]}: at once`)
    }
    await atOnce(200, 'enable', 'one')
    await answers(t, first, 'one', 200)
    await atOnce(403, 'disable', 'one')
    await atOnce(200, 'enable', 'one')
    await answers(t, first, 'one', 200)
    const [{ secret }] = JSON.parse(ok(t, a, 'webhook', 'secret', 'one', '--rotate', '--json')).data.secrets
    // A gateway answers 429 to a client whose signatures fail too often, so the test waits until the copy has the new secret.
    await until(() => entriesOf(b).one?.secret === secret)
    await answers(t, second, 'one', 200, secret)
    t.equal((await second.post('one', 'old')).status, 401, 'the old secret holds nowhere')
    const [{ secret: newest }] = JSON.parse(ok(t, a, 'webhook', 'secret', 'one', '--rotate', '--overlap', '1h', '--json')).data.secrets
    await until(() => entriesOf(b).one?.secret === newest)
    await answers(t, second, 'one', 200, newest)
    await answers(t, second, 'one', 200, secret)
    ok(t, b, 'webhook', 'remove', 'two', '--yes')
    await answers(t, first, 'two', 404)
    t.match(ok(t, c, 'webhook', 'list'), /^one /)
  })

  await t.test('a list that a command changes is asked everywhere', async (t) => {
    const filters = { field: 'by', in_list: { store: 'people' } }
    const routes = { r: { prompt: 'p', secret: key, filters } }
    const [a = '', b = '', c = ''] = sharedDirectories(t, server, 3, { adapter: { routes } })
    const [first, second] = await Promise.all([startGateway(t, a), startGateway(t, b)])
    const judged = async (gateway: typeof first, id: string) => (await gateway.post('r', id, { key, body: '{"by":"ann"}' })).status
    t.equal(await judged(second, 'before'), 503)
    ok(t, c, 'lists', 'add', 'people', 'ann')
    for (const gateway of [first, second]) await until(async () => (await judged(gateway, `added-${Date.now()}`)) === 202)
    ok(t, a, 'lists', 'remove', 'people', 'ann')
    t.equal(await judged(first, 'removed'), 200, 'at once where the command ran')
    await until(async () => (await judged(second, `removed-${Date.now()}`)) === 200)
    t.match(ok(t, b, 'lists', 'show'), /people +0/)
  })

  await t.test('a job is created, paused and removed everywhere', async (t) => {
    const [a = '', b = ''] = sharedDirectories(t, server, 2)
    const second = await startGateway(t, b)
    ok(t, a, 'cron', 'create', 'Each second', '--id', 'tick', '--schedule', 'every 1s', '--prompt', 'hi', '--deliver', 'log')
    await second.line(({ job }) => job === 'tick')
    ok(t, a, 'cron', 'pause', 'tick')
    await until(() => entriesOf(b, jobs).tick?.paused === true)
    t.match(ok(t, b, 'cron', 'list'), /paused/)
    ok(t, b, 'cron', 'remove', 'tick', '--yes')
    t.notMatch(ok(t, a, 'cron', 'list'), /tick/)
  })

  await t.test('a command that changes entries answers when they hold here, and says which gateways follow', async (t) => {
    const [a = '', b = '', c = ''] = sharedDirectories(t, server, 3)
    const [first, second] = await Promise.all([startGateway(t, a), startGateway(t, b)])
    const job = ['--id', 'j', '--schedule', 'every 1h', '--prompt', 'hi', '--deliver', 'log']
    const commands = [
      ['webhook', 'subscribe', 's', ...routeOptions],
      ['webhook', 'disable', 's'],
      ['webhook', 'enable', 's'],
      ['webhook', 'pause', 's'],
      ['webhook', 'resume', 's'],
      ['webhook', 'secret', 's', '--rotate'],
      ['webhook', 'edit', 's'],
      ['webhook', 'remove', 's', '--yes'],
      ['cron', 'create', 'J', ...job],
      ['cron', 'pause', 'j'],
      ['cron', 'resume', 'j'],
      ['cron', 'remove', 'j', '--yes'],
    ]
    let edits = 0
    const edit = async (file: string): Promise<void> => writeFileSync(file, readFileSync(file, 'utf8').replace(/hi\b.*/, `hi ${++edits}`))
    // In the third folder no gateway runs, so both follow.
    for (const [dir, pids, words] of [
      [a, [second.pid], /the other gateway follows within two seconds: /],
      [c, [first.pid, second.pid], /2 other gateways follow within two seconds: /],
    ] as const) {
      for (const command of commands) {
        const { code, out, err } = await runAt(dir, [...command, '--json'], { edit })
        const name = command.slice(0, 2).join(' ')
        t.equal(code, 0, `${name}: ${err}`)
        const { others } = JSON.parse(out).data
        t.strictSame(others.map((each: string) => Number(each.split(' ')[1])).toSorted(), pids.toSorted(), name)
      }
      t.match((await runAt(dir, ['webhook', 'subscribe', 'told', ...routeOptions])).err, words)
    }
    t.strictSame(JSON.parse(ok(t, a, 'webhook', 'subscribe', 'dry', ...routeOptions, '--dry-run', '--json')).data.others, [])
  })

  await t.test('of ten commands at once none is lost', async (t) => {
    const dirs = sharedDirectories(t, server, 3)
    await startGateway(t, dirs[0] ?? '')
    const names = Array.from({ length: 10 }, (_, i) => `name-${i}`)
    const codes = await Promise.all(names.map((name, i) => beside(dirs[i % 3] ?? '', 'webhook', 'subscribe', name, ...routeOptions)))
    t.same(codes, Array(10).fill(0))
    for (const dir of dirs) {
      ok(t, dir, 'webhook', 'list')
      t.same(Object.keys(entriesOf(dir)).sort(), names)
    }
    // The prompts differ. Equal commands of one second store equal entries, and such a change counts as made by each of them.
    const twice = await Promise.all(
      dirs.map((dir, i) => beside(dir, 'cron', 'create', 'Same', '--id', 'same', '--schedule', '@daily', '--prompt', `prompt ${i}`)),
    )
    t.same([...twice].sort(), [0, 6, 6], 'one id is given once')
    ok(t, dirs[0] ?? '', 'cron', 'list')
    t.equal(entriesOf(dirs[0] ?? '', jobs).same?.prompt, `prompt ${twice.indexOf(0)}`, 'the job is that of the command that succeeded')
  })
})
