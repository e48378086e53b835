/**
 * Erases events everywhere the gateway keeps them: their runs and groups, what sessions have of them, their records, raw requests, prompts
 * and replies. What is to be erased is written down first, so that an erasure that is broken off is brought to its end by the next.
 */

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../config/writing/replace-file.ts'
import { type JsonObject, parseObject } from '../../../core/json.ts'
import type { EventView } from '../../../journal/record.ts'
import type { GatewayFinder } from '../../running-gateway.ts'
import type { Workspace } from '../../workspace.ts'
import { withErasingStore } from './erasing-store.ts'

/** The number of events, of runs that waited and were ended, and the ids of the events whose runs are in progress, which were left. */
export type Erasing = { readonly erased: number; readonly runsEnded: number; readonly running: readonly string[] }

/** The most events that are erased in one step. */
export const maxErasedAtOnce = 1_000

type Plan = { readonly ids: readonly string[]; readonly groups: readonly string[]; readonly carriers: readonly string[] }

const planFile = (dataDir: string): string => join(dataDir, 'state', 'erasing.json')

/** Brings an erasure to its end that was broken off. `undefined`: there is none. */
export const finishErasure = async (workspace: Workspace, finder: GatewayFinder): Promise<Erasing | undefined> => {
  const file = planFile(workspace.dataDir)
  if (!existsSync(file)) return undefined
  const plan = parseObject(readFileSync(file, 'utf8')) as Partial<Plan> | undefined
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [])
  return erase(workspace, finder, { ids: texts(plan?.ids), groups: texts(plan?.groups), carriers: texts(plan?.carriers) }, true)
}

/** Erases at most `maxErasedAtOnce` events. Throws a Fault where the store cannot be opened. */
export const eraseEvents = (workspace: Workspace, finder: GatewayFinder, views: readonly EventView[]): Promise<Erasing> => {
  const plan = {
    ids: views.map(({ event_id: id }) => id),
    // The event that opens a group has its own id as the name of the group.
    groups: [...new Set(views.flatMap(({ event_id: id, group }) => (group === undefined ? id : [id, group])))],
    carriers: [],
  }
  return erase(
    workspace,
    finder,
    plan,
    views.some(({ state }) => state === 'waiting'),
  )
}

/** `mayBeLate`: the records may not yet have the ends of all events. */
const erase = async (workspace: Workspace, finder: GatewayFinder, plan: Plan, mayBeLate: boolean): Promise<Erasing> => {
  const file = planFile(workspace.dataDir)
  const keepPlan = (kept: Plan): Promise<void> => replaceFile(file, JSON.stringify(kept as unknown as JsonObject))
  await keepPlan(plan)
  const erasing = await withErasingStore(workspace, finder, async ({ eraseRuns, eraseRecords }) => {
    // Runs are erased before records. So no further attempt can write a record after its event was erased.
    const runs = await eraseRuns({ ids: [...plan.ids], groups: [...plan.groups] })
    const running = new Set(runs.running)
    const ids = plan.ids.filter((id) => !running.has(id))
    const carriers = [...plan.carriers, ...runs.events.filter((id) => !ids.includes(id))]
    await keepPlan({ ...plan, ids, carriers })
    const erased = { ids: new Set(ids), groups: new Set(plan.groups), carriers: new Set(carriers) }
    // A session has the messages of a group's run under the id of the event that carried the run.
    const ended = [...(await eraseRecords(erased, mayBeLate))].filter((id) => !erased.ids.has(id))
    while (ended.length > 0) await eraseRuns({ ids: ended.splice(0, maxErasedAtOnce), groups: [] })
    return { erased: ids.length, runsEnded: runs.ended, running: runs.running }
  })
  rmSync(file)
  return erasing
}
