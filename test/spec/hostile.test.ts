import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Outcome } from '../../src/core/outcome.ts'
import { createShortTurns } from '../../src/core/turns/short-turns.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { readBody } from '../../src/http/body.ts'
import { createBodyMemory } from '../../src/http/body-memory.ts'
import { watchConnections } from '../../src/http/connections.ts'
import { createPace, type Pace } from '../../src/http/pace.ts'
import { connectionLimits, listen, type ServerOptions } from '../../src/http/server.ts'
import type { Effects } from '../../src/parts/effects.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { servedBy } from '../../src/plan/table.ts'
import { createLimiter } from '../../src/serve/limits/limiter.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const head = (line: string, ...headers: string[]): string => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const post = (...headers: string[]): string => head('POST /webhooks/a HTTP/1.1', ...headers)
const signature = (body: string): string => `X-Webhook-Signature: ${hexHmac(body)}`
const signed = (body: string, ...headers: string[]): string =>
  post(signature(body), `Content-Length: ${Buffer.byteLength(body)}`, ...headers) + body
const statuses = (text: string): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process really holds on to. */
const heldBytes = (): number => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A listener of its own with one real route, whose script is the given function. */
const listenWith = async (t: Test, script: Effects['script'], options: Partial<ServerOptions> = {}) => {
  const { config } = loadConfig({
    dataDir: newFolder(t, {
      'config.yaml': 'platforms: { webhook: { secret: It is a secret to everybody, routes: { a: { script: x.sh } } } }',
    }),
    env: {},
  })
  const store = openMemory({ clock: systemClock })
  const limiter = createLimiter(systemClock, () => 1_000)
  const send = async () => ({ ok: true }) as const
  const jobs = { find: () => [], isRefused: () => false }
  const effects: Effects = { ...createDryEffects(), store, limiter, jobs, script, send }
  const route = config.routes.get('a')
  const served = route && servedBy(route, compileRoute(route, config, builtinCatalogue, effects))
  if (!served) throw new Error('the route does not compile')
  const configured = new Map([['a', served]])
  const ended: Outcome[] = []
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    isReady: () => true,
    serving: () => ({
      table: { configured, subscribed: { get: () => undefined }, multiplex: false, profiles: new Map() },
      maxBodyBytes: 1_048_576,
      trustProxy: false,
    }),
    stopping: () => false,
    refusing: () => false,
    hasFailed: () => false,
    facts: { emit: (fact) => fact.kind === 'request_ended' && ended.push(fact.ended.outcome) },
    ...options,
  })
  t.teardown(() => listener.close(0))
  return { url: listener.url, port: Number(new URL(listener.url).port), ended }
}

