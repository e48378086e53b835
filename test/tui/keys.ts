/** Drives the editor's model by keys, without a terminal. */

import { stripVTControlCharacters } from 'node:util'
import { defaultKeymap } from '../../src/edit/actions.ts'
import type { RouteRow } from '../../src/edit/service.ts'
import { decodedKey, type Key } from '../../src/tui/model/key.ts'
import type { Command, EditorOptions, Message, Screen, World } from '../../src/tui/model/screen.ts'
import { type EditorState, reduce } from '../../src/tui/model/state.ts'
import { models } from '../../src/tui/screens/index.ts'
import { typedMeaning } from '../../src/tui/spoken/spoken.ts'

// React's checks for developers take most of the time that a frame takes.
process.env.NODE_ENV = 'production'
const { createElement } = await import('react')
const { renderToString } = await import('ink')
const { Frame } = await import('../../src/tui/frame.tsx')

export const options: EditorOptions = { dataDir: '/data', self: 'headgate', readOnly: false, keymap: defaultKeymap }

/** A route on the list. */
export const routeRow = (name: string, more: Partial<RouteRow> = {}): RouteRow => ({
  name,
  source: 'config',
  enabled: true,
  shadowed: false,
  mode: 'agent',
  events: [],
  deliver: 'log',
  description: '',
  spec: {},
  findings: [],
  errors: 0,
  warnings: 0,
  recorded: 0,
  ...more,
})

export const stateOf = (screen: Screen, world: Partial<World> = {}): EditorState => ({
  world: { options, size: { columns: 120, rows: 30 }, revision: 0, ...world },
  screens: [screen],
})

/** An editor whose state is kept here, with the commands of its model. */
export const driver = (first: EditorState) => {
  let state = first
  const commands: Command[] = []
  const take = (next: { readonly state: EditorState; readonly commands: readonly Command[] }): void => {
    state = next.state
    commands.push(...next.commands)
  }
  return {
    state: () => state,
    commands,
    /** Keys by name: `j`, `enter`, `^s`. */
    press(...names: readonly string[]): void {
      for (const name of names) take(reduce(state, { kind: 'key', key: named(name) }, models))
    },
    /** Each character of a text as a key. */
    type(text: string): void {
      for (const character of text)
        take(reduce(state, { kind: 'key', key: { name: character === ' ' ? 'space' : character, text: character } }, models))
    },
    /** What a line means that is typed in the line mode. */
    say(text: string): void {
      const meant = typedMeaning(text, state)
      if ('inputs' in meant) for (const input of meant.inputs) take(reduce(state, input, models))
    },
    paste: (text: string): void => take(reduce(state, { kind: 'paste', text }, models)),
    onMessage: (message: Message): void => take(reduce(state, { kind: 'message', message }, models)),
    resize: (columns: number, rows: number): void => take(reduce(state, { kind: 'resize', size: { columns, rows } }, models)),
    /** What is shown, without colours. */
    frame: (): string => stripVTControlCharacters(drawn(state)),
  }
}

/** A state as Ink draws it. */
export const drawn = (state: EditorState): string => renderToString(createElement(Frame, { state }), { columns: state.world.size.columns })

const named = (name: string): Key =>
  name.length === 1
    ? (decodedKey(name, { name: name.toLowerCase(), sequence: name }) as Key)
    : { name, ...(name === 'space' ? { text: ' ' } : {}) }
