/** Compiles the checks of the objects that the program stores and reads again, such as runs and records. */

import { createAjv, renderChecks } from './checks.ts'
import type { Node, Nodes } from './types.ts'

export type StoredSchema = { readonly properties: Nodes; readonly definitions: Nodes }

/** Returns the texts of the generated modules, by their file names. They have a check for each property of the schema. */
export const renderStored = async (
  { properties, definitions }: StoredSchema,
  banner: string,
  root: string,
): Promise<{ [file: string]: string }> => {
  const ajv = createAjv({ messages: false, strictRequired: false, inlineRefs: false })
  const names = Object.keys(properties)
  ajv.addSchema({ $id: 'stored', definitions: withoutDescriptions({ ...definitions, ...properties }) })
  for (const name of names) ajv.addSchema({ $id: name, $ref: `stored#/definitions/${name}` })
  const js = await renderChecks(ajv, Object.fromEntries(names.map((name) => [`is${name}`, name])), root)
  const declared = names.map((name) => `export const is${name}: (data: unknown) => data is JsonObject\n`).join('')
  return {
    'src/generated/stored-checks.js': `${banner}${js}`,
    'src/generated/stored-checks.d.ts': `${banner}import type { JsonObject } from '../core/json.ts'\n\n${declared}`,
  }
}

/** Returns the node without texts for people. */
const withoutDescriptions = (nodes: Nodes): Node =>
  JSON.parse(JSON.stringify(nodes), (key, value) => (key === 'description' && typeof value === 'string' ? undefined : value))
