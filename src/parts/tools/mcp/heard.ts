/** What is used of the messages of a server. The rest is left out before a client sees it: it has no bound, and nobody reads it. */

import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import { answerIn } from './answer.ts'
import { pageIn } from './listing.ts'

export type Heard = {
  /** The answers and requests among the messages, at most `maxBatch`. Each has only those fields that are used. */
  readonly messages: readonly JsonObject[]
  /** How many messages there were, notices among them. */
  readonly count: number
}

/** A server may send a list of messages in the place of one. No more of it is used. */
const maxBatch = 1000
const maxMethod = 200
const maxId = 200
const maxError = 100_000

/** What a text holds: one message, a list of them, or none. `allow`: the tools that may be used. */
export const heardIn = (text: string, allow: ReadonlySet<string>): Heard => {
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
  if (method !== undefined) return { ...head, method: word(method, maxMethod) }
  if (!isObject(error)) return { ...head, result: resultIn(result, allow) }
  const code = typeof error.code === 'number' ? { code: error.code } : {}
  return { ...head, error: { ...code, message: word(error.message, maxError) } }
}

const word = (value: Json | undefined, limit: number): string => (typeof value === 'string' ? cut(value, limit) : '')

/** A result that has nothing which is used is empty; `null`: it cannot be read. */
const resultIn = (result: Json | undefined, allow: ReadonlySet<string>): JsonObject | null => {
  if (!isObject(result)) return null
  if ('protocolVersion' in result) return greetingIn(result)
  if ('tools' in result) return pageIn(result, allow)
  if (!['content', 'structuredContent', 'toolResult'].some((key) => key in result)) return {}
  try {
    return answerIn(result)
  } catch {
    // It is too deep to be written down.
    return null
  }
}

/** Of what a server says of itself only whether it has tools is used. */
const greetingIn = ({ protocolVersion, capabilities }: JsonObject): JsonObject => ({
  protocolVersion: word(protocolVersion, maxMethod),
  capabilities: isObject(capabilities) && isObject(capabilities.tools) ? { tools: {} } : {},
  serverInfo: { name: '', version: '' },
})
