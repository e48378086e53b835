/** Reads the routes for the first screen of an editor, with the findings about each route and the number of its recorded events. */

import { basename, relative } from 'node:path'
import { validate } from '../check/validate/validate.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import { carryDigits } from '../core/carried-numbers.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { withRecords } from '../datadir/records/open-records.ts'
import { describeRoute, type RouteEntry, readRoutes } from '../datadir/routes.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import { configFile, type Workspace } from '../datadir/workspace.ts'
import { maskJson } from '../secrets/mask.ts'
import { belongsToProfile } from './bound-routes.ts'
import type { Home, RouteRow } from './service.ts'

/** The most recorded events of all routes together that are counted, the newest first. */
const maxEvents = 1_000

/** Reads the routes of the profile; without `profile`, all routes. Throws a Fault when the subscriptions file is not usable. */
export const readHome = async (workspace: Workspace, finder: GatewayFinder, profile?: string): Promise<Home> => {
  const { routes: all, loaded } = readRoutes(workspace)
  const routes = all.filter(({ written }) => belongsToProfile(isObject(written) ? written : {}, profile))
  const validated = await validate(workspace, { paths: [], asked: false })
  const recorded = await countRecorded(workspace)
  const findingsOf = findingsByRoute(validated.diagnostics)
  const counted = (name: string, severity: string): number => findingsOf(name).filter((each) => each.severity === severity).length
  const gateway = await (await finder.find())?.status().catch(() => undefined)
  const heldRuns = new Map(gateway?.paused_routes?.map(({ route, held_runs: count }) => [route, count]))
  const rows = routes.map((each): RouteRow => {
    const { events, mode, deliver, description, enabled } = describeRoute(each, loaded.config)
    const last = recorded.get(each.name)
    return {
      name: each.name,
      source: each.source,
      ...(each.route?.included === undefined ? {} : { file: relative(workspace.dataDir, each.route.included) }),
      enabled: enabled !== false,
      ...pauseOf(each, heldRuns.get(each.name)),
      shadowed: each.shadowed,
      mode: String(mode),
      events: Array.isArray(events) ? events.map(String) : [],
      deliver: String(deliver),
      description: String(description),
      spec: isObject(each.written) ? (carryDigits(maskJson(each.written)) as JsonObject) : {},
      findings: shortened(findingsOf(each.name)),
      // A route that is not valid counts as one error where no finding names the route.
      errors: counted(each.name, 'error') + (each.route ? 0 : Number(counted(each.name, 'error') === 0)),
      warnings: counted(each.name, 'warning'),
      recorded: last?.count ?? 0,
      ...(last ? { lastAt: last.at } : {}),
    }
  })
  const isOfOtherProfile = (name: string): boolean =>
    loaded.salvaged.some(({ route }) => route.name === name && profile !== undefined && route.profile !== profile)
  const broken = brokenIn(all, validated.routes, findingsOf).filter(({ name }) => !isOfOtherProfile(name))
  // A mistake of syntax concerns the whole file, also where it is in a route.
  const problem = validated.diagnostics.find(
    ({ code, route, severity }) => severity === 'error' && (route === undefined || code === 'WH001'),
  )
  return {
    file: configFile(workspace),
    subscriptions: routes.filter(({ source }) => source === 'subscription').length,
    rows: [...rows, ...broken].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(gateway ? { gateway: gateway.url } : {}),
    ...(problem ? { problem: problemOf(problem, configFile(workspace)) } : {}),
  }
}

const pauseOf = ({ pause }: RouteEntry, heldRuns: number | undefined): Pick<RouteRow, 'pause'> =>
  pause ? { pause: { isHold: pause.isHold, ...(heldRuns === undefined ? {} : { heldRuns }) } } : {}

const problemOf = ({ code, message, place, help }: Diagnostic, otherwise: string): NonNullable<Home['problem']> => {
  const file = place?.file ?? otherwise
  const where = place ? `${basename(file)}:${place.line}:${place.column} ` : ''
  return { message: `${where}${code} ${[message, help].filter(Boolean).join(' - ')}`, file, line: place?.line ?? 1 }
}

const maxFindings = 8

const shortened = (all: readonly Diagnostic[]): RouteRow['findings'] =>
  all.slice(0, maxFindings).map(({ code, severity, message }) => ({ code, severity, message }))

const findingsByRoute = (all: readonly Diagnostic[]): ((name: string) => readonly Diagnostic[]) => {
  const found = new Map<string, Diagnostic[]>()
  for (const each of all) if (each.route !== undefined) found.set(each.route, [...(found.get(each.route) ?? []), each])
  return (name) => found.get(name) ?? []
}

/**
 * Returns the rows of configured routes whose shape or secret is wrong. `readRoutes` does not return such routes, so they are found in
 * `all`, the routes that were validated.
 */
const brokenIn = (
  entries: readonly RouteEntry[],
  all: readonly { readonly name: string; readonly file: string }[],
  findingsOf: (name: string) => readonly Diagnostic[],
): RouteRow[] => {
  const names = new Set(entries.map(({ name }) => name))
  return all
    .filter(({ name, file }) => !names.has(name) && basename(file) !== subscriptionsFileName)
    .map(({ name }) => ({
      name,
      source: 'config',
      enabled: true,
      shadowed: false,
      mode: '-',
      events: [],
      deliver: '-',
      description: '',
      spec: {},
      findings: shortened(findingsOf(name)),
      errors: 1,
      warnings: 0,
      recorded: 0,
    }))
}

/** Returns for each route the number of its recorded events, and the time of the latest in milliseconds since 1970. */
const countRecorded = async (workspace: Workspace): Promise<ReadonlyMap<string, { count: number; at: number }>> => {
  const recorded = new Map<string, { count: number; at: number }>()
  try {
    const { events } = await withRecords(workspace, (records) => records.events({ limit: maxEvents }))
    for (const { route, at } of events) {
      const before = recorded.get(route)
      recorded.set(route, { count: (before?.count ?? 0) + 1, at: Math.max(before?.at ?? 0, Date.parse(at)) })
    }
  } catch {
    // Where the records cannot be read, no event is counted, and the routes can still be edited.
  }
  return recorded
}
