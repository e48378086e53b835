/** The state of the editor, and the one reducer that changes it at each input. The reducer is pure, and tested without a terminal. */

import { type ActionName, actionOf, everywhere } from '../../edit/actions.ts'
import { isRemoved, type RouteDraft } from '../../edit/draft/route-draft.ts'
import type { ServiceQuestion } from '../../edit/service-messages.ts'
import type { Key } from './key.ts'
import { helpScreen, isQuitQuestion, openSave, paletteId, paletteScreen, quitId, quitQuestion } from './overlays.ts'
import { changedDrafts } from './pending.ts'
import type { Size } from './room.ts'
import type { Command, Message, Returned, Screen, ScreenKind, ScreenModel, ScreenUpdate, World } from './screen.ts'
import { beginSearch, canSearch, nextFound, type Search, type Searched, searchActions, searchKey, withSearchText } from './search.ts'
import { editingKeys, textField, typeInto } from './text-field.ts'
import { worldAfter } from './world-after.ts'

export type EditorState = {
  readonly world: World
  /** The screens from the bottom up. The last screen is shown. There is always a screen. */
  readonly screens: readonly [Screen, ...Screen[]]
  readonly search?: Search | undefined
}

export type Input =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'paste'; readonly text: string }
  /** Replaces the text that is being written, as the line mode does. */
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'resize'; readonly size: Size }
  | { readonly kind: 'message'; readonly message: Message }
  /** The first input. It asks the service for the routes and the kept drafts. */
  | { readonly kind: 'start'; readonly route?: string }
  /** Puts the cursor on a row, as a click and the line mode do. */
  | { readonly kind: 'point'; readonly row: number }
  /** The terminal is gone, or a signal came. Changes are kept as a draft. */
  | { readonly kind: 'end' }
  /** An action that was called by its name, from the palette or in the line mode. */
  | { readonly kind: 'action'; readonly action: ActionName }

/** The state after an input, and the commands that must be done now. */
export type Next = { readonly state: EditorState; readonly commands: readonly Command[] }

export type Models = { readonly [kind in ScreenKind]: ScreenModel }

export const top = ({ screens }: EditorState): Screen => screens.at(-1) ?? screens[0]

export const actionsNow = (state: EditorState, models: Models): readonly ActionName[] => {
  const screen = top(state)
  const model = models[screen.kind]
  const ofSearch = canSearch(model, screen, state.world) ? searchActions(state.search) : []
  return [...new Set([...model.actions(screen, state.world), ...ofSearch, ...everywhere])]
}

export const reduce = (state: EditorState, input: Input, models: Models): Next => {
  switch (input.kind) {
    case 'resize':
      return { state: withWorld(state, { size: input.size }), commands: [] }
    case 'start':
      return { state, commands: startCommands(input.route) }
    case 'point':
      return { state: pointed(state, input.row, models), commands: [] }
    case 'end':
      return { state, commands: [...keepDraftCommands(state), { kind: 'quit' }] }
    case 'message':
      return settle(state, onMessage(state, input.message, models))
    case 'action':
      return settle(state, onAction(quiet(state), input.action, models))
    case 'paste':
      return settle(state, typed(quiet(state), input.text, models))
    case 'line':
      return settle(state, rewritten(quiet(state), input.text, models))
    case 'key':
      return settle(state, press(quiet(state), input.key, models))
  }
}

/** Returns the first questions. A route is opened only after it is known that no draft of the route was kept. */
const startCommands = (route: string | undefined): Command[] => [
  { kind: 'ask', question: { ask: 'home', of: {} } },
  { kind: 'ask', question: { ask: 'drafts', of: route === undefined ? {} : { route } } },
]

/** Removes the notice, which stays until the next input of the user. */
const quiet = (state: EditorState): EditorState => {
  const { notice: _, ...world } = state.world
  return { ...state, world }
}

const withWorld = (state: EditorState, world: Partial<World>): EditorState => ({ ...state, world: { ...state.world, ...world } })

