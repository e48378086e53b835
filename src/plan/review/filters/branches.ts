/** Conditions as a list of alternatives, in each of which a few demands must all be met; past a bound there is no list. */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../../core/json.ts'

/** What one alternative demands of a field; without a field it is a demand that nothing is known of. */
export type Demand = {
  readonly field?: string
  readonly operator: string
  readonly operand: Json
  /** Whether the condition must hold, or must not. */
  readonly holds: boolean
  /** Of the condition. */
  readonly path: Path
}

export type Branch = readonly Demand[]

/** More alternatives than this are not looked at. */
const maxBranches = 256

/** Every way in which a condition can hold, or can fail to; `undefined` past the bound. A malformed condition may do either. */
export const branchesOf = (condition: Json | undefined, path: Path, holds = true): readonly Branch[] | undefined => {
  // The list of a route: all must hold.
  if (Array.isArray(condition)) return holds ? allOf(condition, path, holds) : anyOf(condition, path, holds)
  if (!isObject(condition)) return [[]]
  const keys = Object.keys(condition).filter((key) => key !== 'field' && !key.startsWith('x-'))
  const [operator] = keys
  if (operator === undefined || keys.length > 1) return [[]]
  const operand = condition[operator] as Json
  const below = [...path, operator]
  if (operator === 'not') return branchesOf(operand, below, !holds)
  if (operator === 'all' || operator === 'any') {
    const items = Array.isArray(operand) ? operand : []
    return (operator === 'all') === holds ? allOf(items, below, holds) : anyOf(items, below, holds)
  }
  const field = own(condition, 'field')
  return [[{ ...(typeof field === 'string' ? { field } : {}), operator, operand, holds, path }]]
}

/** Every item holds (or every one fails, in a `not any`). */
const allOf = (items: readonly Json[], path: Path, holds: boolean): readonly Branch[] | undefined => {
  let branches: readonly Branch[] = [[]]
  for (const [i, item] of items.entries()) {
    const more = branchesOf(item, [...path, i], holds)
    if (!more || branches.length * more.length > maxBranches) return undefined
    branches = branches.flatMap((branch) => more.map((demands) => [...branch, ...demands]))
  }
  return branches
}

/** One item holds (or one fails, in a `not all`). */
const anyOf = (items: readonly Json[], path: Path, holds: boolean): readonly Branch[] | undefined => {
  const branches: Branch[] = []
  for (const [i, item] of items.entries()) {
    const more = branchesOf(item, [...path, i], holds)
    if (!more || branches.length + more.length > maxBranches) return undefined
    branches.push(...more)
  }
  return branches
}

/** Each way in which both can be. */
export const bothOf = (a: readonly Branch[] | undefined, b: readonly Branch[] | undefined): readonly Branch[] | undefined =>
  a && b && a.length * b.length <= maxBranches ? a.flatMap((one) => b.map((other) => [...one, ...other])) : undefined
