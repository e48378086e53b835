/** Reads the messages of a server, and keeps only the fields that are used: the other fields have no bound, and nobody reads them. */

import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import { answerIn } from './answer.ts'
import { pageIn } from './listing.ts'

export type ReadMessages = {
  /** The answers and requests among the messages, at most `maxBatch`. Each has only those fields that are used. */
  readonly messages: readonly JsonObject[]
  /** How many messages there were, notices among them. */
  readonly count: number
}

/** A server may send a list of messages as one message. No more of the list is used. */
const maxBatch = 1000
const maxMethod = 200
const maxId = 200
const maxError = 100_000

/** Reads a text that holds one message, a list of messages, or no message. `allow`: the tools that may be used. */
export const readMessages = (text: string, allow: ReadonlySet<string>): ReadMessages => {
  const all = messagesIn(text)
  const used = all.slice(0, maxBatch).map((message) => usedOf(message, allow))
  return { messages: used.filter((message) => message !== undefined), count: all.length }
}

const messagesIn = (text: string): JsonObject[] => {
  try {
    const all: Json[] = [JSON.parse(text)].flat()
    return all.filter(isObject)
  } catch {
    return []
  }
}

const usedOf = ({ id, method, result, error }: JsonObject, allow: ReadonlySet<string>): JsonObject | undefined => {
  if (typeof id !== 'number' && (typeof id !== 'string' || id.length > maxId)) return undefined
  const head = { jsonrpc: '2.0', id }
  if (method !== undefined) return { ...head, method: cutText(method, maxMethod) }
  if (!isObject(error)) return { ...head, result: resultIn(result, allow) }
  const code = typeof error.code === 'number' ? { code: error.code } : {}
  return { ...head, error: { ...code, message: cutText(error.message, maxError) } }
}

const cutText = (value: Json | undefined, limit: number): string => (typeof value === 'string' ? cut(value, limit) : '')

/** The fields of a result that are used; `null` when the result cannot be read. */
const resultIn = (result: Json | undefined, allow: ReadonlySet<string>): JsonObject | null => {
  if (!isObject(result)) return null
  if ('protocolVersion' in result) return greetingIn(result)
  if ('tools' in result) return pageIn(result, allow)
  if (!['content', 'structuredContent', 'toolResult'].some((key) => key in result)) return {}
  try {
    return answerIn(result)
  } catch {
    // The result is too deep to be written down.
    return null
  }
}

/** The server's answer to our greeting. Only whether the server has tools is used of it. */
const greetingIn = ({ protocolVersion, capabilities }: JsonObject): JsonObject => ({
  protocolVersion: cutText(protocolVersion, maxMethod),
  capabilities: isObject(capabilities) && isObject(capabilities.tools) ? { tools: {} } : {},
  serverInfo: { name: '', version: '' },
})
