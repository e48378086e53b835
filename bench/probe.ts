/** Sends one signed post to a contender that is starting, and demands the expected answer. */

import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Expected } from './load.ts'
import type { Post } from './payloads.ts'

const RETRY_MS = 2

const send = (baseUrl: string, { path, headers, body }: Post): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const own = { 'X-GitHub-Delivery': randomUUID(), 'Content-Length': body.length }
    const sent = request(baseUrl + path, { method: 'POST', headers: { ...headers, ...own }, agent: false }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })

const isRefused = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'

/** Posts until a server answers. Any answer but the expected one is an error. */
export const probe = async (baseUrl: string, post: Post, expected: Expected, timeoutMs: number): Promise<void> => {
  const giveUpAt = performance.now() + timeoutMs
  while (performance.now() < giveUpAt) {
    const answer = await send(baseUrl, post).catch((error: unknown) => {
      if (!isRefused(error)) throw error
    })
    if (answer?.status === expected.status && answer.body.includes(expected.text)) return
    if (answer) throw new Error(`it answers ${answer.status} ${answer.body.slice(0, 200)}; expected ${expected.status} … ${expected.text}`)
    await wait(RETRY_MS)
  }
  throw new Error(`nobody listened within ${timeoutMs} ms`)
}
