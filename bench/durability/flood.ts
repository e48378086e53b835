/**
 * Makes a closed-loop load: sends one small signed post again and again, with a new delivery id each time, over kept connections, as fast
 * as possible.
 */

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { secret } from './client.ts'

export type Flood = {
  readonly url: string
  /** The routes, to which the posts go in turn. */
  readonly routes: readonly string[]
  readonly count: number
  /** A part of the delivery ids, by which they differ from those of another flood. */
  readonly name: string
  readonly connections?: number
  /** Called before each post. Resolves when the post may be sent. */
  readonly hold?: () => Promise<void> | undefined
  readonly answered?: (status: number) => void
}

const body = JSON.stringify({ action: 'opened', number: 7, note: 'x'.repeat(120) })
const signature = createHmac('sha256', secret).update(body).digest('hex')
const refusedMs = 100

const requestOf = (route: string, id: string): string =>
  `POST /webhooks/${route} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
  `X-GitHub-Event: push\r\nX-GitHub-Delivery: ${id}\r\nX-Hub-Signature-256: sha256=${signature}\r\n\r\n${body}`

/** Counts how often each status was answered. After a 503 the post is sent again. Rejects when a connection breaks. */
export const flood = async ({ url, routes, count, name, connections = 32, hold, answered }: Flood): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>()
  let sent = 0
  const one = async (): Promise<void> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay()
    await once(socket, 'connect')
    const ask = asker(socket)
    while (sent < count) {
      const n = sent++
      await hold?.()
      const request = requestOf(routes[n % routes.length] ?? '', `${name}-${n}`)
      for (let status = 503; status === 503; ) {
        status = await ask(request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        answered?.(status)
        if (status === 503) await wait(refusedMs)
      }
    }
    socket.end()
  }
  await Promise.all(Array.from({ length: connections }, one))
  return statuses
}

/** Makes a function that writes a request, and resolves to the status when the whole answer is there. */
const asker = (socket: Socket): ((request: string) => Promise<number>) => {
  let text = ''
  let resolve: (status: number) => void = () => {}
  let reject: (error: Error) => void = () => {}
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const head = text.indexOf('\r\n\r\n')
    const length = head < 0 ? undefined : /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
    if (length === undefined || text.length < head + 4 + Number(length)) return
    const status = Number(text.slice(9, 12))
    text = ''
    resolve(status)
  })
  socket.on('error', (error) => reject(error))
  socket.on('close', () => reject(new Error('the gateway closed a connection')))
  return (request) =>
    new Promise((done, failed) => {
      resolve = done
      reject = failed
      socket.write(request)
    })
}
