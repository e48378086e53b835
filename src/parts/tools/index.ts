/** The list of built-in toolsets, and a map by the name that a configuration gives them. */

import { clarify } from './clarify.ts'
import type { ToolsetPart } from './tool.ts'

export const toolsets: readonly ToolsetPart[] = [clarify]

export const toolsetsByName: ReadonlyMap<string, ToolsetPart> = new Map(toolsets.map((part) => [part.name, part]))
