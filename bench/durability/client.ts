/** Posts signed events over kept connections, and keeps what was answered. */

import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export const secret = 'bench-secret-0123456789'

export type Event = { readonly id: string; readonly route: string; readonly body: string }
export type Answer = {
  readonly status: number
  readonly said: string
  readonly reason: string
  /** The seconds of the header `Retry-After`. */
  readonly retryAfter?: string
}

export type Client = {
  /** Posts an event. Rejects when no answer comes. */
  post(url: string, event: Event): Promise<Answer>
  close(): void
}

const usualAnswerMs = 60_000

/** `answerMs`: how long an answer may take. */
export const createClient = (answerMs = usualAnswerMs): Client => {
  const agent = new Agent({ keepAlive: true })
  return {
    post: (url, { id, route, body }) =>
      new Promise((resolve, reject) => {
        const headers = {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'X-GitHub-Event': 'push',
          'X-GitHub-Delivery': id,
          'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        }
        const sent = request(`${url}/webhooks/${route}`, { method: 'POST', agent, headers, timeout: answerMs })
        sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
        sent.on('error', reject)
        sent.on('response', (response) => {
          text(response)
            .then((whole) => resolve(answerOf(response.statusCode ?? 0, whole, response.headers['retry-after'])))
            .catch(reject)
        })
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

const answerOf = (status: number, whole: string, retryAfter: string | undefined): Answer => {
  const { status: said = '', reason = '', error = '' }: { [name: string]: string } = JSON.parse(whole)
  return { status, said: said || error, reason, ...(retryAfter === undefined ? {} : { retryAfter }) }
}

/** Returns the status of `/health`, or 0 when nobody answers. */
export const healthOf = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const asked = request(`${url}/health`, { agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(0))
    asked.end()
  })
