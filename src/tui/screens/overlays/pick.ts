/** The behaviour of a list to pick from, which typing narrows. In a list with marks, several rows may be picked. */

import { areaUnderHead } from '../../model/list.ts'
import { narrowedByAction, narrowedByKey, narrowedByText, narrowingActions, narrowingSaid, rowsThatFit } from '../../model/narrowing.ts'
import { noMarkRow, type PickRow, type PickScreen, type RowMarks } from '../../model/overlays.ts'
import { type ScreenUpdate, screenModel } from '../../model/screen.ts'

/** Returns the rows that match the search, the best first. If any text may be chosen, a typed text that is no title is the last row. */
export const rowsFound = ({ all, search: { text }, free }: PickScreen): readonly PickRow[] => {
  if (text === '') return all
  const rows = rowsThatFit(all, text, ({ title, detail = '' }) => `${title} ${detail}`)
  return !free || rows.some(({ title }) => title === text) ? rows : [...rows, { value: text, title: text, detail: 'as it is typed' }]
}

export const pickModel = screenModel<PickScreen>({
  title: ({ title }) => title,
  enter: () => 'choose',
  actions: (screen) => [...(screen.marks ? (['toggle'] as const) : []), ...narrowingActions(screen)],
  takes: () => 'text',
  // In a list with marks, a blank marks a row instead of going into the search. A title with a blank is found without typing the blank.
  type: (screen, text) => (screen.marks && text === ' ' ? withMarkToggled(screen) : { screen: narrowedByText(screen, text) }),
  press: (screen, key) => ({ screen: narrowedByKey(screen, key) }),
  onAction(screen, action) {
    if (action === 'toggle') return withMarkToggled(screen)
    const rows = rowsFound(screen)
    const narrowed = narrowedByAction(screen, action, rows.length)
    if (narrowed) return { screen: narrowed }
    return action === 'open' ? pickUpdate(screen, rows[screen.cursor]) : { go: { back: true } }
  },
  rows: ({ marks, ...screen }) =>
    rowsFound(screen).map(({ title, detail, value }) =>
      [title, detail, marks?.all.includes(value) ? 'chosen' : ''].filter(Boolean).join(marks ? ', ' : ': '),
    ),
  said: (screen) => narrowingSaid(screen, rowsFound(screen).length),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, _, room) => areaUnderHead(screen, rowsFound(screen), room),
  numberDoes: ({ marks }) => (marks ? 'toggle' : 'open'),
})

/** Sets or removes the mark of the row of the cursor. */
const withMarkToggled = (screen: PickScreen): ScreenUpdate<PickScreen> => {
  const { marks, cursor } = screen
  const row = rowsFound(screen)[cursor]
  if (!marks || !row || row === noMarkRow) return {}
  const all = marks.all.includes(row.value) ? marks.all.filter((value) => value !== row.value) : [...marks.all, row.value]
  // A marked text that the user typed becomes a row of the list.
  const isKnown = screen.all.some(({ value }) => value === row.value)
  return { screen: { ...screen, all: isKnown ? screen.all : [row, ...screen.all], marks: { ...marks, all, isTouched: true } } }
}

const pickUpdate = ({ id, marks }: PickScreen, row: PickRow | undefined): ScreenUpdate<PickScreen> => {
  if (marks) return { go: { back: true, returns: { id, value: JSON.stringify(pickedValues(marks, row)) } } }
  return row ? { go: { back: true, returns: { id, value: row.value } } } : {}
}

/**
 * Returns the values that enter picks: those of the marked rows. As long as the user has not set or removed a mark, the row of the cursor
 * is picked besides the marked rows or, with `isUsuallyAlone`, instead of them.
 */
const pickedValues = ({ all, isTouched, isUsuallyAlone }: RowMarks, row: PickRow | undefined): readonly string[] => {
  if (isTouched || !row || row === noMarkRow || all.includes(row.value)) return all
  return isUsuallyAlone ? [row.value] : [...all, row.value]
}
