/** What a stranger with many connections does to everybody else: nothing that they notice. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'
import { dataDir, startGateway as startProcess } from '../fakes/process-gateway.ts'
import { until } from '../fakes/wait.ts'

const mebibyte = 1_048_576
const head = (line: string, ...headers: string[]): string => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const statuses = (text: string): number[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** A connection from an address of its own, and what came back over it. */
const dial = (port: number, from: string): { readonly socket: Socket; text: string; isClosed: boolean } => {
  const dialled = { socket: connect({ port, host: '127.0.0.1', localAddress: from }), text: '', isClosed: false }
  dialled.socket.on('data', (chunk) => {
    dialled.text += chunk.toString('latin1')
  })
  dialled.socket.on('error', () => {})
  dialled.socket.on('close', () => {
    dialled.isClosed = true
  })
  return dialled
}

/** The status that a signed event of this size gets, sent from an address of its own. */
const postFrom = async (port: number, from: string, bytes: number, id: string): Promise<number | undefined> => {
  const body = Buffer.from(JSON.stringify({ n: 'x'.repeat(bytes - 8) }))
  const headers = { 'Content-Length': body.length, 'X-Hub-Signature-256': `sha256=${hexHmac(body)}`, 'X-GitHub-Delivery': id }
  const asked = request({ port, host: '127.0.0.1', localAddress: from, method: 'POST', path: '/webhooks/a', headers, agent: false })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const peakMebibytes = (pid: number): number => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

t.test('thousands of pipelined requests on hundreds of connections: it stays up and small, and others are served', async (t) => {
  const gateway = await startProcess(t, dataDir(t, { routes: { a: { prompt: 'p' } } }), {
    before: 'export NODE_OPTIONS=--max-old-space-size=512',
  })
  const port = Number(new URL(await gateway.listening).port)
  const burst = Buffer.from(head('POST /webhooks/x HTTP/1.1', 'Content-Length: 0').repeat(1_200))
  for (const count of [300, 1_000]) {
    const flood = Array.from({ length: count }, () => dial(port, '127.0.0.2'))
    for (const { socket } of flood) socket.write(burst)
    const others: (number | undefined)[] = []
    while (flood.some(({ isClosed }) => !isClosed)) others.push(await postFrom(port, '127.0.0.3', 100, `${count}-${others.length}`))
    t.strictSame([...new Set(others)], [202], `${others.length} events meanwhile`)
    t.equal((await gateway.health()).status, 200)
    t.ok(
      flood.every(({ text }) => statuses(text).length <= 16 && statuses(text).every((status) => status === 404)),
      'no connection had more than sixteen answers',
    )
    t.ok(
      flood.every(({ text }) => text === '' || /connection: close/i.test(text)),
      'and was told that the last of them is the last',
    )
  }
  t.ok(peakMebibytes(gateway.pid) <= 256, `${peakMebibytes(gateway.pid)} MiB`)
})

t.test('one stranger cannot take all connections', async (t) => {
  const gateway = await startProcess(t, dataDir(t, { routes: { a: { prompt: 'p' } } }))
  const port = Number(new URL(await gateway.listening).port)
  const strangers: ReturnType<typeof dial>[] = []
  // No more at once than the kernel lets wait to be taken.
  while (strangers.length < 2_400) {
    const more = Array.from({ length: 200 }, () => dial(port, '127.0.0.2'))
    await Promise.all(more.map(({ socket }) => once(socket, 'connect')))
    strangers.push(...more)
  }
  await until(() => strangers.filter(({ isClosed }) => isClosed).length >= 2_400 - 2_048)
  t.equal(strangers.filter(({ isClosed }) => !isClosed).length, 2_048)
  t.equal(await postFrom(port, '127.0.0.3', 100, 'other'), 202)
  for (const { socket } of strangers) socket.destroy()
})

t.test('a body that belongs to a refused request is not read on', async (t) => {
  const gateway = await startGateway(t, { routes: { a: { prompt: '{n}' }, off: { enabled: false } } })
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  const pour = async (line: string, ...headers: string[]): Promise<{ answer: number[]; poured: number }> => {
    const stranger = dial(gateway.port, '127.0.0.2')
    const more = (): void => {
      while (!stranger.socket.destroyed && stranger.socket.write(chunk));
    }
    stranger.socket.on('drain', more)
    stranger.socket.write(head(line, 'Transfer-Encoding: chunked', ...headers))
    more()
    await until(() => stranger.isClosed)
    const { bytesWritten, writableLength } = stranger.socket
    return { answer: statuses(stranger.text), poured: bytesWritten - writableLength }
  }
  const unsigned = 'POST /webhooks/a HTTP/1.1'
  for (const [line, status, ...headers] of [
    ['POST /webhooks/nowhere HTTP/1.1', 404],
    [unsigned, 401],
    [unsigned, 413, `X-Hub-Signature-256: sha256=${'0'.repeat(64)}`],
    ['POST /webhooks/off HTTP/1.1', 403],
    ['PUT /webhooks/a HTTP/1.1', 405],
    ['PUT /webhooks/%zz HTTP/1.1', 405],
    ['POST /% HTTP/1.1', 400],
    ['GET /health HTTP/1.1', 200],
    ['POST /elsewhere HTTP/1.1', 404],
    [unsigned, 417, 'Expect: nothing'],
  ] as const) {
    const { answer, poured } = await pour(line, ...headers)
    t.same(answer, [status], line)
    // What the kernel's buffers on both sides take counts as poured.
    t.ok(poured < 24 * mebibyte, `${line}: ${poured} bytes`)
  }

  const large = dial(gateway.port, '127.0.0.2')
  large.socket.write(Buffer.concat([Buffer.from(head(unsigned, 'Content-Length: 1000000')), Buffer.alloc(1_000_000)]))
  await until(() => large.isClosed)
  t.match(large.text, /^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/is)

  const ordinary = dial(gateway.port, '127.0.0.2')
  const refused = Buffer.concat([Buffer.from(head(unsigned, 'Content-Length: 24000')), Buffer.alloc(24_000)])
  const good = head(unsigned, `X-Hub-Signature-256: sha256=${hexHmac('{}')}`, 'Content-Length: 2', 'Connection: close')
  ordinary.socket.write(Buffer.concat([refused, Buffer.from(`${good}{}`)]))
  await until(() => ordinary.isClosed)
  t.same(statuses(ordinary.text), [401, 202], 'an ordinary one costs its connection nothing')
})

t.test('unfinished bodies of strangers leave room for the events of others', async (t) => {
  let now = systemClock.monotonic()
  const clock = { ...systemClock, monotonic: () => now }
  const gateway = await startGateway(t, { routes: { a: { prompt: 'p' } }, clock })
  const digest = createHash('sha256').update('no secret at all').digest('hex')
  const announced = head('POST /webhooks/a HTTP/1.1', `X-Hub-Signature-256: sha256=${digest}`, 'Content-Length: 1000000')
  const hold = (from: string, count: number) =>
    Array.from({ length: count }, () => {
      const stranger = dial(gateway.port, from)
      stranger.socket.write(Buffer.concat([Buffer.from(announced), Buffer.alloc(999_999)]))
      return stranger
    })
  const refused = (strangers: ReturnType<typeof hold>, status: number): number =>
    strangers.filter(({ text }) => statuses(text)[0] === status).length
  const large = (id: string): Promise<number | undefined> => postFrom(gateway.port, '127.0.0.9', 1_000_000, id)

  const strangers = hold('127.0.0.2', 64)
  await until(() => refused(strangers, 503) >= 47)
  t.equal(await large('first'), 202, 'one stranger has a quarter of the room')

  strangers.push(...['127.0.0.3', '127.0.0.4', '127.0.0.5'].flatMap((from) => hold(from, 16)))
  await until(async () => {
    strangers.push(...hold('127.0.0.6', 1))
    return (await large(`full-${strangers.length}`)) === 503
  })
  t.equal(await postFrom(gateway.port, '127.0.0.9', 24_000, 'small'), 202, 'what several strangers fill is never the room of small bodies')

  now += 3_000
  t.equal(await large('second'), 202, 'bodies that stall are given up for one that does not')
  await until(() => refused(strangers, 408) > 0)
  for (const { socket } of strangers) socket.destroy()
})
