/**
 * Opens many sockets that send forged requests, each the next one as soon as it has its answer, while a thread asks for /health. The job is
 * the program's argument; the result is one line of JSON. A connection that the server closes is opened again.
 */

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

const { url, files, sockets, isOneClient, perSecond, seconds } = JSON.parse(process.argv[2] ?? '{}')
const { hostname, port } = new URL(url)
const requests = files.map((file) => readFileSync(file))
const statuses = {}
let next = 0

/** Returns the address of a client. Linux takes every address of 127.0.0.0/8 for its own. */
const addressOf = (i) => (isOneClient ? '127.0.0.1' : `127.0.${1 + Math.floor(i / 200)}.${1 + (i % 200)}`)

/** Returns the status of a whole answer; `undefined` while some of it is missing. */
const statusIn = (text) => {
  const end = text.indexOf('\r\n\r\n')
  const length = end < 0 ? undefined : /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  return length === undefined || text.length < end + 4 + Number(length) ? undefined : text.slice(9, 12)
}

const count = (status) => {
  statuses[status] = (statuses[status] ?? 0) + 1
}

const open = (i) => {
  const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(i), noDelay: true })
  let text = ''
  const send = () => socket.write(requests[next++ % requests.length])
  socket.once('connect', send)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    const status = statusIn(text)
    if (status === undefined) return
    count(status)
    const isLast = /\r\nconnection: close\r\n/i.test(text)
    text = ''
    if (isLast) socket.destroy()
    else send()
  })
  socket.once('close', () => {
    if (text !== '') count('cut off')
    setTimeout(open, 1, i)
  })
}

// The thread that asks has a priority of its own: the crowd may wait for the core, and what it measures may not.
const asking = new Worker(new URL('./health.mjs', import.meta.url), { workerData: { url, perSecond, seconds } })
asking.once('message', (health) => {
  process.stdout.write(`${JSON.stringify({ statuses, ...health })}\n`, () => process.exit(0))
})
asking.once('online', () => {
  setPriority(constants.priority.PRIORITY_LOW)
  for (let i = 0; i < sockets; i++) open(i)
})
