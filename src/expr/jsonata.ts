/** JSONata under limits of time, depth and size; the only importer of the library, which is loaded when the first expression is. */

import { createRequire } from 'node:module'
import type jsonata from 'jsonata'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { type BuiltIn, builtInNames, guardBuiltIns, itemsAStep } from './jsonata-guards.ts'
import { bindingsOf, type Frame, Run, runOf } from './jsonata-run.ts'
import { LinearRegExp, linear } from './linear-regexp.ts'
import { TooHard } from './regex.ts'
import { checkWeight, checkWildcard } from './weight.ts'

const maxSourceUnits = 4096
const maxConcatUnits = 1_048_576
const maxMessageUnits = 300
// Lists grow by copying, so the longest list bounds the time of what never looks at the clock.
const limits = { stack: 10_000, sequence: 10_000, RegexEngine: LinearRegExp as unknown as RegExpConstructor }

/** An expression that cannot be used. */
export class BadExpression extends Error {
  override name = 'BadExpression'
  /** 1-based character of the expression; 0 when unknown. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

const require = createRequire(import.meta.url)
let library: typeof jsonata | undefined
const load = (): typeof jsonata => {
  library ??= require('jsonata') as typeof jsonata
  return library
}

/** As much of a node of the library's syntax tree as is looked at. */
type Node = { readonly [key: string]: unknown; readonly type?: string; readonly value?: unknown }

/** Every object below the root of a syntax tree. */
const nodesOf = (root: unknown): Node[] => {
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

/** The nodes below one whose values it compares, writes out or takes as true in one step. */
const operandsOf = (node: Node): unknown[] => {
  if (node.type === 'binary') return node.value === 'in' ? [] : [node.lhs, node.rhs]
  if (node.type === 'unary' || node.type === 'filter') return [node.expression, node.expr]
  return node.type === 'condition' ? [node.condition] : []
}
const operands = new WeakSet()

/** The keys by which a path with joins is grouped. */
const groupKeysOf = ({ steps, group }: Node): object[] =>
  Array.isArray(steps) && steps.some(({ tuple }) => tuple) ? ((group as Group | undefined)?.lhs.map(([key]) => key) ?? []) : []
type Group = { readonly lhs: readonly (readonly [object, object])[] }
const groupKeys = new WeakSet()

/** Before each node: whether there is time, and whether the node would look through too much. */
const onEntry = (node: Node, input: unknown, frame: Frame): Promise<void> | undefined => {
  const run = runOf(frame)
  if (node.type === 'wildcard') checkWildcard(input)
  else if (node.type === 'descendant' || (node.type === 'name' && Array.isArray(input))) checkWeight(input, false)
  if (groupKeys.has(node)) run.group()
  return run.step()
}

/** After each node: what it made, and whether that is too much for the node above. */
const onExit = (node: Node, _input: unknown, frame: Frame, result: unknown): void => {
  if (node.type === 'binary' && typeof result === 'string' && result.length > maxConcatUnits) throw new TooHard('the text grows too long')
  if (typeof result !== 'object') return
  if (node.type === 'binary' || node.type === 'unary') runOf(frame).build(result)
  if (operands.has(node)) runOf(frame).spend(checkWeight(result, true) / itemsAStep)
}

type Parsed = { readonly expression: jsonata.Expression; readonly written: ReadonlySet<string> }

const parse = (source: string): Parsed => {
  if (source.length > maxSourceUnits) throw new BadExpression(`the expression is longer than ${maxSourceUnits} characters`, 0)
  try {
    const expression = load()(source, limits)
    const nodes = nodesOf(expression.ast())
    for (const node of nodes) {
      if (node instanceof RegExp) linear(node)
      for (const operand of operandsOf(node)) if (typeof operand === 'object' && operand !== null) operands.add(operand)
      for (const key of groupKeysOf(node)) groupKeys.add(key)
    }
    // The library asks for its hooks by symbols.
    expression.assign(Symbol.for('jsonata.__evaluate_entry') as unknown as string, onEntry)
    expression.assign(Symbol.for('jsonata.__evaluate_exit') as unknown as string, onExit)
    return { expression, written: new Set(nodes.flatMap(({ type, value }) => (type === 'string' ? [String(value)] : []))) }
  } catch (error) {
    const position = typeof error === 'object' && error !== null && 'position' in error ? Number(error.position) : 0
    throw new BadExpression(messageOf(error), Number.isFinite(position) ? position : 0)
  }
}

const guarded = async (): Promise<{ readonly now: BuiltIn }> => {
  const all = (await load()(`[${builtInNames.map((name) => `$${name}`).join(',')}]`).evaluate(null)) as BuiltIn[]
  guardBuiltIns(all)
  return { now: all[builtInNames.indexOf('now')] as BuiltIn } // Each expression has a `$now` of its own.
}
let builtIns: ReturnType<typeof guarded> | undefined

/** The library's own limits: depth and the length of a sequence. */
const limitCodes: readonly unknown[] = ['D1011', 'D2014', 'D2015']
const isLimit = (error: unknown): boolean =>
  error instanceof TooHard ||
  error instanceof RangeError ||
  (typeof error === 'object' && error !== null && 'code' in error && limitCodes.includes(error.code))

const isFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value))

export type Expression = (input: Json) => Promise<Json | undefined>

/** Throws BadExpression; the function rejects with TooHard when a limit stops the expression, and with a plain Error when it fails otherwise. */
export const compileJsonata = (source: string): Expression => {
  const { expression, written } = parse(source)
  return async (input) => {
    builtIns ??= guarded()
    const { now } = await builtIns
    const run = new Run(written)
    try {
      const result: unknown = await expression.evaluate(input, { ...bindingsOf(run), now })
      return result === undefined || isFunction(result) ? undefined : (result as Json)
    } catch (error) {
      const message = printable(messageOf(error), maxMessageUnits)
      throw isLimit(error) ? new TooHard(message) : new Error(message)
    } finally {
      run.end()
    }
  }
}