const press = (state: EditorState, key: Key, models: Models): Next => {
  const screen = top(state)
  const model = models[screen.kind]
  const { search } = state
  const isOurs = actionOf(key.name, atAnyTime, state.world.options.keymap) === undefined
  if (search?.isWriting && isOurs) return searched(state, searchKey({ screen, search }, key, state.world, model))
  const takes = model.takes?.(screen, state.world)
  const isText = takes !== undefined && (key.text !== undefined || (takes === 'lines' && key.name === 'enter'))
  if (isText) return typed(state, key.text ?? '\n', models)
  const { keymap } = state.world.options
  // Keys that edit a text do so even if they are actions of the screen. Escape, enter and arrows stay actions while text is taken.
  const among = actionsNow(state, models)
  const action = takes && editingKeys.has(key.name) ? undefined : actionOf(key.name, among, keymap)
  if (action !== undefined) return onAction(state, action, models)
  return model.press ? updated(state, screen, model.press(screen, key.name, state.world), models) : { state, commands: [] }
}

const atAnyTime: readonly ActionName[] = ['interrupt', 'suspend', 'redraw']

const searched = (state: EditorState, { screen, search }: Searched): Next => ({
  state: { ...withTop(state, screen), search },
  commands: [],
})

const withTop = (state: EditorState, screen: Screen): EditorState => {
  const [home, ...others] = state.screens.with(-1, screen)
  return { ...state, screens: [home ?? screen, ...others] }
}

const typed = (state: EditorState, text: string, models: Models): Next => {
  const screen = top(state)
  const model = models[screen.kind]
  const { search } = state
  if (search?.isWriting) return searched(state, withSearchText({ screen, search }, typeInto(search.field, text), state.world, model))
  const takes = model.takes?.(screen, state.world)
  return takes && model.type ? updated(state, screen, model.type(screen, text, state.world), models) : { state, commands: [] }
}

/** Replaces the text as a whole. The text is not typed key by key, because a key may be an action. */
const rewritten = (state: EditorState, text: string, models: Models): Next => {
  const { search, world } = state
  if (search?.isWriting) {
    const { screen, search: done } = withSearchText({ screen: top(state), search }, textField(text), world, models[top(state).kind])
    return searched(state, { screen, search: done && { ...done, isWriting: false } })
  }
  const edited = (at: EditorState, key: string): EditorState => {
    const screen = top(at)
    const { press: edit } = models[screen.kind]
    return edit ? updated(at, screen, edit(screen, key, at.world), models).state : at
  }
  return typed(['end', '^u'].reduce(edited, state), text, models)
}

const onAction = (state: EditorState, action: ActionName, models: Models): Next => {
  const screen = top(state)
  const model = models[screen.kind]
  if (action === 'suspend' || action === 'redraw') return { state, commands: [{ kind: action }] }
  const { search, world } = state
  if (search && action === 'back') return searched(state, { screen })
  if (search && (action === 'nextMatch' || action === 'previousMatch'))
    return searched(state, nextFound({ screen, search }, action === 'nextMatch' ? 1 : -1, world, model))
  if (model.actions(screen, state.world).includes(action))
    return updated(state, screen, model.onAction(screen, action, state.world), models)
  if (action === 'find' && canSearch(model, screen, world)) return searched(state, beginSearch(screen, model))
  if (action === 'quit' || action === 'interrupt') return leave(state, action, models)
  if (action === 'help') return updated(state, screen, { go: { push: helpScreen(actionsNow(state, models)) } }, models)
  if (action === 'palette')
    return updated(state, screen, { go: { push: paletteScreen(actionsNow(state, models), state.world.options.keymap) } }, models)
  return action === 'back' && state.screens.length > 1 ? updated(state, screen, { go: { back: true } }, models) : { state, commands: [] }
}

/** Ends the editor. If changes would be lost, asks first. A second ^c does not wait for the answer: the changes are kept as a draft. */
const leave = (state: EditorState, action: 'quit' | 'interrupt', models: Models): Next => {
  const screen = top(state)
  const changed = changedDrafts(state.world)
  if (changed.length === 0) return { state, commands: [{ kind: 'quit' }] }
  if (!isQuitQuestion(screen))
    return updated(state, screen, { go: { push: quitQuestion(changed.map(({ opened }) => opened.name)) } }, models)
  if (action === 'quit') return { state, commands: [] }
  return { state, commands: [...keepDraftCommands(state), { kind: 'quit' }] }
}

