/** The filters screen: the conditions of a route as a tree, each with its verdict on the chosen payload. */

import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import { valueAt } from '../../../core/json.ts'
import type { ActionName } from '../../../edit/actions.ts'
import { type ConditionRow, conditionRows } from '../../../edit/conditions.ts'
import { groupingsOf, movedCondition, removedCondition } from '../../../edit/draft/condition-edits.ts'
import { change, type RouteDraft, redo, undo } from '../../../edit/draft/route-draft.ts'
import { expressionOperator, isSwitch, operandForm, writtenOperand } from '../../../edit/operators.ts'
import { moveActions, movedCursor } from '../../model/list.ts'
import { chooseScreen, openSave } from '../../model/overlays.ts'
import { type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'
import { openPayload } from '../payload/payload.ts'
import { openTrace } from '../trace/trace.ts'
import { onAnswer, setOperand, withCursorAt } from './answers.ts'
import { conditionSentence, conditionText, groupMeaning } from './condition-text.ts'
import { conditionRowsOf, type EditedCondition, type FiltersScreen } from './filters-screen.ts'
import { filtersLayout } from './layout.ts'
import { askExpression, askField, askOperator, askValue, questionIds, unchanged } from './questions.ts'

export const openFilters = (): FiltersScreen => ({ kind: 'filters', cursor: 0 })

const changeActions: readonly ActionName[] = [
  'add',
  'group',
  'operator',
  'value',
  'remove',
  'moveUp',
  'moveDown',
  'undo',
  'redo',
  'fix',
  'save',
]
const lookActions: readonly ActionName[] = ['payload', 'trace', 'diff', 'copy']

export const filtersModel = screenModel<FiltersScreen>({
  title: (_, { draft }) => `${draft?.opened.name ?? ''} > filters`,
  enter: () => 'edit',
  actions: ({ cursor }, world) => [
    ...(world.options.readOnly ? [] : (['open', ...changeActions] as const)),
    ...(conditionRowsOf(world)[cursor]?.operator === expressionOperator && !world.options.readOnly ? (['editText'] as const) : []),
    ...lookActions,
    ...moveActions,
    'back',
  ],
  onAction: (screen, action, world) => (world.draft ? onFilters(screen, action, world, world.draft) : { go: { home: true } }),
  onMessage: (screen, message, world) => (message.type === 'returned' && world.draft ? onAnswer(screen, message, world, world.draft) : {}),
  rows(_, world) {
    const rows = conditionRowsOf(world)
    return [...rows.map((row, i) => conditionSentence(row, i, rows, world)), 'Add a condition']
  },
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, world, room) => filtersLayout(screen, world, room).list,
})

const onFilters = (screen: FiltersScreen, action: ActionName, world: World, draft: RouteDraft): ScreenUpdate<FiltersScreen> => {
  const rows = conditionRowsOf(world)
  const row = rows[screen.cursor]
  if (moveActions.includes(action)) return { screen: { ...screen, cursor: movedCursor(screen.cursor, action, rows.length + 1) } }
  switch (action) {
    case 'back':
      return { go: { back: true } }
    case 'undo':
      return withDraft(screen, undo(draft))
    case 'redo':
      return withDraft(screen, redo(draft))
    case 'save':
      return openSave(world, 'stay')
    case 'diff':
      return openSave(world, 'stay', 'diff')
    case 'payload':
      return openPayload(draft, world)
    case 'trace':
      return { go: { push: openTrace() } }
    case 'fix':
      return applyFix(screen, world, draft)
    case 'add':
      return { screen: withEdited(screen, { isNew: true, row }), go: { push: askField(world, true) } }
    default:
      if (row) return onRow(screen, action, row, world, draft)
      return action === 'open' ? onFilters(screen, 'add', world, draft) : {}
  }
}

const withEdited = (screen: FiltersScreen, edited: EditedCondition): FiltersScreen => ({ ...screen, edited })

/** Returns an update to another state of the draft. A cursor below the last row goes to the last row. */
const withDraft = (screen: FiltersScreen, draft: RouteDraft): ScreenUpdate<FiltersScreen> => ({
  screen: { ...screen, cursor: Math.min(screen.cursor, conditionRows(draft.spec).length) },
  world: { draft },
})

