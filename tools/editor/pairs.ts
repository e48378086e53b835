/** Adds rules by which editors mark keys that exclude each other, and a key that needs another key, in the words of `validate`. */

import { type Definitions, type Node, type Rule, withRules } from './schema-node.ts'

type Conflict = { readonly keys: readonly [string, string] }
type Requirement = { readonly when: string; readonly key: string; readonly but: readonly string[] }

/** Returns the definitions. Each definition of a route gets the rules that its `x-conflicts` and `x-requires` stand for. */
export const withPairs = (definitions: Definitions): Definitions =>
  Object.fromEntries(
    Object.entries(definitions)
      .filter(([, node]) => 'x-conflicts' in node)
      .map(([name, node]) => {
        const conflicts = node['x-conflicts'] as readonly Conflict[]
        const requirements = node['x-requires'] as readonly Requirement[]
        const properties = node.properties as Definitions
        return [name, withRules(node, [...conflicts.map((each) => conflict(each, properties)), ...requirements.flatMap(requirement)])]
      }),
  )

/** Matches a route in which all these keys are used. A switch that is off does not count as used. */
const used = (properties: Definitions, ...keys: readonly string[]): Node => ({
  type: 'object',
  required: keys,
  properties: Object.fromEntries(keys.flatMap((key) => (properties[key]?.type === 'boolean' ? [[key, { const: true }]] : []))),
})

const conflict = ({ keys: [first, second] }: Conflict, properties: Definitions): Rule => ({
  if: used(properties, first, second),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { [second]: false }, errorMessage: `"${first}" and "${second}" cannot be used together: remove one of the two` },
})

const requirement = ({ when, key, but }: Requirement): Rule[] => {
  const on: Node = { [when]: { const: true } }
  const advice = `name the target in "${key}", for example github_comment or http`
  const said = (fact: string): string => `"${when}" needs a real target, but "${key}" is ${fact}: ${advice}`
  return [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { type: 'object', required: [when], properties: on }, then: { required: [key], errorMessage: said('absent') } },
    ...but.map((value) => ({
      if: { type: 'object', required: [when, key], properties: { ...on, [key]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { [when]: false }, errorMessage: said(`"${value}"`) },
    })),
  ]
}
