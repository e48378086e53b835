/** One connection: the number of its unanswered requests is bounded, and its end never cuts off an answer. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { header } from '../core/headers.ts'
import { networkOf } from '../core/network.ts'
import type { Reply } from '../core/outcome.ts'
import { limitHeads } from '../node-internals/head-limit.ts'
import { peerAddress } from './client.ts'
import { rawReply, writeReply } from './write-reply.ts'

/** The most requests without an answer. The answer to the last of them says `Connection: close`. */
const maxUnanswered = 16
/** Bytes that are read and dropped from a sender that still writes after the last answer. */
const maxDropped = 65_536
const lingerMs = 1_000

/** Bounds the requests of a new connection of `node:http`, and ends it when its last answer is written. */
export class Connection {
  /** The connection's index in the list of open connections. The list keeps it right. */
  index: number
  readonly #socket: Socket
  /** The latest request and its answer. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #client: string | undefined
  #unanswered = 0
  /** The latest request is the last one to be answered. */
  #isFull = false
  /** Nothing more is parsed. */
  #isDeaf = false
  #dropped = 0
  /** Bytes that had left at the last `endIfStuck`; -1 when none waited. */
  #sent = -1
  /** What `fail` wants written after all answers; empty where nothing is to be written before the end. */
  #lastWords: string | undefined

  constructor(socket: Socket, index: number) {
    limitHeads(socket, () => this.#isFull)
    this.#socket = socket
    this.index = index
  }

  /** The network of the peer's address. */
  get client(): string {
    this.#client ??= networkOf(peerAddress(this.#socket))
    return this.#client
  }

  /** No request is without its answer. */
  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Counts a request until its answer is written. `false`: the request comes after the last one that is answered. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isFull) {
      this.#ignoreRest()
      return false
    }
    this.#request = request
    this.#response = response
    this.#unanswered++
    response.on('close', this.#answered)
    if (this.#unanswered >= maxUnanswered) this.#sayLast(response)
    return true
  }

  /** More of the latest request's body may come than is read and dropped to keep a connection. */
  get hasLargeRest(): boolean {
    if (!this.#request || this.#request.complete) return false
    const { headers } = this.#request
    return header(headers, 'transfer-encoding') !== undefined || Number(header(headers, 'content-length')) > maxDropped
  }

  /**
   * Makes the answer to the latest request the last one. Nothing more is parsed. Until the sender has read the answer, what it still
   * sends is dropped, up to a bound.
   */
  closeAfter(response: ServerResponse): void {
    if (response !== this.#response) return
    this.#sayLast(response)
    this.#ignoreRest()
  }

  /** Answers a request that the parser could not read, or that did not come in time, and ends the connection. */
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
    // What follows the last request gets no answer.
    if (hasLast) return
    this.#lastWords = response ? '' : rawReply(reply)
    if (this.#unanswered === 0) this.#say()
  }

  /** Ends the connection when no request is without its answer. */
  endIfIdle(): void {
    if (this.isIdle && !this.#isDeaf) this.#linger()
  }

  /** Ends the connection when its sender has read nothing of a waiting answer since the last call. */
  endIfStuck(): void {
    const waiting = this.#socket.writableLength
    const sent = waiting > 0 ? this.#socket.bytesWritten - waiting : -1
    if (waiting > 0 && sent === this.#sent) this.#socket.destroy()
    this.#sent = sent
  }

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
    // Node's parser read the socket for the stream, which still believes that it is reading. The push makes it begin to read again.
    socket.push('')
  }

  readonly #answered = (): void => {
    this.#unanswered--
    if (this.#unanswered > 0) return
    if (this.#lastWords !== undefined) this.#say()
    if (!this.#request?.complete) return
    // A connection that is kept alive must not keep its last request in memory.
    this.#request = undefined
    this.#response = undefined
  }

  #say(): void {
    if (this.#lastWords) this.#socket.write(this.#lastWords)
    this.#linger()
  }

  /** Half-closes first. Closing with unread bytes would send a reset, and the sender could lose the answer. */
  #linger(): void {
    this.#ignoreRest()
    const socket = this.#socket
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => clearTimeout(timer))
    if (this.#dropped <= maxDropped) socket.resume()
  }
}
