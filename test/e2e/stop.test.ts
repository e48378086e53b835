/** Starting and stopping: what a signal lets finish, what refuses to start and how it says so. */

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { fakeCli, type Result } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { isGone } from '../fakes/process.ts'
import { dataDir, type Ended, linesIn, type ProcessGateway, runningAgents, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { closedOrigin, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const isStopping = ({ msg }: { msg: string }): boolean => msg === 'stopping'

/** An agent that says that it began, and ends when a file `go` is there. */
const patientAgent = `echo "$HEADGATE_DELIVERY_ID" >> "$dir/began"
while [ ! -e "$dir/go" ] && [ -d "$dir" ]; do sleep 0.02; done
echo "$HEADGATE_DELIVERY_ID" >> "$dir/finished"; echo done`

const go = (dir: string): void => void execFileSync('touch', [join(dir, 'go')])
const freePort = async (): Promise<string> => new URL(await closedOrigin()).port

/** A gateway whose one agent runs and waits. */
const busy = async (t: Test, gateway: object): Promise<{ dir: string; running: ProcessGateway; agent: number }> => {
  const dir = dataDir(t, { routes: { work: { prompt: 'p' } }, agent: patientAgent, config: { gateway } })
  const running = await startGateway(t, dir)
  t.equal((await running.post('work', 'first')).status, 202)
  await until(() => linesIn(dir, 'began').length === 1)
  const [agent] = runningAgents(dir)
  if (agent === undefined) throw new Error('no agent runs')
  return { dir, running, agent }
}

/** Starts it again and stops it when everything was delivered. */
const finish = async (t: Test, dir: string, ids: readonly string[]): Promise<void> => {
  go(dir)
  const gateway = await startGateway(t, dir)
  for (const id of ids) await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
}

t.test('SIGTERM: requests in flight are answered, new ones refused, the run finishes, the rest waits for the next start', async (t) => {
  const { dir, running } = await busy(t, { drain_seconds: 30, max_concurrent_runs: 1 })
  const inFlight = Array.from({ length: 20 }, (_, i) => `in-flight-${i}`)
  let admitted = 0
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const answers = inFlight.map((id) =>
    running.post('work', id, {
      admitted: () => {
        admitted++
        return released
      },
    }),
  )
  await until(() => admitted === inFlight.length)
  running.kill('SIGTERM')
  await running.line(isStopping)

  const late = await running.post('work', 'late')
  t.match(late, { status: 503, json: { error: 'Server is stopping' }, headers: { 'retry-after': /^\d+$/, connection: 'close' } })
  // The run ends while requests are in flight still: nothing further may be taken on.
  go(dir)
  await running.line(({ msg }) => msg === 'delivered')
  release()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  t.strictSame(statuses, Array(20).fill(202))
  t.match(await running.ended, { code: 0, signal: null, err: '' })
  t.strictSame(linesIn(dir, 'finished'), ['first'])

  await finish(t, dir, inFlight)
  t.strictSame(linesIn(dir, 'finished').sort(), ['first', ...inFlight].sort(), 'each ran once, and the refused one never')
})

t.test('SIGTERM: a sender in the middle of its body does not hold the run, nor the exit, up', async (t) => {
  const { dir, running } = await busy(t, { drain_seconds: 1, max_concurrent_runs: 1 })
  for (const id of ['second', 'third']) t.equal((await running.post('work', id)).status, 202)
  let admitted = false
  const stalled = running.post('work', 'stalled', {
    admitted: () => {
      admitted = true
      return new Promise(() => {})
    },
  })
  stalled.catch(() => undefined)
  await until(() => admitted)
  running.kill('SIGTERM')
  await running.line(isStopping)
  go(dir)
  t.match(await running.ended, { code: 0, signal: null, err: '' })
  await t.rejects(stalled)
  t.strictSame(linesIn(dir, 'finished'), ['first'], 'no further run was begun')
  await finish(t, dir, ['second', 'third'])
  t.strictSame(linesIn(dir, 'began'), ['first', 'second', 'third'])
})

t.test('SIGTERM: who still posts over a kept connection is told to come back later, and nobody is reset', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { work: {} } }))
  const { hostname, port } = new URL(await gateway.listening)
  const statuses: number[] = []
  /** Posts until it is told to come back later. */
  const sender = async (name: string): Promise<unknown> => {
    for (let i = 0; ; i++) {
      try {
        const { status, headers } = await gateway.post('work', `${name}-${i}`)
        statuses.push(status)
        if (status === 503) return headers.connection
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : error
      }
    }
  }
  const idle = connect(Number(port), hostname)
  await once(idle, 'connect')
  const ends = Promise.all(Array.from({ length: 32 }, (_, i) => sender(`sender-${i}`)))
  await until(() => statuses.length > 50)
  gateway.kill('SIGTERM')
  await gateway.line(isStopping)
  idle.write('POST /webhooks/work HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
  t.match(String((await once(idle, 'data'))[0]), /^HTTP\/1\.1 503 .*\r\nConnection: close\r\n/is)
  t.strictSame([...new Set(await ends)], ['close'])
  t.strictSame([...new Set(statuses)].sort(), [202, 503])
  t.match(await gateway.ended, { code: 0, signal: null, err: '' })
})

