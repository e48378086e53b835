/** Makes the edits that add, delete, move or group a route's conditions. The edits leave all other lines alone. */

import type { YamlEdit } from '../../config/yaml/edit/yaml-edit.ts'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own, valueAt } from '../../core/json.ts'
import type { ConditionRow } from '../conditions.ts'

/** The edits that change the places of conditions, and the path that the added or moved condition has after them. */
export type Rearranged = { readonly edits: readonly YamlEdit[]; readonly at: Path }

/**
 * Adds a condition: as the last member of `row` if `row` is an `all` or `any`, else behind `row`, or behind the `not` that `row` is in.
 * Without `row`, and where `row` is in no list, the condition goes behind all others.
 */
export const addedCondition = (spec: JsonObject, row: ConditionRow | undefined, condition: JsonObject): Rearranged => {
  const { list, at } = row ? placeBeside(row) : {}
  if (list && at !== undefined) return inserted(list, at, condition)
  const { filters } = spec
  if (isObject(filters)) return { edits: [{ kind: 'set', path: ['filters'], value: [filters, condition] }], at: ['filters', 1] }
  return inserted(['filters'], Array.isArray(filters) ? filters.length : 0, condition)
}

const inserted = (list: Path, at: number, value: Json): Rearranged => ({
  edits: [{ kind: 'insert', path: list, at, value }],
  at: [...list, at],
})

/**
 * Returns the list, and the index in it, for a condition that is added at a row. In an `all` or `any`, the condition becomes the last
 * member. At any other row, it follows the row, or the `not` that the row is in. Empty where no list is around the row.
 */
const placeBeside = ({ path, operator, operand, kind }: ConditionRow): { readonly list?: Path; readonly at?: number } => {
  if (kind === 'group' && Array.isArray(operand)) return { list: [...path, operator], at: operand.length }
  const place = path.findLastIndex((key) => typeof key === 'number')
  return place < 0 ? {} : { list: path.slice(0, place), at: Number(path[place]) + 1 }
}

/** Removes a condition, each group that would be left empty (an empty `any` never holds), and an empty `filters`. */
export const removedCondition = (spec: JsonObject, path: Path): readonly YamlEdit[] => [{ kind: 'remove', path: removable(spec, path) }]

const removable = (spec: JsonObject, path: Path): Path => {
  if (path.length === 1) return path
  const holder = path.slice(0, -1)
  if (typeof path.at(-1) !== 'number') return removable(spec, holder)
  const list = valueAt(spec, holder)
  if (Array.isArray(list) && list.length > 1) return path
  return holder.length === 1 ? holder : removable(spec, holder.slice(0, -1))
}

/**
 * Moves a condition by one row, up (-1) or down (1): past its neighbour, into a neighbour that is an `all` or `any`, or out of its own
 * group. `undefined`: there is no such move.
 */
export const movedCondition = (spec: JsonObject, path: Path, by: 1 | -1): Rearranged | undefined => {
  const list = path.slice(0, -1)
  const index = path.at(-1)
  const items = valueAt(spec, list)
  if (typeof index !== 'number' || !Array.isArray(items)) return undefined
  const value = items[index] as Json
  const neighbour = items[index + by]
  if (neighbour === undefined) return movedOut(path, items, by)
  const group = groupListIn(neighbour)
  if (!group) return { edits: [{ kind: 'move', path: list, from: index, to: index + by }], at: [...list, index + by] }
  // The condition is removed first. A group behind the condition then has an index that is lower by one.
  const into = [...list, by > 0 ? index : index - 1, group.key]
  const { edits, at } = inserted(into, by > 0 ? 0 : group.length, value)
  return { edits: [{ kind: 'remove', path }, ...edits], at }
}

/** Returns the operator and the number of members of an `all` or `any`; `undefined` for any other condition. */
const groupListIn = (condition: Json): { readonly key: string; readonly length: number } | undefined => {
  if (!isObject(condition)) return undefined
  const key = ['all', 'any'].find((each) => Array.isArray(own(condition, each)))
  return key === undefined ? undefined : { key, length: (condition[key] as Json[]).length }
}

const movedOut = (path: Path, items: readonly Json[], by: 1 | -1): Rearranged | undefined => {
  const group = path.slice(0, -2)
  const place = group.at(-1)
  if (typeof place !== 'number') return undefined
  const value = items[Number(path.at(-1))] as Json
  // The group would be empty without the condition, so the condition takes the group's place.
  if (items.length === 1) return { edits: [{ kind: 'set', path: group, value }], at: group }
  const { edits, at } = inserted(group.slice(0, -1), by > 0 ? place + 1 : place, value)
  return { edits: [{ kind: 'remove', path }, ...edits], at }
}

export type Grouping = 'all' | 'any' | 'not' | 'ungroup'

/** Returns the ways in which a condition can be grouped or ungrouped. */
export const groupingsOf = (spec: JsonObject, { kind, operator, path }: ConditionRow): readonly Grouping[] => {
  if (kind === 'odd') return []
  const others = (['all', 'any', 'not'] as const).filter((each) => each !== operator)
  return kind === 'group' && ungrouped(spec, path, operator) ? [...others, 'ungroup'] : others
}

/**
 * Puts a condition into a new group. An `all` or `any` is renamed instead, unless it is put into a `not`. `ungroup` puts the members in the
 * place of their group.
 */
export const groupedCondition = (spec: JsonObject, { path, operator, kind }: ConditionRow, as: Grouping): readonly YamlEdit[] => {
  if (as === 'ungroup') return ungrouped(spec, path, operator) ?? []
  if (kind === 'group' && operator !== 'not' && as !== 'not') return [{ kind: 'rename', path: [...path, operator], key: as }]
  const written = valueAt(spec, path) ?? null
  return [{ kind: 'set', path, value: as === 'not' ? { not: written } : { [as]: [written] } }]
}

/** Returns the edits that put the members of a group in its place; `undefined` where only one condition may stand at the place. */
const ungrouped = (spec: JsonObject, path: Path, operator: string): readonly YamlEdit[] | undefined => {
  const held = valueAt(spec, [...path, operator]) ?? null
  const [first, ...rest] = Array.isArray(held) ? held : [held]
  if (first === undefined) return removedCondition(spec, path)
  if (rest.length === 0) return [{ kind: 'set', path, value: first }]
  if (path.length === 1) return [{ kind: 'set', path, value: held }]
  const index = path.at(-1)
  if (typeof index !== 'number') return undefined
  const behind = rest.map((value, i): YamlEdit => ({ kind: 'insert', path: path.slice(0, -1), at: index + 1 + i, value }))
  return [{ kind: 'set', path, value: first }, ...behind]
}

/** Returns the edits that give a condition the operator `name` and the operand `value`. A part that stays the same is not edited. */
export const withOperator = ({ path, operator, operand }: ConditionRow, name: string, value: Json): readonly YamlEdit[] => [
  ...(name === operator ? [] : [{ kind: 'rename', path: [...path, operator], key: name } as const]),
  ...(value === operand ? [] : [{ kind: 'set', path: [...path, name], value } as const]),
]
