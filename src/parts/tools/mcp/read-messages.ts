/**
 * Reads the messages of an MCP server, and keeps only the fields that are used, each with a limit. The SDK's client gets the reduced
 * messages, because the other fields may have any size.
 */

import { exactOf } from '../../../core/exact-json.ts'
import { type ExactObject, isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import { reduceAnswer } from './answer.ts'
import { reducePage } from './listing.ts'

export type ReadMessages = {
  /** The answers and requests among the first `maxBatch` messages, reduced to the fields that are used. */
  readonly messages: readonly JsonObject[]
  /** The number of all messages in the text. It includes the notifications, which are not used. */
  readonly count: number
}

/** The most messages of a list that are used. A server may send a list of messages in the place of one message. */
const maxBatch = 1000
const maxMethod = 200
const maxId = 200
const maxError = 100_000

/** Reads a text that has one message, a list of messages, or no message. `allow`: the tools that may be used. Never throws. */
export const readMessages = (text: string, allow: ReadonlySet<string>): ReadMessages => {
  const all = messagesIn(text)
  const used = all.slice(0, maxBatch).map(({ message, exact }) => reduceMessage(message, exact, allow))
  return { messages: used.filter((message) => message !== undefined), count: all.length }
}

/** `exact`: reads the message with its numbers as they are written. */
type Message = { readonly message: JsonObject; readonly exact: () => ExactObject }

const messagesIn = (text: string): Message[] => {
  try {
    const payload = JSON.parse(text) as Json
    const whole = { text, payload }
    return [payload]
      .flat()
      .flatMap((message, i) => (isObject(message) ? { message, exact: () => [exactOf(whole)].flat()[i] as ExactObject } : []))
  } catch {
    return []
  }
}

/** Reduces a message to the fields that are used; `undefined` for a notification, which has no id, and for an id that is too long. */
const reduceMessage = (
  { id, method, result, error }: JsonObject,
  exact: Message['exact'],
  allow: ReadonlySet<string>,
): JsonObject | undefined => {
  if (typeof id !== 'number' && (typeof id !== 'string' || id.length > maxId)) return undefined
  const head = { jsonrpc: '2.0', id }
  if (method !== undefined) return { ...head, method: cutText(method, maxMethod) }
  if (!isObject(error)) return { ...head, result: reduceResult(result, exact, allow) }
  const code = typeof error.code === 'number' ? { code: error.code } : {}
  return { ...head, error: { ...code, message: cutText(error.message, maxError) } }
}

const cutText = (value: Json | undefined, limit: number): string => (typeof value === 'string' ? cut(value, limit) : '')

/** Reduces a result to the fields that are used, which depend on what was asked for; `null` when the result cannot be read. */
const reduceResult = (result: Json | undefined, exact: Message['exact'], allow: ReadonlySet<string>): JsonObject | null => {
  if (!isObject(result)) return null
  if ('protocolVersion' in result) return reduceGreeting(result)
  if ('tools' in result) return reducePage(result, () => exact().result as ExactObject, allow)
  if (!['content', 'structuredContent', 'toolResult'].some((key) => key in result)) return {}
  return reduceAnswer(result, () => exact().result as ExactObject)
}

/** Reduces the answer to the first request (`initialize`). Only the protocol version, and whether the server has tools, are used. */
const reduceGreeting = ({ protocolVersion, capabilities }: JsonObject): JsonObject => ({
  protocolVersion: cutText(protocolVersion, maxMethod),
  capabilities: isObject(capabilities) && isObject(capabilities.tools) ? { tools: {} } : {},
  serverInfo: { name: '', version: '' },
})