t.test('Connections', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '{n}' } } })
  const healthy = async (): Promise<boolean> => (await gateway.post('', { path: '/health', method: 'GET' })).status === 200

  t.test('lengths that cannot be are 400: negative, signed, twice, beside chunked, too long to count', async (t) => {
    const lines = [
      '-1',
      '+2',
      '2\r\nContent-Length: 3',
      '2\r\nContent-Length: 2',
      '2\r\nTransfer-Encoding: chunked',
      '9'.repeat(30),
      '0x2',
      '2, 2',
      '',
    ]
    for (const line of lines) t.same(statuses(await gateway.raw(`${post(signature('{}'), `Content-Length: ${line}`)}{}`)), [400], line)
  })

  t.test('a length shorter than the body: the rest is no request and no body; a longer one waits', async (t) => {
    t.equal(statuses(await gateway.raw(`${signed('{}')}{"n":1}`)).at(-1), 400)
    t.same(statuses(await gateway.raw(`${post(signature('{}'), 'Content-Length: 3')}{}`, 300)), [])
  })

  t.test('chunked with junk is 400', async (t) => {
    const chunked = post(signature('{}'), 'Transfer-Encoding: chunked')
    for (const junk of [
      'zz\r\n{}\r\n0\r\n\r\n',
      '-2\r\n{}\r\n',
      '2\r\n{}x',
      `2;${'a'.repeat(200_000)}\r\n{}\r\n0\r\n\r\n`,
      `${'f'.repeat(20)}\r\n`,
    ])
      t.same(statuses(await gateway.raw(chunked + junk)), [400], junk.slice(0, 20))
  })

  t.test('1,100 header lines and a header of 20 KB are 431, whatever follows', async (t) => {
    const many = Array.from({ length: 1_100 }, (_, i) => `h${i}: 1`)
    t.same(statuses(await gateway.raw(post(...many, 'Content-Length: 99999999'))), [431])
    t.same(statuses(await gateway.raw(post(`X-Long: ${'a'.repeat(20_480)}`, 'Content-Length: 2'))), [431])
  })

  t.test('what no request can be read from is answered in the shape of all errors', async (t) => {
    for (const [bytes, status, error] of [
      ['nonsense\r\n\r\n', 400, 'Bad request'],
      ['POST /webhooks/a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}', 400, 'Host header is missing'],
      [post(signature('{}'), 'host: b', 'Content-Length: 2'), 400, 'Host header is repeated'],
      ['POST /webhooks/a HTTP/1.0\r\nHost: a\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', 400, 'Host header is repeated'],
      [post('Transfer_Encoding: chunked'), 400, 'A header only looks like Content-Length or Transfer-Encoding'],
      [head('GET /health HTTP/1.1', 'content--length: 2'), 400, 'A header only looks like Content-Length or Transfer-Encoding'],
      [`${post(signature('{}'), 'Transfer-Encoding: chunked')}zz\r\n`, 400, 'Bad request'],
      [post(`X-Long: ${'a'.repeat(20_480)}`), 431, 'Header fields too large'],
      [post('Expect: nothing'), 417, 'Expectation failed'],
    ] as const) {
      const [headers = '', body = ''] = (await gateway.raw(bytes)).split('\r\n\r\n')
      t.match(headers, new RegExp(`^HTTP/1\\.1 ${status} `), bytes.slice(0, 40))
      t.match(headers, /^Content-Type: application\/json; charset=utf-8\r\n/im)
      t.match(headers, /^Connection: close(\r\n|$)/im)
      t.same(JSON.parse(body), { error })
    }
    const mixed = await gateway.raw(`${signed('{"n":1}', 'X-Request-ID: before')}nonsense\r\n\r\n`)
    t.same(statuses(mixed), [202, 400], 'after the answers to what could be read')
  })

  t.test('two pipelined requests are answered in their order', async (t) => {
    const answer = await gateway.raw(signed('{"n":1}', 'X-Request-ID: one') + signed('{"n":2}', 'X-Request-ID: two', 'Connection: close'))
    t.same(statuses(answer), [202, 202])
    t.ok(answer.indexOf('"delivery_id":"one"') < answer.indexOf('"delivery_id":"two"'))
    const refused = await gateway.raw(`${post('Content-Length: 2')}{}${signed('{"n":3}', 'Connection: close')}`)
    t.same(statuses(refused), [401, 202])
  })

  t.test('what follows a GET with a body is no request', async (t) => {
    const next = head('GET /health HTTP/1.1')
    for (const line of ['Content-Length: 2', 'Transfer-Encoding: chunked'])
      t.same(statuses(await gateway.raw(`${head('GET /health HTTP/1.1', line)}{}${next}`)), [200], line)
    t.same(statuses(await gateway.raw(head('GET /health HTTP/1.1', 'Content-Length: 0') + next, 300)), [200, 200])
  })

  t.test('of twenty pipelined events sixteen are taken, bodies and all, and the sender hears which', async (t) => {
    const answer = await gateway.raw(Array.from({ length: 20 }, (_, i) => signed(`{"n":${i}}`, `X-Request-ID: many-${i}`)).join(''))
    t.same(statuses(answer), Array(16).fill(202))
    t.match(answer.split('HTTP/1.1 ').at(-1), /^Connection: close\r\n[\s\S]*"delivery_id":"many-15"/im)
    t.equal((await gateway.post('a', { body: { n: 16 }, headers: { 'X-Request-ID': 'many-16' } })).status, 202, 'the rest may come again')
  })

  t.test('upgrades are passed over', async (t) => {
    const h2c = head('GET /health HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk')
    const socket = head('GET /health HTTP/1.1', 'Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZQ==')
    for (const request of [h2c, socket]) t.same(statuses(await gateway.raw(request)), [200])
    t.same(statuses(await gateway.raw(signed('{}', 'Connection: Upgrade, close', 'Upgrade: h2c'))), [202])
    t.same(statuses(await gateway.raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')), [400])
  })

  t.test('TRACE, CONNECT, unknown methods, HTTP/1.0, odd targets: an answer or a close, never a hang', async (t) => {
    const closes = async (bytes: string): Promise<number[]> => {
      const timeoutMs = 3_000
      const from = Date.now()
      const seen = statuses(await gateway.raw(bytes, timeoutMs))
      if (Date.now() - from >= timeoutMs) t.fail('it hung', { bytes })
      return seen
    }
    t.same(await closes(head('TRACE /webhooks/a HTTP/1.1', 'Connection: close')), [405])
    t.same(await closes(head('CONNECT example.com:443 HTTP/1.1')), [])
    t.same(await closes(head('FOO /health HTTP/1.1')), [400])
    t.same(await closes(signed('{}').replace('HTTP/1.1', 'HTTP/1.0')), [202])
    t.same(await closes(head('GET /%E0%A4%A HTTP/1.1', 'Connection: close')), [400])
    t.same(await closes(head('POST * HTTP/1.1', 'Content-Length: 0', 'Connection: close')), [404])
    t.same(await closes(signed('{}', 'Expect: something', 'Connection: close')), [417])
    t.same(await closes('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'), [400])
  })

  t.test('a compressed body that is cut off is refused', async (t) => {
    t.equal((await gateway.post('a', { headers: { 'Content-Encoding': 'gzip' }, body: Buffer.from([0x1f, 0x8b, 8, 0]) })).status, 400)
  })

  t.test('300 connections that say nothing, or only half, keep nobody waiting', async (t) => {
    const sockets = await Promise.all(
      Array.from({ length: 300 }, (_, i) => {
        // A third idle, a third in their headers, a third with a large body announced.
        const said = ['', 'POST /webhooks/a HTTP/1.1\r\nHost:', post(signature('{}'), 'Content-Length: 1048576')][i % 3] as string
        return new Promise<Socket>((ready) => {
          const socket: Socket = connect(gateway.port, '127.0.0.1', () => socket.write(said, () => ready(socket)))
        })
      }),
    )
    t.ok(await healthy())
    t.equal((await gateway.post('a', { body: { n: 1 } })).status, 202)
    for (const socket of sockets) socket.destroy()
  })

  t.test('a body in pieces of one byte takes little more memory than its size', async (t) => {
    const length = 500_000
    const body = `"${'a'.repeat(length - 2)}"`
    const pieces = Buffer.from(body.replace(/./g, '1\r\n$&\r\n'))
    const before = heldBytes()
    const socket = connect(gateway.port, '127.0.0.1')
    const answer = once(socket, 'data')
    socket.write(post(signature(body), 'Transfer-Encoding: chunked', 'Connection: close'))
    socket.write(pieces)
    await until(() => socket.writableLength === 0)
    for (let i = 0; i < 100; i++) await healthy()
    t.ok(heldBytes() - before < 10 * length)
    socket.write('0\r\n\r\n')
    t.match(String(await answer), /^HTTP\/1\.1 202 /)
  })
})

