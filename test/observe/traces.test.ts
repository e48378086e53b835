/** Traces, as a receiver of OTLP gets them: one tree for each event, links, sampling, and receivers that do not work. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { broughtTraceparent, contextOf as contextIn, createEventTraces, parseTraceparent } from '../../src/core/telemetry/trace-context.ts'
import { SpanQueue } from '../../src/observe/traces/span-queue.ts'
import { fakeClock, steppedClock } from '../fakes/clock.ts'
import { startGateway } from '../fakes/gateway.ts'
import { fakeModel } from '../fakes/model.ts'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../fakes/otlp-receiver.ts'
import { command, dataDir, linesIn, startGateway as startProcess } from '../fakes/process-gateway.ts'
import { closedOrigin, json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const [strangerTrace, strangerSpan] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
const strangers = `00-${strangerTrace}-${strangerSpan}-01`

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan[] => spans.filter((span) => span.name === name)
const one = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const [span, ...others] = named(spans, name)
  if (!span || others.length > 0)
    throw new Error(`${others.length + (span ? 1 : 0)} spans "${name}" among ${spans.map((each) => each.name)}`)
  return span
}
const contextOf = ({ traceId, spanId }: ReceivedSpan): string => `00-${traceId}-${spanId}-01`

/** The settings of a gateway whose traces go to the receiver. */
const telemetry = ({ endpoint }: Pick<OtlpReceiver, 'endpoint'>, ratio: number, more: object = {}, otlp: object = {}) => ({
  telemetry: { otlp: { endpoint, ...otlp }, traces: { ratio }, ...more },
})

const secret = 'canary-secret-5d1c'
const words = { payload: 'canary-payload-9a', reply: 'canary-reply-4c', query: 'canary-query-77' }

for (const content of [false, true])
  t.test(`one tree for a POST and its attempts, with a kill -9 between them (content: ${content})`, async (t) => {
    const receiver = await otlpReceiver(t)
    const target = await sink(t, (response) => json(response, 200, {}))
    const dir = dataDir(t, {
      routes: {
        work: {
          script: 'pass.sh',
          prompt: '{note}',
          deliver: 'http',
          deliver_extra: { url: `${target.origin}/in?q=${words.query}`, headers: { 'X-Key': secret } },
          retry: { max_attempts: 20, backoff: 2, max_delay_seconds: 2 },
        },
      },
      agent: `echo "$TRACEPARENT" >> "$dir/asked"; test -e "$dir/works" || { echo "lost ${words.payload}" >&2; exit 1; }; echo ${words.reply} ${secret}`,
      config: telemetry(receiver, 1, { content }, { headers: { 'X-Token': secret } }),
      files: { scripts: { 'pass.sh': `echo "$TRACEPARENT" >> ../scripted; cat` } as unknown as string },
    })
    const first = await startProcess(t, dir)
    const answer = await first.post('work', 'd-1', { body: JSON.stringify({ note: `${words.payload} ${secret}` }) })
    t.equal(answer.status, 202)
    await receiver.until((spans) => named(spans, 'process work').length > 0 && named(spans, 'POST /webhooks/:route').length > 0)
    first.kill('SIGKILL')
    await first.ended
    const before = named(receiver.spans, 'process work').length
    writeFileSync(join(dir, 'works'), '')
    const second = await startProcess(t, dir)
    await until(() => target.seen.length > 0)
    second.kill('SIGTERM')
    t.match(await second.ended, { code: 0, err: '' })

    const { spans } = receiver
    const request = one(spans, 'POST /webhooks/:route')
    const { event_id: eventId } =
      command({ dir }, 'events', 'list', '--json').stdout.match(/"event_id": ?"(?<event_id>[^"]+)"/)?.groups ?? {}
    t.equal(request.traceId, eventId?.replaceAll('-', ''), 'the trace has the id of the event')
    t.match(command({ dir }, 'events', 'show', eventId ?? '').stdout, `trace       ${request.traceId}`)
    t.match(
      first.lines.find(({ msg }) => msg === 'run failed, it will be tried again'),
      { trace_id: request.traceId },
    )
    t.strictSame(new Set(spans.map(({ traceId }) => traceId)), new Set([request.traceId]), 'one trace')
    const attempts = named(spans, 'process work')
    const [last] = attempts.filter(({ status }) => status !== 2)
    t.ok(before > 0 && attempts.length > before, 'attempts before the kill and after')
    t.match(last?.attributes, { 'headgate.attempt.end': 'done', 'messaging.destination.name': 'work', 'headgate.event.id': eventId })
    const parents = new Map(spans.map(({ spanId, parentId }) => [spanId, parentId]))
    t.equal(request.parentId, '')
    for (const { parentId } of [...attempts, one(spans, 'script'), one(spans, 'commit')]) t.equal(parentId, request.spanId)
    t.equal(one(spans, 'send http').parentId, last?.spanId)
    t.strictSame(
      [...parents.values()].filter((id) => id !== '' && !parents.has(id)),
      [],
      'every parent was sent',
    )
    t.ok(spans.every(({ startNs, endNs }) => startNs <= endNs && startNs >= request.startNs - 1_000_000n))
    t.match(request, { kind: 2, resource: { 'service.name': 'headgate' }, scope: /^headgate https:\/\/opentelemetry\.io\/schemas\// })
    t.equal(request.attributes['http.response.status_code'], 202)
    t.ok(
      attempts.some((span) => contextOf(span) === linesIn(dir, 'asked')[0]),
      'the agent knows the place of its attempt',
    )
    t.equal(linesIn(dir, 'scripted')[0], contextOf(request))
    t.equal(target.seen[0]?.headers.traceparent, contextOf(one(spans, 'send http')))

    const sent = receiver.posts.map(({ body }) => body.toString('latin1')).join('')
    t.ok(receiver.posts.every(({ headers }) => headers['x-token'] === secret))
    t.ok(receiver.posts.some(({ url }) => url === '/v1/traces'))
    t.notMatch(sent, secret)
    t.notMatch(sent, words.query)
    if (!content) for (const word of Object.values(words)) t.notMatch(sent, word)
    if (content) {
      t.match(last?.attributes['gen_ai.input.messages'], words.payload)
      t.match(last?.attributes['gen_ai.output.messages'], words.reply)
      t.match(attempts.find(({ status }) => status === 2)?.message, words.payload)
    }
  })

/** A service that speaks MCP over HTTP, with one tool. */
const answerMcp = (response: Parameters<Parameters<typeof sink>[1]>[0], { body, method }: Seen): void => {
  const { id, method: asked } = method === 'POST' ? JSON.parse(body) : { id: undefined, method: '' }
  if (id === undefined) return void response.writeHead(202).end()
  const results: { readonly [method: string]: unknown } = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } },
    'tools/list': { tools: [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'found' }] },
  }
  json(response, 200, { jsonrpc: '2.0', id, result: results[asked] })
}

