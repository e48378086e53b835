/**
 * Charges an evaluation for the work of JSONata's operators, and refuses too much work. The library calls the two hooks of this file before
 * and after it evaluates each node of an expression's syntax tree.
 */

import { LinearRegExp } from '../regex/linear-regexp.ts'
import { TooHard } from '../too-hard.ts'
import { checkWeight, checkWildcard, maxWalked } from '../weight.ts'
import { type EvaluationFrame, type EvaluationRun, itemsAStep, runOf } from './run.ts'

const maxConcatUnits = 1_048_576
/** UTF-16 units of texts that V8 compares or joins in the time of a step (`EvaluationRun`). */
const unitsComparedAStep = 1024
/** Items of a list that `in` compares in the time of a step. */
const itemsComparedAStep = 64
/** The steps that are charged for each item that is grouped. The library begins all groups at once, and calls no hook between them. */
const stepsAGroup = 3

/** The members of a syntax tree's node that this file reads. */
export type SyntaxNode = { readonly [key: string]: unknown; readonly type?: string; readonly value?: unknown }
type Group = { readonly lhs: readonly (readonly [key: unknown, value: unknown])[] }

export const nodesOf = (root: unknown): SyntaxNode[] => {
  const found = new Set<SyntaxNode>()
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null || found.has(node as SyntaxNode)) continue
    found.add(node as SyntaxNode)
    if (!(node instanceof RegExp)) waiting.push(...Object.values(node))
  }
  return [...found]
}

/** Charges for the work that the node above will do with a node's result. Throws TooHard. */
type Charge = (result: unknown, run: EvaluationRun) => void

/** Returns the item of a list with one item, and any other value as it is. The library turns such a list into its item only later. */
const singleItem = (result: unknown): unknown => (Array.isArray(result) && result.length === 1 ? result[0] : result)

/** Charges for a value that is compared, written out, copied or taken as true or false in one step. */
const chargeValue: Charge = (result, run) => {
  const value = singleItem(result)
  if (typeof value === 'string') run.spend(value.length / unitsComparedAStep)
  else if (typeof value === 'object') run.spend(checkWeight(value, true) / itemsAStep)
}

/** Charges for a side of `in`, which compares item by item. */
const chargeSearch: Charge = (result, run) => {
  const value = singleItem(result)
  const texts = Array.isArray(value) ? value : [value]
  run.spend(texts.length / itemsComparedAStep)
  run.spend(texts.reduce<number>((units, text) => units + (typeof text === 'string' ? text.length : 0), 0) / unitsComparedAStep)
}

/** Checks an end of a range (`1..9`). Past 2^53 a number plus one is the same number, and the library would count for ever. */
const checkRangeEnd: Charge = (result) => {
  if (Math.abs(Number(singleItem(result))) > Number.MAX_SAFE_INTEGER) throw new TooHard('a number is too large')
}

/** Charges for a key by which an item is grouped. */
const chargeGroupKey: Charge = (result, run) => {
  chargeValue(result, run)
  run.spend(stepsAGroup)
}

/** Charges for a key by which a row of a join (`@`, `#`) is grouped. */
const chargeJoinKey: Charge = (result, run) => {
  chargeGroupKey(result, run)
  run.group()
}

const keysOf = (group: unknown): readonly unknown[] => ((group as Group | undefined)?.lhs ?? []).map(([key]) => key)
const isJoin = ({ steps }: SyntaxNode): boolean => Array.isArray(steps) && steps.some(({ tuple }) => tuple)
const binaryCharge = (operator: unknown): Charge => (operator === 'in' ? chargeSearch : operator === '..' ? checkRangeEnd : chargeValue)

/** Returns the nodes below a node whose results cost something, each with its charge. */
const chargesBelow = (node: SyntaxNode): readonly (readonly [below: unknown, charge: Charge])[] => {
  const { type, value, lhs, rhs } = node
  const all = (below: readonly unknown[], charge = chargeValue) => below.map((one) => [one, charge] as const)
  const keys = all(keysOf(node.group), isJoin(node) ? chargeJoinKey : chargeGroupKey)
  if (type === 'binary') return all([lhs, rhs], binaryCharge(value)).concat(keys)
  if (type === 'unary') return all([node.expression, ...(value === '{' ? keysOf(node) : [])]).concat(keys)
  if (type === 'filter') return all([node.expr])
  if (type === 'condition') return all([node.condition]).concat(keys)
  if (type === 'transform') return all([node.update, node.delete])
  if (type === 'sort') return all((node.terms as readonly SyntaxNode[]).map(({ expression }) => expression))
  return keys
}

const charges = new WeakMap<object, Charge>()

/** Stores the charges of all nodes of a syntax tree, so that `onExit` only has to look them up. */
export const assignCharges = (nodes: readonly SyntaxNode[]): void => {
  for (const node of nodes) {
    for (const [below, charge] of chargesBelow(node)) if (typeof below === 'object' && below !== null) charges.set(below, charge)
  }
}

/**
 * The hook before each node: charges for the values that the node will look through. Returns a promise where this turn of the event loop is
 * used up: the library waits for it.
 */
export const onEntry = ({ type, value }: SyntaxNode, input: unknown, frame: EvaluationFrame): Promise<void> | undefined => {
  const run = runOf(frame)
  if (type === 'wildcard') run.spend(checkWildcard(input) / itemsAStep)
  else if (type === 'descendant') run.spend(checkWeight(input, true, maxWalked) / itemsAStep)
  else if (type === 'name' && Array.isArray(input)) run.spend(checkWeight(input, false) / itemsAStep)
  else if (type === 'unary' && value === '{' && Array.isArray(input)) run.spend(input.length * stepsAGroup)
  else if (type === 'regex') frame.base.RegexEngine = LinearRegExp.bind(null, run)
  return run.step()
}

/** The hook after each node: charges for the result of the node, and for the work that the node above will do with the result. */
export const onExit = (node: SyntaxNode, _input: unknown, frame: EvaluationFrame, result: unknown): void => {
  const run = runOf(frame)
  if (node.type === 'binary' || node.type === 'unary') {
    if (typeof result === 'string' && result.length > maxConcatUnits) throw new TooHard('the text grows too long')
    run.build(result)
  }
  charges.get(node)?.(result, run)
}
