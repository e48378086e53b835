/** Measures how long one request holds the event loop of a server: the time that its main thread works on it. */

import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { idleMainMs } from '../cpu.ts'
import { type Post, SECRET } from '../payloads.ts'

const LOOK_MS = 1
const PATIENCE_MS = 60_000

/**
 * Routes with the bench's secret, for the requests that a gauge compares with. There are many, because a route takes only so many requests
 * in a minute.
 */
export const plainRoutes: readonly string[] = Array.from({ length: 60 }, (_, i) => `plain-${i}`)

/** `status` is 0 where the server closed before its answer could be read. */
export type Held = { readonly status: number; readonly ms: number }
export type Gauge = {
  /** Sends one request alone, over a kept connection where the server keeps it. */
  hold(post: Post): Promise<Held>
  /**
   * Sends a request whose body comes, and is refused at its first byte. Resolves to what every body of this size costs, in milliseconds.
   */
  unread(bytes: number): Promise<number>
  close(): void
}

/** Waits until the main thread sleeps, and goes on sleeping. Resolves to the time that the thread has used so far. */
const untilIdle = async (pid: number): Promise<number> => {
  const giveUpAt = performance.now() + PATIENCE_MS
  let before: number | undefined
  while (performance.now() < giveUpAt) {
    const now = idleMainMs(pid)
    if (now !== undefined && now === before) return now
    before = now
    await wait(LOOK_MS)
  }
  throw new Error(`the server has worked for ${PATIENCE_MS / 1000} s without a rest`)
}

const isClosed = (error: Error): boolean => 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

/** Sends a request, and resolves to the status. A server may answer before it has the whole body, and close. */
const send = (agent: Agent, url: string, post: Post): Promise<number> =>
  new Promise((resolve, reject) => {
    const { headers, body } = post
    let status = 0
    const sent = request(url, { agent, method: 'POST', headers: { ...headers, 'Content-Length': body.length } }, (response) => {
      status = response.statusCode ?? 0
      response.on('error', () => {})
      response.resume().once('close', () => resolve(status))
    })
    sent.on('error', (error) => {
      // The server may close a kept connection for its age just when the connection is used again.
      if (status === 0 && isClosed(error) && sent.reusedSocket) resolve(send(agent, url, post))
      else if (status !== 0 || isClosed(error)) resolve(status)
      else reject(error)
    })
    sent.end(body)
  })

/** Returns a request with a right token, whose body is refused at its first byte. */
const unreadPost = (route: string, bytes: number): Post => ({
  path: `/webhooks/${route}`,
  headers: { 'X-Gitlab-Token': SECRET, 'Content-Type': 'application/json' },
  body: Buffer.alloc(bytes, 0xff),
})

export const createGauge = (pid: number, baseUrl: string): Gauge => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let next = 0
  const hold = async (post: Post): Promise<Held> => {
    const before = await untilIdle(pid)
    const status = await send(agent, baseUrl + post.path, post)
    return { status, ms: (await untilIdle(pid)) - before }
  }
  return {
    hold,
    async unread(bytes) {
      for (let tries = 0; tries < plainRoutes.length; tries++) {
        const { status, ms } = await hold(unreadPost(plainRoutes[next++ % plainRoutes.length] ?? '', bytes))
        if (status === 400) return ms
        if (status !== 429) throw new Error(`a body that is no JSON was answered with ${status}`)
      }
      throw new Error('no route takes one more request in this minute')
    },
    close: () => agent.destroy(),
  }
}
