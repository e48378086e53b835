/**
 * The wire to an MCP server at a web address (Streamable HTTP of MCP): each message of the gateway is a POST, and the server answers the
 * POST with JSON or with a stream of server-sent events. The transports of the protocol's own SDK bound one message, but not what a server
 * sends in all, and parse a flood of messages in one turn of the event loop; so this wire and that of `stdio.ts` are ours.
 */

import type { JSONRPCMessage, MCPTransportSendOptions } from '@ai-sdk/mcp'
import { fetchAnswer } from '../../../core/calls/call-server.ts'
import { pause, unrefClock } from '../../../core/clock.ts'
import { Allowance } from '../../../core/turns/allowance.ts'
import { endWithin } from '../../../core/turns/within.ts'
import { byteLength, type Pieces, readWholeBody, streamEvents } from './body.ts'
import { messageText, type WireKit } from './call-traces.ts'
import { MessageReader, ServerFlood } from './reader.ts'
import { unreachable, type Wire, WireFault } from './wire.ts'

/** How long a server may take to answer the request that ends its MCP session. */
const goodbyeMs = 2000
/**
 * The most replies to requests of the server (a ping, or a request that is refused) that are under way at once (`maxReplies`), and that
 * begin within `spanMs` (`repliesInSpan`). Each reply costs an HTTP request, so further requests of the server get no reply.
 */
const maxReplies = 16
const repliesInSpan = 100
const spanMs = 10_000
/** The most streams that are read for the answer to one request. */
const maxStreams = 100
/** How long the pause before the next stream is where the server does not say, and the longest that it may ask for. */
const usualRetryMs = 1_000
const longestRetryMs = 60_000
/** The longest line with the id of an event. */
const maxIdBytes = 1_024

type Asked = { readonly body?: string; readonly lastEventId?: string; readonly traceparent?: string | undefined }

export class HttpWire implements Wire {
  readonly ended = undefined
  protocolVersion?: string
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #url: URL
  readonly #headers: { readonly [name: string]: string }
  readonly #kit: WireKit
  /** The controllers that abort the POSTs which have not ended. */
  readonly #underWay = new Set<AbortController>()
  readonly #replyAllowance: Allowance
  #replies = 0
  /** The id that the server gave to this connection (`mcp-session-id`). A session of MCP has nothing to do with the sessions of routes. */
  #session: string | undefined

  constructor(url: URL, headers: { readonly [name: string]: string }, kit: WireKit) {
    this.#url = url
    this.#headers = headers
    this.#kit = kit
    this.#replyAllowance = new Allowance(kit.clock, repliesInSpan, spanMs)
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options: MCPTransportSendOptions = {}): Promise<void> {
    // A message without a method is a reply to a request of the server.
    if ('method' in message) return await this.#carry(message, options)
    if (this.#replies >= maxReplies || !this.#replyAllowance.take(1)) return
    this.#replies++
    try {
      await this.#carry(message, options)
    } finally {
      this.#replies--
    }
  }

  /** Posts a message, until `signal` aborts or the wire is closed. */
  async #carry(message: JSONRPCMessage, { signal }: MCPTransportSendOptions): Promise<void> {
    const stop = new AbortController()
    this.#underWay.add(stop)
    try {
      await this.#post(message, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal, signal && this.#kit.traceparents.get(signal))
    } finally {
      this.#underWay.delete(stop)
    }
  }

