/** Places the Diagnostics of a route in its file. */

import type { RouteSource } from '../config/config.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'

/** Makes a Diagnostic at a path into a route. */
export const problemAt = (route: RouteSource, code: Diagnostic['code'], path: Path, message: string, help: string): Diagnostic => {
  const full = [...route.base, ...path]
  return diagnostic(code, message, {
    route: route.name,
    pointer: pointerOf(full),
    place: route.place(full),
    help,
  })
}
