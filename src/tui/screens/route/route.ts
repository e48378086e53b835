/** The route screen: the fields of one route, beside the trace of a payload through the route. */

import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import type { ActionName } from '../../../edit/actions.ts'
import { canRedo, canUndo, change, draftOf, isModified, type RouteDraft, redo, undo } from '../../../edit/draft/route-draft.ts'
import type { FormField, Mode } from '../../../edit/form.ts'
import { sections } from '../../../edit/sections.ts'
import type { PayloadChoice } from '../../../edit/service.ts'
import { moveActions, movedCursor, paneActions, paneAfter, scrollAfter } from '../../model/list.ts'
import { chooseScreen, leaveChoices, openSave } from '../../model/overlays.ts'
import { withoutChangesOf } from '../../model/pending.ts'
import { roomOf } from '../../model/room.ts'
import { type Message, type Returned, type Screen, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'
import { openDeliver } from '../deliver/deliver.ts'
import { openFilters } from '../filters/filters.ts'
import { openLive } from '../live/live.ts'
import { openPayload } from '../payload/payload.ts'
import { openPrompt } from '../prompt/prompt.ts'
import { openTests } from '../tests/tests.ts'
import { openTrace } from '../trace/trace.ts'
import { traceRows } from '../trace/trace-rows.ts'
import { askFieldValue, fieldEntered, pickNames, switchFlag } from './edit-field.ts'
import { enterWord, withAllFolded, withFold } from './folding.ts'
import { type FormRow, formRowSentence, formRows } from './form-rows.ts'
import { formArea, paneWidths } from './layout.ts'
import { modeId, onModeRow, withMode } from './mode.ts'

const panes = ['form', 'trace'] as const

declare module '../../model/screen.ts' {
  interface Screens {
    readonly route: RouteScreen
  }
}

export type RouteScreen = Screen & {
  readonly kind: 'route'
  readonly cursor: number
  /** The pane that has the cursor. A narrow terminal shows only this pane. */
  readonly pane: (typeof panes)[number]
  /** The first row of the trace that is shown. */
  readonly scroll: number
  /** The sections and groups whose unset fields are shown, too, by `foldKey`. */
  readonly unfolded: readonly string[]
}

export const openRouteScreen = (): RouteScreen => ({ kind: 'route', cursor: 0, pane: 'form', scroll: 0, unfolded: [] })

/** Goes to a route. The route is tried with the chosen payload, or with the best payload if none is chosen. */
export const enterRoute = (route: string, choice?: PayloadChoice): ScreenUpdate<never> => ({
  go: { home: true, above: openRouteScreen() },
  commands: [{ kind: 'ask', question: choice ? { ask: 'payload', of: { choice, route } } : { ask: 'payloads', of: { route } } }],
})

/** The actions that `--read-only` removes. */
const changeActions: readonly ActionName[] = ['fix', 'save', 'undo', 'redo', 'toggle', 'remove']
const lookActions: readonly ActionName[] = ['fold', 'diff', 'payload', 'trace', 'live', 'test', 'editor', 'copyYaml', 'copy', 'samples']

export const routeModel = screenModel<RouteScreen>({
  title: (_, { draft }) => `${draft?.opened.name ?? ''}${draft && isModified(draft) ? ' *modified*' : ''}`,
  enter: (screen, { draft }) => enterWord(draft && formRows(draft.spec, screen.unfolded)[screen.cursor]),
  actions: (_, { options }) => [
    'open',
    ...(options.readOnly ? [] : changeActions),
    ...lookActions,
    'left',
    'right',
    ...paneActions,
    ...moveActions,
    'back',
  ],
  onAction: (screen, action, world) => (world.draft ? onRoute(screen, action, world, world.draft) : { go: { home: true } }),
  onMessage(_, message, world) {
    const { draft } = world
    if (message.type === 'returned' && draft) return onReturned(message, world, draft)
    if (message.type === 'names' && draft?.opened === message.of.draft.opened) return pickNames(draft, message.of.key, message.answer)
    if (message.type === 'payloads' && draft) return firstPayload(message, world, draft)
    if (message.type === 'reopen') return { world: { draft: draftOf(message.answer) } }
    if (message.type === 'test') return { world: { notice: { tone: message.answer.ok ? 'ok' : 'warn', text: message.answer.message } } }
    return {}
  },
  rows: ({ unfolded }, { draft, preview }) => (draft ? formRows(draft.spec, unfolded).map((row) => formRowSentence(row, preview)) : []),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, world, room) => (screen.pane === 'form' ? formArea(screen, world, room) : undefined),
  unfold: (screen) => ({ ...screen, unfolded: [...new Set([...screen.unfolded, ...sections.map(({ name }) => name)])] }),
})

