/** The wire to an MCP server that is a program: each message is a line of its stdin or stdout. */

import type { JSONRPCMessage, MCPTransportSendOptions } from '@ai-sdk/mcp'
import type { Json } from '../../../core/json.ts'
import type { Program } from '../../../process/group.ts'
import { KeptChild } from '../../../process/kept-child.ts'
import { byteLength, type Pieces } from './body.ts'
import { messageText, type WireKit } from './call-traces.ts'
import { type MessageListener, MessageReader, ServerFlood } from './reader.ts'
import { maxMessageBytes, type Wire, WireFault } from './wire.ts'

export type ProgramListener = {
  /** Called when the program has ended. `isAsked`: it ended because the wire was closed. */
  readonly ended: (why: string, stderr: string, isAsked: boolean) => void
  /** Called when the program wrote a line to stdout that is no message. */
  readonly garbage: () => void
}

export class StdioWire implements Wire {
  ended: string | undefined
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #program: Program
  readonly #programListener: ProgramListener
  readonly #kit: WireKit
  readonly #reader: MessageReader
  #child: KeptChild | undefined
  readonly #closing = new AbortController()
  /** The requests without an answer, by id. Each value is a function that stops listening for the abort of its request. */
  readonly #asked = new Map<unknown, () => void>()

  constructor(program: Program, kit: WireKit, programListener: ProgramListener) {
    this.#program = program
    this.#kit = kit
    this.#programListener = programListener
    const listener: MessageListener = { isAwaited: (id) => this.#isAwaited(id), give: (message) => this.onmessage?.(message) }
    this.#reader = new MessageReader(kit, listener, this.#closing.signal)
  }

  async start(): Promise<void> {
    this.#child = new KeptChild({
      ...this.#program,
      clock: this.#kit.clock,
      maxLineBytes: maxMessageBytes,
      onLine: (line) => this.#take(line),
      onEnd: (why, stderr) => {
        this.ended = why
        this.#programListener.ended(why, stderr, this.#closing.signal.aborted)
        this.onclose?.()
      },
    })
  }

  async send(message: JSONRPCMessage, { signal }: MCPTransportSendOptions = {}): Promise<void> {
    this.#write(messageText(message, signal && this.#kit.traceparents.get(signal)))
    if (!('method' in message) || !('id' in message)) return
    const { id } = message
    this.#asked.set(id, () => {})
    // The protocol does not let a client cancel its first request.
    if (!signal || message.method === 'initialize') return
    // The program gets a message when nobody waits for the answer any more, so that it can stop its work on the request.
    const cancel = (): void => {
      this.#asked.delete(id)
      this.#child?.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }))
    }
    signal.addEventListener('abort', cancel, { once: true })
    this.#asked.set(id, () => signal.removeEventListener('abort', cancel))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#child?.stop()
  }

  #write(message: string): void {
    if (this.#child?.write(message)) return
    if (this.ended !== undefined) throw new WireFault(`the server has ended (${this.ended})`)
    throw new WireFault('the server does not read what it is sent', 'stuck')
  }

  /** Takes a line of the program's stdout. Resolves to the reason why the program must be ended; `undefined`: the program may go on. */
  async #take(line: Pieces): Promise<string | undefined> {
    try {
      // A blank line is no message, but it counts for the limit of lines that nobody asked for.
      if (byteLength(line) === 0) await this.#reader.passOver()
      else if (!(await this.#reader.read(line))) this.#programListener.garbage()
      return undefined
    } catch (thrown) {
      if (thrown instanceof ServerFlood) return `wrote ${thrown.message}`
      return this.#closing.signal.aborted ? undefined : 'wrote what cannot be read'
    }
  }

  /** Whether a request waits for the answer with this id. The request then counts as answered. */
  #isAwaited(id: Json | undefined): boolean {
    // The client numbers its requests. Some servers give the number back as a text.
    const key = typeof id === 'string' ? Number(id) : id
    const forgetAbort = typeof key === 'number' ? this.#asked.get(key) : undefined
    if (typeof key === 'number') this.#asked.delete(key)
    forgetAbort?.()
    return forgetAbort !== undefined
  }
}
