/** Finds the changes of a reload to the configured routes and to the sections around them, and whether the file looks as if it was cut off. */

import { basename, relative } from 'node:path'
import { type Config, defaultProfile } from '../config/config.ts'
import { type Diagnostic, diagnostic } from '../core/diagnostic.ts'
import type { RouteChanges } from '../core/facts/fact.ts'
import { equalJson, isObject, type Json, type JsonObject, own } from '../core/json.ts'

type Routes = Config['routes']

/** Returns the names of the routes that were added, changed and removed. */
export const routeChanges = (before: Routes, next: Routes): RouteChanges => ({
  added: [...next.keys()].filter((name) => !before.has(name)),
  changed: [...next.values()].flatMap(({ name, digest }) => {
    const old = before.get(name)
    return old && old.digest !== digest ? [name] : []
  }),
  removed: [...before.keys()].filter((name) => !next.has(name)),
})

/**
 * Returns the names of the sections outside of the routes that changed, such as `agent` and `platforms.slack`, with those of other profiles.
 * A file `.env` that changed is named as a section: many of its values stand in no section.
 */
export const changedSections = (before: Config, next: Config): readonly string[] => {
  const { platforms: old = {}, ...others } = before.sections
  const { platforms = {}, ...sections } = next.sections
  const ofProfiles = [...next.profiles.values()].flatMap(({ name, platforms }) =>
    name === defaultProfile
      ? []
      : differing(before.profiles.get(name)?.platforms ?? {}, platforms).map((each) => `${name}: platforms.${each}`),
  )
  const ofEnvironment = [...next.digests.keys()]
    .filter((file) => basename(file) === '.env' && next.digests.get(file) !== before.digests.get(file))
    .map((file) => relative(next.dataDir, file))
  const ofPlatforms = differing(asMap(old), asMap(platforms)).map((each) => `platforms.${each}`)
  return [...differing(others, sections), ...ofPlatforms, ...ofProfiles, ...ofEnvironment]
}

/** Returns the names of the members in which two maps differ. */
const differing = (before: JsonObject, next: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(next)])].filter((key) => !equalJson(own(before, key) ?? null, own(next, key) ?? null))

const asMap = (value: Json): JsonObject => (isObject(value) ? value : {})

/** Whether most routes are gone. A renamed route is both removed and added, so it does not count as gone. */
const isMostlyGone = ({ added, removed }: RouteChanges, before: Routes): boolean => (removed.length - added.length) * 2 > before.size

/**
 * Returns a Diagnostic where config.yaml became empty or most routes are gone: an editor, a full disk or a broken copy can leave such a
 * file. The reload is then refused unless the operator insists.
 */
export const lostRoutes = (before: Config, next: Config, changes: RouteChanges): Diagnostic[] => {
  const isEmptied = next.isEmpty && !before.isEmpty
  if (!isEmptied && !isMostlyGone(changes, before.routes)) return []
  const removed = `the reload would remove ${changes.removed.length} of ${before.routes.size} routes`
  const message = isEmptied ? `config.yaml is empty: ${removed}` : removed
  return [diagnostic('WH808', message, { help: 'look at the file; if it is as you want it: headgate gateway reload --force' })]
}
