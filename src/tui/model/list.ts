/** What the lists of all screens share: the moves of the cursor, the rows that are shown around it, the panes, and the search. */

import type { ActionName } from '../../edit/actions.ts'
import type { Room } from './room.ts'

/** The rows above the list of an overlay: the question or the search, and an empty row. */
const headRows = 2

/** Returns the place of the list. The arguments are the overlay's screen, the rows of its list, and the room of the screen. */
export const areaUnderHead = (
  { cursor }: { readonly cursor: number },
  { length }: { readonly length: number },
  { width, height }: Room,
): ListArea => ({ above: headRows, width, height: height - headRows, cursor, length })

const pageRows = 10

/** Returns the row of the cursor after an action. An action that moves nothing only keeps the cursor among the `length` rows. */
export const movedCursor = (cursor: number, action: ActionName, length: number): number => {
  const to = (place: number): number => Math.max(0, Math.min(length - 1, place))
  switch (action) {
    case 'up':
      return to(cursor - 1)
    case 'down':
      return to(cursor + 1)
    case 'top':
      return 0
    case 'end':
      return to(length - 1)
    case 'pageUp':
      return to(cursor - pageRows)
    case 'pageDown':
      return to(cursor + pageRows)
    case 'nextMatch':
      return cursor + 1 < length ? cursor + 1 : 0
    case 'previousMatch':
      return to(cursor > 0 ? cursor - 1 : length - 1)
    default:
      return to(cursor)
  }
}

/** The actions that move the cursor of every list. */
export const moveActions: readonly ActionName[] = ['up', 'down', 'top', 'end', 'pageUp', 'pageDown']

/** Returns how far lines are scrolled after an action. `last`: the scroll that shows the last line. */
export const scrollAfter = (scroll: number, action: ActionName, last: number): number =>
  movedCursor(Math.min(scroll, last), action, Math.max(0, last) + 1)

/** The actions that a list has after a search has narrowed it. */
export const matchActions: readonly ActionName[] = ['nextMatch', 'previousMatch']

/** The actions that go to another pane of the screen. */
export const paneActions: readonly ActionName[] = ['nextPane', 'previousPane', 'pane1', 'pane2', 'pane3', 'pane4', 'pane5']

/** Returns the pane after an action of `paneActions`; the same pane if there is no pane of the action's number. */
export const paneAfter = <Pane>(panes: readonly Pane[], pane: Pane, action: ActionName): Pane => {
  const by = { nextPane: 1, previousPane: panes.length - 1 }[action as string]
  const at = by === undefined ? Number(action.slice('pane'.length)) - 1 : (panes.indexOf(pane) + by) % panes.length
  return panes[at] ?? pane
}

/** Returns the number of the first row to show. Of the `height` rows that are shown, the middle one has the cursor if possible. */
export const windowStart = (cursor: number, length: number, height: number): number =>
  Math.max(0, Math.min(cursor - Math.floor(height / 2), length - height))

/** The place of a list in the room of its screen, with the cursor and the length, which decide what rows are shown at that place. */
export type ListArea = {
  /** The number of cells left of the list; `undefined` for none. */
  readonly before?: number
  /** The number of rows of the screen above the list. */
  readonly above: number
  readonly width: number
  readonly height: number
  readonly cursor: number
  /** The number of rows in the whole list. */
  readonly length: number
}

/** Says which rows of a list are shown, such as `3-12 of 40`; empty if all rows are shown. */
export const shownRange = ({ cursor, length, height }: Pick<ListArea, 'cursor' | 'length' | 'height'>): string => {
  if (length <= height) return ''
  const start = windowStart(cursor, length, height)
  return `${start + 1}-${Math.min(length, start + height)} of ${length}`
}

/** Returns the lines to show, at most `height`, from the line `scroll` on. If fewer lines follow, lines before them fill the height. */
export const linesFrom = <Line>(lines: readonly Line[], scroll: number, height: number): readonly Line[] => {
  const start = Math.min(scroll, Math.max(0, lines.length - height))
  return lines.slice(start, start + height)
}
