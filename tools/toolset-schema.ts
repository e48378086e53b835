/** Makes of what each built-in toolset declares its section below `tools`. */

import { toolsets } from '../src/parts/tools/index.ts'
import type { ToolsetSchema } from '../src/parts/tools/tool.ts'
import { inMarkdown } from './in-markdown.ts'

type Node = { readonly [key: string]: unknown }

const sectionOf = ({ properties, ...texts }: ToolsetSchema): Node => ({
  ...inMarkdown(texts),
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(properties).map(([key, node]) => [key, inMarkdown(node)])),
})

/** The properties of `tools`. */
export const toolSections: Node = Object.fromEntries(toolsets.flatMap(({ name, schema }) => (schema ? [[name, sectionOf(schema)]] : [])))
