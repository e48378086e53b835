/**
 * Reads the routes of the configuration and of the subscriptions, for the commands that show, test or change them. A route of `config.yaml`
 * with a mistake in its shape or in a secret is not among the routes: `loaded.salvaged` has that route.
 */

import { join } from 'node:path'
import { defaultProfile, insecure, type RouteSource } from '../config/config.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { readSubscription, subscriptionsFileName } from '../config/subscriptions.ts'
import { readEntries } from '../config/writing/entry-store.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, own, textOrEmpty } from '../core/json.ts'
import { nearest } from '../core/text.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { endings } from '../parts/endings/index.ts'
import { dispatchTargets } from '../parts/split/dispatch.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import { fingerprint, maskJson } from '../secrets/mask.ts'
import { type Pause, pausesFileName, pausesIn } from './paused-routes.ts'
import { type ListenSettings, listenerOf, routeUrl } from './route-address.ts'
import { withNeededSecrets } from './secrets/with-secrets.ts'
import { utcAt, withoutPast } from './subscription-record.ts'
import type { Warning } from './warning.ts'
import type { Workspace } from './workspace.ts'

export type RouteEntry = {
  readonly name: string
  readonly source: 'config' | 'subscription'
  /** The settings of the route as its file has them. Of configured routes, the secrets are resolved. */
  readonly written: Json
  /** Absent when the entry is not valid on its own. */
  readonly route?: RouteSource
  /** The entry is a subscription that a configured route of the same name hides. */
  readonly shadowed: boolean
  /** Present while `webhook pause` keeps the route from beginning runs. */
  readonly pause?: Pause | undefined
}

export type RouteEntries = { readonly loaded: Loaded; readonly routes: readonly RouteEntry[] }

export const subscriptionsFile = ({ dataDir }: { readonly dataDir: string }): string => join(dataDir, subscriptionsFileName)

/** Reads the routes. Throws a Fault when the subscriptions file is not usable. */
export const readRoutes = (workspace: Workspace): RouteEntries => {
  const loaded = loadConfig(workspace)
  const { config } = loaded
  const pauses = pausesIn(readEntries(join(config.dataDir, pausesFileName)))
  const configured = [...config.routes.values()].map((route): RouteEntry => {
    const { name, spec } = route
    return { name, source: 'config', written: spec as JsonObject, route, shadowed: false, pause: pauses.get(name) }
  })
  const place = () => ({ file: subscriptionsFile(config), line: 1, column: 1, endLine: 1, endColumn: 1 })
  const subscribed = Object.entries(readEntries(subscriptionsFile(config))).map(([name, stored]): RouteEntry => {
    const written = isObject(stored) ? withoutPast(stored) : stored
    const { route } = readSubscription(name, written, config, { place })
    const shadowed = config.routes.has(name)
    return { name, source: 'subscription', written, shadowed, pause: pauses.get(name), ...(route ? { route } : {}) }
  })
  return { loaded, routes: [...configured, ...subscribed] }
}

/** Reads the routes with the secrets of one of them, for which programs are asked. Throws Faults. */
export const readRoutesFor = async (workspace: Workspace, asked: string): Promise<RouteEntries> => {
  const entries = readRoutes(workspace)
  const { provided = [] } = findRoute(entries, asked).route ?? {}
  return provided.length === 0 ? entries : readRoutes(await withNeededSecrets(workspace, () => provided))
}

/** Returns the route of a name; a configured route comes before a subscription. Throws a Fault with similar names where there is none. */
export const findRoute = ({ routes }: RouteEntries, asked: string): RouteEntry => {
  const lower = asked.trim().toLowerCase().replaceAll(' ', '-')
  const found = routes.find(({ name }) => name === asked.trim()) ?? routes.find(({ name }) => name === lower)
  if (found) return found
  throw unknownRoute(
    asked,
    routes.map(({ name }) => name),
  )
}

export const unknownRoute = (asked: string, known: readonly string[], hint = 'headgate webhook list --all'): Fault =>
  new Fault('not_found', `no route "${asked}"`, { exitCode: exit.notFound, suggest: nearest(asked, known), hint })

