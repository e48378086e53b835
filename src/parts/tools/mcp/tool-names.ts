/** Makes the names by which models call the tools of MCP servers, and decides which tool gets a name that two tools would have. */

import { createHash } from 'node:crypto'
import type { Report } from '../../../core/diagnostic.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Log } from '../../../core/log.ts'
import type { Tool } from '../tool.ts'

const maxName = 64

/**
 * Returns the names by which models call the tools of a server, by the names that the server gives them: `<toolset>_<tool>`. A name that is
 * too long for a model, or has characters that models do not take, is changed, and ends with a hash of the server's name for the tool.
 */
export const modelNames = (toolset: string, tools: readonly string[]): ReadonlyMap<string, string> => {
  const plain = (tool: string): string => `${toolset}_${tool}`
  const isFit = (tool: string): boolean => /^[A-Za-z0-9_-]+$/.test(tool) && plain(tool).length <= maxName
  return new Map(
    tools.map((tool) => {
      if (isFit(tool)) return [tool, plain(tool)]
      const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8)
      return [tool, `${plain(tool.replace(/[^A-Za-z0-9_-]/g, '_')).slice(0, maxName - hash.length - 1)}_${hash}`]
    }),
  )
}

/** The tools of one toolset, as a run got them. */
export type OpenedToolset = { readonly toolset: string; readonly tools: readonly Tool[] }

/** The names of the built-in tools. They are the names of the built-in toolsets too, because each has one tool with its own name. */
type BuiltIn = { has(name: string): boolean }

/** The names of the tools of one configuration. */
export class ToolNames {
  readonly #builtIn: BuiltIn
  readonly #log: Log
  /** The toolsets that `check` has seen, by the names of their tools. */
  readonly #toolsetByName = new Map<string, string>()
  /** The tools that are logged as left out already, so that each is logged once. */
  readonly #warned = new Set<string>()

  constructor(builtIn: BuiltIn, log: Log) {
    this.#builtIn = builtIn
    this.#log = log
  }

  /** Reports each allowed tool of a server whose name a built-in tool has, or a tool of a toolset that was checked before. */
  check(toolset: string, { allow }: JsonObject, report: Report): void {
    const tools = Array.isArray(allow) ? allow : []
    const names = modelNames(
      toolset,
      tools.filter((tool) => typeof tool === 'string'),
    )
    for (const [i, tool] of tools.entries()) {
      const name = typeof tool === 'string' ? names.get(tool) : undefined
      if (name === undefined) continue
      const other = this.#toolsetByName.get(name) ?? toolset
      const isBuiltIn = this.#builtIn.has(name)
      if (!isBuiltIn && other === toolset) this.#toolsetByName.set(name, toolset)
      else {
        const whose = isBuiltIn
          ? 'as a built-in tool: it is left out'
          : `as one of the toolset "${other}": a run that has both goes without it`
        report('WH232', ['allow', i], `agents would call the tool "${tool}" "${name}", ${whose}`, help)
      }
    }
  }

  /**
   * Returns the tools that a run is given, all with different names. Of two tools with the same name, the first is kept. The name of a
   * built-in tool is for that tool alone, also in a run without that tool. Each tool that is left out is logged once.
   */
  withUniqueNames(opened: readonly OpenedToolset[]): readonly Tool[] {
    const taken = new Map<string, Tool>()
    for (const { toolset, tools } of opened) {
      for (const tool of tools) {
        const isBuiltInName = this.#builtIn.has(tool.name) && !this.#builtIn.has(toolset)
        if (isBuiltInName || taken.has(tool.name)) this.#leaveOut(toolset, tool.name)
        else taken.set(tool.name, tool)
      }
    }
    return [...taken.values()]
  }

  #leaveOut(toolset: string, tool: string): void {
    const id = `${toolset} ${tool}`
    if (this.#warned.has(id)) return
    this.#warned.add(id)
    this.#log('warn', { toolset, tool }, 'a tool of an MCP server is left out, because another tool has its name: rename the toolset')
  }
}

const help = 'give the toolset another name, or take the tool out of "allow"'
