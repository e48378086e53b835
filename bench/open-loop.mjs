/**
 * Makes an open-loop load: posts on a fixed schedule over kept connections. A latency counts from the moment at which its request was due.
 */

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

const job = JSON.parse(process.argv[2] ?? '{}')
const { hostname, port, pathname, host } = new URL(job.url)
const body = readFileSync(job.bodyFile)
const headers = Object.entries({ Host: host, 'Content-Length': body.length, ...job.headers }).map(([name, value]) => `${name}: ${value}`)
const head = `POST ${pathname} HTTP/1.1\r\n${headers.join('\r\n')}\r\nX-GitHub-Delivery: ${job.runId}-`
const total = Math.round(job.rate * job.seconds)
const gapMs = 1000 / job.rate

const latencies = []
const idle = []
let sent = 0
let unexpected = 0
let example = ''

/** Returns the length of a complete answer, or 0 while some of it is missing. */
const answerLength = (text) => {
  const end = text.indexOf('\r\n\r\n')
  const declared = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  if (end < 0 || declared === undefined) return 0
  const length = end + 4 + Number(declared)
  return text.length >= length ? length : 0
}

const finish = (connection) => {
  latencies.push(performance.now() - connection.dueAt)
  if (!connection.text.startsWith(`HTTP/1.1 ${job.status} `) || !connection.text.includes(job.text)) {
    unexpected++
    example = connection.text.slice(-100)
  }
  connection.text = ''
  idle.push(connection)
}

const open = () =>
  new Promise((resolve, reject) => {
    const connection = { socket: connect({ host: hostname, port: Number(port), noDelay: true }), text: '', dueAt: 0 }
    connection.socket.once('connect', () => resolve(connection))
    connection.socket.once('close', () => reject(new Error('the server closed a connection')))
    connection.socket.on('error', reject)
    connection.socket.on('data', (chunk) => {
      connection.text += chunk.toString('latin1')
      if (answerLength(connection.text) > 0) finish(connection)
    })
    // A connection that ends later must not leave the run waiting for its answer.
    connection.socket.on('close', () => {
      if (latencies.length < total) process.exit(1)
    })
  })

const send = (connection, dueAt) => {
  connection.dueAt = dueAt
  connection.socket.cork()
  connection.socket.write(`${head}${++sent}\r\n\r\n`)
  connection.socket.write(body)
  connection.socket.uncork()
}

const report = () => {
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  const line = { requests: total, seconds: job.seconds, p50Ms: at(0.5), p99Ms: at(0.99), p999Ms: at(0.999), unexpected, example }
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(0))
}

idle.push(...(await Promise.all(Array.from({ length: job.connections }, open))))
const startAt = performance.now() + 10
const giveUpAt = startAt + job.seconds * 1000 + 10_000

// A loop without a timer keeps the schedule to microseconds. The generator has a core to itself.
const turn = () => {
  const now = performance.now()
  if (now > giveUpAt) process.exit(1)
  while (sent < total && idle.length > 0 && startAt + sent * gapMs <= now) send(idle.shift(), startAt + sent * gapMs)
  if (latencies.length === total) report()
  else setImmediate(turn)
}
turn()
