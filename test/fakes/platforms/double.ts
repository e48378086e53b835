/**
 * Runs doubles. A double stands in for a platform's HTTP API on loopback and is as strict as the real one: it refuses what the platform
 * would refuse.
 */

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { type Json, type JsonObject, parseObject } from '../../../src/core/json.ts'
import type { Limit } from '../../../src/parts/targets/kit/split.ts'

export type Request = {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, where its content type is that of JSON and the body is a map. */
  readonly json: JsonObject | undefined
  /** The body, where its content type is that of a form. */
  readonly form: URLSearchParams | undefined
}

export type Reply = { readonly status: number; readonly body?: Json | string; readonly headers?: { readonly [name: string]: string } }

/** A message that the platform took. `key`: by what the platform recognises a repeat. */
export type Accepted = { readonly chat: string; readonly text: string; readonly thread?: string; readonly key?: string }

export type Double = {
  readonly target: string
  /** The name of the way of sending, where a target has several. */
  readonly way?: string
  /** Returns the settings under `platforms.<name>` that connect the target to the double. */
  readonly settings: (origin: string) => JsonObject
  /** Returns the same settings by the conventional names of the environment. */
  readonly env: (origin: string) => { readonly [name: string]: string }
  /** Returns settings with credentials that the double refuses. Absent where the platform asks for none. */
  readonly wrong?: (origin: string) => JsonObject
  /** Returns the variables that every program needs which speaks to the double, besides `env`. */
  readonly surroundings?: (origin: string) => { readonly [name: string]: string }
  readonly chat: string
  /** Returns the `deliver_extra` that leads to a chat. Absent where that is `chat_id`, or the home channel. */
  readonly address?: (chat: string, origin: string) => JsonObject
  /** The double is a webhook that posts to one chat. A `deliver_extra` that names a chat, even this one, is a failure. */
  readonly ownChat?: true
  /** The id of a chat that the double does not know. Absent where the platform has no chats. */
  readonly unknownChat?: string
  /** The `thread_id` of a thread of the chat. */
  readonly thread?: string
  /** Further keys of `deliver_extra`. */
  readonly extra?: JsonObject
  /** The longest text of one message. Absent where a text of any length goes out whole. */
  readonly limit?: Limit
  readonly idempotent: boolean
  /** Only the status of an answer shows whether the message was posted. */
  readonly byStatus?: true
  /** How many milliseconds pass until a message can be sent. Absent where that time is too short to matter. */
  readonly startMs?: number
  /**
   * Answers as the real API does, also in the steps before a message (tokens, look-ups). Calls `accept` for a message that the double
   * takes.
   */
  readonly answer: (request: Request, accept: (message: Accepted) => void, accepted: readonly Accepted[]) => Reply | 'silence'
  /** Whether a request posts a message, and is no step before one. */
  readonly posts: (request: Request) => boolean
  /** The answer to too many messages. `waitMs`: how long it tells the sender to wait; `undefined` where it does not say. */
  readonly limited: { readonly reply: Reply; readonly waitMs: number | undefined }
  /** An error that comes with status 200. Absent where the platform has no such errors. */
  readonly hidden?: Reply
  /** Texts that would mention, command or render something. `never`: what an accepted message may not hold. */
  readonly hostile?: readonly { readonly text: string; readonly never: RegExp }[]
  /** Whether a request that posted a hostile text made the text harmless (`allowed_mentions` …). */
  readonly harmless?: (request: Request) => boolean
  /** How the double listens. Absent where it speaks HTTP on a port of its own. */
  readonly listen?: Listen
  /** Returns an address at which nobody listens, of the kind that `listen` has. Absent where a closed port will do. */
  readonly closed?: (t: Test) => string
}

export type Running = {
  readonly origin: string
  readonly seen: Request[]
  readonly accepted: Accepted[]
  /** The answers to the next posts, in their order, in place of the double's own. `'silence'` is no answer at all. */
  readonly next: (Reply | 'silence')[]
}

/** Returns the `deliver_extra` that leads to a chat. */
export const extraFor = ({ address, ownChat }: Double, chat: string, origin: string): JsonObject =>
  address?.(chat, origin) ?? (ownChat ? {} : { chat_id: chat })

/** What a running double keeps, and its function that answers a request. */
type DoubleParts = Omit<Running, 'origin'> & { readonly answer: (request: Request) => Reply | 'silence' }

/** Starts to listen, until the test ends. Resolves to the address that `settings` and `env` are given. */
export type Listen = (t: Test, running: DoubleParts) => Promise<string>

/** Starts a double, which ends with its test. */
export const startDouble = async (t: Test, double: Double): Promise<Running> => {
  const [seen, accepted, next]: [Request[], Accepted[], Running['next']] = [[], [], []]
  const answer: DoubleParts['answer'] = (request) => {
    seen.push(request)
    const forced = double.posts(request) ? next.shift() : undefined
    return forced ?? double.answer(request, (message) => accepted.push(message), accepted)
  }
  const origin = await (double.listen ?? listenHttp())(t, { seen, accepted, next, answer })
  return { origin, seen, accepted, next }
}

const read = async (incoming: IncomingMessage): Promise<Request> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = '', url = '/', headers } = incoming
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const text = Buffer.concat(chunks).toString()
  const type = headers['content-type'] ?? ''
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    text,
    json: type.startsWith('application/json') ? parseObject(text) : undefined,
    form: type.startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(text) : undefined,
  }
}

/** Listens on the Unix socket `path`, or else on a free port of loopback. */
export const listenHttp =
  (path?: string): Listen =>
  async (t, running) => {
    const server = createServer(async (incoming, response) => {
      const reply = running.answer(await read(incoming))
      if (reply === 'silence') return
      const { status, body = '', headers = {} } = reply
      const isText = typeof body === 'string'
      response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
      response.end(isText ? body : JSON.stringify(body))
    })
    await new Promise<void>((ready) => (path === undefined ? server.listen(0, '127.0.0.1', ready) : server.listen(path, ready)))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return path ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
