/**
 * Handles the answer to a question about the condition that is being added or changed (`screen.edited`): asks the next question, or changes
 * the draft.
 */

import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import type { Path } from '../../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { type ConditionRow, conditionRows } from '../../../edit/conditions.ts'
import { addedCondition, type Grouping, groupedCondition, withOperator } from '../../../edit/draft/condition-edits.ts'
import { change, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import { canBeOperator, convertOperand, expressionOperator, operandForm, readOperand, writtenOperand } from '../../../edit/operators.ts'
import { type Returned, type ScreenUpdate, type World, warned } from '../../model/screen.ts'
import { conditionText } from './condition-text.ts'
import { typeOfField } from './field-values.ts'
import type { EditedCondition, FiltersScreen } from './filters-screen.ts'
import { askExpression, askOperator, askTypedValue, askValue, questionIds, toOtherQuestion, unchanged } from './questions.ts'

type FiltersUpdate = ScreenUpdate<FiltersScreen>

/** Handles an answer. Its `id` says which question was asked (`questionIds`). */
export const onAnswer = (screen: FiltersScreen, { id, value }: Returned, world: World, draft: RouteDraft): FiltersUpdate => {
  const { edited } = screen
  if (!edited) return {}
  switch (id) {
    case questionIds.field:
      return fieldIs(value, screen, edited, world, draft)
    case questionIds.operator:
      return operatorIs(value, screen, edited, world, draft)
    case questionIds.value:
      return value === toOtherQuestion
        ? pushQuestion(screen, edited, askTypedValue, world, draft)
        : operandIs(value, screen, edited, world, draft)
    case questionIds.text:
      return operandIs(value, screen, edited, world, draft)
    case questionIds.expression:
      return expressionIs(value.trim(), screen, edited, draft)
    case questionIds.group:
      return value === unchanged ? {} : groupIs(value as Grouping, screen, edited, draft)
    default:
      return {}
  }
}

const fieldIs = (value: string, screen: FiltersScreen, edited: EditedCondition, world: World, draft: RouteDraft): FiltersUpdate => {
  if (value === toOtherQuestion) return { go: { push: askExpression('') } }
  const { row, isNew } = edited
  if (isNew) {
    const rows = conditionRows(draft.spec)
    return { screen: { ...screen, edited: { ...edited, field: value } }, go: { push: askOperator(value, rows, world) } }
  }
  if (!row) return {}
  const title = `${conditionText(row)}: field ${value}`
  return { world: { draft: change(draft, title, [{ kind: 'set', path: [...row.path, 'field'], value }]) } }
}

const operatorIs = (operator: string, screen: FiltersScreen, edited: EditedCondition, world: World, draft: RouteDraft): FiltersUpdate => {
  if (!canBeOperator(operator)) return warned(`"${operator}" is not an operator; that of a plugin has a hyphen in its name`)
  const { row, isNew } = edited
  if (isNew) {
    const next = { ...edited, operator }
    return operandForm(operator) === 'flag'
      ? addCondition(screen, next, { field: next.field ?? '', [operator]: true }, draft)
      : pushQuestion({ ...screen, edited: next }, next, askValue, world, draft)
  }
  if (!row || row.operator === operator) return {}
  const operand = convertOperand(row.operand, row.operator, operator)
  if (operand !== undefined) return setOperand(screen, row, operator, operand, draft)
  const next = { ...edited, operator }
  return pushQuestion({ ...screen, edited: next }, next, askValue, world, draft)
}

/** Asks for the value with `question`, the function that makes the overlay. The current value of an existing condition is offered. */
const pushQuestion = (
  screen: FiltersScreen,
  { row, isNew, field, operator = '' }: EditedCondition,
  question: typeof askValue,
  world: World,
  draft: RouteDraft,
): FiltersUpdate => {
  const old = isNew || !row ? '' : valueTextFor(row, operator)
  return { screen, go: { push: question(field ?? row?.field ?? '', operator, old, conditionRows(draft.spec), world) } }
}

/** Returns the current value of a condition as a text to edit for the operator `next`; empty if the condition has no value. */
const valueTextFor = ({ operator, operand }: ConditionRow, next: string): string => {
  if (operandForm(operator) === 'flag') return ''
  return operandForm(next) === 'text' && typeof operand === 'string' ? writeCarriedNumbers(operand) : writtenOperand(operator, operand)
}

const operandIs = (text: string, screen: FiltersScreen, edited: EditedCondition, world: World, draft: RouteDraft): FiltersUpdate => {
  const { row, isNew, operator = '' } = edited
  const field = edited.field ?? row?.field ?? ''
  const operand = readOperand(operator, text, typeOfField(field, conditionRows(draft.spec), world))
  if (operand === undefined) return warned('a value is needed; "" is the empty text')
  if (isNew) return addCondition(screen, edited, { field, [operator]: operand }, draft)
  return row ? setOperand(screen, row, operator, operand, draft) : {}
}

const expressionIs = (text: string, screen: FiltersScreen, edited: EditedCondition, draft: RouteDraft): FiltersUpdate => {
  if (text === '') return warned('an expression is needed')
  if (edited.isNew) return addCondition(screen, edited, { [expressionOperator]: text }, draft)
  return edited.row ? setOperand(screen, edited.row, expressionOperator, text, draft) : {}
}

const groupIs = (as: Grouping, screen: FiltersScreen, { row }: EditedCondition, draft: RouteDraft): FiltersUpdate => {
  if (!row) return {}
  const next = change(draft, `${conditionText(row)}: ${as}`, groupedCondition(draft.spec, row, as))
  return { screen: withCursorAt(screen, row.path, next), world: { draft: next } }
}

const addCondition = (screen: FiltersScreen, { row }: EditedCondition, condition: JsonObject, draft: RouteDraft): FiltersUpdate => {
  const { edits, at } = addedCondition(draft.spec, row, condition)
  const [operator = ''] = Object.keys(condition).filter((key) => key !== 'field')
  const made = {
    kind: 'test',
    operator,
    operand: condition[operator] as Json,
    ...('field' in condition ? { field: String(condition.field) } : {}),
  } as const
  const next = change(draft, `add ${conditionText(made)}`, edits)
  return { screen: withCursorAt(screen, at, next), world: { draft: next } }
}

/** Changes the operator of a condition, its value, or both, in one step. */
export const setOperand = (screen: FiltersScreen, row: ConditionRow, operator: string, operand: Json, draft: RouteDraft): FiltersUpdate => {
  const title = `${conditionText(row)}: ${conditionText({ kind: 'test', operator, operand })}`
  return { screen, world: { draft: change(draft, title, withOperator(row, operator, operand)) } }
}

/** Puts the cursor on the condition at a path. */
export const withCursorAt = (screen: FiltersScreen, at: Path, { spec }: RouteDraft): FiltersScreen => {
  const written = JSON.stringify(at)
  const cursor = conditionRows(spec).findIndex(({ path }) => JSON.stringify(path) === written)
  return { ...screen, cursor: Math.max(0, cursor) }
}
