/**
 * Adds rules to the schema by which an editor marks a condition with two operators or none, without the `field` that its operator needs, or
 * with a `field` that its operator does not look at, in the words of `validate`.
 */

import { operators } from '../../src/parts/operators/index.ts'
import type { Definitions, Node } from './schema-node.ts'

const groups = ['all', 'any', 'not']

export const withOneOperator = (condition: Node): Node => {
  const fieldless = [...operators.filter((operator) => operator.fieldless).map(({ name }) => name), ...groups]
  const names = [...new Set([...operators.map(({ name }) => name), ...groups])]
  const dependencies: Definitions = Object.fromEntries([
    ['field', alone],
    ...names.map((name, i): [string, Node] => [name, refusing(name, names.slice(i + 1), fieldless.includes(name))]),
  ])
  return { ...condition, dependencies }
}

/**
 * Returns the rule for one operator. It applies only where the key of the operator is present, so the rules of other operators cost an
 * editor nothing.
 */
const refusing = (name: string, later: readonly string[], isFieldless: boolean): Node => ({
  allOf: [
    ...later.map((other) => ({ properties: { [other]: false }, errorMessage: exactly(`${name}, ${other}`) })),
    isFieldless
      ? {
          properties: { field: false },
          errorMessage: `"${name}" stands alone, without "field": remove "field"; for a condition on it, write one more`,
        }
      : { required: ['field'], errorMessage: `"${name}" needs a "field" to look at: add field: a.dotted.path` },
  ],
})

const exactly = (found: string): string => `a condition needs exactly one operator, found ${found}: for several, write several conditions`

/** Matches a condition with `field` and no operator. It looks at the number of keys, not at names, because plugins bring operators too. */
const alone: Node = {
  if: { type: 'object', maxProperties: 1 },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['equals'], errorMessage: exactly('none') },
}
