/**
 * The questions about a condition, in their order: its field, its operator, its value. Each function makes the overlay for one question, a
 * list to pick from or a line to fill in. `rows` are the conditions of the route, and `old` is the current value as text.
 */

import type { Json } from '../../../core/json.ts'
import type { ConditionRow } from '../../../edit/conditions.ts'
import { describeOperator, expressionOperator, operandForm, operatorsFor, writtenOperand } from '../../../edit/operators.ts'
import { entryScreen, type PickRow, pickScreen } from '../../model/overlays.ts'
import type { Screen, World } from '../../model/screen.ts'
import { fieldValues, typeOfField } from './field-values.ts'

/** The ids under which the answers come back. */
export const questionIds = {
  field: 'filters.field',
  operator: 'filters.operator',
  /** A value that was picked from a list. */
  value: 'filters.value',
  /** A value that was typed. */
  text: 'filters.text',
  expression: 'filters.expression',
  group: 'filters.group',
} as const

/** The answer that leaves a condition as it is, where the user is asked how to group the condition. */
export const unchanged = ''

/** The answer that is no field and no value itself, but leads to another question: for an expression, or for a typed value. */
export const toOtherQuestion = ''

/**
 * Asks for the field. `canBeExpression`: the user may choose an expression over the whole event in place of a field. `now`: the current
 * field.
 */
export const askField = ({ payload }: World, canBeExpression: boolean, now?: string): Screen => {
  const seen = (payload?.values ?? []).map(({ path, shown }): PickRow => ({ value: path, title: path, detail: shown }))
  const event: PickRow = { value: 'event', title: 'event', detail: 'the type of the event' }
  const rows = [
    ...(seen.some(({ value }) => value === 'event') ? [] : [event]),
    ...seen,
    ...(canBeExpression ? [{ value: toOtherQuestion, title: expressionOperator, detail: describeOperator(expressionOperator) }] : []),
  ]
  return pickScreen(questionIds.field, 'field: a path in the payload, event, or headers.<Name>', rows, true, now)
}

/** Asks for the operator. The list has the operators that fit the field's values. The user may type the name of a plugin's operator. */
export const askOperator = (field: string, rows: readonly ConditionRow[], world: World, now?: string): Screen =>
  pickScreen(
    questionIds.operator,
    `operator for ${field}`,
    operatorsFor(typeOfField(field, rows, world)).map((name) => ({ value: name, title: name, detail: describeOperator(name) })),
    true,
    now,
  )

/** Asks for the value. Known values of the field are offered, unless the operator takes something else than one value. */
export const askValue = (field: string, operator: string, old: string, rows: readonly ConditionRow[], world: World): Screen => {
  const seen = fieldValues(field, rows, world)
  if (operandForm(operator) !== 'value' || seen.length === 0) return askTypedValue(field, operator, old, rows, world)
  const offered = seen.map(({ value, json, where }): PickRow => ({ value: json, title: valueTitle(value, json), detail: where }))
  const other: PickRow = { value: toOtherQuestion, title: 'write it', detail: old === '' ? 'another value' : `now ${old}` }
  return pickScreen(
    questionIds.value,
    `${field} ${operator}`,
    [...offered, other],
    true,
    old === '' ? undefined : (offered.find(({ title }) => title === old)?.value ?? old),
  )
}

/** Returns the title of a value in the list: JSON, but without quotes for a word that can be read only as a text. */
const valueTitle = (value: Json, json: string): string =>
  typeof value === 'string' && writtenOperand('in', [value]) === value ? value : json

/** Asks for the value as a line to fill in. A list that has no values yet begins with a known value of the field. */
export const askTypedValue = (field: string, operator: string, old: string, rows: readonly ConditionRow[], world: World): Screen => {
  const seen = fieldValues(field, rows, world)
  const isList = operandForm(operator) === 'list'
  const values = seen.map(({ value }) => value)
  const help = [
    describeOperator(operator),
    isList ? 'Values with commas between them, or a JSON list.' : '',
    operandForm(operator) === 'value' ? 'A text, or JSON: 5, true, null, "5".' : '',
    values.length > 0 ? `Seen: ${writtenOperand('in', values)}` : '',
  ]
  const text = old === '' && isList ? writtenOperand('in', values.slice(0, 1)) : old
  return entryScreen(questionIds.text, `${field} ${operator}`, { text, help: help.filter(Boolean).join(' ') })
}

/** Asks for an expression over the whole event. `old`: the expression so far. */
export const askExpression = (old: string): Screen =>
  entryScreen(questionIds.expression, expressionOperator, {
    text: old,
    help: `${describeOperator(expressionOperator)} ^g on the condition opens it in $EDITOR.`,
  })
