/** Metrics over a real socket: what is counted, what bounds the series, who may read them, and what real Prometheus says of them. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { startGateway, type TestGateway } from '../fakes/gateway.ts'
import { metricsIn, otlpReceiver } from '../fakes/otlp-receiver.ts'
import { until } from '../fakes/wait.ts'

const scrapeUrl = async (gateway: TestGateway): Promise<string> => String((await gateway.line(({ msg }) => msg === 'metrics')).url)

type Scrape = { readonly text: string; readonly series: ReadonlyMap<string, number> }

/** Scrapes the metrics, and parses their lines. */
const scrape = async (url: string, headers: { readonly [name: string]: string } = {}): Promise<Scrape> => {
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return {
    text,
    series: new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))])),
  }
}

/** The value of a series: 0 where there is none. */
const seriesValue = ({ series }: Scrape, name: string): number => series.get(name) ?? 0

const programOf = (name: string): string | undefined => {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
const promtool = programOf('promtool')
const prometheus = programOf('prometheus')
const withoutPrometheus = promtool === undefined ? 'prometheus is not installed' : false

/** A server that takes texts, but none at `/broken`. */
const startSink = async (t: Test): Promise<{ readonly url: string }> => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url === '/broken' ? 400 : 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

const checkProbes = async (t: Test, gateway: TestGateway, url: string): Promise<void> => {
  const probe = async (path: string) => {
    const response = await fetch(new URL(path, url))
    return [response.status, await response.json()]
  }
  t.strictSame(await probe('/livez'), [200, { status: 'live' }])
  t.strictSame(await probe('/readyz'), [200, { status: 'ready' }])
  t.equal((await fetch(`${gateway.url}/livez`)).status, 200)
  t.equal((await fetch(`${gateway.url}/metrics`)).status, 404, 'senders cannot read the metrics')
}

const freePort = async (): Promise<number> => {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

type PushedPoint = {
  readonly asDouble?: number
  readonly count?: number
  readonly bucketCounts?: readonly number[]
  readonly attributes: readonly unknown[]
}
type PushedMetric = {
  readonly name: string
  readonly sum?: { readonly dataPoints: readonly PushedPoint[] }
  readonly histogram?: { readonly dataPoints: readonly PushedPoint[] }
}
type PushedMetrics = {
  readonly resourceMetrics: readonly {
    readonly resource: unknown
    readonly scopeMetrics: readonly { readonly metrics: readonly PushedMetric[] }[]
  }[]
}

const checkPushed = (t: Test, { resourceMetrics: [first] }: PushedMetrics): void => {
  const metrics = new Map(first?.scopeMetrics[0]?.metrics.map((metric) => [metric.name, metric]))
  t.match(JSON.stringify(first?.resource), /"service.name".*headgate/)
  const [requests] = metrics.get('headgate_requests_total')?.sum?.dataPoints ?? []
  t.equal(requests?.asDouble, 1)
  t.match(JSON.stringify(requests?.attributes), /"route".*"a".*"outcome".*"accepted"/)
  const [waits] = metrics.get('headgate_run_wait_seconds')?.histogram?.dataPoints ?? []
  t.equal(Number(waits?.count), 1)
  t.equal(
    waits?.bucketCounts?.reduce((sum, n) => sum + Number(n), 0),
    1,
    'each value is in one bucket',
  )
}

const metrics = { enabled: true, port: 0 }

t.test('requests, runs and deliveries are counted by route, and the totals of the store are told', async (t) => {
  const sink = await startSink(t)
  const gateway = await startGateway(t, {
    routes: {
      agent: { prompt: 'text {a}', filters: [{ field: 'kind', not_equals: 'skip' }] },
      direct: { prompt: 'x', deliver_only: true, deliver: 'http', deliver_extra: { url: sink.url } },
      group: {
        prompt: 'x',
        coalesce: { key: '{a}', window_seconds: 600, max_wait_seconds: 600 },
        cancel_on: { filters: { field: 'kind', equals: 'end' }, key: '{a}' },
      },
      broken: { prompt: 'x', deliver: 'http', deliver_extra: { url: `${sink.url}/broken` }, retry: { max_attempts: 1 } },
    },
    config: { metrics },
  })
  const url = await scrapeUrl(gateway)
  await gateway.post('agent', { body: { a: 1 }, headers: { 'x-github-delivery': '1' } })
  await gateway.post('agent', { body: { a: 1 }, headers: { 'x-github-delivery': '1' } })
  await gateway.post('agent', { body: { kind: 'skip' } })
  await gateway.post('agent', { body: {}, sign: false })
  await gateway.post('nobody', { body: {} })
  await gateway.post('direct', { body: {} })
  await gateway.post('group', { body: { a: 2 } })
  await gateway.post('group', { body: { a: 2, kind: 'end' } })
  await gateway.post('group', { body: { a: 1 } })
  await gateway.post('broken', { body: {} })
  await until(async () => seriesValue(await scrape(url), 'headgate_dead_runs') === 1)
  const seen = await scrape(url)
  const counted = (outcome: string, route = 'agent'): number =>
    [...seen.series]
      .filter(([name]) => name.startsWith(`headgate_requests_total{route="${route}",outcome="${outcome}",`))
      .reduce((sum, [, n]) => sum + n, 0)
  t.equal(counted('accepted'), 1)
  t.equal(counted('duplicate'), 1)
  t.equal(counted('ignored'), 1)
  t.equal(counted('bad_signature'), 1)
  t.equal(counted('unknown_route', '_unknown'), 1)
  t.equal(counted('delivered', 'direct'), 1)
  t.equal(counted('coalesced', 'group'), 2)
  t.equal(counted('closing', 'group'), 1)
  const expected = {
    'headgate_run_attempts_total{route="agent",result="done"}': 1,
    'headgate_run_attempts_total{route="broken",result="dead"}': 1,
    'headgate_run_attempts_total{route="group",result="cancelled"}': 1,
    'headgate_deliveries_total{target="http",result="ok"}': 1,
    'headgate_deliveries_total{target="http",result="failed"}': 1,
    'headgate_run_wait_seconds_count{route="agent"}': 1,
    headgate_groups_waiting: 1,
    headgate_dead_runs: 1,
    headgate_runs_waiting: 0,
    headgate_ready: 1,
    headgate_config_routes: 4,
  }
  for (const [name, value] of Object.entries(expected)) t.equal(seriesValue(seen, name), value, name)
  t.ok(seriesValue(seen, 'headgate_request_body_bytes_total{route="agent"}') > 0)
  t.ok(seriesValue(seen, 'headgate_route_last_accepted_timestamp_seconds{route="agent"}') > 1_700_000_000)
  t.notMatch(seen.text, /text 1|127\.0\.0\.1:\d+\/broken/, 'no prompt and no address stands in the metrics')
  await checkProbes(t, gateway, url)
})

t.test('made-up paths, types, headers and addresses add no series; a metric has 1,000 series at most', async (t) => {
  const routes = Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`route-${i}`, { prompt: 'x' }]))
  const gateway = await startGateway(t, { routes, config: { metrics } })
  const url = await scrapeUrl(gateway)
  const hostile = async (round: number): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await gateway.post(`made-up-${round}-${i}`, {
        body: {},
        headers: { 'x-github-event': `e${round}-${i}`, 'user-agent': `${round}-${i}` },
      })
      await gateway.post('route-1', { body: {}, sign: false, headers: { 'x-github-event': `e${round}-${i}`, [`x-${round}-${i}`]: 'x' } })
      await gateway.post('route-1', { body: { action: `a${round}-${i}` }, headers: { 'x-github-event': `e${round}-${i}` } })
    }
  }
  const namesIn = ({ series }: Scrape): string[] => [...series.keys()].filter((name) => name.startsWith('headgate_'))
  await hostile(0)
  await until(async () => seriesValue(await scrape(url), 'headgate_run_attempts_total{route="route-1",result="done"}') === 60)
  const before = await scrape(url)
  await hostile(1)
  await until(async () => seriesValue(await scrape(url), 'headgate_run_attempts_total{route="route-1",result="done"}') === 120)
  t.strictSame(namesIn(await scrape(url)), namesIn(before))

  // A busy machine does not answer 1,100 posts before the connections of the first are closed as idle.
  const names = Object.keys(routes)
  for (let at = 0; at < names.length; at += 50) {
    await Promise.all(names.slice(at, at + 50).map((name) => gateway.post(name, { body: {} })))
  }
  const full = await scrape(url)
  const routeLabels = namesIn(full).filter((name) => name.startsWith('headgate_request_body_bytes_total{'))
  t.equal(routeLabels.length, 1_001, 'a thousand, and the series of all others')
  t.equal(seriesValue(full, 'headgate_request_body_bytes_total{route="other"}'), 2 * 100, 'two bytes of each further request')
  await gateway.line(({ msg, metric }) => msg.startsWith('a metric has 1000 series') && metric === 'headgate_request_body_bytes_total')
  t.equal(gateway.lines.filter(({ metric }) => metric === 'headgate_request_body_bytes_total').length, 1, 'the log says so once')
})