for (const level of ['info', 'debug'] as const)
  t.test(`calls of models and tools have their spans, and know their place (log level ${level})`, async (t) => {
    const receiver = await otlpReceiver(t)
    const mcp = await sink(t, answerMcp)
    const refuse = (response: Parameters<Parameters<typeof sink>[1]>[0]): void => json(response, 500, { error: { message: 'no' } })
    const model = await fakeModel(t, [refuse, { calls: [{ name: 'notes_find', input: {} }] }, { text: 'a reply', usage: [7, 3] }])
    const gateway = await startGateway(t, {
      level,
      routes: { ask: { prompt: 'p', toolsets: ['notes'], retry: { max_attempts: 2, backoff: 0.01 } } },
      config: {
        agent: { runner: 'openai', base_url: model.baseUrl, model: 'm-1', max_steps: 3 },
        toolsets: { notes: { url: `${mcp.origin}/mcp`, allow: ['find'] } },
        ...telemetry(receiver, 1, { service_name: 'hooks' }, { protocol: 'http/json' }),
      },
    })
    t.equal((await gateway.post('ask')).status, 202)
    const delivered = await gateway.line(({ msg, text }) => msg === 'delivered' && text !== undefined)
    await gateway.stop()
    const { spans, posts } = receiver
    t.equal(delivered.trace_id, spans[0]?.traceId)
    t.match(posts[0], { headers: { 'content-type': 'application/json' } })
    const [failed, attempt] = named(spans, 'process ask')
    t.match(failed, { status: 2, attributes: { 'error.type': 'no_reply' }, message: '', kind: 5 })
    t.match(attempt?.resource, { 'service.name': 'hooks' })
    const calls = named(spans, 'chat m-1')
    t.strictSame(
      calls.map(({ status, parentId }) => [status, parentId]),
      [
        [2, failed?.spanId],
        [0, attempt?.spanId],
        [0, attempt?.spanId],
      ],
    )
    t.match(calls[2]?.attributes, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
    })
    t.strictSame(
      model.seen.map(({ headers }) => headers.traceparent),
      calls.map(contextOf),
    )
    const tool = one(spans, 'execute_tool notes_find')
    t.match(tool, { parentId: attempt?.spanId, attributes: { 'headgate.toolset': 'notes', 'gen_ai.tool.name': 'notes_find' } })
    const [called] = mcp.seen.filter(({ body }) => body.includes('tools/call'))
    t.equal(called?.headers.traceparent, contextOf(tool))
    t.match(JSON.parse(called?.body ?? '{}').params, { name: 'find', _meta: { traceparent: contextOf(tool) } })
  })

