/**
 * Lists that typing narrows, which behave alike on all screens. A list whose screen has keys of its own is narrowed after `/`; any other
 * list takes text at once. Escape shows all rows again, and leaves the screen only if all rows are shown.
 */

import type { ActionName } from '../../edit/actions.ts'
import { matchActions, moveActions, movedCursor } from './list.ts'
import { editField, type TextField, textField, typeInto } from './text-field.ts'

/** The part of a screen that narrows its list. */
export type Narrowing = {
  /** The row of the cursor among the rows that fit. */
  readonly cursor: number
  readonly search: TextField
  /** Whether the user is writing the search now. Absent for a list that always takes text. */
  readonly isFinding?: boolean
}

/** Whether letters go into the search, and are not actions. */
export const isNarrowing = ({ isFinding = true }: Narrowing): boolean => isFinding

/** Returns the actions that move in the list and narrow it. */
export const narrowingActions = (screen: Narrowing): readonly ActionName[] => {
  if (isNarrowing(screen)) return ['open', 'back', 'up', 'down', 'pageUp', 'pageDown']
  return ['find', ...(screen.search.text === '' ? [] : [...matchActions, 'back' as const]), ...moveActions]
}

const withSearch = <S extends Narrowing>(screen: S, search: TextField): S =>
  search === screen.search ? screen : { ...screen, search, cursor: 0 }

/** Narrows the list by characters that were typed or pasted. */
export const narrowedByText = <S extends Narrowing>(screen: S, text: string): S => withSearch(screen, typeInto(screen.search, text))

/** Narrows the list by a key that edits the search. */
export const narrowedByKey = <S extends Narrowing>(screen: S, key: string): S =>
  isNarrowing(screen) ? withSearch(screen, editField(screen.search, key)) : screen

/** Returns the screen after an action on its list of `length` rows; `undefined` if the action is none of the list, but of the screen. */
export const narrowedByAction = <S extends Narrowing>(screen: S, action: ActionName, length: number): S | undefined => {
  const { search, isFinding, cursor } = screen
  const ended = isFinding === undefined ? {} : { isFinding: false }
  switch (action) {
    case 'find':
      return { ...screen, isFinding: true }
    case 'open':
      return isFinding ? { ...screen, ...ended } : undefined
    case 'back':
      return isFinding || search.text !== '' ? { ...screen, ...ended, search: textField(), cursor: 0 } : undefined
    default: {
      const isMove = moveActions.includes(action) || matchActions.includes(action)
      return isMove ? { ...screen, cursor: movedCursor(cursor, action, length) } : undefined
    }
  }
}

/** Returns the rows whose text has the letters of the search in their order, the best first; without a search all rows as they are. */
export const rowsThatFit = <Row>(rows: readonly Row[], search: string, textOf: (row: Row) => string): readonly Row[] =>
  search === ''
    ? rows
    : rows
        .map((row) => ({ row, far: fuzzyDistance(textOf(row), search) }))
        .flatMap(({ row, far }) => (far === undefined ? [] : [{ row, far }]))
        .sort((a, b) => a.far - b.far)
        .map(({ row }) => row)

/**
 * Compares a text with a search. Returns a number that is smaller for a better match; `undefined` if a letter is missing. A text that has
 * the search as a whole is better than any other.
 */
const fuzzyDistance = (text: string, search: string): number | undefined => {
  const lower = text.toLowerCase()
  const wanted = search.toLowerCase()
  const whole = lower.indexOf(wanted)
  if (whole >= 0) return whole
  let at = -1
  let gaps = 0
  for (const letter of wanted) {
    const next = lower.indexOf(letter, at + 1)
    if (next < 0) return undefined
    gaps += next - at - 1
    at = next
  }
  return 1_000 + gaps
}

/** What a list shows and says instead of rows, if no row fits the search. */
export const nothingFits = 'nothing fits the filter'

/** Returns the sentences that the line mode says of a list of `length` rows. */
export const narrowingSaid = ({ search: { text } }: Narrowing, length: number): readonly string[] =>
  text !== '' && length === 0 ? [`${nothingFits}.`] : []
