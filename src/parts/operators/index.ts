/** The operators of conditions, in the order in which people see them. */

import { contains } from './contains.ts'
import { equals } from './equals.ts'
import { exists } from './exists.ts'
import { inList } from './in.ts'
import { inFile } from './in-file.ts'
import { jsonata } from './jsonata.ts'
import { missing } from './missing.ts'
import { notEquals } from './not-equals.ts'
import type { BuiltinOperator, ExactOperator } from './operator.ts'
import { regex } from './regex.ts'

export const operators: readonly BuiltinOperator[] = [exists, missing, equals, notEquals, contains, inList, inFile, regex, jsonata]

export const operatorsByName: ReadonlyMap<string, ExactOperator> = new Map(operators.map((operator) => [operator.name, operator]))
