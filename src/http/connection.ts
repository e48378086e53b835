/** One connection: its unanswered requests have a bound, and it ends without taking an answer with it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../core/reply.ts'
import { rawReply, writeReply } from './write-reply.ts'

/** Requests that may wait for their answers; the last of them is answered with `Connection: close`. */
const maxUnanswered = 16
/** Bytes that are read and dropped for a sender that still writes when it has been answered. */
const maxDropped = 65_536
const lingerMs = 1_000

/** The parser of a connection of `node:http` calls this with each head. */
type Parser = { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number }
/** Makes the parser fail at this head. */
const stop = -1

/**
 * Bounds what a new connection of `node:http` asks. Node parses all that one read brings in one go: 64 kB are 1,200 small requests,
 * each with its objects before the first is answered. So its parser is stopped at the head after the last one that is answered here.
 */
export class Connection {
  readonly #socket: Socket
  /** The latest request and its answer. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  #unanswered = 0
  /** The latest request is the last one. */
  #isFull = false
  /** Nothing more is parsed. */
  #isDeaf = false
  #dropped = 0
  /** Bytes that had left when it was asked last whether any do; -1 when none waited. */
  #sent = -1
  /** What is written after all answers, where the connection ends without an answer that says so. */
  #lastWords: string | undefined

  constructor(socket: Socket) {
    const { parser } = socket as { parser?: Parser }
    if (!parser?.onIncoming) throw new Error('this version of Node parses its connections in another way')
    const { onIncoming } = parser
    parser.onIncoming = (request, keepAlive) => (this.#isFull ? stop : onIncoming(request, keepAlive))
    this.#socket = socket
  }

  /** Nobody waits for an answer here. */
  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Takes note of a request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request
    this.#response = response
    this.#unanswered++
    response.on('close', this.#answered)
    if (this.#unanswered >= maxUnanswered) this.#sayLast(response)
  }

  /** More of the latest request may come than is worth reading for the sake of the connection. */
  get hasLargeRest(): boolean {
    if (!this.#request || this.#request.complete) return false
    const { 'transfer-encoding': encoding, 'content-length': length } = this.#request.headers
    return encoding !== undefined || Number(length) > maxDropped
  }

  /**
   * Makes the answer to the latest request the last one: nothing more is parsed; what still comes in is dropped, up to a bound, until the
   * answer was read.
   */
  closeAfter(response: ServerResponse): void {
    if (response !== this.#response) return
    this.#sayLast(response)
    this.#ignoreRest()
  }

  /** Answers what the parser could not read, or what did not come in time, and ends the connection. */
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
    // What follows the last request is not looked at.
    if (hasLast) return
    this.#lastWords = response ? '' : rawReply(reply)
    if (this.#unanswered === 0) this.#say()
  }

  /** Ends a connection on which nothing is asked. */
  endIfIdle(): void {
    if (this.isIdle && !this.#isDeaf) this.#linger()
  }

  /** Ends a connection where no answer has left since this was asked last, though one waits for its other side to read. */
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

  /** What comes from here on passes the parser by and is dropped, up to a bound. */
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
    // While Node's parser read, the stream took itself to be reading: it has to begin anew, or a paused one would never go on.
    socket.push('')
  }

  readonly #answered = (): void => {
    this.#unanswered--
    if (this.#unanswered > 0) return
    if (this.#lastWords !== undefined) this.#say()
    if (!this.#request?.complete) return
    // A kept connection holds nothing of what was asked on it.
    this.#request = undefined
    this.#response = undefined
  }

  #say(): void {
    if (this.#lastWords) this.#socket.write(this.#lastWords)
    this.#linger()
  }

  /** Closes our side first: a close with bytes unread would be a reset, which takes the answer with it. */
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
