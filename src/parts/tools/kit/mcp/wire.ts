/** What carries the messages of an MCP client to its server and back. */

import type { JSONRPCMessage, MCPTransport } from '@ai-sdk/mcp'
import { isObject, type JsonObject } from '../../../../core/json.ts'
import { inTexts } from './answer.ts'

/** The longest message of a server. */
export const maxMessageBytes = 8 * 1024 * 1024

export type Wire = MCPTransport & {
  /** Why it has ended, in a few words; `undefined` while it serves. */
  readonly ended: string | undefined
}

/**
 * The wire could not carry a call, in words that the model may see. `lost`: the server knows the session no more, and has done nothing.
 * `stuck`: it does not even read.
 */
export class WireFault extends Error {
  readonly fate: 'lost' | 'stuck' | undefined

  constructor(message: string, fate?: 'lost' | 'stuck') {
    super(message)
    this.fate = fate
  }
}

/** Hands over what a text holds, one message or a list of them, and gives it back; nothing when it holds none. */
export const receive = (text: string, { onmessage }: Wire): readonly JsonObject[] => {
  const messages = messagesIn(text)
  for (const message of messages) {
    try {
      onmessage?.((isObject(message.result) ? { ...message, result: inTexts(message.result) } : message) as JSONRPCMessage)
    } catch {
      // It answers what nobody asked, or nobody waits for any more.
    }
  }
  return messages
}

const messagesIn = (text: string): JsonObject[] => {
  try {
    return [JSON.parse(text)].flat().filter(isObject)
  } catch {
    return []
  }
}

/** Whether the server itself answered with an error, which says in its message why. */
export const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number'
