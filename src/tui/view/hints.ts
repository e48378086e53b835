/** Chooses the hints, which are shown below the notice: keys that do something on the screen that is shown, with a word for each. */

import type { ActionName } from '../../edit/actions.ts'
import { actionsNow, type EditorState, type Models, top } from '../model/state.ts'

export type Hint = { readonly key: string; readonly label: string }

/** The word for the key of an action. An action without a word is no hint. */
const labels: { readonly [name in ActionName]?: string } = {
  open: 'open',
  add: 'add',
  test: 'test',
  trace: 'trace',
  toggle: 'on/off',
  remove: 'delete',
  live: 'live',
  find: 'search',
  nextMatch: 'next',
  help: 'help',
  quit: 'quit',
  back: 'back',
  save: 'save',
  diff: 'diff',
  undo: 'undo',
  redo: 'redo',
  fix: 'fix',
  payload: 'payload',
  samples: 'samples',
  copyYaml: 'copy yaml',
  editor: '$EDITOR',
  group: 'group',
  operator: 'operator',
  value: 'value',
  replay: 'replay',
  allRoutes: 'all/one',
  editText: '$EDITOR',
  fold: 'unset',
}

const searchHints: readonly Hint[] = [
  { key: 'enter', label: 'go there' },
  { key: 'esc', label: 'back' },
]

/**
 * Returns as many hints as fit into `width` cells. The hints for help and quit come last, and are not left out for lack of room. While text
 * is taken, a key of one character is no hint.
 */
export const hintsOf = (state: EditorState, models: Models, width: number): readonly Hint[] => {
  if (state.search?.isWriting) return searchHints
  const { keymap } = state.world.options
  const screen = top(state)
  const model = models[screen.kind]
  const isText = model.takes?.(screen, state.world) !== undefined
  const opens = model.enter?.(screen, state.world)
  const hintOf = (name: ActionName): Hint => ({
    key: keymap[name][0] ?? '',
    label: name === 'open' && opens ? opens : (labels[name] ?? ''),
  })
  const names = actionsNow(state, models).filter((name) => labels[name] !== undefined && (!isText || (keymap[name][0]?.length ?? 0) > 1))
  const isLast = (name: ActionName): boolean => name === 'help' || name === 'quit'
  const last = names.filter(isLast).map(hintOf)
  let room = width - last.reduce((sum, hint) => sum + hintWidth(hint), 0)
  const shown = names
    .filter((name) => !isLast(name))
    .map(hintOf)
    .filter((hint) => {
      room -= hintWidth(hint)
      return room >= 0
    })
  return [...shown, ...last]
}

const hintWidth = ({ key, label }: Hint): number => ` ${key} ${label}`.length
