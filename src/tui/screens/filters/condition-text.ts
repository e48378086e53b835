/** Puts a condition into words, for the tree of conditions, for the titles of steps, and for screen readers. */

import type { ConditionRow } from '../../../edit/conditions.ts'
import { operandForm, writtenOperand } from '../../../edit/operators.ts'
import type { World } from '../../model/screen.ts'
import { verdictOf } from './verdicts.ts'

const groupMeanings: { readonly [group: string]: string } = {
  all: 'of these must hold',
  any: 'one of these must hold',
  not: 'this: it must fail',
}

/** Says what a group asks of its members. The words follow the name of the group. */
export const groupMeaning = (operator: string): string => groupMeanings[operator] ?? ''

/** Returns the value as it is shown behind its operator; empty for a flag that is true. */
export const operandText = ({ operator, operand }: Pick<ConditionRow, 'operator' | 'operand'>): string => {
  if (operandForm(operator) === 'flag' && operand === true) return ''
  const text = writtenOperand(operator, operand)
  return operandForm(operator) === 'list' ? `[${text}]` : text
}

/** Returns a condition as `action equals "opened"`, or a group as `any one of these must hold`. `odd`: a value that is no condition. */
export const conditionText = (row: Pick<ConditionRow, 'kind' | 'field' | 'operator' | 'operand'>): string => {
  if (row.kind === 'odd') return `${writtenOperand('', row.operand)} (not a condition)`
  if (row.kind === 'group') return `${row.operator} ${groupMeaning(row.operator)}`
  return [row.field, row.operator, operandText(row)].filter(Boolean).join(' ')
}

/** Returns `Filter 2 of 3, action equals "opened", fails: value is "closed", holds for 5 of 12 samples`. */
export const conditionSentence = (row: ConditionRow, place: number, rows: readonly ConditionRow[], world: World): string => {
  const { isOld, judged, tally } = verdictOf(row, world)
  const seen = judged?.seen === undefined ? '' : judged.seen === 'missing' ? ': the field is missing' : `: value is ${judged.seen}`
  const verdict = judged ? `${judged.holds ? 'holds' : 'fails'}${seen}` : isOld ? 'being tried' : ''
  const within = row.depth > 0 ? `level ${row.depth + 1}` : ''
  const samples = tally ? `holds for ${tally.holds} of ${tally.of} samples` : ''
  return [`Filter ${place + 1} of ${rows.length}`, within, conditionText(row), verdict, samples].filter(Boolean).join(', ')
}
