/** The contract of wires: a wire carries the messages of the SDK's MCP client to a server and back, over HTTP or to a program. */

import type { MCPTransport } from '@ai-sdk/mcp'
import { networkCode } from '../../../core/calls/call-failure.ts'

export const maxMessageBytes = 8 * 1024 * 1024

export type Wire = MCPTransport & {
  /** Why the wire has ended, in a few words; `undefined` while it serves. */
  readonly ended: string | undefined
}

/**
 * Thrown when a call did not reach the server, or no answer came back that can be used. The message is fit for the model. `fate`: what
 * became of the connection. `lost`: the server does not know the connection any more, and has done nothing. `stuck`: the server does not
 * read what it is sent. `flood`: the server sends more than is read. `broken`: an answer has begun, and broke off.
 */
export class WireFault extends Error {
  readonly fate: 'lost' | 'stuck' | 'flood' | 'broken' | undefined

  constructor(message: string, fate?: WireFault['fate']) {
    super(message)
    this.fate = fate
  }
}

/** Whether an error is the server's answer: an error of JSON-RPC with a code, whose message the server wrote. */
export const isServerError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number'

/** Makes the fault of an error of fetch. The fault shows only the error's code, because the error's message may quote the address. */
export const unreachable = (thrown: unknown, fate?: WireFault['fate']): WireFault =>
  new WireFault(`the server cannot be reached (${networkCode(thrown) ?? 'no connection'})`, fate)
