/** The behaviour of help: the keys of the screen below, as a list that typing narrows. */

import { actionMeaning, actions } from '../../model/actions.ts'
import { fuzzyDistance, movedCursor } from '../../model/list.ts'
import type { HelpScreen } from '../../model/overlays.ts'
import { screenModel, type World } from '../../model/screen.ts'
import { editField, typeInto } from '../../model/text-field.ts'
import { areaUnderHead } from './under-head.ts'

/** Returns the actions of the screen below that match the search, each with its keys, its title and its group. */
export const helpRows = ({ actions: names, search: { text } }: HelpScreen, { options: { keymap } }: World) =>
  [...new Set(names)]
    .map((name) => ({ keys: keymap[name].join(' '), title: actions[name].title, group: actionMeaning(name).group }))
    .filter(({ keys, title }) => text === '' || fuzzyDistance(`${keys} ${title}`, text) !== undefined)

export const helpModel = screenModel<HelpScreen>({
  title: () => 'keys of this screen',
  enter: 'close',
  actions: () => ['back', 'up', 'down', 'pageUp', 'pageDown', 'open'],
  takes: () => 'text',
  type: (screen, text) => ({ screen: { ...screen, search: typeInto(screen.search, text), cursor: 0 } }),
  press: (screen, key) => ({ screen: { ...screen, search: editField(screen.search, key), cursor: 0 } }),
  onAction: (screen, action, world) =>
    action === 'back' || action === 'open'
      ? { go: { back: true } }
      : { screen: { ...screen, cursor: movedCursor(screen.cursor, action, helpRows(screen, world).length) } },
  rows: (screen, world) => helpRows(screen, world).map(({ keys, title }) => `${keys}: ${title}`),
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, world, room) => areaUnderHead(screen, helpRows(screen, world), room),
})
