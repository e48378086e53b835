/** The operators of conditions, in the order in which people see them. */

import { gt, gte, lt, lte } from './comparisons.ts'
import { contains } from './contains.ts'
import { endsWith } from './ends-with.ts'
import { equals } from './equals.ts'
import { equalsField } from './equals-field.ts'
import { exists } from './exists.ts'
import { oneOf } from './in.ts'
import { inFile } from './in-file.ts'
import { inList } from './in-list.ts'
import { jsonata } from './jsonata.ts'
import { matchesGlob } from './matches-glob.ts'
import { missing } from './missing.ts'
import { notEquals } from './not-equals.ts'
import { notIn } from './not-in.ts'
import type { BuiltinOperator, ExactOperator } from './operator.ts'
import { regex } from './regex.ts'
import { startsWith } from './starts-with.ts'

export const operators: readonly BuiltinOperator[] = [
  exists,
  missing,
  equals,
  notEquals,
  equalsField,
  contains,
  startsWith,
  endsWith,
  oneOf,
  notIn,
  gt,
  gte,
  lt,
  lte,
  inFile,
  inList,
  matchesGlob,
  regex,
  jsonata,
]

export const operatorsByName: ReadonlyMap<string, ExactOperator> = new Map(operators.map((operator) => [operator.name, operator]))
