/** The editor as sentences, for screen readers: what a state says, and what a typed line means. The same model, without a screen. */

import { printable } from '../../core/text.ts'
import { type ActionName, actions } from '../model/actions.ts'
import { matchMoves, paneKeys } from '../model/list.ts'
import type { EntryScreen } from '../model/overlays.ts'
import type { Screen, World } from '../model/screen.ts'
import { actionsNow, type Input, type State, top } from '../model/state.ts'
import { models } from '../screens/index.ts'

/** Rows that are read out at a time. */
const maxRows = 30

/** The lines that tell what changed: all of a screen that was opened, of one that was come back to the row of the cursor. */
export const tell = (before: State | undefined, after: State): readonly string[] => {
  const { notice } = after.world
  const said = changesIn(before, after)
  return [...said, ...(notice && notice !== before?.world.notice ? [notice.text] : [])].map(withoutBoxes)
}

const changesIn = (before: State | undefined, after: State): readonly string[] => {
  const depth = (state: State): number => state.screens.length
  if (before === undefined || depth(after) > depth(before)) return describe(after)
  const title = titleOf(before) === titleOf(after) ? [] : [`${titleOf(after)}.`]
  const rows = rowsOf(after)
  if (depth(after) < depth(before)) return [...title, ...cursorRow(after, rows)]
  if (top(before).kind !== top(after).kind) return describe(after)
  const old = rowsOf(before)
  return [...title, ...rows.flatMap((row, i) => (row === old[i] || i >= maxRows ? [] : [numbered(row, i, rows.length)]))]
}

const cursorRow = (state: State, rows: readonly string[]): readonly string[] => {
  const screen = top(state)
  const cursor = 'cursor' in screen ? Number(screen.cursor) : -1
  const row = rows[cursor]
  return row === undefined ? [] : [numbered(row, cursor, rows.length)]
}

/** What is drawn with lines on a screen is a pause in a sentence. */
const withoutBoxes = (text: string): string => printable(text.replace(/ ?[─│] ?/g, ', '))

/** The title, every row with its number, and what can be typed. */
const describe = (state: State): readonly string[] => {
  const screen = top(state)
  const rows = rowsOf(state)
  const more = rows.length > maxRows ? [`${rows.length - maxRows} more: type a part of a name to narrow the list`] : []
  return [
    `${titleOf(state)}.`,
    ...rows.slice(0, maxRows).map((row, i) => numbered(row, i, rows.length)),
    ...more,
    takesText(screen, state.world)
      ? `Type the text and press enter, or a word after a colon: :back.${takesSecret(state) ? ' What you type is not shown.' : ''}`
      : `Type a number to choose, or a word: ${words(state).join(', ')}.`,
  ].map(withoutBoxes)
}

const numbered = (row: string, i: number, length: number): string => `${i + 1} of ${length}: ${row}`

const titleOf = (state: State): string => models[top(state).kind].title(top(state), state.world)

const rowsOf = (state: State): readonly string[] => models[top(state).kind].rows?.(top(state), state.world) ?? []

/** Whether the text that is being written is a secret. */
export const takesSecret = (state: State): boolean => {
  const screen = top(state)
  return screen.kind === 'entry' && (screen as EntryScreen).isSecret
}

const takesText = (screen: Screen, world: World): boolean => models[screen.kind].takes?.(screen, world) !== undefined

/** Moving about is what numbers are for. */
const silent: ReadonlySet<ActionName> = new Set([
  'up',
  'down',
  'left',
  'right',
  'top',
  'end',
  'pageUp',
  'pageDown',
  'redraw',
  'suspend',
  'interrupt',
  'palette',
  ...paneKeys,
  ...matchMoves,
])

/** A word for each action that counts now. */
const words = (state: State): readonly string[] => ['list', ...new Set(actionsNow(state, models).filter((name) => !silent.has(name)))]

export type Meant = { readonly inputs: readonly Input[] } | { readonly say: readonly string[] }

/** What a typed line means on the screen that is shown. */
export const meaningOf = (typed: string, state: State): Meant => {
  const text = typed.trim()
  const screen = top(state)
  if (text === '' || text === 'list' || text === ':list') return { say: describe(state) }
  const isText = takesText(screen, state.world)
  const chosen = /^\d+$/.test(text) ? rowChosen(Number(text), state) : undefined
  if (chosen) return chosen
  const word = isText ? (text.startsWith(':') ? text.slice(1) : undefined) : text.replace(/^:/, '')
  if (word === undefined) return { inputs: textInputs(typed, screen) }
  const action = actionsNow(state, models).find(
    (name) => name.toLowerCase() === word.toLowerCase().replaceAll(' ', '') || actions[name].title === word,
  )
  return action ? { inputs: [{ kind: 'action', action }] } : { say: [`No "${word}" here. Words: ${words(state).join(', ')}.`] }
}

const rowChosen = (number: number, state: State): Meant | undefined => {
  const screen = top(state)
  const model = models[screen.kind]
  const count = rowsOf(state).length
  if (!model.point || count === 0) return undefined
  if (number < 1 || number > count) return { say: [`There are ${count} rows.`] }
  return {
    inputs: [
      { kind: 'point', row: number - 1 },
      { kind: 'action', action: 'open' },
    ],
  }
}

/** A line fills the field and enters it; in a list it narrows the list. */
const textInputs = (typed: string, screen: Screen): readonly Input[] => {
  const write: Input = { kind: 'line', text: typed }
  return screen.kind === 'entry' ? [write, { kind: 'action', action: 'open' }] : [write]
}
