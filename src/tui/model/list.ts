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
    default:
      return to(cursor)
  }
}

export const moves: readonly ActionName[] = ['up', 'down', 'top', 'end', 'pageUp', 'pageDown']

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
