/** Finds calls that can never work. The library itself finds such a call only when the expression is evaluated on an event. */

import { nearest } from '../../core/text.ts'
import type { SyntaxNode } from './operators.ts'
import { builtInNames } from './rules.ts'

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null

const nameOf = (node: unknown): readonly string[] => (isNode(node) && node.type === 'variable' ? [String(node.value)] : [])

/** Returns the names that a node binds: by `:=`, as a parameter, or as the item (`@`) or number (`#`) of a step. */
const boundBy = ({ type, lhs, arguments: parameters, focus, index, stages }: SyntaxNode): readonly string[] => [
  ...(type === 'bind' ? nameOf(lhs) : []),
  ...(type === 'lambda' && Array.isArray(parameters) ? parameters.flatMap(nameOf) : []),
  ...[focus, index].filter((name) => typeof name === 'string'),
  ...(Array.isArray(stages) ? stages.flatMap((stage) => (isNode(stage) && stage.type === 'index' ? [String(stage.value)] : [])) : []),
]

/** Returns the variable that a node calls: before its brackets, or behind `~>`. */
const calleeOf = ({ type, value, procedure, rhs }: SyntaxNode): unknown =>
  type === 'function' || type === 'partial' ? procedure : type === 'apply' || (type === 'binary' && value === '~>') ? rhs : undefined

/** Whether a word leaves out letters of a name: `cnt` of `count`. */
const isShortFor = (word: string, name: string): boolean => {
  let at = 0
  for (const letter of name) if (letter === word[at]) at++
  return at === word.length && word[0] === name[0]
}

/** Returns the key that a node calls, as in `uppercase(title)`, where `$uppercase` is meant: no value of a payload is a function. */
const calledKey = ({ type, procedure }: SyntaxNode): SyntaxNode | undefined => {
  if (type !== 'function' || !isNode(procedure) || procedure.type !== 'path' || !Array.isArray(procedure.steps)) return undefined
  const [step, ...others] = procedure.steps
  return others.length === 0 && isNode(step) && step.type === 'name' ? step : undefined
}

/** Returns the first call of a key. A key that the expression itself writes in quotes may hold a function of its own. */
const keyCall = (nodes: readonly SyntaxNode[]): Call | undefined => {
  const written = new Set(nodes.flatMap(({ type, value }) => (type === 'string' ? [value] : [])))
  const key = nodes.map(calledKey).find((each) => each && !written.has(each.value))
  if (!key) return undefined
  const name = String(key.value)
  const near = builtInNames.includes(name) ? [name] : nearest(name, builtInNames)
  const help = near.length > 0 ? `: write ${near.map((each) => `$${each}(…)`).join(' or ')}` : ': names of functions begin with $'
  return { message: `${name}(…) calls no function${help}`, position: Number(key.position ?? 0) }
}

/** A call that can never work. `position`: the 1-based place of the last character of its name; 0 where the library does not give it. */
type Call = { readonly message: string; readonly position: number }

/**
 * Returns the first call of a key of the payload, or of a name that is neither a built-in function nor bound by the expression in any scope; `undefined` where there is
 * none. `nodes`: all nodes of the expression's syntax tree.
 */
export const unknownCall = (nodes: readonly SyntaxNode[]): Call | undefined => {
  const knownNames = new Set(['', '$', ...builtInNames, ...nodes.flatMap(boundBy)])
  for (const node of nodes) {
    const callee = calleeOf(node)
    const name = nameOf(callee).find((each) => !knownNames.has(each))
    if (name === undefined || !isNode(callee)) continue
    const slips = nearest(name, builtInNames)
    const near = slips.length > 0 ? slips : builtInNames.filter((each) => isShortFor(name, each)).slice(0, 1)
    const help = near.length > 0 ? `: did you mean ${near.map((each) => `$${each}`).join(' or ')}?` : ''
    return { message: `there is no function $${name}${help}`, position: Number(callee.position ?? node.position ?? 0) }
  }
  return keyCall(nodes)
}