t.test('links: the events of a group, the trace of a stranger, the event of a replay; a trusted caller is the parent', async (t) => {
  const receiver = await otlpReceiver(t)
  const target = await sink(t, (response) => json(response, 200, {}))
  const gateway = await startGateway(t, {
    routes: {
      merged: { prompt: 'p', coalesce: { key: 'k', window_seconds: 0.3 } },
      own: { prompt: 'p' },
      trusting: { prompt: 'p', trust_trace_context: true },
      direct: { prompt: 'p', deliver_only: true, deliver: 'http', deliver_extra: { url: target.origin } },
    },
    config: telemetry(receiver, 1),
  })
  const headers = { traceparent: strangers }
  for (let i = 0; i < 3; i++) t.equal((await gateway.post('merged', { body: { k: 'a' } })).status, 202)
  await gateway.line(({ msg, route }) => msg === 'delivered' && route === 'merged')
  await gateway.post('own', { headers })
  await gateway.post('trusting', { headers })
  await gateway.post('trusting', { headers: { traceparent: strangers.toUpperCase() } })
  await gateway.post('trusting', { headers: { traceparent: `${strangers}, ${strangers}` } })
  t.equal((await gateway.post('direct')).status, 200)
  await until(() => gateway.lines.filter(({ msg, text }) => msg === 'delivered' && text !== undefined).length === 5)
  const repeated = gateway.lines.find(({ route, event_id }) => route === 'own' && event_id !== undefined)?.event_id as string
  t.match(await gateway.operations.replay({ id: repeated }), { found: true, outcome: 'accepted' })
  await gateway.stop()
  const { spans } = receiver
  const of = (route: string, name: string): ReceivedSpan[] =>
    named(spans, name).filter(({ attributes }) => attributes['headgate.route'] === route)
  const members = of('merged', 'POST /webhooks/:route')
  const [run] = of('merged', 'process merged')
  t.equal(members.length, 3)
  t.equal(run?.traceId, members[2]?.traceId, 'the run is in the trace of the event that it is about')
  t.strictSame(
    run?.links,
    members.slice(0, 2).map(({ traceId, spanId }) => ({ traceId, spanId })),
    'and has links to the others',
  )
  t.equal(run?.attributes['messaging.batch.message_count'], 3)
  const [opener] = members
  t.strictSame(members[2]?.links, [{ traceId: opener?.traceId, spanId: opener?.spanId }])

  const [own, replayed] = of('own', 'POST /webhooks/:route')
  t.strictSame(replayed?.links, [{ traceId: own?.traceId, spanId: own?.spanId }])
  t.strictSame(own?.links, [{ traceId: strangerTrace, spanId: strangerSpan }])
  t.not(own?.traceId, strangerTrace)
  const [trusting, ...others] = of('trusting', 'POST /webhooks/:route')
  t.match(trusting, { traceId: strangerTrace, parentId: strangerSpan, links: [] })
  t.equal(of('trusting', 'process trusting')[0]?.traceId, strangerTrace, 'the run, too')
  t.ok(others.every(({ traceId, parentId, links }) => traceId !== strangerTrace && parentId === '' && links.length === 0))
  const shown = ({ attributes }: ReceivedSpan): string => command(gateway, 'events', 'show', String(attributes['headgate.event.id'])).stdout
  t.match(trusting && shown(trusting), `trace       ${strangerTrace}`, 'the record names the trace of the caller')
  t.match(own && shown(own), `trace       ${own?.traceId}`)
  const delivery = one(spans, 'send http')
  t.equal(delivery.parentId, of('direct', 'POST /webhooks/:route')[0]?.spanId)
  t.equal(target.seen[0]?.headers.traceparent, contextOf(delivery))
})

