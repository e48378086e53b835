/** The behaviour of a question with a few answers. The value of the chosen answer goes to the screen below. */

import { areaUnderHead, movedCursor } from '../../model/list.ts'
import type { ChooseScreen } from '../../model/overlays.ts'
import { screenModel } from '../../model/screen.ts'

export const chooseModel = screenModel<ChooseScreen>({
  title: ({ question }) => question,
  enter: () => 'choose',
  actions: () => ['open', 'back', 'up', 'down', 'left', 'right'],
  onAction(screen, action) {
    const { id, choices, cursor } = screen
    const chosen = choices[cursor]
    if (action === 'back') return { go: { back: true } }
    if (action === 'open') return { go: { back: true, ...(chosen ? { returns: { id, value: chosen.value } } : {}) } }
    const way = action === 'left' ? 'up' : action === 'right' ? 'down' : action
    return { screen: { ...screen, cursor: movedCursor(cursor, way, choices.length) } }
  },
  rows: ({ choices }) => choices.map(({ title }) => title),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, _, room) => areaUnderHead(screen, screen.choices, room),
})
