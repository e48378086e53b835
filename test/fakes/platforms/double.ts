/** A stand-in for a platform's HTTP API on loopback, as strict as the real one: what that would refuse, it refuses. */

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { isObject, type Json, type JsonObject } from '../../../src/core/json.ts'
import type { Limit } from '../../../src/parts/split.ts'

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
  readonly chat: string
  /** An id that it does not know; absent where it has no chats. */
  readonly unknownChat?: string
  /** A thread of the chat, as `thread_id`. */
  readonly thread?: string
  /** Further keys of `deliver_extra`. */
  readonly extra?: JsonObject
  /** Absent where a text of any length goes out whole. */
  readonly limit?: Limit
  readonly idempotent: boolean
  /** Answers as the real API does, and calls `accept` for a message that it takes. Steps before (tokens, look-ups) too. */
  readonly answer: (request: Request, accept: (message: Accepted) => void) => Reply
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
}

export type Running = {
  readonly origin: string
  readonly seen: Request[]
  readonly accepted: Accepted[]
  /** Takes the place of its answers to posts, once each, in order; `'silence'` never answers. */
  readonly next: (Reply | 'silence')[]
}

/** Starts it; it ends with its test. */
export const startDouble = async (t: Test, double: Double): Promise<Running> => {
  const seen: Request[] = []
  const accepted: Accepted[] = []
  const next: (Reply | 'silence')[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost')
    const text = Buffer.concat(chunks).toString()
    const type = incoming.headers['content-type'] ?? ''
    const request: Request = {
      method: incoming.method ?? '',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      text,
      json: type.startsWith('application/json') ? mapOf(text) : undefined,
      form: type.startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(text) : undefined,
    }
    seen.push(request)
    const forced = double.posts(request) ? next.shift() : undefined
    if (forced === 'silence') return
    const { status, body = '', headers = {} } = forced ?? double.answer(request, (message) => accepted.push(message))
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, accepted, next }
}

const mapOf = (text: string): JsonObject | undefined => {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
