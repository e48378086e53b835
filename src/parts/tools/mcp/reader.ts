/** Reads the messages of a server as they come. Messages that nobody asked for have a bound, and no long read holds up the event loop. */

import type { JSONRPCMessage } from '@ai-sdk/mcp'
import type { Clock } from '../../../core/clock.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { Allowance } from '../../../core/turns/allowance.ts'
import { takingTurns } from '../../../core/turns/taking-turns.ts'
import type { ReadLong } from './long-messages.ts'
import { lengthOf, type Pieces } from './pieces.ts'
import { type ReadMessages, readMessages } from './read-messages.ts'

/** A longer message is read in a thread. */
const longMessage = 256 * 1024
/** The bounds, within the span, of lines and messages that answer no call, and of their bytes. */
const maxUnasked = 10_000
const unaskedMiB = 16
const spanMs = 10_000
/** Lines and messages in one turn of the event loop. */
const slice = 100

/** A server sends more than is read. The error's message names what was too much, and follows "wrote" or "sent" in a sentence. */
export class ServerFlood extends Error {}

/** What a reader needs to read the messages of a server. */
export type ReaderKit = { readonly allow: ReadonlySet<string>; readonly clock: Clock; readonly readLong: ReadLong }

export type Listener = {
  /** Whether a request of ours waits for the answer with this id. After this call it waits no more. */
  readonly isAwaited: (id: Json | undefined) => boolean
  /** Gets the answers to our requests, and the server's own requests. */
  readonly give: (message: JSONRPCMessage) => void
}

export class Reader {
  readonly #kit: ReaderKit
  readonly #listener: Listener
  readonly #signal: AbortSignal
  readonly #count: Allowance
  readonly #bytes: Allowance
  readonly #turn = takingTurns(slice)

  /** `signal`: nobody listens any more. */
  constructor(kit: ReaderKit, listener: Listener, signal: AbortSignal) {
    this.#kit = kit
    this.#listener = listener
    this.#signal = signal
    this.#count = new Allowance(kit.clock, maxUnasked, spanMs)
    this.#bytes = new Allowance(kit.clock, unaskedMiB * 1024 * 1024, spanMs)
  }

  /** Reads a text; `false`: it holds no message. Rejects with a `ServerFlood`, or with the reason of the signal. */
  async read(pieces: Pieces): Promise<boolean> {
    const length = lengthOf(pieces)
    const { messages, count } = await this.#readMessages(pieces, length)
    const received = messages.map((message) => ({ message, isAnswer: !('method' in message) && this.#listener.isAwaited(message.id) }))
    const answers = received.filter(({ isAnswer }) => isAnswer).length
    this.#charge(Math.max(count, 1) - answers, answers === 0 ? length : 0)
    for (const { message, isAnswer } of received) {
      if (isAnswer || 'method' in message) this.#give(message)
      await this.#turn()
    }
    if (received.length === 0) await this.#turn()
    return count > 0
  }

  /** Takes a line that is no message by itself; without it, a line that is part of a message. Rejects with a `ServerFlood`. */
  async passOver(line: Pieces = []): Promise<void> {
    this.#charge(1, lengthOf(line))
    await this.#turn()
  }

  #give(message: JsonObject): void {
    try {
      this.#listener.give(message as JSONRPCMessage)
    } catch {
      // The message answers a call that nobody waits for any more.
    }
  }

  async #readMessages(pieces: Pieces, length: number): Promise<ReadMessages> {
    const { allow, readLong } = this.#kit
    if (length <= longMessage) return readMessages(Buffer.concat(pieces).toString(), allow)
    const messages = await readLong(pieces, this.#signal)
    if (!messages) throw new ServerFlood('a message that takes too long to read')
    return messages
  }

  #charge(count: number, bytes: number): void {
    const span = `within ${spanMs / 1000} s that answer no call`
    if (!this.#count.take(count)) throw new ServerFlood(`more than ${maxUnasked} lines or messages ${span}`)
    if (!this.#bytes.take(bytes)) throw new ServerFlood(`more than ${unaskedMiB} MiB ${span}`)
  }
}