const keepDraftCommands = ({ world }: EditorState): Command[] =>
  changedDrafts(world).map((draft) => ({ kind: 'ask', question: { ask: 'keepDraft', of: { draft } } }))

const pointed = (state: EditorState, row: number, models: Models): EditorState => {
  const screen = top(state)
  return withTop(state, models[screen.kind].point?.(screen, row) ?? screen)
}

/** Handles the answer to the question whether unsaved changes are saved or discarded before the editor quits. */
const afterQuitQuestion = (state: EditorState, answer: string, models: Models): Next => {
  const changed = changedDrafts(state.world)
  if (answer === 'discard') return { state, commands: [...changed.map(dropDraftCommand), { kind: 'quit' }] }
  return answer === 'save' && changed.length > 0
    ? updated(state, top(state), openSave(state.world, 'quit'), models)
    : { state, commands: [] }
}

const dropDraftCommand = ({ opened: { name, source } }: RouteDraft): Command => ({
  kind: 'ask',
  question: { ask: 'dropDraft', of: { name, source } },
})

/** A message reaches every screen, from the top down: the screen that waits for an answer may be covered by now. */
const onMessage = (state: EditorState, message: Message, models: Models): Next => {
  const informed = withWorld(state, worldAfter(message, state.world))
  return informed.screens.reduceRight<Next>(
    (next, screen) => {
      const { onMessage: receive } = models[screen.kind]
      // A screen above may have removed this screen.
      if (!receive || !next.state.screens.includes(screen)) return next
      return joined(next, updated(next.state, screen, receive(screen, message, next.state.world), models))
    },
    { state: informed, commands: [] },
  )
}

/** Gives the result of a screen to the screen that is on top now. */
const returned = (state: EditorState, given: Returned, models: Models): Next => {
  if (given.id === quitId) return afterQuitQuestion(state, given.value, models)
  const screen = top(state)
  if (given.id === paletteId) return onAction(state, given.value as ActionName, models)
  const { onMessage: receive } = models[screen.kind]
  return receive ? updated(state, screen, receive(screen, { type: 'returned', ...given }, state.world), models) : { state, commands: [] }
}

const joined = (first: Next, { state, commands }: Next): Next => ({ state, commands: [...first.commands, ...commands] })

/** Applies the update of `screen` to the state. */
const updated = (
  state: EditorState,
  screen: Screen,
  { screen: next = screen, go, world = {}, commands = [] }: ScreenUpdate,
  models: Models,
): Next => {
  const [home, ...others] = state.screens.map((each) => (each === screen ? next : each)) as [Screen, ...Screen[]]
  const { search, ...rest } = withWorld(state, world)
  const at = (...screens: Screen[]): EditorState => ({ ...rest, ...(go || !search ? {} : { search }), screens: [home, ...screens] })
  if (!go) return { state: at(...others), commands }
  if ('push' in go) return { state: at(...others, go.push), commands }
  if ('replace' in go) return { state: at(...others.slice(0, -1), go.replace), commands }
  if ('home' in go) return { state: at(...(go.above ? [go.above] : [])), commands }
  // A question or help above the screen is removed with the screen.
  const below = { state: at(...others.slice(0, Math.max(0, state.screens.indexOf(screen) - 1))), commands }
  return go.returns ? joined(below, returned(below.state, go.returns, models)) : below
}

/** Asks for a new preview if the draft or the payload has changed. */
const settle = (before: EditorState, next: Next): Next => {
  const { world } = next.state
  const isTriedSame = world.payload === before.world.payload
  if ((isTriedSame && world.draft === before.world.draft) || !world.draft || isRemoved(world.draft)) return next
  const revision = before.world.revision + 1
  // A preview of another route or payload says nothing about this route and payload.
  const isOther = world.draft.opened !== before.world.draft?.opened || !isTriedSame
  const state = withWorld(next.state, { revision, ...(isOther ? { preview: undefined } : {}) })
  return { state, commands: [...next.commands, { kind: 'ask', question: previewOf(world.draft, state.world) }] }
}

const previewOf = (draft: RouteDraft, { payload, revision }: World): ServiceQuestion => ({
  ask: 'preview',
  of: { draft, revision, ...(payload ? { payload: payload.choice } : {}) },
})
