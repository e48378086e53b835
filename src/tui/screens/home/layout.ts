/** The places of the list of routes and of the preview of a route on the home screen. */

import type { ListArea } from '../../model/list.ts'
import { isNarrowing, type Narrowing } from '../../model/narrowing.ts'
import { markedRemark, type Remark, remarksHeight } from '../../model/remark.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { routeLines } from './rows.ts'

/** The least width at which the preview stands beside the list, and the least height at which a narrower terminal has it below the list. */
const previewBesideWidth = 120
const belowFrom = 16

export type HomeLayout = {
  readonly preview: 'beside' | 'below' | 'none'
  readonly list: ListArea
  readonly previewHeight: number
}

export const homeLayout = (screen: Narrowing, world: World, { width, height }: Room): HomeLayout => {
  const { length } = routeLines(screen, world)
  const { cursor } = screen
  const preview = cursor >= length ? 'none' : width >= previewBesideWidth ? 'beside' : height < belowFrom ? 'none' : 'below'
  const below = preview === 'below' ? Math.min(12, Math.floor(height / 2) - 1) : 0
  const left = preview === 'beside' ? Math.floor(width * 0.56) : width
  const above = remarksHeight(problemRemarks(world), left) + (hasSearchLine(screen) ? 1 : 0) + 1
  const rest = height - above - (below > 0 ? below + 1 : 0)
  return {
    preview,
    list: { above, width: left, height: rest, cursor, length },
    previewHeight: preview === 'beside' ? height : below,
  }
}

/** Says why the routes of the file cannot be listed. */
export const problemRemarks = ({ home }: World): readonly Remark[] =>
  home?.problem ? [markedRemark(`${home.problem.message}; E opens it there`, 'bad')] : []

export const hasSearchLine = (screen: Narrowing): boolean => isNarrowing(screen) || screen.search.text !== ''
