/**
 * The deliver screen, on which the user chooses where the result of a route goes: a pane with all targets, and a pane with the settings of
 * the chosen targets.
 */

import type { ActionName } from '../../../edit/actions.ts'
import { addTarget, chooseOnly, type DeliverStep, dropTarget, maxTargets, targetsIn } from '../../../edit/draft/deliver-steps.ts'
import { change, type RouteDraft, redo, undo } from '../../../edit/draft/route-draft.ts'
import type { TargetRow } from '../../../edit/service.ts'
import { moveActions, movedCursor, paneActions, paneAfter } from '../../model/list.ts'
import { chooseScreen } from '../../model/overlays.ts'
import { type Message, type Screen, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'
import { deliverLayout } from './layout.ts'
import {
  addSetting,
  editSetting,
  type SettingRow,
  settingEntered,
  settingRows,
  settingSentence,
  switchMode,
  unsetSetting,
} from './settings.ts'

const panes = ['targets', 'settings'] as const

declare module '../../model/screen.ts' {
  interface Screens {
    readonly deliver: DeliverScreen
  }
}

export type DeliverScreen = Screen & {
  readonly kind: 'deliver'
  /** The pane that has the cursor. A narrow terminal shows only this pane. */
  readonly pane: (typeof panes)[number]
  /** The row of the cursor in the pane of targets. */
  readonly cursor: number
  /** The row of the cursor in the pane of settings. */
  readonly place: number
  /** All targets; `undefined` until the editor service has answered. */
  readonly targets?: readonly TargetRow[]
}

export const openDeliver = ({ spec }: RouteDraft): ScreenUpdate<never> => ({
  go: { push: { kind: 'deliver', pane: 'targets', cursor: 0, place: 0 } as DeliverScreen },
  commands: [{ kind: 'ask', question: { ask: 'targets', of: typeof spec.profile === 'string' ? { profile: spec.profile } : {} } }],
})

const changeActions: readonly ActionName[] = ['toggle', 'test', 'add', 'remove', 'moveUp', 'moveDown', 'undo', 'redo']

export const deliverModel = screenModel<DeliverScreen>({
  title: (_, { draft }) => `deliver of ${draft?.opened.name ?? ''}`,
  enter: () => 'edit',
  actions: (_, { options }) => [
    ...(options.readOnly ? [] : (['open', ...changeActions] as const)),
    ...paneActions,
    'left',
    'right',
    ...moveActions,
    'back',
  ],
  onAction: (screen, action, world) => (world.draft ? onAction(screen, action, world.draft) : { go: { back: true } }),
  onMessage: (screen, message, { draft, payload }) => (draft ? onMessage(screen, message, draft, payload) : {}),
  panes: ({ pane }) => ({ names: panes, at: panes.indexOf(pane) }),
  rows: (screen, { draft }) => (draft ? sentences(screen, draft) : []),
  rowAt: ({ pane, cursor, place }) => (pane === 'targets' ? cursor : place),
  point: (screen, row) => (screen.pane === 'targets' ? { ...screen, cursor: row } : { ...screen, place: row }),
  list: (screen, { draft }, room) => draft && deliverLayout(screen, draft.spec, room)[screen.pane],
})

const onAction = (screen: DeliverScreen, action: ActionName, draft: RouteDraft): ScreenUpdate<DeliverScreen> => {
  const { pane, targets = [] } = screen
  switch (action) {
    case 'back':
      return { go: { back: true } }
    case 'left':
    case 'right':
      return { screen: { ...screen, pane: paneAfter(panes, pane, 'nextPane') } }
    case 'undo':
      return { world: { draft: undo(draft) } }
    case 'redo':
      return { world: { draft: redo(draft) } }
    case 'test':
      return askTest(screen, draft)
    default:
      if (paneActions.includes(action)) return { screen: { ...screen, pane: paneAfter(panes, pane, action) } }
      if (moveActions.includes(action)) return moveCursor(screen, action, draft)
      if (action === 'open' && pane === 'targets' && isChosen(targets[screen.cursor], draft))
        return { screen: { ...screen, pane: 'settings' } }
      return pane === 'targets' ? onTarget(targets[screen.cursor], action, draft) : onSetting(settingAtCursor(screen, draft), action, draft)
  }
}

/** Whether the route delivers to a target. Enter on such a target goes to the settings. */
const isChosen = (row: TargetRow | undefined, { spec }: RouteDraft): boolean => targetsIn(spec).some(({ target }) => target === row?.name)

const moveCursor = (screen: DeliverScreen, action: ActionName, draft: RouteDraft): ScreenUpdate<DeliverScreen> =>
  screen.pane === 'targets'
    ? { screen: { ...screen, cursor: movedCursor(screen.cursor, action, screen.targets?.length ?? 0) } }
    : { screen: { ...screen, place: movedCursor(screen.place, action, settingRows(draft.spec, screen.targets).length) } }

const settingAtCursor = ({ targets, place }: DeliverScreen, { spec }: RouteDraft): SettingRow | undefined =>
  settingRows(spec, targets)[place]

/** Applies a step to the draft, and says which settings the step removed and what the target still lacks. */
const applyStep = (draft: RouteDraft, { title, edits, dropped }: DeliverStep, row?: TargetRow): ScreenUpdate<never> => {
  const next = change(draft, title, edits)
  if (next === draft) return row?.missing === undefined ? {} : warned(row.missing)
  const gone = dropped.length > 0 ? `${dropped.join(', ')} removed: ${row?.name} does not read ${dropped.length > 1 ? 'them' : 'it'}` : ''
  const text = [title, gone, row?.missing].filter(Boolean).join('; ')
  return { world: { draft: next, notice: { tone: row?.missing === undefined ? 'ok' : 'warn', text } } }
}

const onTarget = (row: TargetRow | undefined, action: ActionName, draft: RouteDraft): ScreenUpdate<DeliverScreen> => {
  if (!row) return {}
  const { spec } = draft
  const at = targetsIn(spec).findIndex(({ target }) => target === row.name)
  if ((action === 'open' || action === 'toggle') && row.isInternal && spec.deliver_only === true)
    return warned(`deliver_only needs a target other than ${row.name}`)
  if (action === 'open') return applyStep(draft, chooseOnly(spec, row), row)
  if (action === 'moveUp' || action === 'moveDown') return moveTarget(draft, at, action === 'moveUp' ? -1 : 1)
  if (action === 'toggle' || (action === 'remove' && at >= 0)) return toggleTarget(draft, row, at)
  return {}
}

const moveTarget = (draft: RouteDraft, from: number, by: number): ScreenUpdate<DeliverScreen> => {
  const { deliver } = draft.spec
  const to = from + by
  if (!Array.isArray(deliver) || from < 0 || to < 0 || to >= deliver.length) return {}
  return applyStep(draft, { title: 'change the order of the targets', edits: [{ kind: 'move', path: ['deliver'], from, to }], dropped: [] })
}

/**
 * Adds a target to the targets of the route, or removes the target. `at`: the target's place in their list; -1 if it is not in the list.
 */
const toggleTarget = (draft: RouteDraft, row: TargetRow, at: number): ScreenUpdate<DeliverScreen> => {
  const { spec } = draft
  const all = targetsIn(spec)
  if (at < 0)
    return all.length < maxTargets ? applyStep(draft, addTarget(spec, row), row) : warned(`a route has at most ${maxTargets} targets`)
  if (spec.deliver === undefined) return applyStep(draft, chooseOnly(spec, row), row)
  if (all.length === 1) return warned(`${row.name} is the only target: pick another one instead`)
  return applyStep(draft, dropTarget(spec, at))
}

const onSetting = (row: SettingRow | undefined, action: ActionName, draft: RouteDraft): ScreenUpdate<DeliverScreen> => {
  if (!row) return {}
  if (action === 'remove') return unsetSetting(row, draft)
  if (action === 'add') return addSetting(row)
  if (action === 'toggle') return row.kind === 'mode' ? switchMode(row, draft) : {}
  return action === 'open' ? editSetting(row) : {}
}

const testId = 'deliver test'

/** Asks whether to send a test to the target of the cursor, or to the first target if the cursor is on no field of a target. */
const askTest = (screen: DeliverScreen, draft: RouteDraft): ScreenUpdate<DeliverScreen> => {
  const all = targetsIn(draft.spec)
  const row = settingAtCursor(screen, draft)
  const name = screen.pane === 'targets' ? screen.targets?.[screen.cursor]?.name : row?.kind === 'field' ? row.target.name : all[0]?.target
  if (!all.some(({ target }) => target === name)) return warned(`the route does not deliver to ${name ?? 'it'}: pick it first`)
  const answers = [
    { value: name ?? '', title: 'Send' },
    { value: '', title: 'Cancel' },
  ]
  return { go: { push: chooseScreen(testId, `send a real test message to ${name}?`, answers, 1) } }
}

const onMessage = (screen: DeliverScreen, message: Message, draft: RouteDraft, payload: World['payload']): ScreenUpdate<DeliverScreen> => {
  switch (message.type) {
    case 'targets':
      return { screen: withTargets(screen, message.answer, draft) }
    case 'testTarget':
      return { world: { notice: { tone: message.answer.ok ? 'ok' : 'bad', text: message.answer.message } } }
    case 'returned':
      if (message.id !== testId) return settingEntered(draft, screen.targets, message)
      if (message.value === '') return {}
      return {
        commands: [
          {
            kind: 'ask',
            question: { ask: 'testTarget', of: { draft, target: message.value, ...(payload ? { payload: payload.choice } : {}) } },
          },
        ],
      }
    default:
      return {}
  }
}

/** Sets the list of all targets, and puts the cursor on the first target of the route. */
const withTargets = (screen: DeliverScreen, targets: readonly TargetRow[], { spec }: RouteDraft): DeliverScreen => {
  const [first] = targetsIn(spec)
  return {
    ...screen,
    targets,
    cursor: Math.max(
      0,
      targets.findIndex(({ name }) => name === first?.target),
    ),
  }
}

const sentences = ({ pane, targets = [] }: DeliverScreen, { spec }: RouteDraft): readonly string[] => {
  if (pane === 'settings') return settingRows(spec, targets).map(settingSentence)
  const all = targetsIn(spec)
  return targets.map(({ name, title, missing, home }) =>
    [
      name,
      title,
      all.some(({ target }) => target === name) ? 'chosen' : '',
      missing ?? 'connected',
      home === undefined ? '' : `home channel ${home}`,
    ]
      .filter(Boolean)
      .join(', '),
  )
}