t.test('a token is asked for on each path; many idle sockets keep no sender waiting', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { metrics: { ...metrics, token: 't0ken' } } })
  const url = await scrapeUrl(gateway)
  for (const headers of [{}, { authorization: 'Bearer t0ke' }, { authorization: 'Basic t0ken' }] as const)
    for (const path of ['/metrics', '/readyz', '/livez', '/other']) t.equal((await fetch(new URL(path, url), { headers })).status, 401)
  const authorization = 'Bearer t0ken'
  t.equal(seriesValue(await scrape(url, { authorization }), 'headgate_ready'), 1)
  const { hostname, port } = new URL(url)
  const idle = Array.from({ length: 1_000 }, () => connect(Number(port), hostname).on('error', () => {}))
  await Promise.all(idle.slice(0, 64).map((socket) => once(socket, 'connect')))
  t.equal((await gateway.post('a', { body: {} })).status, 202, 'senders are served meanwhile')
  for (const socket of idle) socket.destroy()
  await until(async () => (await scrape(url, { authorization }).catch(() => undefined)) !== undefined)
})

t.test('promtool finds nothing to say, in both formats a scrape is whole', { skip: withoutPrometheus }, async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { metrics } })
  const url = await scrapeUrl(gateway)
  await gateway.post('a', { body: {} })
  const { text } = await scrape(url)
  const own = text.split('\n').filter((line) => /^(?:# \w+ )?headgate_/.test(line))
  t.equal(execFileSync(promtool as string, ['check', 'metrics'], { input: `${own.join('\n')}\n`, encoding: 'utf8' }), '')
  const open = await scrape(url, { accept: 'application/openmetrics-text; version=1.0.0' })
  for (const [accept, isOpen] of [
    ['application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', true],
    ['text/plain;q=0.9, Application/OpenMetrics-Text; Q=0.1', false],
    ['application/openmetrics-text;q=0', false],
    ['application/openmetrics-text-2', false],
  ] as const)
    t.equal((await scrape(url, { accept })).text.endsWith('# EOF\n'), isOpen, accept)
  t.match(open.text, /# TYPE headgate_requests counter\n[\s\S]*headgate_requests_total\{[\s\S]*# EOF\n$/)
  const namesIn = (page: string): readonly string[] => page.match(/^# TYPE .*$/gm) ?? []
  t.same(namesIn((await scrape(url)).text), namesIn(text), 'a page in the first format has its names after one in the other')
  t.ok(namesIn(text).includes('# TYPE process_cpu_seconds_total counter'))
  const folder = 'examples/observability'
  for (const args of [
    ['check', 'rules', 'rules.yml'],
    ['test', 'rules', 'rules.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ])
    execFileSync(promtool as string, args, { cwd: folder, stdio: 'pipe' })
})

t.test('real Prometheus scrapes a gateway under load', { skip: withoutPrometheus }, async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { metrics } })
  const { host } = new URL(await scrapeUrl(gateway))
  const dir = newFolder(t)
  const config = readFileSync('examples/observability/prometheus.yml', 'utf8')
  writeFileSync(
    join(dir, 'prometheus.yml'),
    config.replace('127.0.0.1:9464', host).replace('15s', '200ms').replace('rule_files: [rules.yml]\n', ''),
  )
  const port = await freePort()
  const server = spawn(
    prometheus as string,
    [
      `--config.file=${dir}/prometheus.yml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  t.teardown(async () => {
    if (server.exitCode === null) {
      server.kill()
      await once(server, 'exit')
    }
  })
  let isOver = false
  const load = (async () => {
    while (!isOver) await gateway.post('a', { body: {} })
  })()
  const query = async (expr: string): Promise<number | undefined> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`).catch(() => undefined)
    const { data } = response?.ok
      ? ((await response.json()) as { data: { result: { value: [number, string] }[] } })
      : { data: { result: [] } }
    const value = data.result[0]?.value[1]
    return value === undefined ? undefined : Number(value)
  }
  await until(async () => ((await query('sum(headgate_requests_total{outcome="accepted"})')) ?? 0) > 20, 30_000)
  t.equal(await query('up{job="headgate"}'), 1)
  await until(async () => ((await query('sum(rate(headgate_requests_total[5s]))')) ?? 0) > 0, 30_000)
  isOver = true
  await load
})

t.test('metrics are pushed by OTLP in both forms, also at the stop; a receiver that fails is said once', async (t) => {
  for (const protocol of ['http/json', 'http/protobuf']) {
    const receiver = await otlpReceiver(t)
    const telemetry = { otlp: { endpoint: receiver.endpoint, protocol, headers: { 'x-key': 'push-secret' } } }
    const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { telemetry } })
    await gateway.post('a', { body: {} })
    await gateway.stop()
    const pushed = receiver.posts.find(({ url }) => url === '/v1/metrics')
    t.ok(pushed, 'the last push is made at the stop')
    t.equal(pushed?.headers['x-key'], 'push-secret')
    if (!pushed) continue
    checkPushed(t, (protocol === 'http/protobuf' ? metricsIn(pushed) : JSON.parse(pushed.body.toString())) as PushedMetrics)
  }
  const receiver = await otlpReceiver(t)
  receiver.answer = (response) => void response.writeHead(500).end('no')
  const clock = fakeClock()
  const gateway = await startGateway(t, {
    clock,
    routes: { a: { prompt: 'x' } },
    config: { telemetry: { otlp: { endpoint: receiver.endpoint } } },
  })
  const isWarning = ({ msg }: { readonly msg: string }): boolean => msg.startsWith('the receiver of metrics does not')
  await until(() => {
    clock.advance(10_000)
    return receiver.posts.filter(({ url }) => url === '/v1/metrics').length >= 3
  })
  await gateway.line(isWarning)
  t.equal(gateway.lines.filter(isWarning).length, 1)
})

