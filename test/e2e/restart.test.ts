/** Restarts that refuse no webhook: on a socket that another process holds, and by taking the running gateway's socket over. */

import { createHmac } from 'node:crypto'
import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { works } from '../fakes/process.ts'
import { dataDir, linesIn, type ProcessGateway, type StartOptions, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { closedOrigin } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Few, for each takes a second. `RESTARTS=20 TAP_TIMEOUT=300` for a long look. */
const restarts = Number(process.env.RESTARTS ?? 4)

type Held = { readonly fd: number; readonly port: number; close(): void }
type TcpBinding = {
  readonly constants: { readonly SERVER: number }
  readonly TCP: new (kind: number) => Held & { bind(host: string, port: number): number; getsockname(into: object): number }
}

/** A bound socket that nobody accepts from here, as systemd holds it. A server of Node would accept. */
const holdSocket = (t: Test, host = '127.0.0.1'): Held => {
  const { TCP, constants } = (process as unknown as { binding(name: string): TcpBinding }).binding('tcp_wrap')
  const socket = new TCP(constants.SERVER)
  const address = { port: 0 }
  if (socket.bind(host, 0) !== 0 || socket.getsockname(address) !== 0) throw new Error('no socket')
  t.teardown(() => socket.close())
  return Object.assign(socket, { port: address.port })
}

/** What systemd sets for the process that it starts, which the shell becomes. */
const passed = (fd: number) => ({ file3: fd, before: 'export LISTEN_PID=$$ LISTEN_FDS=1' })

type Load = { readonly ids: readonly string[]; readonly failures: readonly string[]; stop(): Promise<void> }

/** Eight senders that post all the time, half of them on kept connections. */
const postAllTheTime = (port: number): Load => {
  const ids: string[] = []
  const failures: string[] = []
  let isOver = false
  const post = (agent: Agent | false, id: string): Promise<void> =>
    new Promise((resolve) => {
      const fail = (why: string): void => {
        failures.push(`${id}: ${why}`)
        resolve()
      }
      const signature = `sha256=${createHmac('sha256', 'It is a secret to everybody').update('{}').digest('hex')}`
      const headers = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': signature }
      const sent = request({ host: '127.0.0.1', port, path: '/webhooks/work', method: 'POST', headers, agent })
      sent.on('error', ({ message }) => fail(message))
      sent.on('response', (response) => {
        response.resume().on('end', () => (response.statusCode === 202 ? resolve() : fail(`status ${response.statusCode}`)))
      })
      sent.end('{}')
    })
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    const agent = sender % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
    for (let count = 0; !isOver; count++) {
      const id = `${sender}-${count}`
      ids.push(id)
      await post(agent, id)
      await new Promise((then) => setTimeout(then, 4))
    }
    if (agent) agent.destroy()
  })
  return {
    ids,
    failures,
    async stop() {
      isOver = true
      await Promise.all(senders)
    },
  }
}

const routes = { work: { prompt: 'p', deliver: 'log' } }

/** Every event that was posted was delivered once, by one of these gateways. */
const deliveredOnce = async (t: Test, { ids, failures }: Load, gateways: readonly ProcessGateway[]): Promise<void> => {
  const delivered = (): string[] =>
    gateways.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'delivered').map((line) => String(line.delivery_id)))
  await until(() => new Set(delivered()).size >= ids.length - failures.length, 20_000).catch(() => undefined)
  t.strictSame(failures, [], 'no post was refused or reset')
  t.strictSame(delivered().sort(), [...ids].sort(), 'each event was delivered, and none twice')
  t.comment(`${ids.length} events over ${gateways.length} gateways`)
}

t.test('a socket that another process holds: a restart under load refuses, loses and doubles nothing', async (t) => {
  const { fd, port } = holdSocket(t)
  const dir = dataDir(t, { routes })
  let gateway = await startGateway(t, dir, passed(fd))
  t.equal(await gateway.listening, `http://127.0.0.1:${port}`)
  const gateways = [gateway]
  const load = postAllTheTime(port)
  for (let restart = 0; restart < restarts; restart++) {
    const posted = load.ids.length
    await until(() => load.ids.length > posted + 20)
    gateway.kill('SIGTERM')
    t.match(await gateway.ended, { code: 0, err: '' })
    gateway = await startGateway(t, dir, passed(fd))
    gateways.push(gateway)
  }
  await load.stop()
  await deliveredOnce(t, load, gateways)
})

t.test('--takeover: the next gateway takes the place of the running one under load, and nothing is refused, lost or doubled', async (t) => {
  const dir = dataDir(t, { routes })
  const first = await startGateway(t, dir)
  const url = await first.listening
  const gateways = [first]
  const load = postAllTheTime(Number(new URL(url).port))
  for (let takeover = 0; takeover < restarts; takeover++) {
    const posted = load.ids.length
    await until(() => load.ids.length > posted + 20)
    const next = await startGateway(t, dir, { args: ['--takeover'] })
    t.equal(await next.listening, url)
    t.match(await gateways.at(-1)?.ended, { code: 0, err: '' })
    gateways.push(next)
  }
  await load.stop()
  await deliveredOnce(t, load, gateways)
})

/** An agent that says that it began, and ends when a file `go` is there. */
const patientAgent = `echo "$HEADGATE_DELIVERY_ID" >> "$dir/began"
while [ ! -e "$dir/go" ] && [ -d "$dir" ]; do sleep 0.02; done
echo "$HEADGATE_DELIVERY_ID" >> "$dir/finished"; echo done`

