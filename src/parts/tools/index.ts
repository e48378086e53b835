/** The list of built-in toolsets, and a map by their names. */

import { clarify } from './clarify.ts'
import type { ToolsetPart } from './tool.ts'
import { visionAnalyze } from './vision-analyze.ts'
import { webExtract } from './web-extract.ts'
import { webSearch } from './web-search.ts'

export const toolsets: readonly ToolsetPart[] = [webSearch, webExtract, visionAnalyze, clarify]

export const toolsetsByName: ReadonlyMap<string, ToolsetPart> = new Map(toolsets.map((part) => [part.name, part]))
