/** Moving in a list of rows of which a part is shown. */

import type { ActionName } from './actions.ts'

const pageRows = 10

/** Where the cursor is after an action; the same where the action does not move it. */
export const moved = (cursor: number, action: ActionName, length: number): number => {
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

export const moves: readonly ActionName[] = ['up', 'down', 'top', 'end', 'pageUp', 'pageDown']

/** How far lines are scrolled after an action; `last`: so far that their end is seen. */
export const scrolled = (scroll: number, action: ActionName, last: number): number =>
  moved(Math.min(scroll, last), action, Math.max(0, last) + 1)

/** Those that count in a list that a search has narrowed. */
export const matchMoves: readonly ActionName[] = ['nextMatch', 'previousMatch']

export const paneKeys: readonly ActionName[] = ['nextPane', 'previousPane', 'pane1', 'pane2', 'pane3', 'pane4', 'pane5']

/** The pane after one of these actions; the same where there is none of that number. */
export const paneAfter = <Pane>(panes: readonly Pane[], pane: Pane, action: ActionName): Pane => {
  const by = { nextPane: 1, previousPane: panes.length - 1 }[action as string]
  const at = by === undefined ? Number(action.slice('pane'.length)) - 1 : (panes.indexOf(pane) + by) % panes.length
  return panes[at] ?? pane
}

/** The first row that is shown, so that the cursor is among `height` rows, in the middle where it can be. */
export const windowStart = (cursor: number, length: number, height: number): number =>
  Math.max(0, Math.min(cursor - Math.floor(height / 2), length - height))

/** The letters of a search, in their order, stand in the text: how well, a smaller number is better; `undefined` where they do not. */
export const fuzzy = (text: string, search: string): number | undefined => {
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

/** Where a list stands in the room of its screen, and which of its rows are shown there. */
export type ListArea = {
  /** Cells before it; absent: none. */
  readonly before?: number
  /** Rows above it. */
  readonly above: number
  readonly width: number
  readonly height: number
  readonly cursor: number
  /** Rows of the whole list. */
  readonly length: number
}

/** `3-12 of 40`, where not all rows are shown. */
export const positionOf = ({ cursor, length, height }: Pick<ListArea, 'cursor' | 'length' | 'height'>): string => {
  if (length <= height) return ''
  const start = windowStart(cursor, length, height)
  return `${start + 1}-${Math.min(length, start + height)} of ${length}`
}

/** The lines that are shown where they are scrolled so far: the last ones fill the height. */
export const scrolledTo = <Line>(lines: readonly Line[], scroll: number, height: number): readonly Line[] => {
  const start = Math.min(scroll, Math.max(0, lines.length - height))
  return lines.slice(start, start + height)
}
