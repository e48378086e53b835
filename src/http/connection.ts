/** One connection: its bytes reach the parser in pieces, its unanswered requests have a bound, and it ends without taking an answer with it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from './reply.ts'
import { rawReply, writeReply } from './write-reply.ts'

/** Requests that may wait for their answers; the last of them is answered with `Connection: close`. */
const maxUnanswered = 16
/** Bytes that the parser gets at once, unless they are the body of one request. */
const maxPiece = 2_048
/** Bytes that are read and dropped for a sender that still writes when it has been answered. */
const maxDropped = 65_536
const lingerMs = 1_000
const blankLine = Buffer.from('\r\n\r\n')

type Parse = (bytes: Buffer) => void

/**
 * Takes over how a new connection of `node:http` is read. Node parses all that one read brings in one go: 64 kB are 1,200 small requests,
 * each with its objects before the first is answered. Cut at the end of each head, they can be stopped after the sixteenth.
 */
export class Connection {
  readonly #socket: Socket
  readonly #parse: Parse
  /** The latest request and its answer. */
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  /** Bytes of its body that the parser has not had; endless when they come in chunks. */
  #bodyLeft = 0
  #unanswered = 0
  /** Nothing more is parsed. */
  #isClosing = false
  /** Nothing is parsed after the latest request. */
  #isFull = false
  #dropped = 0
  /** What is written after all answers, where the connection ends without an answer that says so. */
  #lastWords: string | undefined

  constructor(socket: Socket) {
    const [parse] = socket.listeners('data') as Parse[]
    if (!parse) throw new Error('this version of Node reads its connections in another way')
    this.#socket = socket
    this.#parse = parse
    socket.removeListener('data', parse)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
  }

  /** Nobody waits for an answer here. */
  get isIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Takes note of a request; `false` when it came after the last one that is answered here. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isClosing || this.#isFull) return false
    this.#request = request
    this.#response = response
    this.#bodyLeft = 'transfer-encoding' in request.headers ? Number.POSITIVE_INFINITY : Number(request.headers['content-length'] ?? 0)
    this.#unanswered++
    response.on('close', this.#answered)
    if (this.#unanswered >= maxUnanswered) {
      this.#isFull = true
      this.#sayLast(response)
    }
    return true
  }

  /** More of the latest request may come than is worth reading for the sake of the connection. */
  get hasLargeRest(): boolean {
    return this.#request !== undefined && !this.#request.complete && this.#bodyLeft > maxDropped
  }

  /**
   * Makes the answer to the latest request the last one: nothing more is parsed; what still comes in is dropped, up to a bound, until the
   * answer was read.
   */
  closeAfter(response: ServerResponse): void {
    if (response !== this.#response) return
    this.#isClosing = true
    this.#sayLast(response)
  }

  /** Answers what the parser could not read, or what did not come in time, and ends the connection. */
  fail(reply: Reply): void {
    if (!this.#socket.writable) {
      this.#socket.destroy()
      return
    }
    const response = this.#request?.complete === false ? this.#response : undefined
    if (response && !response.headersSent) {
      this.closeAfter(response)
      writeReply(response, reply)
      return
    }
    this.#isClosing = true
    this.#lastWords = response ? '' : rawReply(reply)
    if (this.#unanswered === 0) this.#say()
  }

  /** Ends a connection on which nothing is asked. */
  endIfIdle(): void {
    if (!this.isIdle || this.#isClosing) return
    this.#isClosing = true
    this.#linger()
  }

  #read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0 && !this.#socket.destroyed; ) {
      if (this.#request?.complete) this.#request = undefined
      if (this.#isClosing || (this.#isFull && !this.#request)) {
        this.#drop(rest.length)
        return
      }
      if (this.#socket.isPaused()) {
        // The other side does not read its answers: go on when it does.
        this.#socket.unshift(rest)
        return
      }
      if (this.#parseWhole(rest)) return
      const piece = this.#piece(rest)
      this.#parse(piece)
      rest = rest.subarray(piece.length)
    }
  }

  /** Each head ends in a blank line: bytes with few of them are parsed at once, as most are one request. */
  #parseWhole(bytes: Buffer): boolean {
    const most = maxUnanswered - this.#unanswered
    let lines = 0
    let end = 0
    for (let at = bytes.indexOf(blankLine); at >= 0; at = bytes.indexOf(blankLine, end)) {
      if (++lines > most) return false
      end = at + blankLine.length
    }
    const before = this.#request
    this.#parse(bytes)
    if (this.#request?.complete) this.#request = undefined
    // Where it cannot be told how much of a body came, none of it is known to be left: the rest comes in pieces.
    if (this.#request === before) this.#bodyLeft -= bytes.length
    else this.#bodyLeft = lines === 1 ? this.#bodyLeft - (bytes.length - end) : 0
    return true
  }

  /** As much as the parser may have now: the rest of a body, or no further than the end of a head. */
  #piece(bytes: Buffer): Buffer {
    if (this.#request && this.#bodyLeft > 0 && this.#bodyLeft !== Number.POSITIVE_INFINITY) {
      const body = bytes.subarray(0, this.#bodyLeft)
      this.#bodyLeft -= body.length
      return body
    }
    const piece = bytes.subarray(0, maxPiece)
    const end = this.#request ? -1 : piece.indexOf(blankLine)
    return end < 0 ? piece : piece.subarray(0, end + blankLine.length)
  }

  #sayLast(response: ServerResponse): void {
    response.setHeader('Connection', 'close')
    this.#socket.destroySoon = () => this.#linger()
  }

  #drop(bytes: number): void {
    this.#dropped += bytes
    if (this.#dropped > maxDropped) this.#socket.pause()
  }

  readonly #answered = (): void => {
    this.#unanswered--
    if (this.#unanswered === 0 && this.#lastWords !== undefined) this.#say()
  }

  #say(): void {
    if (this.#lastWords) this.#socket.write(this.#lastWords)
    this.#linger()
  }

  /** Closes our side first: a close with bytes unread would be a reset, which takes the answer with it. */
  #linger(): void {
    const socket = this.#socket
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('end', () => socket.destroy())
    socket.once('close', () => clearTimeout(timer))
    if (this.#dropped <= maxDropped) socket.resume()
  }
}
