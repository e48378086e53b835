/** The result of an import: routes, settings, variables for `.env`, and the parts of the source that could not be carried over. */

import type { Path, SourceRange } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { EnvLine } from './env-lines.ts'

export type LeftOut = {
  /** The place of the part in the source. */
  readonly place: SourceRange
  /** The route that lacks the part; absent for a part that concerns the whole file. */
  readonly route?: string
  /** The path of the part inside its hook, its route or the settings around the routes: `trigger-rule.and.0`. */
  readonly what: string
  readonly reason: string
  /** What the user can do instead. */
  readonly todo: string
  /** Whether the route without the part would accept requests that the source refuses. Then the route is written with `enabled: false`. */
  readonly acceptsMore: boolean
}

export type ImportedRoute = {
  readonly name: string
  readonly spec: JsonObject
  /** Notes about the import, which stand in comments above the route. */
  readonly notes: readonly string[]
  /** Returns the place in the source that a key of the route comes from; for a hook of adnanh/webhook, the place of the whole hook. */
  readonly at: (path: Path) => SourceRange
}

export type Imported = {
  /** The settings of `platforms.webhook.extra`, without `routes`. */
  readonly settings: JsonObject
  /** Notes about all routes, which stand in comments at the top of the file. */
  readonly notes: readonly string[]
  /** Whether the source serves several profiles, so that a route may belong to one. */
  readonly multiplex: boolean
  readonly routes: readonly ImportedRoute[]
  readonly env: readonly EnvLine[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * Reports a part that is left out. `path`: the path of the part inside its hook or route. `acceptsMore`: the route without the part would
 * accept more requests.
 */
export type ReportLeftOut = (path: Path, reason: string, todo: string, acceptsMore?: boolean) => void
