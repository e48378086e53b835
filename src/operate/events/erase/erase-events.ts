/**
 * Erases events everywhere the gateway keeps them: their runs and groups, what sessions have of them, their records, raw requests, prompts
 * and replies. The plan of an erasure is first written to a file, so that the next erasure can finish an erasure that was interrupted.
 */

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../config/writing/replace-file.ts'
import { type JsonObject, parseObject } from '../../../core/json.ts'
import type { GatewayFinder } from '../../../datadir/running-gateway.ts'
import type { Workspace } from '../../../datadir/workspace.ts'
import type { EventView } from '../../../journal/record.ts'
import { callbackEventId } from '../../../runs/callback.ts'
import { type ErasingStore, withErasingStore } from './erasing-store.ts'

/** The number of events, of runs that waited and were ended, and the ids of the events whose runs are in progress, which were left. */
export type Erasing = { readonly erased: number; readonly runsEnded: number; readonly running: readonly string[] }

/** The most events that are chosen for one step, and the most runs that a store erases at once. */
export const maxErasedAtOnce = 1_000

/**
 * What an erasure has to erase: events, groups by the ids of the events that opened them, and further events whose runs had texts of these
 * events (`carriers`). `items`: the ids of items of split requests, each with the id of its request.
 */
type Plan = {
  readonly ids: readonly string[]
  readonly groups: readonly string[]
  readonly carriers: readonly string[]
  readonly items: readonly (readonly [item: string, request: string])[]
}

const planFile = (dataDir: string): string => join(dataDir, 'state', 'erasing.json')

/** Finishes an erasure that was interrupted. `undefined`: none was. */
export const finishErasure = async (workspace: Workspace, finder: GatewayFinder): Promise<Erasing | undefined> => {
  const file = planFile(workspace.dataDir)
  if (!existsSync(file)) return undefined
  const plan = parseObject(readFileSync(file, 'utf8')) as Partial<Plan> | undefined
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [])
  const pairs = (list: unknown): Plan['items'] =>
    (Array.isArray(list) ? list.map(texts) : []).flatMap(([item, request]) => (item && request ? [[item, request]] : []))
  const { ids, groups, carriers, items } = plan ?? {}
  return erase(workspace, finder, { ids: texts(ids), groups: texts(groups), carriers: texts(carriers), items: pairs(items) }, true)
}

/** Erases events. Throws a Fault where the store cannot be opened. */
export const eraseEvents = (workspace: Workspace, finder: GatewayFinder, views: readonly EventView[]): Promise<Erasing> => {
  const plan = {
    ids: views.map(({ event_id: id }) => id),
    // The name of a group is the id of the event that opened it.
    groups: [...new Set(views.flatMap(({ event_id: id, group }) => (group === undefined ? id : [id, group])))],
    carriers: [],
    items: views.flatMap(({ event_id: id, batch_of: of }) => (of === undefined ? [] : ([[id, of]] as const))),
  }
  return erase(
    workspace,
    finder,
    plan,
    views.some(({ state }) => state === 'waiting'),
  )
}

/** Erases the runs of any number of events, at most a thousand at a time. */
const eraseAllRuns = async (eraseRuns: ErasingStore['eraseRuns'], { ids, groups }: Pick<Plan, 'ids' | 'groups'>) => {
  const all = { events: [] as string[], ended: 0, running: [] as string[] }
  for (let at = 0; at < Math.max(ids.length, groups.length); at += maxErasedAtOnce) {
    const end = at + maxErasedAtOnce
    const { events, ended, running } = await eraseRuns({ ids: ids.slice(at, end), groups: groups.slice(at, end) })
    all.events.push(...events)
    all.running.push(...running)
    all.ended += ended
  }
  return all
}

/**
 * Erases what a plan names, and removes the file of the plan at the end. `mayBeLate`: the records may not yet have the ends of all events.
 */
const erase = async (workspace: Workspace, finder: GatewayFinder, plan: Plan, mayBeLate: boolean): Promise<Erasing> => {
  const file = planFile(workspace.dataDir)
  const keepPlan = (kept: Plan): Promise<void> => replaceFile(file, JSON.stringify(kept as unknown as JsonObject))
  await keepPlan(plan)
  const erasing = await withErasingStore(workspace, finder, async ({ eraseRuns, eraseRecords }) => {
    // The end of an event's run may have been reported to a callback. The run that reported it has the reply, under an event id of its own.
    const reported = new Map(plan.ids.map((id) => [callbackEventId(id), id]))
    // Runs are erased before records. So no further attempt can write a record after its event was erased.
    const runs = await eraseAllRuns(eraseRuns, { ids: [...plan.ids, ...reported.keys()], groups: plan.groups })
    const running = new Set(runs.running.map((id) => reported.get(id) ?? id))
    // The request of an item stays while the item's run is in progress, so that the next erasure finds the item by its fields.
    const left = new Set([...running, ...plan.items.flatMap(([item, request]) => (running.has(item) ? request : []))])
    const ids = plan.ids.filter((id) => !left.has(id))
    const carriers = [...plan.carriers, ...runs.events.filter((id) => !ids.includes(id) && !reported.has(id))]
    await keepPlan({ ...plan, ids, carriers })
    const erased = { ids: new Set([...ids, ...ids.map(callbackEventId)]), groups: new Set(plan.groups), carriers: new Set(carriers) }
    // A session has the messages of a group's run under the id of the event that carried the run.
    const ended = [...(await eraseRecords(erased, mayBeLate))].filter((id) => !erased.ids.has(id))
    await eraseAllRuns(eraseRuns, { ids: ended, groups: [] })
    return { erased: ids.length, runsEnded: runs.ended, running: [...running] }
  })
  rmSync(file)
  return erasing
}
