/** Makes the section of each built-in toolset below `tools` in the schema, from the declaration of the toolset. */

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

/** The properties of `tools`: one section for each toolset that has settings. */
export const toolSections: Node = Object.fromEntries(toolsets.flatMap(({ name, schema }) => (schema ? [[name, sectionOf(schema)]] : [])))
