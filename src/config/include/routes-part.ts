/** The routes of one file: those of `config.yaml`, or those of a file that it includes. */

import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Source } from '../yaml/source.ts'

export type RoutesPart = {
  /** The routes by name, with secrets resolved. They may have mistakes. */
  readonly written: { readonly [name: string]: Json | undefined }
  /** The routes before their secrets were resolved. */
  readonly raw: JsonObject
  readonly place: Source['place']
  /** The path of the routes in their file. */
  readonly base: Path
  /** The Diagnostics of the file's shape and secrets. */
  readonly found: readonly Diagnostic[]
  /** The pointers of the values that `found` is about, and of all values around these (`brokenPointers`). */
  readonly bad: ReadonlySet<string>
  /** The path of the included file; absent for `config.yaml`. */
  readonly included?: string
}

/** Makes a part of the map under `routes`; of any other value, which the shape check has reported, a part without routes. */
export const routesPart = (routes: Json | undefined, rest: Omit<RoutesPart, 'written'>): RoutesPart => ({
  written: typeof routes === 'object' && routes !== null && !Array.isArray(routes) ? (routes as JsonObject) : {},
  ...rest,
})

/**
 * Finds the names that stand in several files. Neither of two routes of one name may win, so the parts that are returned have none of
 * these. WH002 reports each, with both places.
 */
export const withoutTwins = (parts: readonly RoutesPart[]): { readonly parts: readonly RoutesPart[]; readonly found: Diagnostic[] } => {
  const first = new Map<string, RoutesPart>()
  const twins = new Set<string>()
  const found: Diagnostic[] = []
  for (const part of parts) {
    for (const name of Object.keys(part.written)) {
      const before = first.get(name)
      if (before) {
        twins.add(name)
        found.push(twinProblem(name, part, before))
      } else first.set(name, part)
    }
  }
  return { parts: twins.size === 0 ? parts : parts.map((part) => withoutNames(part, twins)), found }
}

const twinProblem = (name: string, part: RoutesPart, before: RoutesPart): Diagnostic => {
  const place = before.place([...before.base, name], 'key')
  const path = [...part.base, name]
  return diagnostic('WH002', `the route "${name}" stands in ${place.file}:${place.line}:${place.column}, too`, {
    route: name,
    pointer: pointerOf(path),
    place: part.place(path, 'key'),
    help: 'remove one of the two, or give it another name',
    related: [{ place, message: 'the other one' }],
  })
}

const withoutNames = (part: RoutesPart, names: ReadonlySet<string>): RoutesPart => ({
  ...part,
  written: Object.fromEntries(Object.entries(part.written).filter(([name]) => !names.has(name))),
})
