/** Several gateways on one database: each gateway knows the other gateways, and one command reloads all gateways. */

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { connect } from '../../src/store/postgres/connection.ts'
import { runAt } from '../fakes/cli.ts'
import { send, signIn, startConsole } from '../fakes/console.ts'
import { newFolder } from '../fakes/folder.ts'
import { openPostgresServer, startPostgresServer, withoutOwnPostgres, withoutPostgres } from '../fakes/postgres-server.ts'
import { command, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

type Storage = { readonly url: string; readonly schema: string }
type Shown = { readonly [key: string]: unknown }
type ShownReplica = Shown & { readonly pid: number; readonly digest: string; readonly self: boolean }

const secret = 'It is a secret to everybody'

const configOf = ({ url, schema }: Storage, routes: Shown): string =>
  stringify({
    platforms: { webhook: { enabled: true, extra: { port: 0, secret, routes } } },
    storage: { kind: 'postgres', url, schema, durability: 'commit' },
  })

/** Makes data directories with one configuration. The directory `c` has no gateway at first. */
const foldersOf = (t: Test, storage: Storage): { a: string; b: string; c: string; write: (name: string, routes: Shown) => void } => {
  const files = () => ({ 'config.yaml': configOf(storage, { work: { prompt: 'p' } }), scripts: { 'x.sh': 'cat' } })
  const dir = newFolder(t, { a: files(), b: files(), c: files() })
  const write = (name: string, routes: Shown): void => writeFileSync(join(dir, name, 'config.yaml'), configOf(storage, routes))
  return { a: join(dir, 'a'), b: join(dir, 'b'), c: join(dir, 'c'), write }
}

type Json = Shown & { readonly data?: Shown }
const jsonOf = async (dir: string, ...args: string[]): Promise<Json> => JSON.parse((await runAt(dir, [...args, '--json'])).out)
const statusAt = async (dir: string): Promise<Shown> => (await jsonOf(dir, 'gateway', 'status')).data ?? {}
const replicasAt = async (dir: string): Promise<readonly ShownReplica[]> => ((await statusAt(dir)).replicas ?? []) as ShownReplica[]
const pidsAt = async (dir: string): Promise<number[]> => sorted((await replicasAt(dir)).map(({ pid }) => pid))
const digestsAt = async (dir: string): Promise<number> => new Set((await replicasAt(dir)).map(({ digest }) => digest)).size
const sorted = (pids: readonly number[]): number[] => [...pids].sort((a, b) => a - b)

/** Reads the live traffic of a console. Returns the types of lines and the ids of deliveries that came so far. */
const followLive = async (t: Test, origin: string, headers: { [name: string]: string }) => {
  const seen = { types: new Set<string>(), deliveries: new Set<string>() }
  const sent = request(new URL('/ask/live', origin), { method: 'POST', headers, agent: false })
  t.teardown(() => sent.destroy())
  sent.end('{}')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const lines = createInterface({ input: response })
  // The test ends while the console still speaks.
  for (const each of [response, lines]) each.on('error', () => {})
  lines.on('line', (line) => {
    const { type, delivery_id } = JSON.parse(line)
    seen.types.add(type)
    if (delivery_id) seen.deliveries.add(delivery_id)
  })
  return seen
}

const readyz = async (gateway: ProcessGateway): Promise<Shown> => {
  const answer = await fetch(new URL('/readyz', await gateway.listening))
  return { status: answer.status, body: await answer.text() }
}
const isReady = { status: 200, body: '{"status":"ready"}' }
const isNotReady = { status: 503, body: '{"status":"not ready"}' }

t.test('replicas', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  const storage = (): Storage => ({ url: server.url, schema: server.newSchema() })

  await t.test('status shows all, with and without a gateway here, and a killed one is gone after a minute', async (t) => {
    const where = storage()
    const { a, b, c, write } = foldersOf(t, where)
    t.match(await runAt(c, ['gateway', 'status']), { code: 5, err: /has no tables yet/ })
    const first = await startGateway(t, a)
    const second = await startGateway(t, b)
    const third = await startGateway(t, c)
    const all = sorted([first.pid, second.pid, third.pid])
    t.strictSame(await pidsAt(a), all)
    t.strictSame(
      (await replicasAt(b)).flatMap(({ self, pid }) => (self ? [pid] : [])),
      [second.pid],
    )
    t.equal(await digestsAt(a), 1, 'equal files in different folders')
    t.match(command({ dir: a }, 'gateway', 'status').stdout, /replicas +3\n {2}\* .*config [0-9a-f]{12}/)
    t.match((await runAt(a, ['doctor'])).out, /replicas.*3 run, with one configuration/)

    third.kill('SIGKILL')
    await third.ended
    t.strictSame(await pidsAt(c), all, 'the database is asked where no gateway runs')
    const connection = await connect({ url: () => server.url, schema: where.schema, durability: 'commit', byIndex: false })
    t.teardown(() => connection.end())
    await connection.run(
      `create or replace function clock() returns timestamptz language sql stable as $$ select now() + interval '61 s' $$`,
    )
    await until(async () => (await pidsAt(c)).length === 2)
    t.strictSame(await pidsAt(c), sorted([first.pid, second.pid]))
    t.match((await statusAt(a)).problems, [{ message: /the clock of .* is 61 s behind that of the database/ }, {}])

    write('b', { work: { prompt: 'another' } })
    t.equal((await runAt(b, ['gateway', 'reload'])).code, 0)
    await until(async () => (await digestsAt(a)) === 2)

    second.kill('SIGTERM')
    t.match(await second.ended, { code: 0 })
    t.strictSame(await pidsAt(a), [first.pid], 'an orderly stop is known at once')
  })

  await t.test('the console of one machine shows the events of all gateways, also once no gateway runs on this machine', async (t) => {
    const { a, b } = foldersOf(t, storage())
    const first = await startGateway(t, a)
    const second = await startGateway(t, b)
    const served = await startConsole(t, a)
    const headers = await signIn(served)
    const ask = async (name: string, question: object): Promise<Shown> => {
      const { status, text } = await send(served.origin, `/ask/${name}`, { headers, body: JSON.stringify(question) })
      t.equal(status, 200, text)
      return JSON.parse(text)
    }
    const deliveries = async (): Promise<unknown[]> =>
      ((await ask('events', {})).events as Shown[]).map(({ delivery_id }) => delivery_id).sort()
    const live = await followLive(t, served.origin, headers)
    await until(() => live.types.has('init'))
    await first.post('work', 'here')
    await second.post('work', 'there')
    await until(() => live.deliveries.has('here') && live.deliveries.has('there'))
    await until(async () => (await deliveries()).length === 2)
    t.match(await ask('health', {}), { status: { replicas: [{}, {}] } })

    first.kill('SIGTERM')
    await first.ended
    await until(() => live.types.has('off'))
    live.types.delete('init')
    await until(() => live.types.has('init'))
    await second.post('work', 'later')
    await until(() => live.deliveries.has('later'))
    t.strictSame(await deliveries(), ['here', 'later', 'there'])
  })

  await t.test('reload --all reloads each, and says who refused', async (t) => {
    const { a, b, c, write } = foldersOf(t, storage())
    const first = await startGateway(t, a)
    const second = await startGateway(t, b)
    for (const name of ['a', 'b']) write(name, { work: { prompt: 'p' }, more: { prompt: 'p' } })
    const here = await jsonOf(a, 'gateway', 'reload', '--all')
    t.match(here, { kind: 'gateway.reload_all', ok: true, data: { replicas: [{ result: 'reloaded' }, { result: 'reloaded' }] } })
    for (const gateway of [first, second]) await gateway.line(({ msg, added }) => msg === 'configuration reloaded' && added === 'more')

    write('b', { work: { prompt: 'p', deliver: 'nowhere-to-be-found' } })
    const { status, stdout } = command({ dir: c }, 'gateway', 'reload', '--all')
    t.equal(status, 1)
    t.match(stdout.split('\n').sort(), ['', /reloaded$/, new RegExp(` ${second.pid} .*not reloaded: .*WH\\d+`)])
    t.equal((await second.post('more', 'x')).status, 202, 'it serves on as before')
  })

  await t.test('a gateway that drains is not ready, says so to the others, and leaves to them what it still accepts', async (t) => {
    const { a, b } = foldersOf(t, storage())
    const first = await startGateway(t, a)
    const second = await startGateway(t, b)
    t.strictSame(await readyz(first), isReady)
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isAdmitted = false
    const answer = first.post('work', 'slow', {
      admitted() {
        isAdmitted = true
        return released
      },
    })
    await until(() => isAdmitted)
    first.kill('SIGTERM')
    await first.line(({ msg }) => msg === 'stopping')
    t.strictSame(await readyz(first), isNotReady)
    await until(async () => (await replicasAt(b)).some(({ pid, stopping }) => pid === first.pid && stopping === true))
    t.strictSame(await readyz(second), isReady)
    t.equal((await first.post('work', 'late')).status, 202, 'the load balancer may not know yet that it is not ready')
    await until(async () => (await runAt(b, ['events', 'show', 'late'])).out.includes('done'))
    release()
    t.equal((await answer).status, 202)
    t.match(await first.ended, { code: 0 })
  })
})

t.test('a gateway whose database is away is not ready, and is ready again when it is back', { skip: withoutOwnPostgres }, async (t) => {
  const server = await startPostgresServer(true)
  t.teardown(() => server.stop())
  const { a } = foldersOf(t, { url: server.url, schema: server.newSchema() })
  const gateway = await startGateway(t, a)
  await server.kill()
  await until(async () => (await readyz(gateway)).status === 503)
  t.strictSame(await readyz(gateway), isNotReady)
  t.equal((await gateway.health()).status, 200)
  t.match(await statusAt(a), { not_ready: /^the store does not answer: /, replicas: null, backlog: null })
  await server.start()
  await until(async () => (await readyz(gateway)).status === 200)
  await gateway.line(({ msg }) => msg === 'ready again')
  await until(async () => (await pidsAt(a)).length === 1)
  t.match(await statusAt(a), { not_ready: null })
})