t.test(
  'on a socket that another process holds, a stop accepts events until its run has ended, and the next gateway works on them',
  async (t) => {
    const { fd } = holdSocket(t)
    const coalesce = { key: 'all', window_seconds: 1 }
    const dir = dataDir(t, { routes: { work: { prompt: 'p' }, burst: { prompt: 'b', coalesce } }, agent: patientAgent })
    const first = await startGateway(t, dir, passed(fd))
    t.equal((await first.post('work', 'first')).status, 202)
    await until(() => linesIn(dir, 'began').length === 1)
    first.kill('SIGTERM')
    await first.line(({ msg }) => msg === 'stopping')
    t.match(await first.post('work', 'second'), { status: 202, headers: { connection: 'close' } })
    t.equal((await first.post('burst', 'third')).status, 202)
    writeFileSync(join(dir, 'go'), '')
    t.match(await first.ended, { code: 0, err: '' })
    t.strictSame(linesIn(dir, 'began'), ['first'])
    const next = await startGateway(t, dir, passed(fd))
    for (const id of ['second', 'third']) await next.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === id)
    t.strictSame(linesIn(dir, 'finished').sort(), ['first', 'second', 'third'])
  },
)

t.test('systemd-socket-activate starts it at the first post, and a unit of Type=notify hears of it', async (t) => {
  if (!works('systemd-socket-activate', '--version')) return t.comment('no systemd-socket-activate (Debian: systemd)')
  const dir = dataDir(t, { routes, files: { 'systemd-notify': '#!/bin/sh\necho "$NOTIFY_SOCKET $*" > "${0%/*}/notified"\n' } })
  chmodSync(join(dir, 'systemd-notify'), 0o755)
  const origin = await closedOrigin()
  const options = `-l ${new URL(origin).host} -E NOTIFY_SOCKET=/run/n -E PATH="${dir}:$PATH"`
  const gateway = spawnGateway(t, dir, { before: `set -- systemd-socket-activate ${options} "$@"` })
  t.match(await until(() => fetch(`${origin}/health`).catch(() => undefined)), { status: 200 })
  t.equal(await gateway.listening, origin)
  await until(() => linesIn(dir, 'notified').length > 0)
  t.strictSame(linesIn(dir, 'notified'), [`/run/n --ready --status=listening on ${origin}`])
})

t.test("what the gateway cannot listen on is refused with what to do, and another process's socket is left alone", async (t) => {
  const { fd, port } = holdSocket(t, '0.0.0.0')
  const dir = dataDir(t, { routes: { work: { prompt: 'p', secret: 'INSECURE_NO_AUTH' } } })
  const file = openSync(join(dir, 'config.yaml'), 'r')
  t.teardown(() => closeSync(file))
  const cases: [options: StartOptions, end: object][] = [
    [
      { ...passed(fd), before: 'export LISTEN_PID=$$ LISTEN_FDS=2' },
      { code: 1, err: /systemd passes 2 sockets[\s\S]*one ListenStream=/ },
    ],
    [passed(file), { code: 1, err: /file 3 is not a socket/ }],
    [
      { ...passed(fd), args: ['--port', '9'] },
      { code: 2, err: new RegExp(`--port cannot be obeyed: .*0\\.0\\.0\\.0:${port}`) },
    ],
    [
      { ...passed(fd), args: ['--takeover'] },
      { code: 2, err: /--takeover has no effect: systemd passes the socket/ },
    ],
    [passed(fd), { code: 78, err: /WH205/ }],
  ]
  const ends = await Promise.all(cases.map(([options]) => spawnGateway(t, dir, options).ended))
  for (const [i, [, end]] of cases.entries()) t.match(ends[i], end)
  const other = await startGateway(t, dir, { file3: fd, before: 'export LISTEN_PID=1 LISTEN_FDS=1' })
  t.not(new URL(await other.listening).port, String(port), 'a socket for another process')
})

t.test('--takeover: what goes wrong before the socket is handed over leaves the running gateway as it is', async (t) => {
  const dir = dataDir(t, { routes, config: { storage: { kind: 'memory' } } })
  const running = await startGateway(t, dir, { args: ['--takeover'] })
  t.equal((await running.post('work', 'a')).status, 202, 'where none runs, it starts by itself')
  writeFileSync(join(dir, 'bad.yaml'), 'platforms: 1\n')
  const cases: [options: StartOptions, end: object][] = [
    [{ args: ['--takeover'] }, { code: 1, err: /keeps its socket: storage\.kind: memory keeps nothing/ }],
    [
      { args: ['--takeover'], env: { HEADGATE_PLAIN: 'socket' } },
      { code: 1, err: /cannot take a socket over[\s\S]*docs\/systemd\.md/ },
    ],
    [{ args: ['--takeover', '--config', join(dir, 'bad.yaml')] }, { code: 78 }],
    [{ args: ['--takeover', '--port', '9'] }, { code: 2, err: /--port cannot be obeyed/ }],
  ]
  const ends = await Promise.all(cases.map(([options]) => spawnGateway(t, dir, options).ended))
  for (const [i, [, end]] of cases.entries()) t.match(ends[i], end)
  t.equal((await running.post('work', 'b')).status, 202)
})