t.test('a traceparent of version 00 or a later one is read, in lower case and with ids that are not zero', async (t) => {
  t.strictSame(parseTraceparent(strangers), { traceId: strangerTrace, spanId: strangerSpan, isSampled: true })
  t.equal(parseTraceparent(`${strangers.slice(0, -2)}02`)?.isSampled, false)
  for (const later of [`01${strangers.slice(2)}`, `fe${strangers.slice(2)}-what-a-later-version-adds`, `cc${strangers.slice(2)}-`]) {
    t.strictSame(parseTraceparent(later), { traceId: strangerTrace, spanId: strangerSpan, isSampled: true }, later)
    t.equal(broughtTraceparent({ traceparent: later }), strangers, 'it is handed on as version 00')
  }
  const zero = (digits: number): string => '0'.repeat(digits)
  for (const wrong of [
    '',
    strangers.toUpperCase(),
    `01${strangers.slice(2)}.`,
    `0g${strangers.slice(2)}`,
    `01${strangers.slice(2, -1)}-a`,
    `ff${strangers.slice(2)}`,
    `${strangers}-00`,
    ` ${strangers}`,
    `00-${zero(32)}-${strangerSpan}-01`,
    `00-${strangerTrace}-${zero(16)}-01`,
    `00-${strangerTrace}-${strangerSpan}-0g`,
    strangers.slice(0, -1),
  ])
    t.equal(parseTraceparent(wrong), undefined, wrong)
})

t.test('the last 56 bits of an event id decide whether its trace is sampled', async (t) => {
  const [before, after] = ['0f3c1d2e-5a6b-4c7d-8e', '-']
  const isSampled = (ratio: number, bits: string): boolean => {
    const eventId = `${before}${bits.slice(0, 2)}${after}${bits.slice(2)}`
    const traces = createEventTraces(ratio)
    const place = contextIn(traces.placeOf({ eventId }))
    t.match(place, { traceId: eventId.replaceAll('-', ''), isSampled: traces.isSampled(eventId) })
    return place.isSampled
  }
  t.ok(isSampled(0.5, '80000000000000'))
  t.notOk(isSampled(0.5, '7fffffffffffff'))
  t.ok(isSampled(2 ** -52, 'fffffffffffff0'))
  t.notOk(isSampled(2 ** -52, 'ffffffffffffef'))
  t.notOk(isSampled(0, 'ffffffffffffff'))
  t.ok(isSampled(1, '00000000000000'))
  const [job] = ['job:nightly:1'].map((eventId) => contextIn(createEventTraces(1).placeOf({ eventId })))
  t.match(job, { traceId: /^[0-9a-f]{32}$/, isSampled: true })
})

t.test('what failed is sent whatever the ratio, with what came before it; strangers are not', async (t) => {
  const receiver = await otlpReceiver(t)
  const model = await fakeModel(t, [(response) => json(response, 400, { error: { message: 'no' } })])
  const gateway = await startGateway(t, {
    routes: {
      bad: { prompt: 'p', retry: { max_attempts: 1 } },
      direct: { prompt: 'p', deliver_only: true, deliver: 'http', deliver_extra: { url: await closedOrigin() } },
    },
    config: { agent: { runner: 'openai', base_url: model.baseUrl, model: 'm-1' }, ...telemetry(receiver, 0) },
  })
  await gateway.post('bad')
  await gateway.line(({ msg }) => msg === 'run is dead')
  // The next run gets a reply, so nothing of it is sent.
  await gateway.post('bad')
  await gateway.line(({ msg }) => msg === 'delivered')
  t.equal((await gateway.post('bad', { body: 'no JSON' })).status, 400)
  t.equal((await gateway.post('bad', { sign: false })).status, 401)
  t.equal((await gateway.post('none')).status, 404)
  t.equal((await gateway.post('direct')).status, 502)
  await gateway.stop()
  const { spans } = receiver
  const [failed] = named(spans, 'process bad')
  const ofRun = spans.filter(({ traceId }) => traceId === failed?.traceId).map(({ name }) => name)
  t.strictSame(ofRun.sort(), ['POST /webhooks/:route', 'chat m-1', 'commit', 'process bad'])
  const outcomes = named(spans, 'POST /webhooks/:route').map(({ attributes }) => attributes['headgate.outcome'])
  t.strictSame(outcomes.sort(), ['accepted', 'bad_json', 'delivery_failed'])
  t.match(one(spans, 'send http'), { status: 2, message: '' })
  t.equal(named(spans, 'process bad').length, 1)
})

