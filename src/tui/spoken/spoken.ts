/**
 * The editor as sentences, for screen readers: says what a state of the editor shows, and finds out what a typed line means. States,
 * reducer and models are the same as with the editor that draws screens.
 */

import { printable } from '../../core/text.ts'
import { type ActionName, actions } from '../../edit/actions.ts'
import { matchActions, paneActions } from '../model/list.ts'
import type { EntryScreen } from '../model/overlays.ts'
import type { Screen, World } from '../model/screen.ts'
import { rowOfCursor } from '../model/search.ts'
import { actionsNow, type EditorState, type Input, top } from '../model/state.ts'
import { models } from '../screens/index.ts'

/** The most rows that are read out at a time. */
const maxRows = 30

/**
 * Returns the lines that say how two states differ. A screen that was opened is said as a whole. Of the rows of a screen to which the user
 * returned, only the row of the cursor is said.
 */
export const changesSaid = (before: EditorState | undefined, after: EditorState): readonly string[] => {
  const { notice } = after.world
  const said = changesIn(before, after)
  return [...said, ...(notice && notice !== before?.world.notice ? [notice.text] : [])].map(withoutBoxes)
}

const changesIn = (before: EditorState | undefined, after: EditorState): readonly string[] => {
  if (isEmptyHome(after)) return before === undefined ? ['Reading the routes.'] : []
  const depth = (state: EditorState): number => state.screens.length
  if (before === undefined || isEmptyHome(before) || depth(after) > depth(before)) return describeScreen(after)
  const { search } = after
  if (search !== before.search && (search || before.search?.isWriting)) return searchSaid(search, after)
  const title = screenTitle(before) === screenTitle(after) ? [] : [`${screenTitle(after)}.`]
  const rows = rowsOf(after)
  if (depth(after) < depth(before)) return [...title, ...cursorRow(after, rows), ...newSentences(before, after)]
  if (top(before).kind !== top(after).kind) return describeScreen(after)
  const old = rowsOf(before)
  const changed = rows.flatMap((row, i) => (row === old[i] || i >= maxRows ? [] : [numbered(row, i, rows.length)]))
  return [...title, ...changed, ...newSentences(before, after)]
}

const searchSaid = (search: EditorState['search'], state: EditorState): readonly string[] => {
  if (search?.isWriting) return ['Type what to look for and press enter.']
  return search?.isFound === false ? ['Nothing found.'] : cursorRow(state, rowsOf(state))
}

/** Whether the home screen still waits for the routes. */
const isEmptyHome = ({ world, screens }: EditorState): boolean => world.home === undefined && screens.length === 1

/**
 * Returns the sentences that follow the rows: how the route handles the payload, what is wrong with the route, and the sentences of the
 * screen's model.
 */
const sentencesAfterRows = (state: EditorState): readonly string[] => {
  const { world } = state
  const screen = top(state)
  const { preview } = world
  const findings = aboutRoute.has(screen.kind) ? (preview?.findings ?? []) : []
  const refused = aboutRoute.has(screen.kind) && preview?.refused !== undefined ? [`this cannot be changed here: ${preview.refused}`] : []
  return [
    ...(aboutRoute.has(screen.kind) ? triedSaid(world) : []),
    ...refused,
    ...findings.map(({ severity, code, message, help }) => `${severity} ${code}: ${[message, help].filter(Boolean).join(' - ')}`),
    ...(models[screen.kind].said?.(screen, world) ?? []),
  ].slice(0, maxRows)
}

/** Says how the route handles the chosen payload. */
const triedSaid = ({ payload, preview }: World): readonly string[] => {
  if (!payload || !preview?.trace) return []
  const { name, reason } = preview.trace
  return [`Tried with ${payload.title}: ${name}${reason === undefined ? '' : `, ${reason}`}.`]
}

const aboutRoute: ReadonlySet<Screen['kind']> = new Set(['route', 'filters', 'prompt', 'deliver'])

/** Returns the sentences after the rows that were not said before, and a sentence when the last finding is gone. */
const newSentences = (before: EditorState, after: EditorState): readonly string[] => {
  const known = new Set(sentencesAfterRows(before))
  const hasFindings = ({ world: { preview } }: EditorState): boolean => (preview?.findings.length ?? 0) > 0
  const isMended = hasFindings(before) && after.world.preview !== undefined && !hasFindings(after)
  return [...sentencesAfterRows(after).filter((each) => !known.has(each)), ...(isMended ? ['No findings any more.'] : [])]
}

const cursorRow = (state: EditorState, rows: readonly string[]): readonly string[] => {
  const screen = top(state)
  const cursor = rowOfCursor(screen, models[screen.kind])
  const row = rows[cursor]
  return row === undefined ? [] : [numbered(row, cursor, rows.length)]
}

/** Replaces lines and bars of the screen by a comma, which is a pause in speech. */
const withoutBoxes = (text: string): string => printable(text.replace(/ ?[─│] ?/g, ', '))

