/** Compiles the toolsets of a configuration, and reports names that are no toolset or a forbidden one (rules: Agents 5, 6). */

import type { Config } from '../config/config.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf, type Report, type ReportOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { type ExactObject, isObject } from '../core/json.ts'
import type { Scope } from '../core/scope.ts'
import { nearest } from '../core/text.ts'
import { schema } from '../generated/schema.ts'
import { agentPath } from '../parts/named-agents.ts'
import { compileServer } from '../parts/tools/mcp/server.ts'
import { type OpenedToolset, ToolNames } from '../parts/tools/mcp/tool-names.ts'
import type { BeginToolCall, BegunToolCall, Tool, ToolKit, Toolset, ToolsetPart } from '../parts/tools/tool.ts'

type ToolsetParts = ReadonlyMap<string, ToolsetPart>
type ToolsConfig = Pick<Config, 'tools'>

/**
 * Opens the toolsets of these names for a run, and resolves to their tools. A toolset that is unknown or cannot be opened is logged and
 * left out. A built-in toolset whose settings cannot be used is only left out, because that was reported. Rejects when `signal` aborts.
 * `begin`: called when a call of one of the tools begins.
 */
export type Toolbox = (names: readonly string[], signal: AbortSignal, begin?: BeginToolCall) => Promise<readonly Tool[]>

/** Compiles the built-in toolsets and those of MCP servers. What they open belongs to `scope`. */
export const compileToolsets = (
  { tools }: ToolsConfig,
  parts: ToolsetParts,
  scope: Pick<Scope, 'adopt'>,
  kit: Omit<ToolKit, 'report'>,
): { readonly toolbox: Toolbox; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = []
  const kitAt = (base: Path): ToolKit => ({ ...kit, report: reporterAt(base, tools, diagnostics) })
  const sets = new Map<string, Toolset>()
  const toolNames = new ToolNames(parts, kit.log)
  for (const { name, compile } of parts.values()) {
    const made = compile(tools.settings[name] ?? {}, kitAt(['tools', name]))
    if (made) sets.set(name, scope.adopt(made))
  }
  for (const [name, settings] of Object.entries(tools.servers)) {
    if (parts.has(name) || forbidden.has(name)) continue
    const kitHere = kitAt(['toolsets', name])
    const made = compileServer(name, settings, kitHere)
    if (!made) continue
    sets.set(name, scope.adopt(made))
    toolNames.check(name, settings, kitHere.report)
  }
  const open = async (name: string, signal: AbortSignal): Promise<readonly Tool[]> => {
    try {
      if (!sets.has(name) && !parts.has(name)) throw new Error('there is none of this name')
      return (await sets.get(name)?.(signal)) ?? []
    } catch (error) {
      if (signal.aborted) throw error
      kit.log('warn', { toolset: name, reason: error instanceof Error ? error.message : 'failed' }, 'a run goes without a toolset')
      return []
    }
  }
  const toolbox: Toolbox = async (names, signal, begin) => {
    const wanted = new Set(names)
    // Of two tools with one name the first counts. So built-in toolsets come first, then MCP servers in the order of the configuration.
    const inOrder = new Set([...[...sets.keys()].filter((name) => wanted.has(name)), ...wanted])
    const opened = async (toolset: string): Promise<OpenedToolset> => {
      const tools = await open(toolset, signal)
      return { toolset, tools: begin ? tools.map((tool) => watchTool(tool, (input) => begin(toolset, tool.name, input))) : tools }
    }
    return toolNames.withUniqueNames(await Promise.all([...inOrder].map(opened)))
  }
  return { toolbox, diagnostics }
}

/** Returns the tool. `begin` is called when a call begins, and the `ended` that it returns when the call has ended. */
const watchTool = (tool: Tool, begin: (input: ExactObject) => BegunToolCall): Tool => ({
  ...tool,
  async call(input, call) {
    const { traceparent, ended } = begin(input)
    try {
      const result = await tool.call(input, traceparent === undefined ? call : { ...call, traceparent })
      ended(true, result)
      return result
    } catch (thrown) {
      ended(false, messageOf(thrown))
      throw thrown
    }
  },
})

const reporterAt =
  (base: Path, { place }: Config['tools'], into: Diagnostic[]): Report =>
  (code, path, message, help) => {
    const full = [...base, ...path]
    const more = { pointer: pointerOf(full), ...(place ? { place: place(full) } : {}), help }
    into.push(diagnostic(code, base.length > 0 ? `${base.join('.')}: ${message}` : message, more))
  }

const serversSchema = isObject(schema.properties) && isObject(schema.properties.toolsets) ? schema.properties.toolsets : {}

/** Toolsets that give an agent access to the machine or to other people's conversations. No run has them. */
const forbidden: ReadonlySet<string> = new Set(serversSchema['x-forbidden-toolsets'] as string[])

/** Reports each name in a list of toolsets that is no toolset or is forbidden, and so is dropped. `path`: the path of the list. */
export const checkToolsets = (names: readonly string[], path: Path, knownNames: ReadonlySet<string>, report: ReportOf): void => {
  for (const [i, name] of names.entries()) {
    const at = [...path, i]
    if (forbidden.has(name))
      report('WH703', at, `the toolset "${name}" is not allowed for runs that events start: it is dropped`, 'remove it', 'value')
    else if (!knownNames.has(name)) {
      const near = nearest(name, knownNames)
      const help =
        near.length > 0 ? `did you mean ${near.map((word) => `"${word}"`).join(' or ')}?` : `known: ${[...knownNames].join(', ')}`
      report('WH702', at, `there is no toolset "${name}": it is dropped`, help, 'value')
    }
  }
}

/** Checks the names in `platform_toolsets` and of agents. The names of routes and jobs are checked with their other keys. */
export const checkToolNames = (config: ToolsConfig & Pick<Config, 'agents'>, parts: ToolsetParts): readonly Diagnostic[] => {
  const found: Diagnostic[] = []
  const known = toolsetNames(config, parts)
  const report = reporterAt([], config.tools, found)
  checkToolsets(config.tools.ofRuns, ['platform_toolsets', 'webhook'], known, report)
  for (const [name, { toolsets = [] }] of config.agents) checkToolsets(toolsets, [...agentPath(name), 'toolsets'], known, report)
  return found
}

/** Returns the names of all toolsets of a configuration, without the forbidden ones. */
export const toolsetNames = ({ tools }: { readonly tools: { readonly servers: object } }, parts: ToolsetParts): ReadonlySet<string> =>
  new Set([...parts.keys(), ...Object.keys(tools.servers).filter((name) => !forbidden.has(name))])
