/** Records of events on a shared store: a command sees the events of all gateways, whether or not a gateway runs in its data directory. */

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { connect } from '../../src/store/postgres/connection.ts'
import { startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { command, dataDir, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

type Tree = { readonly [key: string]: unknown }

/** Runs a command with `--json`, and returns the `data` of its answer. */
const answerOf = (dir: string, ...args: string[]): Tree => {
  const { status, stdout, stderr } = command({ dir }, ...args, '--json')
  if (stdout === '') throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return (JSON.parse(stdout) as { data: Tree }).data
}

const eventsOf = (dir: string, ...args: string[]): Tree[] => answerOf(dir, 'events', 'list', ...args).events as Tree[]

/** Runs `webhook tail --json` until the end of the test. */
const watchTraffic = (t: Test, dir: string): { readonly lines: () => Tree[] } => {
  const child = spawn(process.execPath, [main, '--data-dir', dir, 'webhook', 'tail', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const wholeLines = () => text.split('\n').slice(0, -1)
  return { lines: () => wholeLines().map((line) => JSON.parse(line) as Tree) }
}

t.test('gateways on one database', { skip: withoutOwnPostgres }, async (t) => {
  const server = await startPostgresServer()
  t.teardown(() => server.stop())

  /** Makes data directories on one schema. The agent of a directory fails until the directory has a file `works`. */
  const directories = (t: Test, schema = server.newSchema()): [string, string, string] => {
    const storage = { kind: 'postgres', url: server.url, schema, durability: 'commit' }
    const routes = { work: { prompt: 'P {n}', deliver: 'log', retry: { max_attempts: 1, backoff: 0 } } }
    const first = dataDir(t, { routes, config: { storage }, agent: '[ -e "$dir/works" ] && echo "the reply" || exit 3' })
    const others = ['b', 'none'].map((name) => {
      const dir = join(first, name)
      mkdirSync(dir)
      for (const file of ['config.yaml', 'agent.sh']) {
        writeFileSync(join(dir, file), readFileSync(join(first, file), 'utf8').replaceAll(first, dir))
      }
      return dir
    })
    return [first, ...others] as [string, string, string]
  }

  await t.test('an event of one is listed, shown, exported, replayed and retried beside another, and beside none', async (t) => {
    const [a, b, none] = directories(t)
    const first = await startGateway(t, a)
    await startGateway(t, b)
    const body = '{"n":"\\u0000 \\ud800 \u{1f642}"}'
    t.equal((await first.post('work', 'one', { body })).status, 202)
    const dead = await until(() => eventsOf(none).find(({ state }) => state === 'dead'))
    const id = String(dead.event_id)
    t.match(eventsOf(b), [{ event_id: id, delivery_id: 'one', state: 'dead', attempt: 1 }])
    t.match(answerOf(b, 'events', 'show', 'one'), { event_id: id, body, attempts: [{ end: 'dead' }] })
    t.equal(command({ dir: none }, 'events', 'show', id, '--raw').stdout, body)
    t.match(command({ dir: none }, 'events', 'export', id, '--as', 'jsonl').stdout, id)
    t.match(answerOf(none, 'webhook', 'trace', 'work', '--event', id), { outcome: 'accepted' })
    t.strictSame(readdirSync(join(a, 'state')).includes('events'), false, 'no segments are written')

    t.match(answerOf(b, 'events', 'replay', id), { replays: [{ ok: true, outcome: 'accepted' }] })
    await until(() => eventsOf(none).filter(({ state }) => state === 'dead').length === 2)
    for (const dir of [a, b]) writeFileSync(join(dir, 'works'), '')
    t.match(answerOf(none, 'events', 'retry', id), { summary: { started: 1, failed: 0 } })
    await until(() => eventsOf(b, '--state', 'done').length === 1)
    t.match(answerOf(none, 'events', 'show', id), { state: 'done', attempts: [{ end: 'dead' }, { end: 'retried' }, { end: 'done' }] })
    t.match(command({ dir: none }, 'events', 'replay', id).stderr, /no gateway/)
  })

  await t.test('traffic of others is watched beside a gateway and beside none, no line twice', async (t) => {
    const [a, b, none] = directories(t)
    const gateways = [await startGateway(t, a), await startGateway(t, b)]
    const watching = [b, none].map((dir) => watchTraffic(t, dir))
    for (const { lines } of watching) await until(() => lines().some(({ type }) => type === 'init'))
    for (const [n, gateway] of gateways.entries()) t.equal((await gateway.post('work', `seen-${n}`)).status, 202)
    for (const { lines } of watching) {
      await until(() => lines().filter(({ type }) => type === 'delivery').length === 2)
      const seen = lines().map(({ type, delivery_id, route }) => `${type} ${delivery_id} ${route}`)
      const expected = ['event', 'outcome', 'delivery'].flatMap((type) => [0, 1].map((n) => `${type} seen-${n} work`))
      t.strictSame(seen.slice(1).sort(), expected.sort())
    }
  })

  await t.test('a schema that is not made yet, and one of a later version, are told', async (t) => {
    const schema = server.newSchema()
    const [a] = directories(t, schema)
    const early = command({ dir: a }, 'events', 'list')
    t.match(early, { status: 5, stderr: /the schema test_\w+ of the database has no tables yet/ })
    const gateway = await startGateway(t, a)
    gateway.kill('SIGTERM')
    await gateway.ended
    const connection = await connect({ url: () => server.url, schema, durability: 'commit', byIndex: false })
    await connection.run('update meta set version = 99, min_reader = 99')
    await connection.end()
    t.match(command({ dir: a }, 'events', 'list'), { status: 78, stderr: /was written by a later version/ })
  })

  await t.test('while the database is away records are dropped and counted, and answers stay as they are', async (t) => {
    const [a] = directories(t)
    const gateway: ProcessGateway = await startGateway(t, a, { args: [] })
    t.equal((await gateway.post('work', 'before')).status, 202)
    await server.kill()
    t.equal((await gateway.post('quiet', 'x')).status, 404)
    t.equal((await gateway.post('work', 'away')).status, 503)
    // The end of the run may be among the lines, too.
    t.match(await gateway.line(({ msg }) => msg === 'event records'), { reason: /[1-9]\d* lines? not written: the database/ })
    t.match(command({ dir: a }, 'events', 'list'), { status: 4, stderr: /the database cannot be opened/ })
    await server.start()
    // The connection for claims may be there before the connection for records: the record of the first event may be dropped, too.
    let posts = 0
    await until(async () => {
      await gateway.post('work', `after-${posts++}`)
      return eventsOf(a).some(({ delivery_id }) => String(delivery_id).startsWith('after-'))
    }, 30_000)
  })
})
