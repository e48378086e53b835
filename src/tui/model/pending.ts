/** The changes of several routes that wait to be saved: those of the route that is open, and those that were made on the list before. */

import { isModified, type OpenedRoute, type RouteDraft } from '../../app/editor/draft/route-draft.ts'
import type { World } from './screen.ts'

/** What is open, and what waits. */
export type Drafts = Pick<World, 'draft' | 'pending'>

/** A subscription may have the name of the route that hides it. */
type Named = Pick<OpenedRoute, 'name' | 'source'>

export const isSameRoute = (a: Named, b: Named): boolean => a.name === b.name && a.source === b.source

/** Every draft that has something to save, the one that was touched last first. */
export const changedDrafts = ({ draft, pending = [] }: Drafts): readonly RouteDraft[] =>
  [...(draft ? [draft] : []), ...pending].filter(isModified)

/** The draft of a route, where it has something to save. */
export const changesOf = (drafts: Drafts, route: Named): RouteDraft | undefined =>
  changedDrafts(drafts).find(({ opened }) => isSameRoute(opened, route))

/** Opens a draft in the place of the one that is open; what that has to save waits. The payload of another route means nothing to it. */
export const withOpen = (drafts: Drafts, draft: RouteDraft): Pick<World, 'draft' | 'pending' | 'payload'> => ({
  draft,
  pending: changedDrafts(drafts).filter(({ opened }) => !isSameRoute(opened, draft.opened)),
  ...(drafts.draft?.opened.name === draft.opened.name ? {} : { payload: undefined }),
})

/** Without the changes of a route. The one that was touched before it is open then. */
export const withoutChangesOf = (drafts: Drafts, route: Named): Pick<World, 'draft' | 'pending' | 'payload'> => {
  const [draft, ...pending] = changedDrafts(drafts).filter(({ opened }) => !isSameRoute(opened, route))
  return { draft, pending, payload: undefined }
}
