/**
 * Reads the messages of an MCP server as they come, and hands them to whoever waits for them. The messages that nobody asked for have a
 * limit, and no message holds up the event loop.
 */

import type { JSONRPCMessage } from '@ai-sdk/mcp'
import type { Clock } from '../../../core/clock.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { Allowance } from '../../../core/turns/allowance.ts'
import { takingTurns } from '../../../core/turns/taking-turns.ts'
import { byteLength, type Pieces } from './body.ts'
import type { ReadLong } from './long-messages.ts'
import { type ReadMessages, readMessages } from './read-messages.ts'

/** A message of more bytes than this is read in a thread. */
const longMessage = 256 * 1024
/** The most lines and messages within `spanMs` that answer no call, and the most MiB of them. */
const maxUnasked = 10_000
const unaskedMiB = 16
const spanMs = 10_000
/** The most lines and messages that are read in one turn of the event loop. */
const linesInTurn = 100

/** Thrown when a server sends more than is read. The message names what was too much, to follow "wrote" or "sent" in a sentence. */
export class ServerFlood extends Error {}

/** What the readers of one server share. `allow`: the tools that may be used. */
export type ReaderKit = { readonly allow: ReadonlySet<string>; readonly clock: Clock; readonly readLong: ReadLong }

/** Who gets the messages of a server. */
export type MessageListener = {
  /** Whether a request of the gateway waits for the answer with this id. Once `true` was returned, the request counts as answered. */
  readonly isAwaited: (id: Json | undefined) => boolean
  /** Gets the answers to requests of the gateway, and the requests of the server. */
  readonly give: (message: JSONRPCMessage) => void
}

export class MessageReader {
  readonly #kit: ReaderKit
  readonly #listener: MessageListener
  readonly #signal: AbortSignal
  readonly #count: Allowance
  readonly #bytes: Allowance
  readonly #turn = takingTurns(linesInTurn)

  /** `signal` aborts when nobody listens any more. */
  constructor(kit: ReaderKit, listener: MessageListener, signal: AbortSignal) {
    this.#kit = kit
    this.#listener = listener
    this.#signal = signal
    this.#count = new Allowance(kit.clock, maxUnasked, spanMs)
    this.#bytes = new Allowance(kit.clock, unaskedMiB * 1024 * 1024, spanMs)
  }

  /** Reads a text and hands over its messages. `false`: the text has none. Rejects with a ServerFlood, or with the signal's reason. */
  async read(pieces: Pieces): Promise<boolean> {
    const length = byteLength(pieces)
    const { messages, count } = await this.#readMessages(pieces, length)
    const received = messages.map((message) => ({ message, isAnswer: !('method' in message) && this.#listener.isAwaited(message.id) }))
    const answers = received.filter(({ isAnswer }) => isAnswer).length
    // A text without messages counts as one message. The bytes of a text with an awaited answer are not counted.
    this.#charge(Math.max(count, 1) - answers, answers === 0 ? length : 0)
    for (const { message, isAnswer } of received) {
      if (isAnswer || 'method' in message) this.#give(message)
      await this.#turn()
    }
    if (received.length === 0) await this.#turn()
    return count > 0
  }

  /**
   * Counts a line that is no message. Without `line`, it counts a line whose bytes are part of a message, which `read` counts. Rejects with
   * a ServerFlood.
   */
  async passOver(line: Pieces = []): Promise<void> {
    this.#charge(1, byteLength(line))
    await this.#turn()
  }

  #give(message: JsonObject): void {
    try {
      this.#listener.give(message as JSONRPCMessage)
    } catch {
      // The client throws for an answer to a request that it gave up after `isAwaited` said true.
    }
  }

  async #readMessages(pieces: Pieces, length: number): Promise<ReadMessages> {
    const { allow, readLong } = this.#kit
    if (length <= longMessage) return readMessages(Buffer.concat(pieces).toString(), allow)
    const messages = await readLong(pieces, this.#signal)
    if (!messages) throw new ServerFlood('a message that takes too long to read')
    return messages
  }

  /** Counts lines or messages that answer no call, and their bytes. Throws a ServerFlood past the limits. */
  #charge(count: number, bytes: number): void {
    const span = `within ${spanMs / 1000} s that answer no call`
    if (!this.#count.take(count)) throw new ServerFlood(`more than ${maxUnasked} lines or messages ${span}`)
    if (!this.#bytes.take(bytes)) throw new ServerFlood(`more than ${unaskedMiB} MiB ${span}`)
  }
}
