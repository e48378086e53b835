/** Asks an MCP server for the list of its tools, which comes in pages, and keeps the tools that the toolset allows. */

import type { ListToolsResult, MCPClient } from '@ai-sdk/mcp'
import { carryNumbers } from '../../../core/carried-numbers.ts'
import { type ExactObject, isObject, type Json, type JsonObject, textOrEmpty } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'

/** How a server describes one tool: name, description and the schema of the input. */
export type Definition = ListToolsResult['tools'][number]

const maxPages = 100
const maxCursor = 4096
const maxDescription = 4096
/** The longest schema of a tool, in characters of JSON. */
const maxSchema = 64 * 1024
/** The most characters that the schemas of one page may have together. */
const maxSchemas = 1024 * 1024

/** Resolves to the allowed tools that the server has. Pages are asked for only until all allowed tools are found. */
export const allowedTools = async (client: MCPClient, allow: ReadonlySet<string>, signal: AbortSignal): Promise<Definition[]> => {
  const found = new Map<string, Definition>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages && found.size < allow.size; page++) {
    const { tools, nextCursor } = await client.listTools({ ...(cursor === undefined ? {} : { params: { cursor } }), options: { signal } })
    for (const tool of tools) if (allow.has(tool.name) && !found.has(tool.name)) found.set(tool.name, tool)
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return [...found.values()]
}

/**
 * Reduces a page of the list, before the SDK's client reads it, to the allowed tools and the cursor of the next page. Each tool is kept
 * once, with a bounded description. `isTooLarge` marks a tool whose schema is too large and therefore left out. `exact`: reads the page with
 * its numbers as they are written. Schemas have such numbers carried.
 */
export const reducePage = ({ tools, nextCursor }: JsonObject, exact: () => ExactObject, allow: ReadonlySet<string>): JsonObject => {
  const kept = new Map<string, JsonObject>()
  let left = maxSchemas
  const exactTools = exact().tools as readonly ExactObject[]
  for (const [i, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    if (!isObject(tool)) continue
    const { name } = tool
    if (typeof name !== 'string' || !allow.has(name) || kept.has(name)) continue
    const written = exactTools[i]?.inputSchema ?? null
    // `exactJson` returns the page itself where doubles represent all its numbers exactly.
    const inputSchema = written === tool.inputSchema ? tool.inputSchema : carryNumbers(written)
    const length = schemaLength(inputSchema)
    const isTooLarge = length > Math.min(maxSchema, left)
    const schema = isTooLarge ? { inputSchema: { type: 'object' }, isTooLarge } : { inputSchema }
    if (!isTooLarge) left -= length
    kept.set(name, { name, description: cut(textOrEmpty(tool.description) || textOrEmpty(tool.title) || name, maxDescription), ...schema })
  }
  const hasMore = typeof nextCursor === 'string' && nextCursor.length <= maxCursor
  return { tools: [...kept.values()], ...(hasMore ? { nextCursor } : {}) }
}

const schemaLength = (schema: Json): number => {
  try {
    return JSON.stringify(schema).length
  } catch {
    // The schema is too deeply nested for `JSON.stringify`.
    return Number.POSITIVE_INFINITY
  }
}

/** Returns the schema of a tool's input; `undefined` when the schema was too large. */
export const inputSchemaOf = ({ inputSchema, isTooLarge }: Definition): JsonObject | undefined =>
  isTooLarge === true ? undefined : (inputSchema as JsonObject)
