/** Carries messages to a program and back, in lines over its stdin and stdout. */

import type { JSONRPCMessage, MCPTransportSendOptions } from '@ai-sdk/mcp'
import type { Program } from '../../../../process/group.ts'
import { KeptChild } from '../../../../process/kept-child.ts'
import { maxMessageBytes, receive, type Wire, WireFault } from './wire.ts'

export type ProgramTold = {
  /** The program has ended; `isAsked`: because it was closed. */
  readonly ended: (why: string, stderr: string, isAsked: boolean) => void
  /** It wrote a line to stdout that is no message. */
  readonly garbage: () => void
}

export class StdioWire implements Wire {
  ended: string | undefined
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #program: Program
  readonly #told: ProgramTold
  #child: KeptChild | undefined
  #isClosing = false
  /** What nobody has answered yet, each with what ends the wait for its abort. */
  readonly #asked = new Map<unknown, () => void>()

  constructor(program: Program, told: ProgramTold) {
    this.#program = program
    this.#told = told
  }

  async start(): Promise<void> {
    this.#child = new KeptChild({
      ...this.#program,
      maxLineBytes: maxMessageBytes,
      onLine: (line) => this.#take(line),
      onEnd: (why, stderr) => {
        this.ended = why
        this.#told.ended(why, stderr, this.#isClosing)
        this.onclose?.()
      },
    })
  }

  async send(message: JSONRPCMessage, { signal }: MCPTransportSendOptions = {}): Promise<void> {
    this.#write(message)
    if (!signal || !('method' in message) || !('id' in message) || message.method === 'initialize') return
    const { id } = message
    // The program need not go on with what nobody waits for.
    const cancel = (): void => {
      this.#asked.delete(id)
      this.#child?.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }))
    }
    signal.addEventListener('abort', cancel, { once: true })
    this.#asked.set(id, () => signal.removeEventListener('abort', cancel))
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#child?.stop()
  }

  #write(message: JSONRPCMessage): void {
    if (this.#child?.write(JSON.stringify(message))) return
    if (this.ended !== undefined) throw new WireFault(`the server has ended (${this.ended})`)
    throw new WireFault('the server does not read what it is sent', 'stuck')
  }

  #take(line: string): void {
    if (line.trim() === '') return
    const messages = receive(line, this)
    if (messages.length === 0) this.#told.garbage()
    for (const { id, method } of messages) {
      if (method !== undefined) continue
      this.#asked.get(id)?.()
      this.#asked.delete(id)
    }
  }
}
