/** The conditions of a route, one by one, each with where it stands and what its operator says of it. */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, own } from '../../../core/json.ts'
import type { Domain } from '../../../parts/operators/operator.ts'
import type { Catalogue } from '../../compile.ts'

const groups = ['all', 'any', 'not'] as const

/** A condition on one field. */
export type Leaf = { readonly field: string; readonly operator: string; readonly operand: Json; readonly path: Path }

/** Every condition on a field, those in groups too; what is not well-formed is left out. */
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

export const fieldsOf = (filters: unknown): string[] => leavesOf(filters).map(({ field }) => field)

/** One name for each field that is the same: the event's two names, and headers in any letter case. */
export const sameField = (field: string): string =>
  field === 'event' || field === 'event_type' ? 'event_type' : field.startsWith('headers.') ? field.toLowerCase() : field

type Operation = Pick<Leaf, 'operator' | 'operand'>

/** `undefined`: nothing is known of the condition. */
export const domainOf = ({ operator, operand }: Operation, operators: Catalogue['operators']): Domain | undefined =>
  operators.get(operator)?.domain?.(operand)

export type Compared = { readonly value: Json; readonly path: Path }

const valuesIn = (domain: Domain | undefined): readonly Json[] => {
  if (domain?.kind === 'one_of' || domain?.kind === 'none_of') return domain.values
  return domain?.kind === 'part' ? [domain.value] : []
}

/** The values that a condition compares its field with, as far as they are the operand, or items of it. */
export const comparedIn = ({ operator, operand, path }: Leaf, domain: Domain | undefined): readonly Compared[] =>
  valuesIn(domain).flatMap((value, i): Compared[] => {
    const at = [...path, operator]
    if (value === operand) return [{ value, path: at }]
    return Array.isArray(operand) && value === operand[i] ? [{ value, path: [...at, i] }] : []
  })
