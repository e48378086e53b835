/** The whole of what the terminal shows: a title, the screen, a notice, and the keys that count. Never as high as the terminal. */

import type { ActionName } from '../model/actions.ts'
import { actionsNow, type State, top } from '../model/state.ts'
import { models, viewOf } from '../screens/index.ts'
import { fieldView } from './field-view.ts'
import { fit, type Line, line, lineWidth, span } from './line.ts'
import { roomOf } from './screen-view.ts'

/** A smaller terminal shows a sentence that says so. */
const least = { columns: 40, rows: 10 }

export const frameOf = (state: State): readonly Line[] => {
  const { world } = state
  const { columns, rows } = world.size
  if (columns < least.columns || rows < least.rows)
    return [line(span(`too small: ${columns}x${rows}, needs ${least.columns}x${least.rows}; q quits`.slice(0, columns)))]
  const screen = top(state)
  const room = roomOf(world.size)
  const body = viewOf(screen)(screen, world, room).slice(0, room.height)
  const filled = [...body, ...Array.from({ length: room.height - body.length }, (): Line => [])]
  return [titleLine(state, columns), [], ...filled, noticeLine(state, columns), hintLine(state, columns)].map((each) => fit(each, columns))
}

const titleLine = (state: State, width: number): Line => {
  const { world } = state
  const screen = top(state)
  const left = line(span(' '), span(models[screen.kind].title(screen, world), 'strong'))
  const { home, payload, options } = world
  const parts = [
    payload && world.draft ? `payload: ${payload.title}` : '',
    options.profile === undefined ? '' : `profile: ${options.profile}`,
    options.readOnly ? 'read-only' : '',
    home ? `gateway: ${home.gateway ?? 'not running'}` : '',
  ]
  const right = span(parts.filter(Boolean).join('   '), 'dim')
  const room = width - lineWidth(left) - lineWidth([right]) - 1
  return room < 1 ? left : [...left, span(' '.repeat(room)), right]
}

/** A search has the place of a notice. */
const noticeLine = ({ world: { notice }, search }: State, width: number): Line => {
  if (!search) return told(notice)
  const { field, isWriting, isFound } = search
  const how = isFound ? (isWriting ? '' : '  n next, N before, esc ends') : '  nothing found'
  return line(span('/', 'accent'), ...(isWriting ? fieldView(field, width - 20) : [span(field.text)]), span(how, isFound ? 'dim' : 'warn'))
}

const told = (notice: State['world']['notice']): Line =>
  notice ? line(span(`${notice.tone === 'ok' ? '' : '! '}${notice.text}`, notice.tone)) : []

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

/** As many as fit; help and quit always do. */
const hintLine = (state: State, width: number): Line => {
  if (state.search?.isWriting)
    return line(...[' enter', ' esc'].flatMap((key, i) => [span(key, 'accent'), span(i === 0 ? ' go there' : ' back', 'dim')]))
  const { keymap } = state.world.options
  const screen = top(state)
  const { enter } = models[screen.kind]
  const isText = models[screen.kind].takes?.(screen, state.world) !== undefined
  const names = [...new Set(actionsNow(state, models))].filter(
    (name) => labels[name] !== undefined && (!isText || (keymap[name][0]?.length ?? 0) > 1),
  )
  const last = names.filter((name) => name === 'help' || name === 'quit')
  const opens = typeof enter === 'function' ? enter(screen, state.world) : enter
  const labelOf = (name: ActionName): string => (name === 'open' && opens ? opens : (labels[name] ?? ''))
  const lengthOf = (name: ActionName): number => ` ${keymap[name][0]} ${labelOf(name)}`.length
  let room = width - last.reduce((sum, name) => sum + lengthOf(name), 0)
  const shown = names.filter((name) => {
    if (name === 'help' || name === 'quit') return false
    room -= lengthOf(name)
    return room >= 0
  })
  return line(...[...shown, ...last].flatMap((name) => [span(` ${keymap[name][0]}`, 'accent'), span(` ${labelOf(name)}`, 'dim')]))
}