/** Asks for the first payload that fits the route, if no payload is chosen yet. */
const firstPayload = (
  { of: { route }, answer }: Extract<Message, { type: 'payloads' }>,
  { payload }: World,
  { opened: { name } }: RouteDraft,
): ScreenUpdate<RouteScreen> => {
  const best = answer.find(({ fits }) => fits)
  if (payload || route !== name || !best) return {}
  return { commands: [{ kind: 'ask', question: { ask: 'payload', of: { choice: best.choice, route: name } } }] }
}

const onRoute = (screen: RouteScreen, action: ActionName, world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (paneActions.includes(action)) return { screen: { ...screen, pane: paneAfter(panes, screen.pane, action) } }
  if (moveActions.includes(action)) return moving(screen, action, world, draft)
  const row = formRows(draft.spec, screen.unfolded)[screen.cursor]
  switch (action) {
    case 'back':
      return isModified(draft)
        ? { go: { push: chooseScreen('leave', `"${draft.opened.name}" has changes that are not saved`, leaveChoices, 2) } }
        : { go: { back: true }, commands: [{ kind: 'ask', question: { ask: 'home', of: {} } }] }
    case 'undo':
      return undoStep(world, draft)
    case 'redo':
      return canRedo(draft) ? { world: { draft: redo(draft) } } : warned('there is nothing to bring again')
    case 'save':
      return openSave(world, 'stay')
    case 'diff':
      return openSave(world, 'stay', 'diff')
    case 'payload':
      return openPayload(draft, world)
    case 'samples':
      return openPayload(draft, world, 'samples')
    case 'trace':
      return { go: { push: openTrace() } }
    case 'live':
      return openLive(draft.opened.name)
    case 'test':
      return postTest(world, draft)
    case 'fix':
      return applyFix(world, draft)
    case 'fold':
      return { screen: { ...screen, ...withAllFolded(screen, draft.spec) } }
    case 'copyYaml':
      return { commands: [{ kind: 'copy', text: world.preview?.yaml ?? '' }] }
    case 'editor':
      return inEditor(draft, row)
    default:
      return row ? onRow(screen, action, row, world, draft) : {}
  }
}

