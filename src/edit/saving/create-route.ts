/** Opens the draft of a new route of `config.yaml` for an editor. The file is not written before the route is saved. */

import { loadConfig } from '../../config/load.ts'
import { textOfFile } from '../../config/writing/replace-text.ts'
import { parseSource } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject, valueAt } from '../../core/json.ts'
import { routeNamePattern } from '../../core/names.ts'
import { readRoutes } from '../../datadir/routes.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { keyWanted, withKey } from '../../operate/routes/wanted-key.ts'
import { containsMask } from '../../secrets/mask.ts'
import { belongsToProfile } from '../bound-routes.ts'
import { openRoute } from '../draft/open-route.ts'
import type { OpenedRoute } from '../draft/route-draft.ts'
import { routeLike } from '../route-like.ts'
import type { NewRoute } from '../service.ts'

/**
 * Opens the draft of a new route. `clone`, `like`: the route to copy, or the sample or event to make the route of. `profile`: the profile
 * that the route shall belong to. Throws a Fault where `config.yaml` cannot be read, where the name is not valid or is taken, and where
 * there is no such route, sample or event.
 */
export const createRoute = async (workspace: Workspace, { name: asked, ...begin }: NewRoute, profile?: string): Promise<OpenedRoute> => {
  const name = asked.trim()
  if (!routeNamePattern.test(name))
    throw usage(`"${name}" cannot be a name`, 'use letters, digits, dot, underscore and hyphen; at most 64, the first a letter or digit')
  const file = configFile(workspace)
  const text = textOfFile(file)
  const { source, diagnostics } = parseSource(file, text)
  const [problem] = diagnostics
  if (!source || problem)
    throw new Fault('unreadable', `${file}:${problem?.place?.line ?? 1}: ${problem?.message ?? 'it cannot be read'}`, {
      exitCode: exit.conflict,
    })
  const data = isObject(source.data) ? source.data : {}
  const base = [...routesPath(data), name]
  refuseTaken(workspace, name, valueAt(data, base))
  const written = await initialSettings(workspace, name, begin)
  const bound = belongsToProfile(written, profile) ? written : { ...written, profile: profile as string }
  return { name, source: 'config', file, text, base, written: bound, isNew: true }
}

const webhook: Path = ['platforms', 'webhook']

/**
 * Returns the path at which a file has its routes, or would have them. A file has the settings of the adapter either under
 * `platforms.webhook.extra` or directly under `platforms.webhook`.
 */
const routesPath = (data: JsonObject): Path => {
  const underExtra = valueAt(data, [...webhook, 'extra'])
  const direct = valueAt(data, webhook)
  if (isObject(underExtra) && Object.hasOwn(underExtra, 'routes')) return [...webhook, 'extra', 'routes']
  const isDirect =
    isObject(direct) && (Object.hasOwn(direct, 'routes') || (underExtra === undefined && Object.keys(direct).some(isSetting)))
  return isDirect ? [...webhook, 'routes'] : [...webhook, 'extra', 'routes']
}

/** Whether a key of `platforms.webhook` is an adapter's setting that could stand under `extra` as well. */
const isSetting = (key: string): boolean => key !== 'enabled'

/** Throws a Fault where a route or subscription has the name already. `inFile`: what the file has at the path of the new route. */
const refuseTaken = (workspace: Workspace, name: string, inFile: Json | undefined): void => {
  const known = readRoutes(workspace).routes.find((route) => route.name === name)
  if (inFile === undefined && !known) return
  const what = known?.source === 'subscription' ? 'a subscription' : 'a route'
  throw new Fault('exists', `there is ${what} "${name}" already`, { exitCode: exit.conflict, hint: 'give another name' })
}

/** The keys that a clone does not get. A secret is for one route, toolsets are set by hand, and time stamps belong to a subscription. */
const uncopiedKeys: ReadonlySet<string> = new Set(['secret', 'secrets', 'overlap', 'toolsets', 'created_at', 'updated_at'])

const cloned = (written: JsonObject): JsonObject =>
  withoutMasks(Object.fromEntries(Object.entries(written).filter(([key]) => !uncopiedKeys.has(key)))) as JsonObject

/** Removes masks, which stand for hidden secrets and are not values. */
const withoutMasks = (value: Json): Json => {
  const isKept = (item: Json): boolean => typeof item !== 'string' || !containsMask(item)
  if (Array.isArray(value)) return value.filter(isKept).map(withoutMasks)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, item]) => isKept(item))
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutMasks(item)]))
}

/**
 * Returns the settings that the new route begins with: those of the route `clone`, those that fit the sample or event `like` with a
 * reference to the sender's key, or none.
 */
const initialSettings = async (
  workspace: Workspace,
  name: string,
  { clone, like }: Pick<NewRoute, 'clone' | 'like'>,
): Promise<JsonObject> => {
  if (clone !== undefined) return cloned(openRoute(workspace, { name: clone }).written)
  if (like === undefined) return {}
  const settings = await routeLike(workspace, like)
  return withKey(settings, keyWanted(name, settings, loadConfig(workspace).config))
}
