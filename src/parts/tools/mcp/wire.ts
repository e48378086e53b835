/** What carries the messages of an MCP client to its server and back. */

import type { MCPTransport } from '@ai-sdk/mcp'

/** The longest message of a server. */
export const maxMessageBytes = 8 * 1024 * 1024

export type Wire = MCPTransport & {
  /** Why it has ended, in a few words; `undefined` while it serves. */
  readonly ended: string | undefined
}

/**
 * The wire could not carry a call, in words that the model may see. `lost`: the server knows the session no more, and has done nothing.
 * `stuck`: it does not even read. `flood`: it says more than is read.
 */
export class WireFault extends Error {
  readonly fate: 'lost' | 'stuck' | 'flood' | undefined

  constructor(message: string, fate?: WireFault['fate']) {
    super(message)
    this.fate = fate
  }
}

/** Whether the server itself answered with an error, which says in its message why. */
export const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number'

/** An error of fetch may quote the address, so that only its code is shown. */
export const unreachable = (thrown: unknown): WireFault => {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'no connection'
  return new WireFault(`the server cannot be reached (${code})`)
}