t.test('a flood of strangers makes a few spans in a second, without what they made up', async (t) => {
  const receiver = await otlpReceiver(t)
  const gateway = await startGateway(t, { routes: { r: { prompt: 'p' } }, config: telemetry(receiver, 1), clock: steppedClock() })
  for (let i = 0; i < 100; i++) await gateway.post(`made-up-${i}`, { sign: false, headers: { traceparent: strangers } })
  t.equal((await gateway.post('r')).status, 202)
  await gateway.line(({ msg }) => msg === 'delivered')
  await gateway.stop()
  const requests = named(receiver.spans, 'POST /webhooks/:route')
  t.equal(requests.length, 11)
  t.notMatch(Buffer.concat(receiver.posts.map(({ body }) => body)).toString('latin1'), 'made-up')
})

t.test('while traces are off, nothing hands on a context, and no record has one', async (t) => {
  const target = await sink(t, (response) => json(response, 200, {}))
  const gateway = await startGateway(t, {
    routes: { r: { prompt: 'p', trust_trace_context: true, deliver: 'http', deliver_extra: { url: target.origin } } },
    config: { telemetry: { otlp: { endpoint: 'http://127.0.0.1:9' }, traces: { enabled: false } } },
  })
  await gateway.post('r', { headers: { traceparent: strangers } })
  await until(() => target.seen.length > 0)
  t.equal(target.seen[0]?.headers.traceparent, undefined)
  t.ok(gateway.lines.every((line) => line.trace_id === undefined))
})

type Broken = { readonly why: RegExp; readonly answer?: OtlpReceiver['answer'] }
const broken: { readonly [how: string]: Broken } = {
  hangs: { why: /no answer in 15 seconds/, answer: () => {} },
  'answers 500': { why: /^HTTP 500$/, answer: (response) => void response.writeHead(500).end('canary') },
  'answers 10 MB': { why: /size limit/, answer: (response) => void response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024)) },
  refuses: { why: /no answer in 15 seconds/ },
}

/** Posts events, 40 at a time. Each has four spans, and the queue holds 2,048. */
const flood = async (t: Test, gateway: Awaited<ReturnType<typeof startGateway>>, count: number): Promise<void> => {
  for (let i = 0; i < count; i += 40) {
    const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.post('r')))
    if (answers.some(({ status }) => status !== 202)) t.fail('an event was not accepted')
  }
}

for (const [how, { why, answer }] of Object.entries(broken))
  t.test(`a receiver that ${how} holds nobody up: the log says it once, and what was lost is counted`, async (t) => {
    const receiver = await otlpReceiver(t)
    const works = receiver.answer
    if (answer) receiver.answer = answer
    const clock = fakeClock()
    const gateway = await startGateway(t, {
      routes: { r: { prompt: 'p' } },
      config: telemetry(answer ? receiver : { endpoint: await closedOrigin() }, 1),
      clock,
    })
    const failures = () => gateway.lines.filter(({ msg }) => msg === 'the receiver of traces does not take spans')
    const passing = (fits: () => boolean) =>
      until(() => {
        clock.advance(1_000)
        return fits()
      }, 30_000)
    await flood(t, gateway, 160)
    await passing(() => failures().length > 0)
    await flood(t, gateway, 600)
    for (let i = 0; i < 100; i++) await passing(() => true)
    t.equal(failures().length, 1)
    t.match(String(failures()[0]?.reason), why)
    if (answer) {
      receiver.answer = works
      const again = () => gateway.lines.find(({ msg }) => msg === 'the receiver of traces takes spans again')
      await passing(() => again() !== undefined)
      t.ok(Number(again()?.lost_spans) >= 512)
      const { headers } = await gateway.post('r')
      const traceId = String(headers.get('x-headgate-event-id')).replaceAll('-', '')
      // The queue keeps the order, so it is empty when the last span of this event has come.
      await passing(() => receiver.spans.filter((span) => span.traceId === traceId).length === 4)
      receiver.answer = answer
    }
    await flood(t, gateway, 40)
    let isStopped = false
    void gateway.stop().then(() => {
      isStopped = true
    })
    await passing(() => isStopped)
    const last = gateway.lines.at(-1)
    t.equal(last?.msg, 'the last spans were not sent')
    // At least the two spans of each request, all in the batch that was on its way. Runs that had not begun make none.
    if (answer) t.ok(Number(last?.spans) >= 80, String(last?.spans))
  })

