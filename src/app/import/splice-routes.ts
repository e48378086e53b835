/** Adds routes to a `config.yaml` without changing a character of its text. Where that is not safe, it does nothing. */

import { editYaml } from '../../config/yaml/edit/edit.ts'
import type { NewMember } from '../../config/yaml/edit/yaml-edit.ts'
import { parseSource, type Source } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, own, valueAt } from '../../core/json.ts'

/** Returns the new text; `undefined` where the user must add the routes by hand. */
export const spliceRoutes = (file: string, text: string, routes: readonly NewMember[]): string | undefined => {
  const { source } = parseSource(file, text)
  const path = source && routesIn(source)
  const edited = path && editYaml(text, { kind: 'add', path, at: 0, members: routes })
  return edited?.ok ? edited.text : undefined
}

/** Returns the path of the routes; `undefined` where the settings around them do not stand on lines of their own. */
const routesIn = (source: Source): Path | undefined => {
  const base: Path = ['platforms', 'webhook']
  const webhook = valueAt(source.data, base)
  const extra = valueAt(source.data, [...base, 'extra'])
  // New routes inside "extra" would hide the routes beside it.
  if (isObject(webhook) && isObject(extra) && isObject(own(webhook, 'routes'))) return undefined
  const settings = isObject(extra) ? [...base, 'extra'] : base
  const routes = [...settings, 'routes']
  return beginsBelow(source, isObject(valueAt(source.data, routes)) ? routes : settings) ? routes : undefined
}

/** Whether the map at a path begins on a line of its own. */
const beginsBelow = (source: Source, path: Path): boolean => {
  const map = valueAt(source.data, path)
  const [first] = isObject(map) ? Object.keys(map) : []
  return first !== undefined && source.place([...path, first], 'key').line > source.place(path, 'key').line
}
