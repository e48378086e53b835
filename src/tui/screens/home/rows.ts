/** The rows of the list of routes: every route of the files, as it will be once the unsaved changes are saved. */

import { targetsIn } from '../../../edit/draft/deliver-steps.ts'
import { isRemoved, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import { modeOf } from '../../../edit/form.ts'
import type { RouteRow } from '../../../edit/service.ts'
import { type Narrowing, rowsThatFit } from '../../model/narrowing.ts'
import { changedDrafts, isSameRoute } from '../../model/pending.ts'
import type { World } from '../../model/screen.ts'

/** A route in the list. `change`: what saving would do to the route; `undefined` if the route has no unsaved changes. */
export type RouteLine = RouteRow & { readonly change?: 'new' | 'changed' | 'deleted' | 'switched on' | 'switched off' }

/** Returns the rows that match the search. */
export const routeLines = ({ search: { text } }: Pick<Narrowing, 'search'>, world: World): readonly RouteLine[] =>
  rowsThatFit(allRows(world), text, ({ name, deliver, description }) => `${name} ${deliver} ${description}`)

const allRows = (world: World): readonly RouteLine[] => {
  const rows = world.home?.rows ?? []
  const changed = changedDrafts(world)
  if (changed.length === 0) return rows
  const draftOf = (row: RouteRow): RouteDraft | undefined => changed.find(({ opened }) => isSameRoute(opened, row))
  const known = rows.map((row) => {
    const draft = draftOf(row)
    return draft ? lineAfterSave(row, draft) : row
  })
  const added = changed.filter(({ opened }) => !rows.some((row) => isSameRoute(opened, row)))
  return [...known, ...added.map((draft) => lineAfterSave(emptyRow(draft), draft))].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const lineAfterSave = (row: RouteRow, draft: RouteDraft): RouteLine => {
  const { spec } = draft
  const enabled = spec.enabled !== false
  const events = Array.isArray(spec.events) ? spec.events.map(String) : []
  const mode = modeOf(spec)
  const deliver = mode === 'dispatch' ? [] : targetsIn(spec).map(({ target }) => target)
  return { ...row, spec, enabled, events, mode, deliver: deliver.join(','), change: changeOf(row, draft) }
}

const changeOf = (row: RouteRow, draft: RouteDraft): NonNullable<RouteLine['change']> => {
  if (isRemoved(draft)) return 'deleted'
  if (draft.opened.isNew) return 'new'
  const enabled = draft.spec.enabled !== false
  return enabled === row.enabled ? 'changed' : enabled ? 'switched on' : 'switched off'
}

const emptyRow = ({ opened: { name, source } }: RouteDraft): RouteRow => ({
  name,
  source,
  enabled: true,
  shadowed: false,
  mode: '',
  events: [],
  deliver: '',
  description: '',
  spec: {},
  findings: [],
  errors: 0,
  warnings: 0,
  recorded: 0,
})
