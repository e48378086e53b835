/** Makes a text of what a tool of an MCP server gives back: its texts joined, everything else named. */

import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut, printable } from '../../../core/text.ts'

const maxParts = 1000
const maxAnswer = 256 * 1024
const maxError = 4096
/** No secret is longer, so none is cut in two before it is found. */
const maxSecret = 64 * 1024

/** The tool says that it failed. */
export class ToolFault extends Error {}

const nameSuffix = (value: Json | undefined): string => (typeof value === 'string' ? ` ${printable(value, 200)}` : '')

/** A part of an answer as a text. A part that is no text is named, and not passed on. */
const partText = (part: Json): string => {
  if (!isObject(part)) return ''
  const { type, text, resource } = part
  if (type === 'text' && typeof text === 'string') return text
  const { uri, mimeType } = isObject(resource) ? resource : part
  return `[${typeof type === 'string' ? printable(type, 40) : 'unknown'}${nameSuffix(uri)}${nameSuffix(mimeType)}: not passed on]`
}

/** What is used of the result of a call: one text, cut, with the `length` that it had. The client refuses parts that it does not know, and with them the whole answer. */
export const answerIn = ({ content, structuredContent, toolResult, isError }: JsonObject): JsonObject => {
  const parts = Array.isArray(content) ? content : []
  const data = structuredContent ?? toolResult
  const texts = parts.slice(0, maxParts).map(partText)
  if (parts.length > maxParts) texts.push(`[${parts.length - maxParts} more parts: not passed on]`)
  const text = texts.length === 0 && data !== undefined ? JSON.stringify(data) : texts.join('\n')
  return { content: [{ type: 'text', text: cut(text, maxAnswer + maxSecret) }], isError: isError === true, length: text.length }
}

/** The text of a result as `answerIn` left it. Throws `ToolFault` when it says that the call failed. */
export const resultText = ({ content, isError, length }: JsonObject, redact: (text: string) => string): string => {
  const [part] = Array.isArray(content) ? content : []
  const shown = redact(isObject(part) && typeof part.text === 'string' ? part.text : '')
  if (isError === true) throw new ToolFault(cut(shown, maxError) || 'the tool failed, and does not say why')
  if (typeof length !== 'number' || length <= maxAnswer) return shown
  return `${cut(shown, maxAnswer)}\n[cut: the answer has ${length} characters]`
}
