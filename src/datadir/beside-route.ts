/** Finds the lists and scripts on which a route depends, beside the file of its configuration. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config, RouteSource } from '../config/config.ts'
import { isObject, type Json } from '../core/json.ts'
import { inFile } from '../parts/operators/in-file.ts'

/**
 * Returns the list files of a route's `in_file` conditions, and the folder of its script, because a script may read other files of that
 * folder. Missing files are returned too, because the user may still make them.
 */
export const filesBesideRoute = ({ profile, spec }: RouteSource, config: Config): readonly string[] => {
  const dir = config.profiles.get(profile)?.dir ?? config.dataDir
  const lists = listsIn((spec.filters ?? []) as Json).map((list) => resolve(dir, list))
  if (typeof spec.script !== 'string') return lists
  const scripts = join(dir, 'scripts')
  return [...lists, existsSync(scripts) ? scripts : join(scripts, spec.script)]
}

/** Returns the paths in all `in_file` conditions within a value. */
const listsIn = (value: Json): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(listsIn)
  if (!isObject(value)) return []
  const { [inFile.name]: list, ...rest } = value
  return [...(typeof list === 'string' ? [list] : []), ...Object.values(rest).flatMap((each) => listsIn(each as Json))]
}
