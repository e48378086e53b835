/** Tells an MCP server the place of a call in its trace, in `_meta` of the call's message, as MCP specifies. */

import type { JSONRPCMessage } from '@ai-sdk/mcp'
import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import type { ReaderKit } from './reader.ts'

/**
 * What the wires of one server share. `traceparents`: the `traceparent` of each call, by the signal of the call. The signal is the only
 * thing of a call that the SDK hands on to the wire unchanged.
 */
export type WireKit = ReaderKit & { readonly traceparents: WeakMap<AbortSignal, string> }

/** Returns the text of a message, with the numbers that were carried in it, and of a call with its `traceparent`. */
export const messageText = (message: JSONRPCMessage, traceparent: string | undefined): string =>
  writeCarriedNumbers(JSON.stringify(withTraceparent(message, traceparent)))

const withTraceparent = (message: JSONRPCMessage, traceparent: string | undefined): JSONRPCMessage => {
  if (traceparent === undefined || !('method' in message) || !('id' in message)) return message
  const { params = {} } = message
  return { ...message, params: { ...params, _meta: { ...params._meta, traceparent } } } as JSONRPCMessage
}
