/** Reports keys that the schema describes and this version does not read yet. Those of a route are errors (src/plan/route-rules.ts). */

import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { mapWhere } from './schema-walk.ts'
import type { Source } from './yaml/source.ts'

const ofRoute = (path: Path): boolean => path[0] === 'platforms' && path.includes('routes')

/** A WH221 for each such key in `data`, which is at `base` in its file. */
export const checkPlannedKeys = (schema: JsonObject, data: Json, source: Pick<Source, 'place'>, base: Path = []): Diagnostic[] => {
  const found: Diagnostic[] = []
  mapWhere('x-unbuilt', schema, data, (node, value, path) => {
    if (ofRoute(path) || (isObject(value) && Object.keys(value).length === 0)) return value
    const full = [...base, ...path]
    const message = `"${full.at(-1)}" has no effect in this version (planned: ${node['x-unbuilt']})`
    found.push(
      diagnostic('WH221', message, {
        pointer: pointerOf(full),
        place: source.place(full, 'key'),
        help: 'remove it, or leave it for a later version',
      }),
    )
    return value
  })
  return found
}