  async close(): Promise<void> {
    for (const stop of this.#underWay) stop.abort()
    const sayGoodbye = async (signal: AbortSignal): Promise<void> => (await this.#ask('DELETE', signal)).body?.cancel()
    const said = this.#session === undefined ? undefined : endWithin(sayGoodbye, goodbyeMs, unrefClock, () => {})
    this.#session = undefined
    await said?.catch(() => {})
    this.onclose?.()
  }

  /** Posts a message and, if it is a request, reads until it is answered. */
  async #post(message: JSONRPCMessage, signal: AbortSignal, traceparent: string | undefined): Promise<void> {
    const answer = await this.#ask('POST', signal, { body: messageText(message, traceparent), traceparent })
    this.#session = answer.headers.get('mcp-session-id') ?? this.#session
    const isRequest = 'method' in message && 'id' in message
    if (answer.ok && isRequest && answer.status !== 202) return await this.#read(answer, message.id, signal)
    await answer.body?.cancel()
    if (!answer.ok) throw statusFault(answer.status, this.#session !== undefined)
    if (isRequest) throw new WireFault('the server broke off before it answered')
  }

  /** Makes one HTTP request, with the operator's headers and the headers of MCP. */
  async #ask(method: 'POST' | 'GET' | 'DELETE', signal: AbortSignal, { body, lastEventId, traceparent }: Asked = {}): Promise<Response> {
    const headers = {
      ...this.#headers,
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.protocolVersion }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...(traceparent === undefined ? {} : { traceparent }),
    }
    try {
      return await fetchAnswer(this.#url, { method, headers, signal, body: body ?? null })
    } catch (thrown) {
      throw unreachable(thrown)
    }
  }

  /**
   * Hands over the messages of an HTTP response, until one of them answers the request. A server may close a stream within a call, and go
   * on in another one for whoever names the last event. The request itself is not sent again, because the server may have begun with it.
   */
  async #read(answer: Response, id: string | number, signal: AbortSignal): Promise<void> {
    let isAnswered = false
    const isAwaited = (found: unknown): boolean => {
      const isAnswer = found === id && !isAnswered
      isAnswered ||= isAnswer
      return isAnswer
    }
    const reader = new MessageReader(this.#kit, { isAwaited, give: (message) => this.onmessage?.(message) }, signal)
    const position: StreamPosition = { retryMs: usualRetryMs }
    const passOver = (line?: Pieces): Promise<void> => {
      if (line) notePosition(line, position)
      return reader.passOver(line)
    }
    const readFrom = async ({ headers, body }: Response): Promise<void> => {
      for await (const text of isStream(headers) ? streamEvents(body, passOver) : [await readWholeBody(body)]) {
        if (!(await reader.read(text))) throw new WireFault('the server gave an answer that cannot be read')
        if (isAnswered) return
      }
    }
    let from: Response | undefined = answer
    for (let streams = 0; from && streams < maxStreams; streams++) {
      try {
        await readFrom(from)
      } catch (thrown) {
        if (thrown instanceof ServerFlood) throw new WireFault(`the server sent ${thrown.message}`, 'flood')
        const goesOn = thrown instanceof WireFault && thrown.fate === 'broken' && position.lastEventId !== undefined && !signal.aborted
        if (!goesOn) throw thrown
      }
      if (isAnswered) return
      from = await this.#nextStream(position, signal)
    }
    throw new WireFault('the server broke off before it answered')
  }

  /** Asks the server for a stream with the events after the last event. Resolves to `undefined` where there is no such stream. */
  async #nextStream({ lastEventId, retryMs }: StreamPosition, signal: AbortSignal): Promise<Response | undefined> {
    if (lastEventId === undefined) return undefined
    await pause(retryMs, this.#kit.clock, signal)
    signal.throwIfAborted()
    const answer = await this.#ask('GET', signal, { lastEventId })
    if (answer.ok && isStream(answer.headers)) return answer
    await answer.body?.cancel()
    return undefined
  }
}

const isStream = (headers: Headers): boolean => headers.get('content-type')?.startsWith('text/event-stream') === true

/** Where a stream of events is, as the stream says. `retryMs`: how long to wait before asking for the next stream. */
type StreamPosition = { lastEventId?: string; retryMs: number }

/** Takes id and waiting time from a line of a stream, if it has one of them. */
const notePosition = (line: Pieces, position: StreamPosition): void => {
  if (byteLength(line) > maxIdBytes) return
  const [, field, value = ''] = /^(id|retry): ?([\x20-\x7e]+)$/.exec(Buffer.concat(line).toString()) ?? []
  if (field === 'id') position.lastEventId = value
  if (field === 'retry' && /^\d{1,9}$/.test(value)) position.retryMs = Math.min(Number(value), longestRetryMs)
}

/** Makes the fault of an answer with an error status. A server that had a session may have forgotten it. */
const statusFault = (status: number, hadSession: boolean): WireFault => {
  if (status === 401 || status === 403)
    return new WireFault(`the server does not let us in (HTTP ${status}): check "headers" of the toolset`)
  if (status >= 300 && status < 400)
    return new WireFault(`the server redirects (HTTP ${status}), which is not followed: check "url" of the toolset`)
  // For a session that it does not know, a server should answer 404, but some answer 400.
  return new WireFault(`the server answered HTTP ${status}`, hadSession && (status === 404 || status === 400) ? 'lost' : undefined)
}
