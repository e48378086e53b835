/** What an importer makes of another program's file: routes, settings, lines for `.env`, and what it had to leave out. */

import type { Path, Place } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { EnvLine } from './env-lines.ts'

/** Something of the source that headgate cannot do as it is. */
export type LeftOut = {
  /** Where it stands in the source. */
  readonly place: Place
  /** The route that is the poorer for it; absent for what concerns the whole file. */
  readonly route?: string
  /** Its keys, from the hook or route on: `trigger-rule.and.0`. */
  readonly what: string
  readonly reason: string
  /** What to do instead. */
  readonly todo: string
  /** Without it the route would take what the source refuses, so that it is written switched off. */
  readonly widens: boolean
}

export type ImportedRoute = {
  readonly name: string
  readonly spec: JsonObject
  /** What was decided for it, said in comments. */
  readonly notes: readonly string[]
  /** The place in the source of what a key of the route was made of. */
  readonly at: (path: Path) => Place
}

export type Imported = {
  /** Those of `platforms.webhook.extra`, without `routes`. */
  readonly settings: JsonObject
  /** What differs for all of them, said in comments. */
  readonly notes: readonly string[]
  /** Whether a route may be bound to a profile. */
  readonly multiplex: boolean
  readonly routes: readonly ImportedRoute[]
  readonly env: readonly EnvLine[]
  readonly leftOut: readonly LeftOut[]
}

/** Tells of one thing that is left out; `path` leads to it from the hook or route. */
export type ReportLeftOut = (path: Path, reason: string, todo: string, widens?: boolean) => void