/** Handles a key on the row of a condition, of a group, or of a value that is no condition (`odd`). */
const onRow = (
  screen: FiltersScreen,
  action: ActionName,
  row: ConditionRow,
  world: World,
  draft: RouteDraft,
): ScreenUpdate<FiltersScreen> => {
  switch (action) {
    case 'copy':
      return { commands: [{ kind: 'copy', text: writeCarriedNumbers(JSON.stringify(valueAt(draft.spec, row.path))) }] }
    case 'remove': {
      const title = `delete ${conditionText(row)}`
      return withDraft(screen, change(draft, title, removedCondition(draft.spec, row.path)))
    }
    case 'moveUp':
    case 'moveDown':
      return moveCondition(screen, action === 'moveUp' ? -1 : 1, row, draft)
    case 'group':
      return askGroup(screen, row, draft)
    default:
      return row.kind === 'test' ? onTest(screen, action, row, world, draft) : onOther(screen, action, row, draft)
  }
}

const moveCondition = (screen: FiltersScreen, by: 1 | -1, row: ConditionRow, draft: RouteDraft): ScreenUpdate<FiltersScreen> => {
  const made = movedCondition(draft.spec, row.path, by)
  if (!made) return warned(by > 0 ? 'there is no place below it' : 'there is no place above it')
  const next = change(draft, `move ${conditionText(row)}`, made.edits)
  return { screen: withCursorAt(screen, made.at, next), world: { draft: next } }
}

/** Asks how to group a condition. `isLook`: the user only opened the row, so the cursor stands on the answer that changes nothing. */
const askGroup = (screen: FiltersScreen, row: ConditionRow, draft: RouteDraft, isLook = false): ScreenUpdate<FiltersScreen> => {
  const ways = groupingsOf(draft.spec, row)
  if (ways.length === 0) return warned('this is not a condition: delete it, or mend it in the file')
  const choices = ways.map((way) => ({
    value: way,
    title: way === 'ungroup' ? 'ungroup: what it holds takes its place' : `${way} ${groupMeaning(way)}`,
  }))
  const all = [...choices, { value: unchanged, title: 'as it is' }]
  return {
    screen: withEdited(screen, { isNew: false, row }),
    go: { push: chooseScreen(questionIds.group, conditionText(row), all, isLook ? choices.length : 0) },
  }
}

const onOther = (screen: FiltersScreen, action: ActionName, row: ConditionRow, draft: RouteDraft): ScreenUpdate<FiltersScreen> => {
  if (action === 'open') return askGroup(screen, row, draft, true)
  return warned(row.kind === 'odd' ? 'this is not a condition: delete it, or mend it in the file' : 'a group: g changes it, a adds to it')
}

const onTest = (
  screen: FiltersScreen,
  action: ActionName,
  row: ConditionRow,
  world: World,
  draft: RouteDraft,
): ScreenUpdate<FiltersScreen> => {
  const { field, operator, operand } = row
  const rows = conditionRowsOf(world)
  const edited = withEdited(screen, { isNew: false, row, operator })
  if (operator === expressionOperator) {
    if (action === 'editText')
      return { screen: edited, commands: [{ kind: 'edit-text', id: questionIds.expression, text: String(operand) }] }
    if (action === 'operator') return warned('an expression stands alone: delete it, and add a condition')
    return { screen: edited, go: { push: askExpression(String(operand)) } }
  }
  if (field === undefined || action === 'open') return { screen: edited, go: { push: askField(world, false, field) } }
  if (action === 'operator') return { screen: edited, go: { push: askOperator(field, rows, world, operator) } }
  if (isSwitch(operator)) return setOperand(screen, row, operator, operand === false, draft)
  if (operandForm(operator) === 'flag') return warned(`${operator} has no other value: o changes the operator`)
  return { screen: edited, go: { push: askValue(field, operator, writtenOperand(operator, operand), rows, world) } }
}

/** Applies the first fix that changes the filters. */
const applyFix = (screen: FiltersScreen, { preview }: World, draft: RouteDraft): ScreenUpdate<FiltersScreen> => {
  const fix = preview?.fixes.find(({ edits }) => edits.some(({ path: [key] }) => key === 'filters'))
  if (!fix) return warned('no finding here has a fix')
  const update = withDraft(screen, change(draft, fix.title, fix.edits))
  return { ...update, world: { ...update.world, notice: { tone: 'ok', text: fix.title } } }
}
