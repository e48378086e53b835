/** A stand-in for a platform's HTTP API on loopback, as strict as the real one: it refuses what the platform would refuse. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { type Json, type JsonObject, parseObject } from '../../../src/core/json.ts'
import type { Limit } from '../../../src/parts/targets/kit/split.ts'

export type Request = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, where its content type says JSON and it is a map. */
  readonly json: JsonObject | undefined
  /** The body, where its content type says form. */
  readonly form: URLSearchParams | undefined
}

export type Reply = { readonly status: number; readonly body?: Json | string; readonly headers?: { readonly [name: string]: string } }

/** A message that the platform took. `key`: what it recognises a repeat by. */
export type Accepted = { readonly chat: string; readonly text: string; readonly thread?: string; readonly key?: string }

export type Double = {
  readonly target: string
  /** Which of its ways, where a target has several. */
  readonly way?: string
  /** Settings under `platforms.<name>` that connect to it. */
  readonly settings: (origin: string) => JsonObject
  /** The same by the conventional names of the environment. */
  readonly env: (origin: string) => { readonly [name: string]: string }
  /** Settings whose credentials it refuses; absent where it asks for none. */
  readonly wrong?: (origin: string) => JsonObject
  /** Needed by every program that speaks to it, besides `env`. */
  readonly surroundings?: (origin: string) => { readonly [name: string]: string }
  readonly chat: string
  /** `deliver_extra` that leads to a chat; absent: it is its `chat_id`, or the home channel. */
  readonly address?: (chat: string, origin: string) => JsonObject
  /** A webhook, which knows this chat alone: naming it, or any, is a failure. */
  readonly ownChat?: true
  /** An id that it does not know; absent where it has no chats. */
  readonly unknownChat?: string
  /** A thread of the chat, as `thread_id`. */
  readonly thread?: string
  /** Further keys of `deliver_extra`. */
  readonly extra?: JsonObject
  /** Absent where a text of any length goes out whole. */
  readonly limit?: Limit
  readonly idempotent: boolean
  /** Its status alone tells of success. */
  readonly byStatus?: true
  /** Milliseconds until a message can be on its way; absent: none to speak of. */
  readonly startMs?: number
  /** Answers as the real API does, and calls `accept` for a message that it takes. Steps before (tokens, look-ups) too. */
  readonly answer: (request: Request, accept: (message: Accepted) => void, accepted: readonly Accepted[]) => Reply | 'silence'
  /** Whether this request posts a message (others are steps before it). */
  readonly posts: (request: Request) => boolean
  /** Its answer to too many messages, in its own units. */
  readonly limited: { readonly reply: Reply; readonly waitMs: number | undefined }
  /** An error that comes with status 200, where it has such. */
  readonly hidden?: Reply
  /** Texts that would mention, command or render something, and what of them must not be in an accepted message. */
  readonly hostile?: readonly { readonly text: string; readonly never: RegExp }[]
  /** Checks of a request that posted a hostile text (`allowed_mentions` …). */
  readonly harmless?: (request: Request) => boolean
  /** Where it speaks no HTTP on a port of its own. */
  readonly listen?: Listen
  /** An address of that kind at which nobody listens; absent: a closed port. */
  readonly closed?: (t: Test) => string
}

export type Running = {
  readonly origin: string
  readonly seen: Request[]
  readonly accepted: Accepted[]
  /** Takes the place of its answers to posts, once each, in order; `'silence'` never answers. */
  readonly next: (Reply | 'silence')[]
}

/** The `deliver_extra` that leads to a chat. */
export const extraFor = ({ address, ownChat }: Double, chat: string, origin: string): JsonObject =>
  address?.(chat, origin) ?? (ownChat ? {} : { chat_id: chat })

/** What a double keeps, and its answer to one request. */
type Desk = Omit<Running, 'origin'> & { readonly answer: (request: Request) => Reply | 'silence' }

/** Starts to listen until the test ends; the address that `settings` and the like are given. */
export type Listen = (t: Test, desk: Desk) => Promise<string>

/** Starts it; it ends with its test. */
export const startDouble = async (t: Test, double: Double): Promise<Running> => {
  const [seen, accepted, next]: [Request[], Accepted[], Running['next']] = [[], [], []]
  const answer: Desk['answer'] = (request) => {
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

/** On a free port of loopback, or on a Unix socket. */
export const listenHttp =
  (path?: string): Listen =>
  async (t, desk) => {
    const server = createServer(async (incoming, response) => {
      const reply = desk.answer(await read(incoming))
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
