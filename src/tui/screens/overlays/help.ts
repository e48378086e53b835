/** The behaviour of help: the keys of the screen below, as a list that typing narrows. */

import { actionMeaning, actions } from '../../../edit/actions.ts'
import { areaUnderHead } from '../../model/list.ts'
import { narrowedByAction, narrowedByKey, narrowedByText, narrowingActions, narrowingSaid, rowsThatFit } from '../../model/narrowing.ts'
import type { HelpScreen } from '../../model/overlays.ts'
import { screenModel, type World } from '../../model/screen.ts'

/** Returns the actions of the screen below that match the search, each with its keys, its title and its group. */
export const helpRows = ({ actions: names, search: { text } }: HelpScreen, { options: { keymap } }: World) =>
  rowsThatFit(
    [...new Set(names)].map((name) => ({ keys: keymap[name].join(' '), title: actions[name].title, group: actionMeaning(name).group })),
    text,
    ({ keys, title }) => `${keys} ${title}`,
  )

export const helpModel = screenModel<HelpScreen>({
  title: () => 'keys of this screen',
  enter: () => 'close',
  actions: narrowingActions,
  takes: () => 'text',
  type: (screen, text) => ({ screen: narrowedByText(screen, text) }),
  press: (screen, key) => ({ screen: narrowedByKey(screen, key) }),
  onAction(screen, action, world) {
    const narrowed = narrowedByAction(screen, action, helpRows(screen, world).length)
    return narrowed ? { screen: narrowed } : { go: { back: true } }
  },
  rows: (screen, world) => helpRows(screen, world).map(({ keys, title }) => `${keys}: ${title}`),
  said: (screen, world) => narrowingSaid(screen, helpRows(screen, world).length),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, world, room) => areaUnderHead(screen, helpRows(screen, world), room),
})
