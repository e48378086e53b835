/** Opens a route for editing: reads the text that holds the route, and finds the route in it. */

import type { Loaded } from '../../config/load.ts'
import { textOfFile } from '../../config/writing/replace-text.ts'
import { parseSource } from '../../config/yaml/source.ts'
import { carryDigits } from '../../core/carried-numbers.ts'
import type { Path } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, valueAt } from '../../core/json.ts'
import { findRoute, readRoutes, subscriptionsFile } from '../../datadir/routes.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { readSubscriptionDraft } from '../../operate/routes/edit-subscription.ts'
import type { NamedRoute } from '../service.ts'
import type { OpenedRoute } from './route-draft.ts'

/**
 * Opens a route. Where `source` is not given, a configured route goes before a subscription of the same name. Throws a Fault when there is
 * no such route, its file cannot be read, or the route in it is not a map.
 */
export const openRoute = (workspace: Workspace, { name: asked, source: wanted }: NamedRoute): OpenedRoute => {
  if (wanted === 'subscription') return openSubscription(workspace, asked)
  const known = readRoutes(workspace)
  // A route with errors is opened, too, because the user mends the errors in the editor.
  const placeOf = (name: string) => placeOfRoute(workspace, known.loaded, name)
  const name = placeOf(asked) ? asked : findRoute(known, asked).name
  const place = placeOf(name)
  return place ? openConfigured(place.file, name, place.base) : openSubscription(workspace, name)
}

/** Returns where a configured route stands, also a route with errors; `undefined` where there is none whose settings are a map. */
export const placeOfRoute = (
  workspace: Workspace,
  { config, salvaged }: Pick<Loaded, 'config' | 'salvaged'>,
  name: string,
): Pick<OpenedRoute, 'file' | 'base'> | undefined => {
  const route = salvaged.find(({ route }) => route.name === name)?.route ?? config.routes.get(name)
  return route && { file: route.included ?? configFile(workspace), base: route.base }
}

/** Opens a subscription, whose text is its entry as YAML. Throws a Fault where there is no such subscription, or its entry is not a map. */
export const openSubscription = (workspace: Workspace, asked: string): OpenedRoute => {
  const { name, text } = readSubscriptionDraft(workspace, asked)
  const written = carryDigits(parseSource(name, text).source?.data ?? {})
  return {
    name,
    source: 'subscription',
    file: subscriptionsFile(workspace),
    text,
    base: [],
    written: isObject(written) ? written : {},
    isNew: false,
  }
}

/**
 * Opens the route at the path `base` of a file of the configuration, whose text may be given. Throws a Fault where the text is not YAML, or
 * the route in it is not a map.
 */
export const openConfigured = (file: string, name: string, base: Path, text = textOfFile(file)): OpenedRoute => {
  const { source, diagnostics } = parseSource(file, text)
  if (!source) {
    const [problem] = diagnostics
    throw new Fault('unreadable', `${file}:${problem?.place?.line ?? 1}: ${problem?.message ?? 'it cannot be read'}`, {
      exitCode: exit.conflict,
    })
  }
  const written = valueAt(carryDigits(source.data), base)
  if (isObject(written)) return { name, source: 'config', file, text, base, written, isNew: false }
  throw new Fault('not_a_map', `the route "${name}" is not a map of settings in ${file}`, {
    exitCode: exit.conflict,
    hint: 'write it in $EDITOR',
  })
}
