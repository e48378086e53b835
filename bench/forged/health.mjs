/** Asks for /health on a fixed schedule, in a thread of its own. A latency counts from the moment at which its request was due. */

import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { url, perSecond, seconds } = workerData
const { hostname, port, host } = new URL(url)
const question = `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`
const total = perSecond * seconds
const gapMs = 1000 / perSecond
const CONNECTIONS = 32
/** The time that the crowd needs to connect. */
const LEAD_MS = 3_000
/** A request that is not answered within this time counts as that late. */
const PATIENCE_MS = 20_000

const latencies = []
const idle = []
let sent = 0
let lost = 0

const end = (connection, ms) => {
  latencies.push(ms)
  connection.dueAt = undefined
  connection.text = ''
}

const open = () => {
  const connection = { socket: connect({ host: hostname, port: Number(port), noDelay: true }), text: '', dueAt: undefined }
  connection.socket.once('connect', () => idle.push(connection))
  connection.socket.on('error', () => {})
  connection.socket.on('data', (chunk) => {
    connection.text += chunk.toString('latin1')
    if (!connection.text.endsWith('}')) return
    if (!connection.text.startsWith('HTTP/1.1 200 ')) lost++
    end(connection, performance.now() - connection.dueAt)
    idle.push(connection)
  })
  connection.socket.once('close', () => {
    if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1)
    if (connection.dueAt !== undefined) {
      lost++
      end(connection, PATIENCE_MS)
    }
    open()
  })
}

const report = () => {
  while (latencies.length < total) {
    lost++
    latencies.push(PATIENCE_MS)
  }
  const sorted = latencies.sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  parentPort.postMessage({ p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), lost })
}

for (let i = 0; i < CONNECTIONS; i++) open()
const startAt = performance.now() + LEAD_MS
const giveUpAt = startAt + seconds * 1000 + PATIENCE_MS
const turn = () => {
  const now = performance.now()
  while (sent < total && idle.length > 0 && startAt + sent * gapMs <= now) {
    const connection = idle.shift()
    connection.dueAt = startAt + sent++ * gapMs
    connection.socket.write(question)
  }
  if (latencies.length >= total || now > giveUpAt) report()
  else setTimeout(turn, 1)
}
turn()
