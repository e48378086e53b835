/** The unsaved changes of several routes: the changes of the open route, and the changes of routes that were open before it. */

import { isModified, type OpenedRoute, type RouteDraft } from '../../edit/draft/route-draft.ts'
import type { World } from './screen.ts'

/** The open draft, and the changed drafts of other routes, which wait to be saved. */
export type Drafts = Pick<World, 'draft' | 'pending'>

/** The name and source of a route. Both count, because a subscription may have the name of the route that hides it. */
type RouteIdentity = Pick<OpenedRoute, 'name' | 'source'>

export const isSameRoute = (a: RouteIdentity, b: RouteIdentity): boolean => a.name === b.name && a.source === b.source

/** Returns every draft with unsaved changes, the draft that was changed last first. */
export const changedDrafts = ({ draft, pending = [] }: Drafts): readonly RouteDraft[] =>
  [...(draft ? [draft] : []), ...pending].filter(isModified)

/** Returns the draft of a route if the draft has unsaved changes. */
export const changesOf = (drafts: Drafts, route: RouteIdentity): RouteDraft | undefined =>
  changedDrafts(drafts).find(({ opened }) => isSameRoute(opened, route))

/**
 * Opens a draft. The draft that was open waits among `pending` if it has unsaved changes. A payload that was chosen for another route is
 * dropped.
 */
export const withOpen = (drafts: Drafts, draft: RouteDraft): Pick<World, 'draft' | 'pending' | 'payload'> => ({
  draft,
  pending: changedDrafts(drafts).filter(({ opened }) => !isSameRoute(opened, draft.opened)),
  ...(drafts.draft?.opened.name === draft.opened.name ? {} : { payload: undefined }),
})

/** Drops the changes of a route. Of the drafts that are left, the one that was changed last is opened. */
export const withoutChangesOf = (drafts: Drafts, route: RouteIdentity): Pick<World, 'draft' | 'pending' | 'payload'> => {
  const [draft, ...pending] = changedDrafts(drafts).filter(({ opened }) => !isSameRoute(opened, route))
  return { draft, pending, payload: undefined }
}