t.test('a stop counts the spans that were on their way to a receiver that hangs', async (t) => {
  const clock = fakeClock()
  const told: unknown[] = []
  const log = Object.assign((_: string, fields: object) => void told.push(fields), { writes: () => true })
  const queue = new SpanQueue({ send: () => new Promise(() => {}), clock, log })
  const span = { place: { traceparent: strangers }, name: 'x', kind: 'internal', startMs: 0, endMs: 1, attributes: {} } as const
  for (let i = 0; i < 10; i++) queue.add(span)
  const closed = queue.close(3_000)
  await new Promise(setImmediate)
  clock.advance(3_000)
  await closed
  t.strictSame(told, [{ spans: 10 }])
})

t.test('settings come from the file, and from the usual variables, which win; a bad address is found', async (t) => {
  const load = (yaml: string, env: { readonly [name: string]: string } = {}) => {
    const { config, diagnostics } = loadConfig({ dataDir: '/nowhere', texts: new Map([['/nowhere/config.yaml', yaml]]), env })
    const found = diagnostics.map(({ code, message }) => `${code} ${message}`).filter((text) => /WH234|OTEL/.test(text))
    return { telemetry: config.telemetry, found }
  }
  const file =
    'telemetry: { otlp: { endpoint: "http://in-file:4318/base/", headers: { key: from-file } }, service_name: mine, traces: { ratio: 0.5 } }'
  t.strictSame(load('{}').telemetry, undefined)
  t.match(load(file).telemetry, {
    serviceName: 'mine',
    content: false,
    traces: { url: 'http://in-file:4318/base/v1/traces', headers: { key: 'from-file' }, protocol: 'http/protobuf', ratio: 0.5 },
    metrics: { url: 'http://in-file:4318/base/v1/metrics' },
  })
  const { telemetry: fromEnv } = load(file, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://in-env:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://in-env:1/whole',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=a%20b,other=c',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=less,deployment.environment.name=prod',
    OTEL_SERVICE_NAME: 'more',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  t.strictSame(fromEnv, {
    serviceName: 'more',
    resource: { 'deployment.environment.name': 'prod' },
    content: false,
    traces: { url: 'http://in-env:1/whole', headers: { key: 'a b', other: 'c' }, protocol: 'http/json', ratio: 0.25 },
    metrics: { url: 'http://in-env:4318/v1/metrics', headers: { key: 'a b', other: 'c' }, protocol: 'http/json' },
  })
  t.strictSame(load(file, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://in-env' }).telemetry?.traces?.headers, {}, 'a key stays with its address')
  t.equal(load(file, { OTEL_SDK_DISABLED: 'true' }).telemetry, undefined)
  t.equal(load(file, { OTEL_TRACES_EXPORTER: 'none' }).telemetry?.traces, undefined)
  t.equal(load(file, { OTEL_METRICS_EXPORTER: 'none' }).telemetry?.metrics, undefined)
  t.equal(load(file, { OTEL_TRACES_SAMPLER: 'always_on' }).telemetry?.traces?.ratio, 1)
  t.equal(load(file, { OTEL_TRACES_SAMPLER: 'always_off' }).telemetry?.traces?.ratio, 0)
  const bad = 'is not an http or https address without a user name'
  t.strictSame(load('telemetry: { otlp: { endpoint: "collector:4318" } }').found, [`WH234 endpoint ${bad}`])
  t.strictSame(load(file, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:p@host' }).found, [
    `WH234 the variable OTEL_EXPORTER_OTLP_ENDPOINT ${bad}`,
  ])
  t.match(load(file, { OTEL_TRACES_SAMPLER: 'jaeger' }).found, [/WH102 the variable OTEL_TRACES_SAMPLER must be always_on/])
  t.match(load(file, { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }).found, [
    /WH102 .*_ARG must be a number from 0 to 1/,
  ])
  t.match(load(file, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).found, [/WH102 .*_PROTOCOL must be http\/protobuf or http\/json/])
})
