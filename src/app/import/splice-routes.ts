/** Puts routes into a `config.yaml` without touching a character of what is there; where that is not sure to be right, it does nothing. */

import { parseSource, type Source } from '../../config/yaml/source.ts'
import type { Path } from '../../core/diagnostic.ts'
import { equalJson, isObject, type Json, type JsonObject, own } from '../../core/json.ts'

/** Where lines go in: before this line (0-based), with this indent, and `head` above the routes. */
type Opening = { readonly line: number; readonly indent: number; readonly head: string; readonly path: Path }

/** The new text; `undefined` where the routes must be put in by hand. `render` writes them with an indent. */
export const spliceRoutes = (file: string, text: string, routes: JsonObject, render: (indent: number) => string): string | undefined => {
  const { source } = parseSource(file, text)
  const opening = source && openingIn(source, text)
  if (!source || !opening) return undefined
  const { line, indent, head, path } = opening
  const lines = text.split('\n')
  const added = `${head}${render(indent)}`
  const spliced = `${lines.slice(0, line).join('\n')}\n${added}${lines.slice(line).join('\n')}`
  const after = parseSource(file, spliced).source?.data
  return after !== undefined && equalJson(after, merged(source.data, path, routes)) ? spliced : undefined
}

/** The first line below `routes:`, or below `extra:` or `webhook:` where there are no routes yet. */
const openingIn = (source: Source, text: string): Opening | undefined => {
  const base: Path = ['platforms', 'webhook']
  const webhook = at(source.data, base)
  const extra = at(source.data, [...base, 'extra'])
  const settings = isObject(extra) ? [...base, 'extra'] : base
  const routes = [...(isObject(webhook) && !isObject(extra) ? base : settings), 'routes']
  // Those beside "extra" would be hidden by routes inside it.
  if (isObject(webhook) && isObject(extra) && isObject(own(webhook, 'routes'))) return undefined
  if (isObject(at(source.data, routes))) return below(source, text, routes, '')
  const found = below(source, text, settings, '')
  return found && { ...found, head: `${' '.repeat(found.indent)}routes:\n`, indent: found.indent + 2, path: routes }
}

/** Below a key whose map begins on a line of its own. */
const below = (source: Source, text: string, path: Path, head: string): Opening | undefined => {
  const map = at(source.data, path)
  const [first] = isObject(map) ? Object.keys(map) : []
  if (first === undefined) return undefined
  const key = source.place(path, 'key')
  const member = source.place([...path, first], 'key')
  const line = text.split('\n')[key.line - 1] ?? ''
  const isBlock = member.line > key.line && /:\s*(?:#.*)?$/.test(line)
  return isBlock ? { line: key.line, indent: member.column - 1, head, path } : undefined
}

const at = (data: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (isObject(value) ? own(value, String(key)) : undefined), data)

const merged = (data: Json, [key, ...rest]: Path, routes: JsonObject): JsonObject => {
  const map = isObject(data) ? data : {}
  return key === undefined ? { ...map, ...routes } : { ...map, [key]: merged(own(map, String(key)) ?? {}, rest, routes) }
}