t.test('SIGTERM: who posts over a new connection each time is answered until nothing listens any more', async (t) => {
  const gateway = await startGateway(t, dataDir(t, { routes: { work: {} } }))
  const { hostname, port } = new URL(await gateway.listening)
  let answers = 0
  /** Posts until it gets no answer, and resolves with the reason. */
  const sender = async (): Promise<string> => {
    for (;;) {
      const end = await new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname)
        let isAnswered = false
        // The pause between the connection and its request is that of a sender which the network or its own work slows down.
        const request = 'POST /webhooks/work HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
        socket.on('connect', () => setTimeout(() => socket.write(request), 20))
        socket.on('data', () => {
          isAnswered = true
        })
        socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
        socket.on('close', () => resolve(isAnswered ? 'answered' : 'no answer'))
      })
      if (end !== 'answered') return end
      answers++
    }
  }
  const ends = Promise.all(Array.from({ length: 64 }, sender))
  await until(() => answers > 200)
  gateway.kill('SIGTERM')
  const met = await ends
  // Without the pause before the end, forty to all of them are reset. A machine under load may open a connection later than that.
  t.ok(met.filter((end) => end !== 'ECONNREFUSED').length <= 4, String(met))
  t.match(await gateway.ended, { code: 0, signal: null, err: '' })
})

t.test('past drain_seconds the run is broken off with its agent, and runs at the next start', async (t) => {
  const { dir, running, agent } = await busy(t, { drain_seconds: 0.1 })
  running.kill('SIGTERM')
  t.match(await running.ended, { code: 0, signal: null, err: '' })
  t.ok(await isGone(agent))
  t.strictSame(linesIn(dir, 'finished'), [])
  await finish(t, dir, ['first'])
  t.strictSame(linesIn(dir, 'began'), ['first', 'first'])
  t.strictSame(linesIn(dir, 'finished'), ['first'])
})

t.test('a second signal ends it at once, and its agent with it', async (t) => {
  for (const [first, second] of [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
  ] as const) {
    const { dir, running, agent } = await busy(t, { drain_seconds: 600 })
    running.kill(first)
    t.match(await running.line(isStopping), { signal: first, drain_seconds: 600 })
    running.kill(second)
    t.match(await running.ended, { code: 130, signal: null, err: '' })
    t.ok(await isGone(agent), 'no agent is left behind')
    await finish(t, dir, ['first'])
    t.strictSame(linesIn(dir, 'finished'), ['first'])
  }
})

t.test('gateway stop ends it as a signal does, and waits for that; gateway health asks it before', async (t) => {
  // It makes the folder anew, so it comes first.
  const { run } = fakeCli(t)
  const { dir, running } = await busy(t, { drain_seconds: 600 })
  const cli = (...argv: string[]): Promise<Result> => run('--data-dir', dir, ...argv)
  t.match(await cli('gateway', 'health'), { code: 0, out: /^ok {2}http:.*\/health {2}200\n$/ })
  t.match(await cli('gateway', 'stop', '--timeout', '1'), { code: 1, out: /^still stopping/ })
  t.match(await running.line(isStopping), { reason: 'gateway stop', drain_seconds: 600 })
  t.match(await cli('gateway', 'health'), { code: 1, out: /^not healthy .*stopping/ })
  go(dir)
  t.ok([0, 4].includes((await cli('gateway', 'stop')).code), 'it was waited for, or was gone already')
  t.match(await running.ended, { code: 0, signal: null, err: '' })
  t.strictSame(linesIn(dir, 'finished'), ['first'])
  t.match(await cli('gateway', 'stop'), { code: 4, err: /no gateway is running/ })
})

t.test('gateway run --once ends after one event that was not refused, with its run done', async (t) => {
  const dir = dataDir(t, { routes: { work: { prompt: 'p' } }, agent: patientAgent })
  go(dir)
  const gateway = await startGateway(t, dir, { args: ['--once'] })
  t.equal((await gateway.post('work', 'refused', { key: 'another' })).status, 401)
  t.equal((await gateway.post('work', 'first')).status, 202)
  t.match(await gateway.ended, { code: 0, signal: null, err: '' })
  t.strictSame(linesIn(dir, 'finished'), ['first'])
})