const moving = (screen: RouteScreen, action: ActionName, world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> =>
  screen.pane === 'trace'
    ? { screen: { ...screen, scroll: scrollAfter(screen.scroll, action, lastScrollOf(world)) } }
    : { screen: { ...screen, cursor: movedCursor(screen.cursor, action, formRows(draft.spec, screen.unfolded).length) } }

/** Returns the last row of the trace that may be the first to be shown. */
const lastScrollOf = (world: World): number => {
  const { width, height } = roomOf(world.size)
  return traceRows(world, paneWidths(width).trace).length - height
}

const copiedText = (row: FormRow): string =>
  row.kind === 'field' ? writeCarriedNumbers(JSON.stringify(row.field.value ?? null)) : row.kind === 'mode' ? row.mode : row.name

/** Folds or unfolds the section or group of a row; `undefined` for a row that has nothing to fold. */
const toggleFold = (screen: RouteScreen, row: FormRow): ScreenUpdate<RouteScreen> | undefined => {
  const unfolded = withFold(screen.unfolded, row)
  return unfolded && { screen: { ...screen, unfolded } }
}

const onRow = (screen: RouteScreen, action: ActionName, row: FormRow, world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (action === 'copy' && row.kind === 'field' && row.field.isSecret) return warned('a secret is not copied: webhook secret shows it')
  if (action === 'copy') return { commands: [{ kind: 'copy', text: copiedText(row) }] }
  const own = action === 'open' ? (screenOf(row, draft, world) ?? toggleFold(screen, row)) : undefined
  if (own) return own
  if (world.options.readOnly) return warned('nothing is changed: the editor was opened with --read-only')
  if (row.kind === 'mode') return onModeRow(row.mode, action, draft)
  if (row.kind === 'section') return {}
  if (action === 'remove') return removeField(row.field, draft)
  if (action === 'toggle') return switchFlag(row.field, draft)
  return action === 'open' ? askFieldValue(row.field, draft) : {}
}

/** Opens the screen of a field that has a screen of its own; `undefined` for other rows. Such a screen opens with `--read-only`, too. */
const screenOf = (row: FormRow, draft: RouteDraft, world: World): ScreenUpdate<RouteScreen> | undefined => {
  if (row.kind !== 'field' || row.depth > 0) return undefined
  switch (row.field.path[0]) {
    case 'filters':
      return { go: { push: openFilters() } }
    case 'prompt':
      return { go: { push: openPrompt(draft, world) } }
    case 'tests':
      return { go: { push: openTests() } }
    case 'deliver':
    case 'deliver_extra':
      return openDeliver(draft)
    default:
      return undefined
  }
}

const removeField = ({ path, value, locked, title }: FormField, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (locked !== undefined) return warned(`${title}: ${locked}`)
  return value === undefined ? {} : { world: { draft: change(draft, `remove ${path.join('.')}`, [{ kind: 'remove', path }]) } }
}

const postTest = ({ payload, options }: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (options.readOnly) return warned('nothing is sent: the editor was opened with --read-only')
  if (isModified(draft)) return warned('save first: a test is posted to the route as the gateway has it')
  return {
    commands: [
      { kind: 'ask', question: { ask: 'test', of: { name: draft.opened.name, ...(payload ? { payload: payload.choice } : {}) } } },
    ],
  }
}

const applyFix = ({ preview }: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  const [fix] = preview?.fixes ?? []
  if (!fix) return warned('no finding here has a fix')
  return { world: { draft: change(draft, fix.title, fix.edits), notice: { tone: 'ok', text: fix.title } } }
}

/** Opens the file of a configured route in the user's editor, if the draft has no changes that would be lost. */
const inEditor = (draft: RouteDraft, row: FormRow | undefined): ScreenUpdate<RouteScreen> => {
  if (isModified(draft)) return warned('save or undo first: the editor opens the file as it is')
  const { opened } = draft
  if (opened.source === 'subscription') return warned(`in $EDITOR: webhook edit ${opened.name}`)
  return { commands: [{ kind: 'edit-route', opened, path: row?.kind === 'field' ? row.field.path : [] }] }
}

/** Takes back the last step of the draft. A new route without steps is dropped as a whole. */
const undoStep = (world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (canUndo(draft)) return { world: { draft: undo(draft) } }
  const { opened } = draft
  if (!opened.isNew) return warned('there is nothing to take back')
  return {
    world: { ...withoutChangesOf(world, opened), notice: { tone: 'ok', text: `taken back: new route (${opened.name})` } },
    go: { home: true },
  }
}

const onReturned = ({ id, value }: Returned, world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (id === 'leave') return onLeaveAnswer(value, world, draft)
  return id === modeId ? withMode(draft, value as Mode) : fieldEntered(draft, id, value)
}

const onLeaveAnswer = (answer: string, world: World, draft: RouteDraft): ScreenUpdate<RouteScreen> => {
  if (answer === 'save') return openSave(world, 'home')
  if (answer !== 'discard') return {}
  return {
    world: withoutChangesOf(world, draft.opened),
    go: { home: true },
    commands: [
      { kind: 'ask', question: { ask: 'dropDraft', of: { name: draft.opened.name, source: draft.opened.source } } },
      { kind: 'ask', question: { ask: 'home', of: {} } },
    ],
  }
}
