/**
 * The questions about a condition, in turn: its field, its operator, its value. Each question is a list to pick from or a line to fill in.
 */

import type { ConditionRow } from '../../../app/editor/conditions.ts'
import { describeOperator, expression, operandForm, operatorsFor, writtenOperand } from '../../../app/editor/operators.ts'
import type { Json } from '../../../core/json.ts'
import { entry, type PickRow, pick } from '../../model/overlays.ts'
import type { Screen, World } from '../../model/screen.ts'
import { fieldValues, typeOfField } from './field-values.ts'

export const ids = {
  field: 'filters.field',
  operator: 'filters.operator',
  /** A value that was picked from a list. */
  value: 'filters.value',
  /** A value that was typed. */
  text: 'filters.text',
  expression: 'filters.expression',
  group: 'filters.group',
} as const

/** The value of a row that changes nothing. */
export const asItIs = ''

/** The value of a row that leads to another question. */
export const elsewhere = ''

/** Asks for the field. `canBeExpression`: the condition may be an expression over the whole event instead. `now`: the current field. */
export const askField = ({ payload }: World, canBeExpression: boolean, now?: string): Screen => {
  const seen = (payload?.values ?? []).map(({ path, shown }): PickRow => ({ value: path, title: path, detail: shown }))
  const event: PickRow = { value: 'event', title: 'event', detail: 'the type of the event' }
  const rows = [
    ...(seen.some(({ value }) => value === 'event') ? [] : [event]),
    ...seen,
    ...(canBeExpression ? [{ value: elsewhere, title: expression, detail: describeOperator(expression) }] : []),
  ]
  return pick(ids.field, 'field: a path in the payload, event, or headers.<Name>', rows, true, now)
}

/** Asks for the operator. The list has the operators that fit the field's values. The user may type the name of a plugin's operator. */
export const askOperator = (field: string, rows: readonly ConditionRow[], world: World, now?: string): Screen =>
  pick(
    ids.operator,
    `operator for ${field}`,
    operatorsFor(typeOfField(field, rows, world)).map((name) => ({ value: name, title: name, detail: describeOperator(name) })),
    true,
    now,
  )

/** Asks for the value. If a known value of the field can be the whole operand, known values are offered first. */
export const askValue = (field: string, operator: string, old: string, rows: readonly ConditionRow[], world: World): Screen => {
  const seen = fieldValues(field, rows, world)
  if (operandForm(operator) !== 'value' || seen.length === 0) return writeValue(field, operator, old, rows, world)
  const offered = seen.map(({ value, json, where }): PickRow => ({ value: json, title: valueTitle(value, json), detail: where }))
  const other: PickRow = { value: elsewhere, title: 'write it', detail: old === '' ? 'another value' : `now ${old}` }
  return pick(
    ids.value,
    `${field} ${operator}`,
    [...offered, other],
    true,
    old === '' ? undefined : (offered.find(({ title }) => title === old)?.value ?? old),
  )
}

/** Returns the title of a value. A word that can be read only as a text has no quotes. */
const valueTitle = (value: Json, json: string): string =>
  typeof value === 'string' && writtenOperand('in', [value]) === value ? value : json

export const writeValue = (field: string, operator: string, old: string, rows: readonly ConditionRow[], world: World): Screen => {
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
  return entry(ids.text, `${field} ${operator}`, { text, help: help.filter(Boolean).join(' ') })
}

export const askExpression = (old: string): Screen =>
  entry(ids.expression, expression, { text: old, help: `${describeOperator(expression)} ^g on the condition opens it in $EDITOR.` })
