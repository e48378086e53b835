/** Adds routes to the text of a `config.yaml` as new lines between its lines, which stay as they are; or says that this is not safe. */

import { editYaml } from '../../config/yaml/edit/edit.ts'
import type { NewMember } from '../../config/yaml/edit/yaml-edit.ts'
import { parseSource, type Source } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, own, valueAt } from '../../core/json.ts'

/** Returns the text with the new routes; `undefined` where the user must add the routes by hand. */
export const spliceRoutes = (file: string, text: string, routes: readonly NewMember[]): string | undefined => {
  const { source } = parseSource(file, text)
  const path = source && routesIn(source)
  const edited = path && editYaml(text, { kind: 'add', path, at: 0, members: routes })
  return edited?.ok ? edited.text : undefined
}

/**
 * Returns the path at which the file has its routes or would have them; `undefined` where new lines cannot be put in there, or would change
 * what the file means.
 */
const routesIn = (source: Source): Path | undefined => {
  const base: Path = ['platforms', 'webhook']
  const webhook = valueAt(source.data, base)
  const extra = valueAt(source.data, [...base, 'extra'])
  // The file has routes directly under `webhook`. New routes under `extra` would hide them.
  if (isObject(webhook) && isObject(extra) && isObject(own(webhook, 'routes'))) return undefined
  const settings = isObject(extra) ? [...base, 'extra'] : base
  const routes = [...settings, 'routes']
  return beginsBelow(source, isObject(valueAt(source.data, routes)) ? routes : settings) ? routes : undefined
}

/** Whether the first key of the map at a path is on a later line than the key of the map itself, so that lines can be put between. */
const beginsBelow = (source: Source, path: Path): boolean => {
  const map = valueAt(source.data, path)
  const [first] = isObject(map) ? Object.keys(map) : []
  return first !== undefined && source.place([...path, first], 'key').line > source.place(path, 'key').line
}