/** Returns the title, the rows with their numbers, and the words that can be typed. */
const describeScreen = (state: EditorState): readonly string[] => {
  const screen = top(state)
  const rows = rowsOf(state)
  const more = rows.length > maxRows ? [`${rows.length - maxRows} more: type a part of a name to narrow the list`] : []
  return [
    `${screenTitle(state)}.`,
    ...rows.slice(0, maxRows).map((row, i) => numbered(row, i, rows.length)),
    ...more,
    ...sentencesAfterRows(state),
    takesText(screen, state.world)
      ? `Type the text and press enter, or a word after a colon: ${wordsInText(state).join(', ')}.${takesSecret(state) ? ' What you type is not shown.' : ''}`
      : `${rows.length > 0 && models[screen.kind].point ? 'Type a number to choose, or a word' : 'Type a word'}: ${typableWords(state).join(', ')}.`,
  ].map(withoutBoxes)
}

const numbered = (row: string, i: number, length: number): string => `${i + 1} of ${length}: ${row}`

const screenTitle = (state: EditorState): string => {
  const screen = top(state)
  const model = models[screen.kind]
  const panes = panesOf(state)
  return [model.title(screen, state.world), panes.names[panes.at]?.toLowerCase()].filter(Boolean).join(', ')
}

const rowsOf = (state: EditorState): readonly string[] => models[top(state).kind].rows?.(top(state), state.world) ?? []

/** Whether the text that is being written is a secret. */
export const takesSecret = (state: EditorState): boolean => {
  const screen = top(state)
  return screen.kind === 'entry' && (screen as EntryScreen).isSecret
}

const takesText = (screen: Screen, world: World): boolean => models[screen.kind].takes?.(screen, world) !== undefined

/** The actions that are not offered as words. Most of them move the cursor, and in the line mode numbers do that. */
const unofferedActions: ReadonlySet<ActionName> = new Set([
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
  ...paneActions,
  ...matchActions,
])

/** Returns a word for each action of the screen, and for each pane that is not shown. */
const typableWords = (state: EditorState): readonly string[] => {
  const names = actionsNow(state, models).filter((name) => !unofferedActions.has(name))
  const { names: panes, at } = panesOf(state)
  return ['list', ...new Set(names.map(wordOfAction)), ...panes.filter((_, i) => i !== at).map((each) => each.toLowerCase())]
}

/**
 * Returns the words that are offered while text is taken, each with a colon. `list`, `help`, `quit` and the action that a typed number does
 * are not offered, but work, too.
 */
const wordsInText = (state: EditorState): readonly string[] =>
  typableWords(state)
    .filter((word) => !['list', 'help', 'quit', numberDoes(top(state))].includes(word))
    .map((word) => `:${word}`)

const wordOfAction = (name: ActionName): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const panesOf = (state: EditorState) => models[top(state).kind].panes?.(top(state)) ?? { names: [], at: 0 }

/** The meaning of a typed line: inputs for the reducer, or sentences to say at once. */
export type LineMeaning = { readonly inputs: readonly Input[] } | { readonly say: readonly string[] }

/** Returns what a typed line means on the screen that is shown. */
export const typedMeaning = (typed: string, state: EditorState): LineMeaning => {
  const text = typed.trim()
  const screen = top(state)
  if (state.search?.isWriting) return { inputs: [{ kind: 'line', text }] }
  if (text === '' || text === 'list' || text === ':list') return { say: describeScreen(state) }
  const isText = takesText(screen, state.world)
  const chosen = /^\d+$/.test(text) ? rowChosen(Number(text), state) : undefined
  if (chosen) return chosen
  const word = isText ? (text.startsWith(':') ? text.slice(1) : undefined) : text.replace(/^:/, '')
  if (word === undefined) return { inputs: textInputs(typed, screen) }
  const action = actionsNow(state, models).find(
    (name) => name.toLowerCase() === word.toLowerCase().replaceAll(' ', '') || actions[name].title === word,
  )
  if (action) return { inputs: [{ kind: 'action', action }] }
  const pane = panesOf(state).names.findIndex((name) => name.toLowerCase() === word.toLowerCase())
  const named = paneActions.find((name) => name === `pane${pane + 1}`)
  if (named) return { inputs: [{ kind: 'action', action: named }] }
  const row = rowsOf(state).findIndex((each) => each.toLowerCase() === word.toLowerCase())
  return (row < 0 ? undefined : rowChosen(row + 1, state)) ?? { say: [`No "${word}" here. Words: ${typableWords(state).join(', ')}.`] }
}

const rowChosen = (number: number, state: EditorState): LineMeaning | undefined => {
  const screen = top(state)
  const model = models[screen.kind]
  const count = rowsOf(state).length
  if (!model.point || count === 0) return undefined
  if (number < 1 || number > count) return { say: [count === 1 ? 'There is one row.' : `There are ${count} rows.`] }
  return {
    inputs: [
      { kind: 'point', row: number - 1 },
      { kind: 'action', action: numberDoes(screen) },
    ],
  }
}

const numberDoes = (screen: Screen): ActionName => models[screen.kind].numberDoes?.(screen) ?? 'open'

/** Returns the inputs of a line on a screen that takes text. The line fills a field and enters it, or narrows a list. */
const textInputs = (typed: string, screen: Screen): readonly Input[] => {
  const write: Input = { kind: 'line', text: typed }
  return screen.kind === 'entry' ? [write, { kind: 'action', action: 'open' }] : [write]
}
