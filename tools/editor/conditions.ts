/**
 * Adds rules to the schema by which an editor marks a condition with two operators or none, without the `field` that its operator needs, or
 * with a `field` that its operator does not look at, in the words of `validate`.
 */

import { operators } from '../../src/parts/operators/index.ts'
import type { Definitions, Node } from './schema-node.ts'

const groups = ['all', 'any', 'not']

/**
 * Returns the definitions of conditions: of those on an event, and of those on an item of a list, which need no `field`. All that stands
 * below a condition on items is about an item.
 */
export const conditionsByPlace = (condition: Node): { readonly [definition: string]: Node } => {
  const ofItem = (node: unknown): Node =>
    JSON.parse(JSON.stringify(node).replaceAll('"#/definitions/Condition"', '"#/definitions/ItemCondition"')) as Node
  const properties = { ...(condition.properties as Definitions) }
  const onItems = condition['x-on-items'] as readonly string[]
  for (const name of onItems) properties[name] = ofItem(properties[name])
  return {
    Condition: withOneOperator({ ...condition, properties }, onItems, true),
    ItemCondition: withOneOperator(ofItem(condition), onItems, false),
  }
}

const withOneOperator = (condition: Node, onItems: readonly string[], needsField: boolean): Node => {
  const fieldless = [...operators.filter((operator) => operator.fieldless).map(({ name }) => name), ...groups]
  const names = [...new Set([...operators.map(({ name }) => name), ...onItems, ...groups])]
  const dependencies: Definitions = Object.fromEntries([
    ['field', alone],
    ...names.map((name, i): [string, Node] => [
      name,
      refusing(name, names.slice(i + 1), { isFieldless: fieldless.includes(name), needsField }),
    ]),
  ])
  return { ...condition, dependencies }
}

/**
 * Returns the rule for one operator. `needsField`: a condition on a value names it by `field`, where the value is no item. It applies only where the key of the operator is present, so the rules of other operators cost an
 * editor nothing.
 */
const refusing = (
  name: string,
  later: readonly string[],
  { isFieldless, needsField }: { readonly isFieldless: boolean; readonly needsField: boolean },
): Node => ({
  allOf: [
    ...later.map((other) => ({ properties: { [other]: false }, errorMessage: exactly(`${name}, ${other}`) })),
    isFieldless
      ? {
          properties: { field: false },
          errorMessage: `"${name}" stands alone, without "field": remove "field"; for a condition on it, write one more`,
        }
      : needsField
        ? { required: ['field'], errorMessage: `"${name}" needs a "field" to look at: add field: a.dotted.path` }
        : {},
  ],
})

const exactly = (found: string): string => `a condition needs exactly one operator, found ${found}: for several, write several conditions`

/** Matches a condition with `field` and no operator. It looks at the number of keys, not at names, because plugins bring operators too. */
const alone: Node = {
  if: { type: 'object', maxProperties: 1 },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['equals'], errorMessage: exactly('none') },
}