t.test('slow headers and slow bodies are cut off, by limits that the server really has', async (t) => {
  t.same(connectionLimits, {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 2_000,
    maxHeaderSize: 16_384,
    handshakeTimeout: 10_000,
  })
  const limits = { ...connectionLimits, headersTimeout: 150, requestTimeout: 400, keepAliveTimeout: 100, connectionsCheckingInterval: 20 }
  const { port } = await listenWith(t, async () => ({ ok: true, output: '{}' }), { limits })
  // Writes one more byte every 20 ms until the other side has had enough.
  const drip = (first: string, more = 'a'): Promise<string> =>
    new Promise((resolve) => {
      let seen = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(first))
      const timer = setInterval(() => socket.write(more), 20)
      socket.on('data', (chunk) => {
        seen += chunk
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(timer)
        resolve(seen)
      })
    })
  t.same(statuses(await drip('POST /webhooks/a HTTP/1.1\r\nHost: x\r\nX-Slow: ')), [408])
  t.match(await drip(post(signature('{}'), 'Content-Length: 1000')), /^HTTP\/1\.1 408 .*\r\n\r\n\{"error":"Request timeout"\}$/s)
  t.same(statuses(await drip(head('GET /health HTTP/1.1'), '')), [200], 'a connection on which nothing more is asked')
  t.same(statuses(await drip(`${post('Content-Length: 1000')}`)).slice(0, 1), [401], 'and one that was refused before its body')
})