t.test('a signal during the start stops it cleanly', async (t) => {
  const dir = dataDir(t, { routes: { work: {} } })
  const seen = new Set<number | null>()
  for (const moment of ['at once', 'at once', 'store', 'store', 'store']) {
    const gateway = spawnGateway(t, dir)
    const log = join(dir, 'state', 'headgate.db-wal')
    if (moment === 'store') await until(() => existsSync(log))
    gateway.kill('SIGTERM')
    const { code, signal, err } = await gateway.ended
    // Before it has anything to put in order, the signal may simply end it.
    t.ok(code === 0 || (moment === 'at once' && signal === 'SIGTERM'), `${moment}: ${code ?? signal}`)
    t.equal(err, '')
    seen.add(code)
  }
  t.ok(seen.has(0))
  await finish(t, dir, [])
})

const plain = (t: Test, { code, out, err }: Ended, expected: number, message: RegExp): void => {
  t.equal(code, expected, err)
  t.match(err, message)
  t.notMatch(err, /^\s+at /m, 'no stack')
  t.notMatch(out, 'listening')
}

t.test('a second gateway on the data directory refuses, and the first one does not notice', async (t) => {
  const dir = dataDir(t, { routes: { work: {} } })
  const first = await startGateway(t, dir)
  plain(t, await spawnGateway(t, dir).ended, 6, /^error: another process has .*headgate\.db open\n.*stop that process/)
  t.equal((await first.post('work', 'a')).status, 202)
})

t.test('a port that is taken is said in a sentence', async (t) => {
  const first = await startGateway(t, dataDir(t, { routes: {} }))
  const { port } = new URL(await first.listening)
  // Below the first one's: a test has one folder.
  const dir = join(first.dir, 'second')
  mkdirSync(dir)
  copyFileSync(join(first.dir, 'config.yaml'), join(dir, 'config.yaml'))
  plain(
    t,
    await spawnGateway(t, dir, { args: ['--port', port] }).ended,
    1,
    /^error: cannot listen on 127\.0\.0\.1:.*EADDRINUSE.*\n.*--port/,
  )
  t.equal((await first.health()).status, 200)
  await finish(t, dir, [])
})

t.test('a damaged database is refused untouched, and the way out that is printed works', async (t) => {
  const garbage = 'not a database '.repeat(1000)
  const dir = dataDir(t, { routes: { work: {} }, agent: patientAgent })
  execFileSync('mkdir', [join(dir, 'state')])
  const file = join(dir, 'state', 'headgate.db')
  execFileSync('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', garbage, file])
  const end = await spawnGateway(t, dir).ended
  plain(t, end, 6, /^error: .*headgate\.db cannot be read: .*not a database\n {2}restore it from a backup, or start empty: for f in /)
  t.equal(readFileSync(file, 'utf8'), garbage)
  execFileSync('sh', ['-c', /start empty: (.*)/.exec(end.err)?.[1] ?? 'false'])
  await finish(t, dir, [])
  t.equal(readFileSync(`${file}.damaged`, 'utf8'), garbage)
})

const config = (route: object, extra: object = { secret: 's' }): string =>
  stringify({ platforms: { webhook: { enabled: true, extra: { port: 0, ...extra, routes: { r: route } } } } })

