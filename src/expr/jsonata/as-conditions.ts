/** Finds the conditions of `filters` that say the same as an expression. */

import type { Json, JsonObject } from '../../core/json.ts'
import { pathOfParts } from '../path-parts.ts'

type Node = { readonly [key: string]: unknown; readonly type?: unknown; readonly value?: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const comparisons: { readonly [operator: string]: string } = { '=': 'equals', '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }
const mirrored: { readonly [operator: string]: string } = { '=': 'equals', '>': 'lt', '>=': 'lte', '<': 'gt', '<=': 'gte' }

/** Returns the conditions that all must hold, as one condition; `undefined` where the expression says more than conditions can. */
export const asConditions = (root: unknown): JsonObject | undefined => {
  if (!isNode(root)) return undefined
  const { type, value, lhs, rhs } = root
  if (type === 'block')
    return Array.isArray(root.expressions) && root.expressions.length === 1 ? asConditions(root.expressions[0]) : undefined
  if (type === 'function') return ofCall(root)
  if (type !== 'binary') return undefined
  if (value === 'and' || value === 'or') {
    const [first, second] = [asConditions(lhs), asConditions(rhs)]
    return first && second && { [value === 'and' ? 'all' : 'any']: [...sidesOf(first, value), ...sidesOf(second, value)] }
  }
  return value === 'in' ? ofList(lhs, rhs) : ofComparison(String(value), lhs, rhs)
}

/** The conditions of `a and b and c` stand in one list. */
const sidesOf = (condition: JsonObject, joined: 'and' | 'or'): readonly Json[] => {
  const { all, any } = condition
  const list = joined === 'and' ? all : any
  return Array.isArray(list) ? list : [condition]
}

const ofComparison = (operator: string, left: unknown, right: unknown): JsonObject | undefined => {
  const [field, other] = [fieldOf(left), fieldOf(right)]
  if (field !== undefined && other !== undefined) return operator === '=' ? { field, equals_field: other } : undefined
  if (field !== undefined) return ofOperand(field, comparisons[operator], literalOf(right))
  if (other !== undefined) return ofOperand(other, mirrored[operator], literalOf(left))
  return operator === '=' ? ofStart(left, literalOf(right)) : ofCount(left, operator, literalOf(right))
}

const ofOperand = (field: string, word: string | undefined, operand: Json | undefined): JsonObject | undefined =>
  word !== undefined && operand !== undefined && (word === 'equals' || typeof operand === 'number') ? { field, [word]: operand } : undefined

/** `$substring(field, 0, 3) = "abc"`. */
const ofStart = (left: unknown, start: Json | undefined): JsonObject | undefined => {
  const [field, from, units] = callOf(left, 'substring') ?? []
  const path = fieldOf(field)
  const isWhole = typeof start === 'string' && start !== '' && literalOf(from) === 0 && literalOf(units) === [...start].length
  return path !== undefined && isWhole ? { field: path, starts_with: start } : undefined
}

/** `$count(list) > 3`. With `<`, a missing list counts as an empty one, and a condition on it does not hold. */
const ofCount = (left: unknown, operator: string, length: Json | undefined): JsonObject | undefined => {
  const field = fieldOf(callOf(left, 'count')?.[0])
  const isAbove = operator === '>' || (operator === '>=' && length !== 0)
  if (field === undefined || length === undefined || !isAbove || !Number.isSafeInteger(length) || Number(length) < 0) return undefined
  return { field, [operator === '>' ? 'gt' : 'gte']: { length } }
}

/** `field in ["a", "b"]`. */
const ofList = (left: unknown, right: unknown): JsonObject | undefined => {
  const field = fieldOf(left)
  if (field === undefined || !isNode(right) || right.type !== 'unary' || !Array.isArray(right.expressions)) return undefined
  const items = right.expressions.map(literalOf)
  return items.length > 0 && items.every((item) => item !== undefined) ? { field, in: items as Json[] } : undefined
}

const ofCall = (call: Node): JsonObject | undefined => {
  const field = fieldOf(callOf(call, 'exists')?.[0])
  if (field !== undefined) return { field, exists: true }
  const [inverted] = callOf(call, 'not') ?? []
  if (inverted !== undefined) {
    const condition = asConditions(inverted)
    return condition && { not: condition }
  }
  const [text, part] = callOf(call, 'contains') ?? []
  const [path, literal] = [fieldOf(text), literalOf(part)]
  return path !== undefined && typeof literal === 'string' && literal !== '' ? { field: path, contains: literal } : undefined
}

/** Returns the arguments of a call of the built-in of this name. */
const callOf = (node: unknown, name: string): readonly unknown[] | undefined => {
  if (!isNode(node) || node.type !== 'function' || !Array.isArray(node.arguments)) return undefined
  const { procedure } = node
  return isNode(procedure) && procedure.type === 'variable' && procedure.value === name ? node.arguments : undefined
}

const literalOf = (node: unknown): Json | undefined => {
  if (!isNode(node) || !['string', 'number', 'value'].includes(String(node.type))) return undefined
  const { value } = node
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

const plainPath: readonly string[] = ['type', 'steps']
const plainStep: readonly string[] = ['type', 'value', 'position', 'line']

/** Returns the field of a path in `{payload, event, headers}`. A path with a predicate, an index or a wildcard is none. */
const fieldOf = (node: unknown): string | undefined => {
  if (!isNode(node) || node.type !== 'path' || !Array.isArray(node.steps)) return undefined
  const steps: readonly unknown[] = node.steps
  const isPlain = steps.every((step) => isNode(step) && step.type === 'name' && Object.keys(step).every((key) => plainStep.includes(key)))
  if (!isPlain || !Object.keys(node).every((key) => plainPath.includes(key))) return undefined
  const [root, ...below] = steps.map((step) => String((step as Node).value))
  if (root === 'event') return below.length === 0 ? 'event_type' : undefined
  if (below.length === 0) return undefined
  return root === 'payload' ? pathOfParts(below) : root === 'headers' ? `headers.${below.join('.')}` : undefined
}
