/** Asks a server for its tools, and keeps those that are allowed. */

import type { ListToolsResult, MCPClient } from '@ai-sdk/mcp'
import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'

export type Definition = ListToolsResult['tools'][number]

const maxPages = 100
const maxCursor = 4096
const maxDescription = 4096
const maxSchema = 64 * 1024
/** The longest that all schemas of one page may be together. */
const maxSchemas = 1024 * 1024

/** The allowed tools of a server. It is asked for more pages only while one is missing. */
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

/** Reduces a page of the list to the allowed tools, each once and with bounded texts and schemas, and to its cursor. */
export const pageIn = ({ tools, nextCursor }: JsonObject, allow: ReadonlySet<string>): JsonObject => {
  const used = new Map<string, JsonObject>()
  let room = maxSchemas
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isObject(tool)) continue
    const { name, inputSchema = null } = tool
    if (typeof name !== 'string' || !allow.has(name) || used.has(name)) continue
    const length = lengthOf(inputSchema)
    const isTooLarge = length > Math.min(maxSchema, room)
    const schema = isTooLarge ? { inputSchema: { type: 'object' }, isTooLarge } : { inputSchema }
    if (!isTooLarge) room -= length
    used.set(name, { name, description: cut(text(tool.description) || text(tool.title) || name, maxDescription), ...schema })
  }
  const hasMore = typeof nextCursor === 'string' && nextCursor.length <= maxCursor
  return { tools: [...used.values()], ...(hasMore ? { nextCursor } : {}) }
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const lengthOf = (schema: Json): number => {
  try {
    return JSON.stringify(schema).length
  } catch {
    // The schema is too deep to be written down.
    return Number.POSITIVE_INFINITY
  }
}

/** A tool's schema; `undefined` when it is larger than a model should get. */
export const schemaOf = ({ inputSchema, isTooLarge }: Definition): JsonObject | undefined =>
  isTooLarge === true ? undefined : (inputSchema as JsonObject)
