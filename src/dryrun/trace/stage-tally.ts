/** Counts at which stage of their route the latest events ended, and how, for the page of routes in the browser console. */

import { definition } from '../../config/schema-walk.ts'
import type { JsonObject } from '../../core/json.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import type { Workspace } from '../../datadir/workspace.ts'

/** The events that ended at a stage with an outcome. */
type StageCount = { readonly stage: string; readonly outcome: string; readonly count: number }

/** The counts of each route that has events, by its name. `events`: how many of the latest events were looked at. */
export type StageTally = { readonly events: number; readonly routes: { readonly [route: string]: readonly StageCount[] } }

const maxEvents = 10_000

export const readStageTally = async (workspace: Workspace): Promise<StageTally> => {
  const { events } = await withRecords(workspace, (records) => records.events({ fits: () => true, limit: maxEvents }))
  const routes = new Map<string, Map<string, StageCount>>()
  for (const { route, stage, outcome } of events) {
    if (route === '' || stage === undefined) continue
    const counts = routes.get(route) ?? new Map<string, StageCount>()
    const key = `${stage} ${outcome}`
    counts.set(key, { stage, outcome, count: (counts.get(key)?.count ?? 0) + 1 })
    routes.set(route, counts)
  }
  return { events: events.length, routes: Object.fromEntries([...routes].map(([route, counts]) => [route, [...counts.values()]])) }
}

const route = definition('Route')
const pipeline = route['x-pipeline'] as readonly string[]
/**
 * The stages that are always listed. Other stages that every route has, such as `json`, are listed only where events ended at them.
 */
const always: ReadonlySet<string> = new Set(['signature', 'dispatch'])

/** Returns the stages to list for a route, in the order of the pipeline: those that its keys switch on, `always`, and `ended`. */
export const stagesOfRoute = (spec: JsonObject, ended: readonly string[]): readonly string[] => {
  const keys = route.properties as { readonly [key: string]: JsonObject }
  const used = new Set([...ended, ...Object.keys(spec).map((key) => keys[key]?.['x-stage'])])
  return pipeline.filter((stage) => always.has(stage) || used.has(stage))
}
