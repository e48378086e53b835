/** What JSONata's operators are refused and charged for: the library asks before and after each node of a syntax tree. */

import { LinearRegExp } from '../regex/linear-regexp.ts'
import { TooHard } from '../regex/regex.ts'
import { checkWeight, checkWildcard, maxWalked } from '../weight.ts'
import { type Frame, itemsAStep, type Run, runOf } from './run.ts'

const maxConcatUnits = 1_048_576
/** What V8 compares, joins or looks through in the time of a step: characters of texts, items of a list for `in`. */
const unitsComparedAStep = 1024
const itemsComparedAStep = 64
/** Steps for each item that is grouped: the library begins all groups in one go. */
const stepsAGroup = 3

/** As much of a node of the library's syntax tree as is looked at. */
export type Node = { readonly [key: string]: unknown; readonly type?: string; readonly value?: unknown }
type Group = { readonly lhs: readonly (readonly [key: unknown, value: unknown])[] }

/** Every object below the root of a syntax tree. */
export const nodesOf = (root: unknown): Node[] => {
  const found = new Set<Node>()
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null || found.has(node as Node)) continue
    found.add(node as Node)
    if (!(node instanceof RegExp)) waiting.push(...Object.values(node))
  }
  return [...found]
}

/** Looks at what a node has made, for the node above it. Throws TooHard. */
type Look = (result: unknown, run: Run) => void

/** A path gives its only item in a list, which the library opens later. */
const opened = (result: unknown): unknown => (Array.isArray(result) && result.length === 1 ? result[0] : result)

/** For what is compared, written out, copied or taken as true in one step. */
const weighed: Look = (result, run) => {
  const value = opened(result)
  if (typeof value === 'string') run.spend(value.length / unitsComparedAStep)
  else if (typeof value === 'object') run.spend(checkWeight(value, true) / itemsAStep)
}

/** For what `in` compares, items one by one. */
const searched: Look = (result, run) => {
  const value = opened(result)
  const texts = Array.isArray(value) ? value : [value]
  run.spend(texts.length / itemsComparedAStep)
  run.spend(texts.reduce<number>((units, text) => units + (typeof text === 'string' ? text.length : 0), 0) / unitsComparedAStep)
}

/** For the ends of a range: past 2^53 one more is the same number, and the library counts for ever. */
const counted: Look = (result) => {
  if (Math.abs(Number(opened(result))) > Number.MAX_SAFE_INTEGER) throw new TooHard('a number is too large')
}

/** For the keys by which items are grouped. */
const grouped: Look = (result, run) => {
  weighed(result, run)
  run.spend(stepsAGroup)
}

/** For the keys by which the rows of a join are grouped. */
const joined: Look = (result, run) => {
  grouped(result, run)
  run.group()
}

const keysOf = (group: unknown): readonly unknown[] => ((group as Group | undefined)?.lhs ?? []).map(([key]) => key)
const isJoin = ({ steps }: Node): boolean => Array.isArray(steps) && steps.some(({ tuple }) => tuple)
const lookOfBinary = (operator: unknown): Look => (operator === 'in' ? searched : operator === '..' ? counted : weighed)

/** The nodes below one that are looked at, and how. */
const looksBelow = (node: Node): readonly (readonly [below: unknown, look: Look])[] => {
  const { type, value, lhs, rhs } = node
  const all = (below: readonly unknown[], look = weighed) => below.map((one) => [one, look] as const)
  const keys = all(keysOf(node.group), isJoin(node) ? joined : grouped)
  if (type === 'binary') return all([lhs, rhs], lookOfBinary(value)).concat(keys)
  if (type === 'unary') return all([node.expression, ...(value === '{' ? keysOf(node) : [])]).concat(keys)
  if (type === 'filter') return all([node.expr])
  if (type === 'condition') return all([node.condition]).concat(keys)
  if (type === 'transform') return all([node.update, node.delete])
  if (type === 'sort') return all((node.terms as readonly Node[]).map(({ expression }) => expression))
  return keys
}

const looks = new WeakMap<object, Look>()

/** Readies a syntax tree for the hooks. */
export const prepare = (nodes: readonly Node[]): void => {
  for (const node of nodes) {
    for (const [below, look] of looksBelow(node)) if (typeof below === 'object' && below !== null) looks.set(below, look)
  }
}

/** Before each node: whether there is time, and whether the node would look through too much. */
export const onEntry = ({ type, value }: Node, input: unknown, frame: Frame): Promise<void> | undefined => {
  const run = runOf(frame)
  if (type === 'wildcard') run.spend(checkWildcard(input) / itemsAStep)
  else if (type === 'descendant') run.spend(checkWeight(input, true, maxWalked) / itemsAStep)
  else if (type === 'name' && Array.isArray(input)) run.spend(checkWeight(input, false) / itemsAStep)
  else if (type === 'unary' && value === '{' && Array.isArray(input)) run.spend(input.length * stepsAGroup)
  else if (type === 'regex') frame.base.RegexEngine = LinearRegExp.bind(null, run)
  return run.step()
}

/** After each node: what it made, and whether that is too much for the node above. */
export const onExit = (node: Node, _input: unknown, frame: Frame, result: unknown): void => {
  const run = runOf(frame)
  if (node.type === 'binary' || node.type === 'unary') {
    if (typeof result === 'string' && result.length > maxConcatUnits) throw new TooHard('the text grows too long')
    run.build(result)
  }
  looks.get(node)?.(result, run)
}
