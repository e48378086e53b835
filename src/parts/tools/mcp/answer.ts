/** Makes one text of the answer of an MCP server's tool: the texts in it are joined, and parts that are no texts are named. */

import { type ExactObject, isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut, printable } from '../../../core/text.ts'
import { renderJson } from '../../../expr/render.ts'

const maxParts = 1000
const maxAnswer = 256 * 1024
const maxError = 4096
/** The longest secret. Until an answer is redacted, this many characters are kept beyond its limit, so that no secret is cut in two. */
const maxSecret = 64 * 1024

/** Thrown when a tool answers that it failed. The message is what the tool says, redacted and cut. */
export class ToolFault extends Error {}

const nameSuffix = (value: Json | undefined): string => (typeof value === 'string' ? ` ${printable(value, 200)}` : '')

/** Returns a part of an answer as a text. Of a part that is no text, only its type, address and media type are given. */
const partText = (part: Json): string => {
  if (!isObject(part)) return ''
  const { type, text, resource } = part
  if (type === 'text' && typeof text === 'string') return text
  const { uri, mimeType } = isObject(resource) ? resource : part
  return `[${typeof type === 'string' ? printable(type, 40) : 'unknown'}${nameSuffix(uri)}${nameSuffix(mimeType)}: not passed on]`
}

const dataText = ({ structuredContent, toolResult }: ExactObject): string => {
  const data = structuredContent ?? toolResult
  return data === undefined ? '' : renderJson(data, Number.POSITIVE_INFINITY, 0)
}

/**
 * Reduces the result of a call to one text, cut, with the `length` that the text had before. This is done before the SDK's client reads the
 * result, because the client refuses a result with a part of an unknown type. `exact`: reads the result with its numbers as they are
 * written.
 */
export const reduceAnswer = ({ content, isError }: JsonObject, exact: () => ExactObject): JsonObject => {
  const parts = Array.isArray(content) ? content : []
  const texts = parts.slice(0, maxParts).map(partText)
  if (parts.length > maxParts) texts.push(`[${parts.length - maxParts} more parts: not passed on]`)
  const text = texts.length === 0 ? dataText(exact()) : texts.join('\n')
  return { content: [{ type: 'text', text: cut(text, maxAnswer + maxSecret) }], isError: isError === true, length: text.length }
}

/** Returns the redacted text of a result that `reduceAnswer` made. Throws a ToolFault when the result says that the call failed. */
export const resultText = ({ content, isError, length }: JsonObject, redact: (text: string) => string): string => {
  const [part] = Array.isArray(content) ? content : []
  const shown = redact(isObject(part) && typeof part.text === 'string' ? part.text : '')
  if (isError === true) throw new ToolFault(cut(shown, maxError) || 'the tool failed, and does not say why')
  if (typeof length !== 'number' || length <= maxAnswer) return shown
  return `${cut(shown, maxAnswer)}\n[cut: the answer has ${length} characters]`
}
