/** The names by which models call the tools of MCP servers, and which tool has a name that two would have. */

import { createHash } from 'node:crypto'
import type { JsonObject } from '../../../core/json.ts'
import type { Log } from '../../../core/log.ts'
import type { Report } from '../../report.ts'
import type { Tool } from '../tool.ts'

const maxName = 64

/** What a model calls each tool: `<toolset>_<tool>`, with a hash in the place of what does not fit or is taken. */
export const namesFor = (toolset: string, tools: readonly string[]): ReadonlyMap<string, string> => {
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

export type Opened = { readonly toolset: string; readonly tools: readonly Tool[] }

/** The names of the built-in tools. A built-in toolset has one tool, and both have the same name: so these are the toolsets' names too. */
type BuiltIn = { has(name: string): boolean }

export class ToolNames {
  readonly #builtIn: BuiltIn
  readonly #log: Log
  /** What each name is for, by the toolsets that were checked. */
  readonly #written = new Map<string, string>()
  /** What the log has been told once. */
  readonly #warned = new Set<string>()

  constructor(builtIn: BuiltIn, log: Log) {
    this.#builtIn = builtIn
    this.#log = log
  }

  /** Reports the allowed tools of a server whose names are a built-in tool's, or a tool's of a server that was checked before. */
  check(toolset: string, { allow }: JsonObject, report: Report): void {
    const tools = Array.isArray(allow) ? allow : []
    const names = namesFor(
      toolset,
      tools.filter((tool) => typeof tool === 'string'),
    )
    for (const [i, tool] of tools.entries()) {
      const name = typeof tool === 'string' ? names.get(tool) : undefined
      if (name === undefined) continue
      const other = this.#written.get(name) ?? toolset
      const isBuiltIn = this.#builtIn.has(name)
      if (!isBuiltIn && other === toolset) this.#written.set(name, toolset)
      else {
        const whose = isBuiltIn
          ? 'as a built-in tool: it is left out'
          : `as one of the toolset "${other}": a run that has both goes without it`
        report('WH232', ['allow', i], `agents would call the tool "${tool}" "${name}", ${whose}`, help)
      }
    }
  }

  /**
   * The tools that a run is given. Of two with one name the first counts, and the name of a built-in tool is for that tool alone, also where
   * the run does not have it. What is left out is logged once.
   */
  apart(opened: readonly Opened[]): readonly Tool[] {
    const taken = new Map<string, Tool>()
    for (const { toolset, tools } of opened) {
      for (const tool of tools) {
        const isOthers = this.#builtIn.has(tool.name) && !this.#builtIn.has(toolset)
        if (isOthers || taken.has(tool.name)) this.#leaveOut(toolset, tool.name)
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