t.test('a configuration that must not be served: 78, the place, the way out, nothing opened', async (t) => {
  const cases: [title: string, config: string, message: RegExp][] = [
    ['no secret', config({ prompt: 'p' }, {}), /^error\[WH201\] .*"r" cannot verify anybody.* .*config\.yaml:\d+:\d+$/m],
    ['deliver_only to log', config({ deliver_only: true, deliver: 'log' }), /^error\[WH202\] .* .*config\.yaml:9:\d+$/m],
    ['deliver_only to nowhere', config({ deliver_only: true }), /^error\[WH202\] .* .*config\.yaml:9:\d+$/m],
    [
      'cron_job and deliver_only',
      config({ deliver_only: true, deliver: 'http', cron_job: 'j' }),
      /^error\[WH203\] .*config\.yaml:\d+:\d+$/m,
    ],
    ['coalesce and deliver_only', config({ deliver_only: true, coalesce: { key: 'k' } }), /^error\[WH204\] .*config\.yaml:\d+:\d+$/m],
    ['coalesce and cron_job', config({ cron_job: 'j', coalesce: { key: 'k' } }), /^error\[WH204\] .*config\.yaml:\d+:\d+$/m],
    ['INSECURE_NO_AUTH in the open', config({ secret: 'INSECURE_NO_AUTH' }, { host: '0.0.0.0' }), /^error\[WH205\] .*config\.yaml:9:\d+$/m],
    ['an unknown key', config({ promt: 'p' }), /^error\[WH101\] .*"?promt"?.*config\.yaml:9:\d+$[\s\S]*did you mean "?prompt/m],
    ['not YAML', 'platforms: [', /^error\[WH001\] .*config\.yaml:\d+:\d+$/m],
  ]
  for (const [title, text, message] of cases) {
    await t.test(title, async (t) => {
      const dir = newFolder(t, { 'config.yaml': text })
      plain(t, await spawnGateway(t, dir).ended, 78, message)
      t.notOk(existsSync(join(dir, 'state')))
    })
  }
})

t.test('an adapter that is not enabled says how to enable it', async (t) => {
  for (const text of ['', 'platforms: { webhook: { enabled: false } }']) {
    const dir = newFolder(t, { 'config.yaml': text })
    plain(t, await spawnGateway(t, dir).ended, 7, /not enabled[\s\S]*gateway setup[\s\S]*WEBHOOK_ENABLED=true/)
  }
})

t.test('WEBHOOK_ENABLED, WEBHOOK_PORT and WEBHOOK_SECRET: the environment over .env over the file', async (t) => {
  const [filePort, envPort] = [await freePort(), await freePort()]
  const dir = newFolder(t, {
    'config.yaml': stringify({
      platforms: { webhook: { enabled: false, extra: { port: 1, secret: 'of the file', routes: { work: {} } } } },
    }),
    '.env': `WEBHOOK_ENABLED=true\nWEBHOOK_PORT=${filePort}\nWEBHOOK_SECRET=of-dot-env\n`,
  })
  const check = async (expected: string, key: string, env: { [name: string]: string }): Promise<void> => {
    const gateway = await startGateway(t, dir, { env })
    t.equal(await gateway.listening, `http://127.0.0.1:${expected}`)
    t.equal((await gateway.post('work', `with ${key}`, { key })).status, 202)
    t.equal((await gateway.post('work', 'other', { key: 'of the file' })).status, 401)
    gateway.kill('SIGTERM')
    t.match(await gateway.ended, { code: 0, err: '' })
  }
  await check(filePort, 'of-dot-env', {})
  await check(envPort, 'of the environment', { WEBHOOK_PORT: envPort, WEBHOOK_SECRET: 'of the environment' })
  plain(t, await spawnGateway(t, dir, { env: { WEBHOOK_ENABLED: 'false' } }).ended, 7, /not enabled/)
  plain(t, await spawnGateway(t, dir, { env: { WEBHOOK_PORT: 'x' } }).ended, 78, /WEBHOOK_PORT must be a port/)
})

t.test('--help tells the options', async (t) => {
  const { code, out, err } = await spawnGateway(t, newFolder(t), { args: ['--help'] }).ended
  t.match({ code, err }, { code: 0, err: '' })
  for (const option of ['--host', '--port', '--config', '--log-level', '--log-format']) t.match(out, option)
})

t.test('a delivery that nobody answers is broken off with the drain time, and goes out again under the same id', async (t) => {
  const hanging = await sink(t, () => undefined)
  const route = { prompt: 'p', deliver: 'http', deliver_extra: { url: `${hanging.origin}/x` } }
  const dir = dataDir(t, { routes: { work: route }, config: { gateway: { drain_seconds: 0.3 } } })
  const gateway = await startGateway(t, dir)
  t.equal((await gateway.post('work', 'one')).status, 202)
  await until(() => hanging.seen.length === 1)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, signal: null })
  t.notOk(gateway.lines.some(({ msg }) => msg === 'run is dead'))
  const next = await startGateway(t, dir)
  await until(() => hanging.seen.length === 2)
  t.equal(hanging.seen[1]?.headers['webhook-id'], hanging.seen[0]?.headers['webhook-id'])
  next.kill()
})

/** A file of the built program, and what it imports at once. */
const withImports = (dist: string, file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, next] of readFileSync(join(dist, file), 'utf8').matchAll(/\b(?:import|from) ?"\.\/([\w.-]+)";/g))
    withImports(dist, next as string, seen)
  return seen
}

t.test('the files of the program may be replaced while it runs: what its first requests need is loaded in a quiet second', async (t) => {
  const dir = dataDir(t, { routes: { work: { prompt: 'p' } }, agent: 'echo done' })
  const folder = join(dir, 'program')
  const dist = join(folder, 'dist')
  cpSync(join(root, 'dist'), dist, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const host = readdirSync(dist).find((file) => /^fastify-[\w-]+\.js$/.test(file)) ?? 'none'
  const needed = [...withImports(dist, host)].map((file) => join(dist, file))
  // Whoever reads a file whose last access is so old changes that time.
  for (const file of needed) utimesSync(file, 1, 1)
  const gateway = await startGateway(t, dir, { program: join(dist, 'main.js') })
  await until(() => needed.every((file) => statSync(file).atimeMs > 1_000))
  rmSync(dist, { recursive: true })
  t.match(await gateway.health(), { status: 200, json: { status: 'ok' } })
  t.equal((await gateway.post('work', 'a')).status, 202)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
})
