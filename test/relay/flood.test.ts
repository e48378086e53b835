/** A thousand connections of strangers at a relay: its memory stays bounded, and others are answered. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { startBuiltRelay } from '../fakes/relay.ts'
import { until } from '../fakes/wait.ts'

const mebibyte = 1_048_576
const stranger = '127.0.0.2'

/** Connects from an address, and writes. What comes back is dropped; a connection that is closed is not opened again. */
const dial = (port: number, from: string, text: string): Socket => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(text))
  socket.on('error', () => {})
  return socket.resume()
}

/** Posts from an address. Resolves to the status and the time until then, in milliseconds. */
const post = async (port: number, from: string, route: string, body = '{}'): Promise<{ readonly status: number; readonly ms: number }> => {
  const began = performance.now()
  const path = `/home/webhooks/${route}`
  const asked = request({ port, host: '127.0.0.1', localAddress: from, method: 'POST', path, agent: false })
  asked.end(body)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode ?? 0, ms: performance.now() - began }
}

const head = (route: string, ...headers: string[]): string =>
  `${[`POST /home/webhooks/${route} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const peakMebibytes = (pid: number): number => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

t.test('slow, silent, forged and endless: the sender of another route and that of the flooded route are answered', async (t) => {
  // Only the bytes bound the room: the posts below are as many as the machine can make, and what they show is not how soon items fill it.
  const { pid, port } = await startBuiltRelay(t, {
    busy: { max_items: 1_000_000, max_bytes: 64 * mebibyte },
    calm: { max_items: 1_000_000 },
  })
  const forged = `${head('busy', 'Content-Length: 20000')}${'x'.repeat(20_000)}`
  const kinds = [
    () => dial(port, stranger, ''),
    () => dial(port, stranger, 'POST /home/webhooks/busy HTTP/1.1\r\nHost: x\r\nX-'),
    () => dial(port, stranger, `${head('busy', 'Content-Length: 1000000')}${'x'.repeat(30_000)}`),
    () => dial(port, stranger, forged.repeat(10)),
  ]
  const flood: Socket[] = []
  t.teardown(() => flood.forEach((socket) => void socket.destroy()))
  for (let i = 0; i < 1_000; i++) flood.push((kinds[i % kinds.length] as () => Socket)())
  const endless = dial(port, stranger, head('busy', 'Transfer-Encoding: chunked'))
  flood.push(endless)
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  const pour = (): void => {
    while (!endless.destroyed && endless.write(chunk));
  }
  endless.on('drain', pour)
  pour()
  let drips = 0
  const dripping = setInterval(() => {
    drips++
    for (let i = 2; i < 1_000; i += 4) flood[i]?.write('x')
  }, 100)
  t.teardown(() => clearInterval(dripping))
  const answers: { readonly status: number; readonly ms: number }[] = []
  while (drips < 30 || !endless.destroyed) answers.push(await post(port, '127.0.0.3', 'calm'), await post(port, '127.0.0.3', 'busy'))
  t.strictSame([...new Set(answers.map(({ status }) => status))], [202], `${answers.length} requests meanwhile`)
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  t.ok(slowest < 5_000, `the slowest answer took ${slowest} ms`)
  t.ok(flood.filter(({ destroyed }) => !destroyed).length >= 250, 'the silent connections are open all the while')
  t.ok(peakMebibytes(pid) <= 320, `${peakMebibytes(pid)} MiB`)
  t.equal((await post(port, stranger, 'busy', 'x'.repeat(mebibyte + 1))).status, 413)
})

t.test('strangers from many addresses fill the route that they post to, and no other', async (t) => {
  const { port } = await startBuiltRelay(t, { busy: { max_items: 400 }, calm: {} })
  const statuses = await Promise.all(Array.from({ length: 600 }, async (_, i) => (await post(port, `127.0.1.${i % 200}`, 'busy')).status))
  t.equal(statuses.filter((status) => status === 202).length, 400)
  t.equal(statuses.filter((status) => status === 503).length, 200)
  t.equal((await post(port, '127.0.0.3', 'calm')).status, 202)
  await until(async () => (await post(port, '127.0.0.3', 'busy')).status === 503)
})
