/** Makes a text of what a tool of an MCP server gives back: its texts joined, everything else named. */

import { isObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { cut, printable } from '../../../../core/text.ts'

const maxAnswer = 256 * 1024
const maxError = 4096
/** No secret is longer, so none is cut in two before it is found. */
const maxSecret = 64 * 1024

/** The tool says that it failed. */
export class ToolFault extends Error {}

const word = (value: Json | undefined): string => (typeof value === 'string' ? ` ${printable(value, 200)}` : '')

/** A part of an answer as a text. What is no text is named, not passed on. */
const textPart = (part: Json): JsonObject => {
  if (!isObject(part)) return { type: 'text', text: '' }
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text }
  const about = isObject(part.resource) ? part.resource : part
  return { type: 'text', text: `[${printable(String(part.type), 40)}${word(about.uri)}${word(about.mimeType)}: not passed on]` }
}

/** A result whose parts are all texts. The client refuses parts that it does not know, and with them the whole answer. */
export const inTexts = (result: JsonObject): JsonObject => {
  if (Array.isArray(result.content)) return { ...result, content: result.content.map(textPart) }
  return 'structuredContent' in result ? { ...result, content: [] } : result
}

/** The text of a result as `inTexts` left it. Throws `ToolFault` when it says that the call failed. */
export const textOf = (result: JsonObject, redact: (text: string) => string): string => {
  const parts = Array.isArray(result.content) ? result.content : []
  const texts = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
  const data = result.structuredContent ?? result.toolResult
  const text = texts.length === 0 && data !== undefined ? JSON.stringify(data) : texts.join('\n')
  const shown = redact(cut(text, maxAnswer + maxSecret))
  if (result.isError === true) throw new ToolFault(cut(shown, maxError) || 'the tool failed, and does not say why')
  if (text.length <= maxAnswer) return shown
  return `${cut(shown, maxAnswer)}\n[cut: the answer has ${text.length} characters]`
}
