/**
 * The operators `gt`, `gte`, `lt` and `lte` compare the field of a condition with a number, a time or a length. They do not hold for a field
 * that is missing, or has no such measure (rules: Filters 17).
 */

import { isObject } from '../../core/json.ts'
import { compileBound } from '../../expr/bound.ts'
import type { BuiltinOperator } from './operator.ts'

type Comparison = {
  readonly name: string
  /** The comparison in words: `is above`. */
  readonly words: string
  readonly side: 'above' | 'below'
  readonly isIncluded: boolean
  readonly example: string
}

const length = {
  title: 'Length',
  type: 'integer',
  minimum: 0,
  description: 'The number of items, keys or characters.',
  markdownDescription: "The number of a list's items, a map's keys or a text's characters.",
  examples: [20],
}

/** A value on each side of 5, and 5 itself. */
const sides = [
  [4.9, -1],
  [5, 0],
  [6, 1],
] as const

const comparison = ({ name, words, side, isIncluded, example }: Comparison): BuiltinOperator => {
  const fits = (order: number): boolean => (order === 0 ? isIncluded : order > 0 === (side === 'above'))
  return {
    name,
    schema: {
      type: ['number', 'string', 'object'],
      minLength: 1,
      properties: { length },
      required: ['length'],
      additionalProperties: false,
      description: `The number, time or length ${words} this.`,
      markdownDescription: `The field ${words} this: a number; a date or date-time (RFC 3339; \`2026-01-01\` is midnight in UTC); or \`{ length: 20 }\`, for the items of a list, the keys of a map or the characters of a text. A missing field, or one of another kind, does not hold.\n\nExample: \`${example}\``,
      'x-fits': ['string', 'number', 'array', 'object'],
    },
    compile(operand, { report }) {
      const bound = compileBound(operand)
      if (!bound) {
        report(
          'WH419',
          [],
          `${name} compares with a date, a number or a length, and this text is no date`,
          'write a date as 2026-01-31, or 2026-01-31T12:00:00Z; a number without quotes',
        )
        return () => false
      }
      return (value) => {
        const order = bound.compare(value)
        return order !== undefined && fits(order)
      }
    },
    domain(operand) {
      const of = compileBound(operand)?.of
      return of && { kind: 'range', of, side, isIncluded, bound: isObject(operand) ? Number(operand.length) : (operand as number | string) }
    },
    examples: [
      ...sides.map(([value, order]) => ({ operand: 5, value, holds: fits(order) })),
      ...sides.map(([, order]) => ({ operand: { length: 2 }, value: ['a', 'b', 'c'].slice(0, 2 + order), holds: fits(order) })),
      ...sides.map(([, order]) => ({ operand: { length: 2 }, value: '😀'.repeat(2 + order), holds: fits(order) })),
      { operand: { length: 1 }, value: { a: 1 }, holds: isIncluded },
      { operand: { length: 0 }, value: 0, holds: false },
      { operand: '2026-01-01', value: '2025-12-31T23:59:59.999Z', holds: fits(-1) },
      { operand: '2026-01-01', value: '2026-01-01T01:00:00.0+01:00', holds: fits(0) },
      { operand: '2026-01-01T00:00:00Z', value: '2026-01-02', holds: fits(1) },
      { operand: '2026-01-01', value: '2026-13-01', holds: false },
      { operand: '2026-01-01', value: 1_767_225_600, holds: false },
      { operand: 5, value: '5', holds: false },
      { operand: 5, value: null, holds: false },
      { operand: 5, value: [5], holds: false },
      { operand: 5, holds: false },
    ],
  }
}

export const gt = comparison({
  name: 'gt',
  words: 'is above',
  side: 'above',
  isIncluded: false,
  example: '{ field: pull_request.additions, gt: 500 }',
})
export const gte = comparison({
  name: 'gte',
  words: 'is at or above',
  side: 'above',
  isIncluded: true,
  example: '{ field: commits, gte: { length: 20 } }',
})
export const lt = comparison({
  name: 'lt',
  words: 'is below',
  side: 'below',
  isIncluded: false,
  example: '{ field: issue.created_at, lt: 2026-01-01 }',
})
export const lte = comparison({
  name: 'lte',
  words: 'is at or below',
  side: 'below',
  isIncluded: true,
  example: '{ field: alert.severity, lte: 3 }',
})
