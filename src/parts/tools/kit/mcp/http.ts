/** Carries messages to an address and back, as Streamable HTTP does: each in a POST of its own, answered by JSON or by a stream of events. */

import type { JSONRPCMessage, MCPTransportSendOptions } from '@ai-sdk/mcp'
import { Lines } from '../../../../core/lines.ts'
import { maxMessageBytes, receive, type Wire, WireFault } from './wire.ts'

/** How long a server may take to hear that a session is over. */
const goodbyeMs = 2000

export class HttpWire implements Wire {
  readonly ended = undefined
  protocolVersion?: string
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #url: URL
  readonly #headers: { readonly [name: string]: string }
  readonly #underWay = new Set<AbortController>()
  #session: string | undefined

  constructor(url: URL, headers: { readonly [name: string]: string }) {
    this.#url = url
    this.#headers = headers
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, { signal }: MCPTransportSendOptions = {}): Promise<void> {
    const stop = new AbortController()
    const follow = (): void => stop.abort(signal?.reason)
    if (signal?.aborted) follow()
    signal?.addEventListener('abort', follow)
    this.#underWay.add(stop)
    try {
      await this.#post(message, stop.signal)
    } finally {
      signal?.removeEventListener('abort', follow)
      this.#underWay.delete(stop)
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#underWay) stop.abort()
    const goodbye = this.#session === undefined ? undefined : this.#ask('DELETE', AbortSignal.timeout(goodbyeMs))
    this.#session = undefined
    await goodbye?.then(({ body }) => body?.cancel()).catch(() => {})
    this.onclose?.()
  }

  async #post(message: JSONRPCMessage, signal: AbortSignal): Promise<void> {
    const answer = await this.#ask('POST', signal, JSON.stringify(message))
    this.#session = answer.headers.get('mcp-session-id') ?? this.#session
    const isRequest = 'method' in message && 'id' in message
    if (answer.ok && isRequest && answer.status !== 202) return await this.#read(answer, message.id)
    await answer.body?.cancel()
    if (!answer.ok) throw refusal(answer.status, this.#session !== undefined)
    if (isRequest) throw new WireFault('the server broke off before it answered')
  }

  async #ask(method: 'POST' | 'DELETE', signal: AbortSignal, body?: string): Promise<Response> {
    const headers = {
      ...this.#headers,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.protocolVersion }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    }
    try {
      // A redirect would carry the headers elsewhere.
      return await fetch(this.#url, { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) })
    } catch (thrown) {
      throw unreachable(thrown)
    }
  }

  /** Hands over what an answer holds, until it has answered the request. */
  async #read({ headers, body }: Response, id: string | number): Promise<void> {
    let isAnswered = false
    const take = (text: string): void => {
      const messages = receive(text, this)
      if (messages.length === 0) throw new WireFault('the server gave an answer that cannot be read')
      isAnswered ||= messages.some((message) => message.id === id && !('method' in message))
    }
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      const events = new Events(take)
      await eachChunk(body, (chunk) => {
        events.take(chunk)
        return isAnswered
      })
    } else take(await wholeOf(body))
    if (!isAnswered) throw new WireFault('the server broke off before it answered')
  }
}

const wholeOf = async (body: Response['body']): Promise<string> => {
  const chunks: Uint8Array[] = []
  let left = maxMessageBytes
  await eachChunk(body, (chunk) => {
    left -= chunk.length
    if (left < 0) throw tooLong()
    chunks.push(chunk)
  })
  return Buffer.concat(chunks).toString()
}

/** Gives each chunk of a body, until there is none or one was enough. */
const eachChunk = async (body: Response['body'], take: (chunk: Uint8Array) => unknown): Promise<void> => {
  try {
    for await (const chunk of body ?? []) if (take(chunk) === true) return
  } catch (thrown) {
    throw thrown instanceof WireFault ? thrown : unreachable(thrown)
  }
}

/** The data of server-sent events, as their bytes come. */
class Events {
  readonly #lines: Lines
  #data: string[] = []
  #held = 0

  constructor(give: (data: string) => void) {
    this.#lines = new Lines(maxMessageBytes, (line) => {
      if (line.startsWith('data:')) {
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
        this.#held += line.length
        if (this.#held > maxMessageBytes) throw tooLong()
      }
      if (line !== '') return
      const data = this.#data.join('\n')
      this.#data = []
      this.#held = 0
      if (data !== '') give(data)
    })
  }

  take(chunk: Uint8Array): void {
    if (!this.#lines.take(chunk)) throw tooLong()
  }
}

const tooLong = (): WireFault => new WireFault('the server gave an answer that is too long')

const refusal = (status: number, hadSession: boolean): WireFault => {
  if (status === 401 || status === 403)
    return new WireFault(`the server does not let us in (HTTP ${status}): check "headers" of the toolset`)
  if (status >= 300 && status < 400)
    return new WireFault(`the server redirects (HTTP ${status}), which is not followed: check "url" of the toolset`)
  // Not every server answers 404 to a session that it does not know.
  return new WireFault(`the server answered HTTP ${status}`, hadSession && (status === 404 || status === 400) ? 'lost' : undefined)
}

// The errors of fetch may quote the address, so that only their code is shown.
const unreachable = (thrown: unknown): WireFault => {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'no connection'
  return new WireFault(`the server cannot be reached (${code})`)
}
