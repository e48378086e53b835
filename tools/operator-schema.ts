/** Makes the keys of a condition that are operators from the declarations of the operators. */

import { operators } from '../src/parts/operators/index.ts'
import { inMarkdown, inWords } from './in-markdown.ts'

type Node = { readonly [key: string]: unknown }

/** Returns the definition of conditions with all operators, which stand behind the field and before the groups. */
export const withOperators = (node: Node): Node => {
  const { field, ...groups } = node.properties as Node
  const keys = operators.map(({ name, schema }) => [name, { title: inWords(name), ...inMarkdown(schema) }])
  return { ...node, properties: { field, ...Object.fromEntries(keys), ...groups } }
}
