/** Pauses and resumes routes, those of `config.yaml` and subscriptions, whether or not a gateway runs. */

import { join } from 'node:path'
import { readEntries } from '../../config/writing/entry-store.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, isObject, type JsonObject, own } from '../../core/json.ts'
import { changeEntries } from '../../datadir/entries/change-entries.ts'
import { pausesFileName } from '../../datadir/paused-routes.ts'
import { findRoute, type RouteEntry, readRoutes } from '../../datadir/routes.ts'
import { utcNow } from '../../datadir/subscription-record.ts'
import type { Workspace } from '../../datadir/workspace.ts'

/** `changed`: `false` where the route was as asked already. */
export type PausedRoute = { readonly name: string; readonly changed: boolean }

/**
 * Pauses a route. `hold`: its events are accepted, and their runs wait until the route is resumed. Throws a Fault for an unknown name, and
 * where a route without runs of its own is to hold runs.
 */
export const pauseRoute = async (workspace: Workspace, asked: string, hold: boolean): Promise<PausedRoute> => {
  const route = findRoute(readRoutes(workspace), asked)
  if (hold) refuseWithoutRuns(route)
  const { name } = route
  const changed = await changeEntries(workspace, pausesFile(workspace), (entries) => {
    const before = own(entries, name)
    const since = (isObject(before) && own(before, 'paused_at')) || utcNow()
    const entry: JsonObject = { ...(hold ? { hold } : {}), paused_at: since }
    return equalJson(before ?? null, entry) ? { result: false } : { entries: { ...entries, [name]: entry }, result: true }
  })
  return { name, changed }
}

/** Resumes a route, also where there is no route of the name any more. Throws a Fault for a name that is neither a route nor paused. */
export const resumeRoute = async (workspace: Workspace, asked: string): Promise<PausedRoute> => {
  const file = pausesFile(workspace)
  const name = own(readEntries(file), asked) === undefined ? findRoute(readRoutes(workspace), asked).name : asked
  const changed = await changeEntries(workspace, file, (entries) => {
    const { [name]: paused, ...others } = entries
    return paused === undefined ? { result: false } : { entries: others, result: true }
  })
  return { name, changed }
}

const pausesFile = ({ dataDir }: Workspace): string => join(dataDir, pausesFileName)

const refuseWithoutRuns = ({ name, written }: RouteEntry): void => {
  const key = isObject(written) ? (['deliver_only', 'cron_job'] as const).find((each) => own(written, each)) : undefined
  // The message of a `deliver_only` route with `retry` is a run, and can be held as one.
  if (key === undefined || (key === 'deliver_only' && isObject(written) && own(written, 'retry'))) return
  const hint =
    key === 'cron_job' ? 'pause its job: headgate cron pause' : 'with retry it can, and without --hold its senders are asked to repeat'
  throw new Fault('no_runs', `"${name}" has ${key}: its work cannot be held`, { exitCode: exit.usage, hint })
}