t.test('who does not read an answer is cut off, who waits for one is not', async (t) => {
  const clock = fakeClock()
  const server = createServer({ requireHostHeader: false })
  const asked: ServerResponse[] = []
  const { openConnections } = watchConnections(server, clock, (_request, response) => asked.push(response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const ask = async (): Promise<Socket> => {
    const before = asked.length
    const socket = connect(port, '127.0.0.1', () => socket.write(head('GET / HTTP/1.1')))
    await until(() => asked.length > before)
    return socket.on('error', () => {})
  }
  const deaf = await ask()
  const waiting = await ask()
  // More than the kernel holds for who does not read.
  asked[0]?.end(Buffer.alloc(128 * 1_048_576))
  await until(() => Number(asked[0]?.socket?.writableLength) > 0)
  clock.advance(30_000)
  t.equal(openConnections(), 2)
  clock.advance(30_000)
  await until(() => openConnections() === 1)
  asked[1]?.end('here')
  t.match(String(await once(waiting, 'data')), /here$/)
  deaf.destroy()
  waiting.destroy()
})

t.test('a gate that throws is a 500 with one fixed body, and the id is not consumed', async (t) => {
  const breaks: (() => never | Promise<never>)[] = [
    () => {
      throw new Error('canary: at /src/secret.ts:1')
    },
    () => Promise.reject(new Error('canary: later')),
  ]
  const { url, ended } = await listenWith(t, () => breaks.shift()?.() ?? Promise.resolve({ ok: true, output: '{}' }))
  const send = async (): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${url}/webhooks/a`, {
      method: 'POST',
      body: '{}',
      headers: { 'X-Request-ID': 'x', 'X-Webhook-Signature': hexHmac('{}') },
    })
    return { status: response.status, text: await response.text() }
  }
  for (let i = 0; i < 2; i++) {
    t.same(await send(), { status: 500, text: '{"error":"Internal error"}' })
    t.match(ended.at(-1), { code: 'internal', detail: /canary/ }, 'the reason is for the log')
  }
  t.equal((await send()).status, 202)
  t.match(await send(), { status: 200, text: /duplicate/ })
})

t.test('the bodies of all requests together have a bound, in bytes that came and not in bytes announced', async (t) => {
  const gateway = await startGateway(t, { routes: { a: {} } })
  const body = Buffer.alloc(1_000_000, 0x20)
  const open = async (part: Buffer): Promise<Socket> => {
    const socket: Socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    await new Promise<void>((sent) =>
      socket.write(Buffer.concat([Buffer.from(post(signature('{}'), 'Content-Length: 1000000')), part]), () => sent()),
    )
    return socket
  }
  const silent = await Promise.all(Array.from({ length: 70 }, () => open(Buffer.alloc(0))))
  t.equal((await gateway.post('a')).status, 202, '70 MB announced')
  const full = await Promise.all(Array.from({ length: 68 }, () => open(body.subarray(1))))
  await gateway.line(({ outcome, reason }) => outcome === 'overloaded' && /too many bodies/.test(String(reason)))
  for (const socket of [...silent, ...full]) socket.destroy()
  for (let tries = 0; tries < 100 && (await gateway.post('a', { body })).status === 503; tries++) await wait(10)
  t.equal((await gateway.post('a', { body: '{}' })).status, 202, 'and is free again when they are gone')
})

t.test('of many large bodies at once each is read to its end, and a small request is answered before', async (t) => {
  const gateway = await startGateway(t, { routes: { a: {} } })
  const large = Array.from({ length: 14 }, (_, i) => JSON.stringify({ i, text: 'x'.repeat(1_000_000) }))
  const ended: string[] = []
  const send = async (body: string, name: string): Promise<number> => {
    const { status } = await gateway.post('a', { body, headers: { 'X-Request-ID': name } })
    ended.push(name)
    return status
  }
  const all = large.map((body, i) => send(body, `large ${i}`))
  const small = send('{}', 'small')
  t.strictSame(new Set(await Promise.all([...all, small])), new Set([202]))
  t.not(ended.at(-1), 'small', ended.join())
  t.equal((await gateway.post('a', { body: '{"forged":1}', sign: false })).status, 401)
  const genuine = large.map((body, i) => send(body, `after a failure ${i}`))
  t.strictSame(new Set(await Promise.all(genuine)), new Set([202]), 'of a client whose signature failed all are read, too')

  const turns: (() => void)[] = []
  const pace = createPace((turn) => void turns.push(turn))
  const read: string[] = []
  const resume = (name: string) => () => void read.push(name)
  t.ok(pace.take(65_536, resume('first'), false))
  t.notOk(pace.take(1, resume('second'), false), 'a turn has its bound')
  t.notOk(pace.take(1, resume('third'), true), 'and what has waited before goes first')
  t.equal(turns.length, 1)
  turns.shift()?.()
  t.strictSame(read, ['third'], 'one in each turn')
  turns.shift()?.()
  t.strictSame(read, ['third', 'second'])
  t.equal(turns.length, 0, 'no turn without a reader that waits')
  t.ok(pace.take(65_536, resume('new'), false), 'the next turn begins anew')
})

t.test('a connection that must pause brings one read each time that it goes on', async (t) => {
  const waiting: (() => void)[] = []
  const reads: number[] = []
  const take: Pace['take'] = (bytes, resume) => {
    reads.push(bytes)
    waiting.push(resume)
    return false
  }
  const options = { maxBytes: 2_000_000, client: () => 'client', bodyMemory: createBodyMemory(systemClock), pace: () => ({ take }) }
  const bodies: unknown[] = []
  const server = createServer({ highWaterMark: 65_536 }, (request, response) =>
    readBody(request, response, options, (body) => {
      bodies.push(Buffer.isBuffer(body) ? body.length : body)
      response.end()
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => {
    socket.destroy()
    server.close()
  })
  socket.write(post('Content-Length: 1000000') + 'x'.repeat(1_000_000))
  for (let count = 1; count <= 5; count++) {
    await until(() => reads.length === count)
    await wait(20)
    t.equal(reads.length, count, 'nothing is read while it pauses')
    waiting.shift()?.()
  }
  await until(() => {
    waiting.shift()?.()
    return bodies.length > 0
  })
  t.same(bodies, [1_000_000])
  t.ok(Math.max(...reads) <= 65_536, 'and no more than one read')
})

t.test('large bodies of a client whose signatures fail are checked a few in each turn', async (t) => {
  const turns = createShortTurns()
  const done: string[] = []
  let loops = 0
  const count = (): void => {
    loops++
    if (done.length < 20) setImmediate(count)
  }
  setImmediate(count)
  const busy = (name: string) => () => {
    for (const until = performance.now() + 5; performance.now() < until; );
    done.push(name)
    return name
  }
  const works = Array.from({ length: 20 }, (_, i) => turns.run('a', 1_000, busy(String(i))))
  t.same(
    await Promise.all(works),
    works.map((_, i) => String(i)),
    'in their order',
  )
  t.ok(loops >= 19, `each in a turn of its own, with others between: ${loops}`)

  const waiting = Array.from({ length: 32 }, () => turns.run('a', 1_000, () => 'x'))
  t.notOk(turns.hasRoom('a', 1_000), 'one client has a bounded share')
  t.ok(turns.hasRoom('b', 1_000), 'which is not that of others')
  t.notOk(turns.hasRoom('b', 9_000_000), 'nor may one hold too many bytes')
  await Promise.all(waiting)
  t.ok(turns.hasRoom('a', 1_000))

  const throws = (): never => {
    throw new Error('broken')
  }
  await t.rejects(turns.run('a', 1, throws), /broken/, 'what a work throws is for whoever waits for it')
  await t.rejects(
    turns.run('a', 1, (then) => then(throws)),
    /broken/,
    'also in a later step',
  )
  t.equal(await turns.run('a', 1, () => 'x'), 'x', 'and the next work has its turn')

  const gateway = await startGateway(t, { routes: { a: {} } })
  const large = JSON.stringify({ text: 'x'.repeat(100_000) })
  const send = (wrong: boolean) =>
    gateway.post('a', wrong ? { sign: false, body: large, headers: { 'X-Webhook-Signature': '0'.repeat(64) } } : { body: large })
  t.equal((await send(true)).status, 401)
  const answers = await Promise.all(Array.from({ length: 60 }, () => send(true)))
  t.same(
    [...new Set(answers.map(({ status }) => status))].filter((status) => ![401, 429].includes(status)),
    [],
  )
  t.equal((await send(false)).status, 202, 'a good one still passes')
})
