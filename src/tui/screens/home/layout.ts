/** The places of the list of routes and of the preview of a route on the home screen. */

import type { ListArea } from '../../model/list.ts'
import { marked, type Remark, remarksHeight } from '../../model/remark.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import type { TextField } from '../../model/text-field.ts'
import { rowsOf } from './rows.ts'

/** The least width at which the preview stands beside the list. Below this width, it stands below the list, from the height `high` on. */
const wide = 120
const high = 16

/** The parts of the screen's state on which its layout depends. */
type HomeState = { readonly cursor: number; readonly search: TextField; readonly isFinding: boolean }

export type HomeLayout = {
  readonly preview: 'beside' | 'below' | 'none'
  readonly list: ListArea
  /** The height of the preview in rows. */
  readonly previewHeight: number
}

export const layoutOf = (screen: HomeState, world: World, { width, height }: Room): HomeLayout => {
  const { length } = rowsOf(screen, world)
  const { cursor } = screen
  const preview = cursor >= length ? 'none' : width >= wide ? 'beside' : height < high ? 'none' : 'below'
  const below = preview === 'below' ? Math.min(12, Math.floor(height / 2) - 1) : 0
  const left = preview === 'beside' ? Math.floor(width * 0.56) : width
  const above = remarksHeight(problemsOf(world), left) + (isFiltered(screen) ? 1 : 0) + 1
  const rest = height - above - (below > 0 ? below + 1 : 0)
  return {
    preview,
    list: { above, width: left, height: rest, cursor, length },
    previewHeight: preview === 'beside' ? height : below,
  }
}

/** Says why the routes of the file cannot be listed. */
export const problemsOf = ({ home }: World): readonly Remark[] =>
  home?.problem ? [marked(`${home.problem.message}; E opens it there`, 'bad')] : []

/** Whether the line with the search is shown above the list. */
export const isFiltered = ({ isFinding, search }: HomeState): boolean => isFinding || search.text !== ''
