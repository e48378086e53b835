/** Lets an MCP server know the place of a call in its trace: in `_meta` of the message, as MCP has it. */

import type { JSONRPCMessage } from '@ai-sdk/mcp'
import type { ReaderKit } from './reader.ts'

/**
 * What the wires of one server share. `traceparents`: the `traceparent` of each call, by the signal of the call, because the SDK hands
 * nothing else of ours on to the wire.
 */
export type WireKit = ReaderKit & { readonly traceparents: WeakMap<AbortSignal, string> }

/** Returns the message of a call with its `traceparent`; without one, the message itself. */
export const withTraceparent = (message: JSONRPCMessage, traceparent: string | undefined): JSONRPCMessage => {
  if (traceparent === undefined || !('method' in message) || !('id' in message)) return message
  const { params = {} } = message
  return { ...message, params: { ...params, _meta: { ...params._meta, traceparent } } } as JSONRPCMessage
}
