/** The changes that the user makes on the list of routes: a route is switched or deleted. Such changes are drafts until they are saved. */

import type { ActionName } from '../../../edit/actions.ts'
import { canRedo, isModified, isRemoved, type RouteDraft, redo, removed, switched, undo } from '../../../edit/draft/route-draft.ts'
import type { RouteRow } from '../../../edit/service.ts'
import { openSave } from '../../model/overlays.ts'
import { changedDrafts, changesOf, withOpen, withoutChangesOf } from '../../model/pending.ts'
import { type Notice, type ScreenUpdate, type World, warned } from '../../model/screen.ts'

/**
 * Handles save, diff, undo and redo on the list of routes; `undefined` for other actions. Save and diff begin with the route of the cursor
 * if it has changes. Undo takes back the latest change of any route.
 */
export const onChangeAction = (action: ActionName, row: RouteRow | undefined, world: World): ScreenUpdate<never> | undefined => {
  const ofRow = row && changesOf(world, row)
  const [last] = changedDrafts(world)
  switch (action) {
    case 'save':
      return openSave(ofRow ? withOpen(world, ofRow) : world, 'all')
    case 'diff':
      return openSave(ofRow ? withOpen(world, ofRow) : world, 'all', 'diff')
    case 'undo':
      return last ? undoLatest(last, world) : warned('there is nothing to take back')
    case 'redo':
      return world.draft && canRedo(world.draft) ? { world: { draft: redo(world.draft) } } : warned('there is nothing to bring again')
    default:
      return undefined
  }
}

const undoLatest = (draft: RouteDraft, world: World): ScreenUpdate<never> => {
  const { past, opened } = draft
  const notice: Notice = { tone: 'ok', text: `taken back: ${past.at(-1)?.title ?? 'new route'} (${opened.name})` }
  // The latest change of a new route without steps was to make the route, so the whole route is dropped.
  if (past.length === 0) return { world: { ...withoutChangesOf(world, opened), notice } }
  return { world: { ...withOpen(world, draft), draft: undo(draft), notice } }
}

/** Switches the route of a draft on or off, or deletes the route. */
export const changeRoute = (action: 'toggle' | 'remove', draft: RouteDraft, world: World): ScreenUpdate<never> => {
  const { name, isNew } = draft.opened
  const said = (text: string): Notice => ({ tone: 'ok', text: `${text}; w saves, u takes it back` })
  if (action === 'remove' && isNew)
    return { world: { ...withoutChangesOf(world, draft.opened), notice: { tone: 'ok', text: `"${name}" is dropped` } } }
  if (isRemoved(draft)) return warned(`"${name}" is deleted when you save: u takes that back`)
  if (action === 'remove') return { world: { ...withOpen(world, removed(draft)), notice: said(`"${name}" is deleted when you save`) } }
  const next = switched(draft)
  const how = next.spec.enabled === false ? 'off' : 'on'
  const notice: Notice = isModified(next) ? said(`"${name}" is ${how} when you save`) : { tone: 'ok', text: `"${name}" stays ${how}` }
  return { world: { ...withOpen(world, next), notice } }
}