/** Whether a route, as it is written, has secrets or public keys of its own. */
export const hasOwnKeys = (written: Json): boolean =>
  isObject(written) && ['secret', 'secrets', 'public_key'].some((key) => own(written, key) !== undefined)

/** Returns a route as `list` and `show` print it in JSON, without secrets. */
export const describeRoute = ({ name, source, written, route, shadowed, pause }: RouteEntry, reached: ListenSettings): JsonObject => {
  const spec = isObject(written) ? written : {}
  const profile = textOrEmpty(own(spec, 'profile')) || defaultProfile
  const events = own(spec, 'events')
  const [secret] = route?.secrets ?? []
  return {
    name,
    source,
    enabled: own(spec, 'enabled') !== false,
    paused: pauseWord(pause) ?? null,
    valid: route !== undefined,
    url: own(spec, 'address') === false ? null : routeUrl(reached, name, profile),
    profile,
    mode: endings.find(({ fits }) => fits(spec as Route))?.mode ?? null,
    events: Array.isArray(events) ? events : [],
    deliver: own(spec, 'dispatch') === undefined ? targetNamesOf(spec) : '',
    dispatch: route ? [...dispatchTargets(route.spec)] : [],
    secret:
      secret === undefined
        ? null
        : {
            from: hasOwnKeys(spec) ? 'route' : 'global',
            fingerprint: secret === insecure ? insecure : fingerprint(secret),
            ...(route?.overlap ? { overlap_until: utcAt(route.overlap.untilMs) } : {}),
          },
    description: textOrEmpty(own(spec, 'description')),
    shadowed,
    created_at: own(spec, 'created_at') ?? null,
    updated_at: own(spec, 'updated_at') ?? null,
  }
}

export type ListedRoute = { readonly route: RouteEntry; readonly described: JsonObject }

/** Returns the subscriptions, and with `all` the configured routes too. Throws a Fault as `readRoutes` does. */
export const listRoutes = (
  workspace: Workspace,
  all: boolean,
): { readonly routes: readonly ListedRoute[]; readonly warnings: readonly Warning[] } => {
  const { routes, loaded } = readRoutes(workspace)
  const listed = routes.filter(({ source }) => all || source === 'subscription')
  return {
    routes: listed.map((route) => ({ route, described: describeRoute(route, listenerOf(loaded.config, workspace)) })),
    warnings: listed.filter(({ shadowed }) => shadowed).map(shadowWarning),
  }
}

/** One route as `webhook show` prints it. `fields`: the settings as the file has them, with secrets masked. */
export type RouteDetail = ListedRoute & { readonly fields: Json; readonly warnings: readonly Warning[] }

/** Reads one route. Throws a Fault where there is no such route. */
export const readRouteDetail = (workspace: Workspace, asked: string): RouteDetail => {
  const routes = readRoutes(workspace)
  const route = findRoute(routes, asked)
  const described = describeRoute(route, listenerOf(routes.loaded.config, workspace))
  return { route, described, fields: maskJson(route.written), warnings: route.shadowed ? [shadowWarning(route)] : [] }
}

/**
 * Returns the names of the targets of a route or job, joined by commas. Where `deliver` is absent, or neither a text nor a list, returns
 * the default target.
 */
export const targetNamesOf = ({ deliver }: JsonObject): string => {
  const readable = typeof deliver === 'string' || Array.isArray(deliver) ? deliver : defaults.route.deliver
  return writtenTargets({ deliver: readable as NonNullable<Route['deliver']> })
    .map(({ target }) => target)
    .join(',')
}

export const shadowWarning = ({ name }: { readonly name: string }): Warning => ({
  code: 'WH211',
  message: `subscription "${name}" is hidden by the route of this name in config.yaml`,
})

/** Returns the state of a route in one word. */
export const routeState = ({ route, shadowed, written, pause }: RouteEntry): string => {
  if (shadowed) return 'shadowed'
  if (!route) return 'invalid'
  return isObject(written) && written.enabled === false ? 'disabled' : (pauseWord(pause) ?? 'enabled')
}

/** Returns what a pause does to the events of a route: they are `held` (kept for later), or refused (`paused`). */
const pauseWord = (pause: Pause | undefined): 'held' | 'paused' | undefined => pause && (pause.isHold ? 'held' : 'paused')
