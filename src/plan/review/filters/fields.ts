/** Lists the conditions on fields in a route's filters, and says for which values a condition holds (`Domain`). */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../../core/json.ts'
import { isRequestField } from '../../../expr/request-field.ts'
import type { Domain } from '../../../parts/operators/operator.ts'
import type { Catalogue } from '../../compile.ts'

const groups = ['all', 'any', 'not'] as const

export type Leaf = { readonly field: string; readonly operator: string; readonly operand: Json; readonly path: Path }

/** Returns every condition on a field, also inside `all`, `any` and `not`. Malformed conditions are left out. */
export const leavesOf = (filters: unknown, path: Path = ['filters']): Leaf[] => {
  if (Array.isArray(filters)) return filters.flatMap((item, i) => leavesOf(item, [...path, i]))
  if (!isObject(filters)) return []
  const below = groups.flatMap((group) => leavesOf(own(filters, group), [...path, group]))
  const field = own(filters, 'field')
  const operators = Object.keys(filters).filter((key) => key !== 'field' && !key.startsWith('x-'))
  const [operator] = operators
  if (typeof field !== 'string' || operator === undefined || operators.length > 1) return below
  return [...below, { field, operator, operand: filters[operator] as Json, path }]
}

/** The JSONata expression of a condition, with the path of the expression in the route. */
export type ConditionExpression = { readonly source: string; readonly path: Path }

/** Returns the expression of every condition `jsonata`, also inside `all`, `any` and `not`. */
export const expressionsOf = (filters: unknown, path: Path = ['filters']): ConditionExpression[] => {
  if (Array.isArray(filters)) return filters.flatMap((item, i) => expressionsOf(item, [...path, i]))
  if (!isObject(filters)) return []
  const source = own(filters, 'jsonata')
  const below = groups.flatMap((group) => expressionsOf(own(filters, group), [...path, group]))
  return typeof source === 'string' ? [...below, { source, path: [...path, 'jsonata'] }] : below
}

/** Returns the field of every condition that has one, also inside `all`, `any` and `not`. */
export const fieldNames = (filters: unknown): string[] => leavesOf(filters).map(({ field }) => field)

/** Returns one name for all names of a field: the event type has two names, and headers are named in any letter case. */
export const canonicalField = (field: string): string =>
  field === 'event' || field === 'event_type' ? 'event_type' : field.startsWith('headers.') ? field.toLowerCase() : field

/** Returns a noun for the fields whose values are always texts; `undefined` for a field that may have other values. */
export const textNoun = (field: string): string | undefined => {
  if (canonicalField(field) === 'event_type') return 'the type of an event'
  if (field.startsWith('headers.')) return 'a header'
  return isRequestField(field) ? 'a value of the address or the method' : undefined
}

type Operation = Pick<Leaf, 'operator' | 'operand'>

/** The conditions on the items of a list. What they hold for is not known here, but for a missing list, for which they do not hold. */
const onItems: readonly string[] = ['any_item', 'every_item']

/** Returns the domain of a condition, which says for which values it holds; `undefined` where its operator gives none. */
export const domainOf = ({ operator, operand }: Operation, operators: Catalogue['operators']): Domain | undefined =>
  onItems.includes(operator) ? { kind: 'elsewhere' } : operators.get(operator)?.domain?.(operand)

/** A value in an operand, with its path in the route. */
export type ComparedValue = { readonly value: Json; readonly path: Path }

const valuesIn = (domain: Domain | undefined): readonly Json[] => {
  if (domain?.kind === 'one_of' || domain?.kind === 'none_of') return domain.values
  if (domain?.kind === 'starts' || domain?.kind === 'ends') return [domain.text]
  return domain?.kind === 'part' ? [domain.value] : []
}

/** Whether a condition compares the whole field, and not a part of it. */
export const comparesWhole = ({ kind }: Domain): boolean => kind === 'one_of' || kind === 'none_of'

/**
 * Returns the values that a condition compares its field with (the operand, or the items of a list), each with its path. A value that the
 * operator changed for its domain is left out, because it has no place in the file.
 */
export const comparedIn = ({ operator, operand, path }: Leaf, domain: Domain | undefined): readonly ComparedValue[] =>
  valuesIn(domain).flatMap((value, i): ComparedValue[] => {
    const at = [...path, operator]
    if (value === operand) return [{ value, path: at }]
    return Array.isArray(operand) && value === operand[i] ? [{ value, path: [...at, i] }] : []
  })