t.test('what is refused before it is read is counted', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { metrics } })
  const url = await scrapeUrl(gateway)
  const write = async (text: string): Promise<void> => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.resume().end(text)
    await once(socket, 'close')
  }
  await write('no HTTP at all\r\n\r\n')
  await write('POST /webhooks/a HTTP/1.1\r\n\r\n')
  await write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`)
  await write('POST /webhooks/a HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 0\r\n\r\n')
  await write('POST /webhooks/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab')
  const seen = await scrape(url)
  const unread = (status: number): number => seriesValue(seen, `headgate_requests_unread_total{status="${status}"}`)
  t.same([400, 408, 417, 431].map(unread), [3, 0, 1, 1])
  t.equal(seriesValue(seen, 'headgate_connections_refused_total'), 0)
  const port = Number(new URL(gateway.url).port)
  const many: Socket[] = []
  // More at once find no room in the system's queue, and the system tries them again only after seconds.
  while (many.length < 2_050) {
    const some = Array.from({ length: 205 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    many.push(...some)
  }
  await until(async () => seriesValue(await scrape(url), 'headgate_connections_refused_total') === 2)
  for (const socket of many) socket.destroy()
})

t.test('the metrics are served until the listener for senders is closed', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } }, config: { metrics } })
  const listens = (url: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  const page = await scrapeUrl(gateway)
  // A sender that keeps its connection open makes the close of the listener wait for it.
  const sender = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  await once(sender, 'connect')
  let isStopped = false
  const stopped = gateway.stop().finally(() => {
    isStopped = true
  })
  while (!isStopped) {
    const metricsBefore = await listens(page)
    if (!metricsBefore) t.notOk(await listens(gateway.url), 'no sender is served any more')
    if (!metricsBefore) break
  }
  sender.destroy()
  await stopped
  t.notOk(await listens(page))
})

t.test('off, nothing of it is loaded, and other machines are warned of', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: 'x' } } })
  await gateway.post('a', { body: {} })
  t.notOk(gateway.lines.some(({ msg }) => msg === 'metrics'))
})
