/**
 * Turns conditions into a list of branches: the ways in which the conditions can hold. A branch is a list of demands, which must all be
 * met.
 */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../../core/json.ts'

/** One condition that must hold or must not hold. Without a field, nothing is known of the values that meet the demand. */
export type Demand = {
  readonly field?: string
  readonly operator: string
  readonly operand: Json
  /** `true`: the condition must hold. `false`: it must not hold. */
  readonly holds: boolean
  readonly path: Path
}

/** One way in which conditions can hold: all these demands are met. */
export type Branch = readonly Demand[]

/** The most branches of a list. Where there would be more, there is no list. */
const maxBranches = 256

/**
 * Returns the branches in which a condition holds, or with `holds: false` does not hold; `undefined` where there would be too many. A
 * malformed condition has one branch without demands, because nothing is known of it. An `all` or `any` whose operand is no list counts as
 * empty.
 */
export const branchesOf = (condition: Json | undefined, path: Path, holds = true): readonly Branch[] | undefined => {
  // A list is the `filters` of a route: all conditions must hold.
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

/** Returns the branches in which every item holds, or with `holds: false` (in a `not any`) no item holds. */
const allOf = (items: readonly Json[], path: Path, holds: boolean): readonly Branch[] | undefined => {
  let branches: readonly Branch[] = [[]]
  for (const [i, item] of items.entries()) {
    const more = branchesOf(item, [...path, i], holds)
    if (!more || branches.length * more.length > maxBranches) return undefined
    branches = branches.flatMap((branch) => more.map((demands) => [...branch, ...demands]))
  }
  return branches
}

/** Returns the branches in which one item holds, or with `holds: false` (in a `not all`) one item does not hold. */
const anyOf = (items: readonly Json[], path: Path, holds: boolean): readonly Branch[] | undefined => {
  const branches: Branch[] = []
  for (const [i, item] of items.entries()) {
    const more = branchesOf(item, [...path, i], holds)
    if (!more || branches.length + more.length > maxBranches) return undefined
    branches.push(...more)
  }
  return branches
}

/** Returns the branches in which a branch of `a` and a branch of `b` are met together; `undefined` where there would be too many. */
export const bothOf = (a: readonly Branch[] | undefined, b: readonly Branch[] | undefined): readonly Branch[] | undefined =>
  a && b && a.length * b.length <= maxBranches ? a.flatMap((one) => b.map((other) => [...one, ...other])) : undefined
