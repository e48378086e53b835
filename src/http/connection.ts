/** One connection: the number of its unanswered requests is bounded, and its end cuts off no answer that its sender reads. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock } from '../core/clock.ts'
import { header } from '../core/headers.ts'
import { networkOf } from '../core/network.ts'
import type { Reply } from '../core/outcome.ts'
import { limitHeads } from '../node-internals/head-limit.ts'
import { peerAddress } from './client.ts'
import { rawReply, writeReply } from './write-reply.ts'

/** The most requests without an answer. The answer to the 16th says `Connection: close`. */
const maxUnanswered = 16
/** The most bytes that are read and dropped from a sender that still writes after the last request that is answered. */
const maxDropped = 65_536
/** How long a half-closed connection waits for its sender to close it too. */
const lingerMs = 1_000

/** Bounds the unanswered requests of a new connection of `node:http`, and ends the connection when its last answer is written. */
export class ClientConnection {
  /** The position of this connection in the list of open connections. The list updates the number. */
  index: number
  readonly #socket: Socket
  /** The latest request, and its response in `#response`. Both are `undefined` between two requests. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #client: string | undefined
  /** The number of requests whose answers are not written yet. */
  #unanswered = 0
  /** Whether the latest request is the last that this connection answers. */
  #isFull = false
  /** Whether further bytes bypass the parser and are dropped. */
  #isDeaf = false
  #dropped = 0
  /** How many bytes the socket had sent at the last `endIfStuck`; -1 when no bytes waited to be sent. */
  #sent = -1
  /** Whether the sender may still be about to write its first request: `endIfIdle` spares such a connection once. */
  #isNew = true
  /** The text that `fail` writes after all answers, before the connection ends; empty where it writes none, `undefined` before `fail`. */
  #lastWords: string | undefined

  constructor(socket: Socket, index: number) {
    limitHeads(socket, () => this.#isFull)
    this.#socket = socket
    this.index = index
  }

  /** The network of the peer's address: the limits on connections count one network as one client. */
  get client(): string {
    this.#client ??= networkOf(peerAddress(this.#socket))
    return this.#client
  }

  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /**
   * Counts a request as unanswered until its answer is written. `false`: the request gets no answer, because the last request that this
   * connection answers came before.
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isFull) {
      this.#ignoreRest()
      return false
    }
    this.#isNew = false
    this.#request = request
    this.#response = response
    this.#unanswered++
    response.on('close', this.#answered)
    if (this.#unanswered >= maxUnanswered) this.#sayLast(response)
    return true
  }

  /**
   * Whether the unread rest of the latest request's body may be too large to be read and dropped. The connection is kept only where the
   * rest can be dropped.
   */
  get hasLargeRest(): boolean {
    if (!this.#request || this.#request.complete) return false
    const { headers } = this.#request
    return header(headers, 'transfer-encoding') !== undefined || Number(header(headers, 'content-length')) > maxDropped
  }

  /**
   * Makes `response` the last answer of the connection, if `response` answers the latest request. No further bytes are parsed. Until the
   * sender has read the answer, the bytes that the sender still writes are dropped, up to a bound.
   */
  closeAfter(response: ServerResponse): void {
    if (response !== this.#response) return
    this.#sayLast(response)
    this.#ignoreRest()
  }

  /**
   * Answers with `reply` a request that the parser could not read, that did not come in time, or that is refused unread. Then ends the
   * connection. A request after the last that is answered gets no answer.
   */
  fail(reply: Reply): void {
    if (!this.#socket.writable) {
      this.#socket.destroy()
      return
    }
    if (this.#isDeaf) return
    const response = this.#request?.complete === false ? this.#response : undefined
    if (response && !response.headersSent) {
      this.closeAfter(response)
      writeReply(response, reply)
      return
    }
    const hasLast = this.#isFull && !response
    this.#ignoreRest()
    // The failed bytes follow the last request that is answered, so they get no answer of their own.
    if (hasLast) return
    this.#lastWords = response ? '' : rawReply(reply)
    if (this.#unanswered === 0) this.#say()
  }

  /**
   * Half-closes the connection when every request has its answer. A connection without any request may have opened a moment ago, with
   * its request on the way, so only the second call ends it.
   */
  endIfIdle(): void {
    if (this.isIdle && !this.#isDeaf && !this.#isNew) this.#linger()
    this.#isNew = false
  }

  /** Destroys the connection when its sender has read no byte of a waiting answer since the last call of this method. */
  endIfStuck(): void {
    const waiting = this.#socket.writableLength
    const sent = waiting > 0 ? this.#socket.bytesWritten - waiting : -1
    if (waiting > 0 && sent === this.#sent) this.#socket.destroy()
    this.#sent = sent
  }

  /** Marks an answer as the last: it says `Connection: close`, and the connection lingers after it instead of closing at once. */
  #sayLast(response: ServerResponse): void {
    this.#isFull = true
    response.setHeader('Connection', 'close')
    this.#socket.destroySoon = () => this.#linger()
  }

  /** From now on, bytes bypass the parser and are dropped, up to a bound. */
  #ignoreRest(): void {
    if (this.#isDeaf) return
    this.#isFull = true
    this.#isDeaf = true
    const socket = this.#socket
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => {
      this.#dropped += bytes.length
      if (this.#dropped > maxDropped) socket.pause()
    })
    // Node's parser has read from the socket in place of the socket's stream, and the stream believes that a read of its own still goes on.
    // The push ends this imaginary read, so that the stream begins to read again.
    socket.push('')
  }

  /** Called when the answer to a request is written, or its response is closed. */
  readonly #answered = (): void => {
    this.#unanswered--
    if (this.#unanswered > 0) return
    if (this.#lastWords !== undefined) this.#say()
    if (!this.#request?.complete) return
    // A connection that is kept alive must not keep its last request in memory.
    this.#request = undefined
    this.#response = undefined
  }

  /** Writes the text of `fail`, if there is one, and ends the connection. */
  #say(): void {
    if (this.#lastWords) this.#socket.write(this.#lastWords)
    this.#linger()
  }

  /**
   * Half-closes the connection, and closes it once the sender has closed its side or `lingerMs` is over. Closing at once, with bytes of
   * the sender unread, would send a reset, and the sender could lose the answer.
   */
  #linger(): void {
    this.#ignoreRest()
    const socket = this.#socket
    socket.end()
    const cancel = systemClock.after(lingerMs, () => socket.destroy())
    socket.once('end', () => socket.destroy())
    socket.once('close', cancel)
    if (this.#dropped <= maxDropped) socket.resume()
  }
}
