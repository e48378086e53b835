/** Compiles the subscriptions file to routes that can be served. */

import type { Config, RouteSource } from '../config/config.ts'
import { readSubscription } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import type { Compiled } from './compile.ts'
import { Entries } from './entries.ts'
import { type ServedRoute, servedBy } from './table.ts'

export type SubscriptionsOptions = {
  readonly file: string
  readonly config: Pick<Config, 'globalSecret' | 'globalReference' | 'profiles'>
  readonly compile: (route: RouteSource) => Compiled
  /** Returns the Diagnostics that keep a route from being served beside the configured routes. */
  readonly check: (route: RouteSource) => readonly Diagnostic[]
  /** Called with the problems of entries, and with those of a file that is not usable. */
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

/** A subscription as it was compiled. `served` is absent where it cannot be served. `lasting`: as `Compiled.lasting`. */
type CompiledSubscription = { readonly served: ServedRoute | undefined; readonly lasting: boolean }

/** The routes of a subscriptions file, with the plans that this object owns. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #entries: Entries<CompiledSubscription>

  constructor(options: SubscriptionsOptions) {
    const { file, report } = options
    this.#options = options
    this.#entries = new Entries({
      file,
      report,
      corrupt: 'WH803',
      compile: (name, entry) => this.#serve(name, entry),
      lasts: ({ lasting }) => lasting,
      drop: ({ served }) => served?.scope?.release(),
    })
  }

  /**
   * Reads the file again if it has changed, and returns the route of this name; `undefined` where no entry has this name, or the entry
   * cannot be served. While the file is not usable, the last good entries are served.
   */
  get(name: string): ServedRoute | undefined {
    this.refresh()
    return this.#entries.get(name)?.served
  }

  /** Returns the subscriptions that are switched on and not hidden by a configured route, as of the last refresh. */
  beside(configured: { has(name: string): boolean }): readonly ServedRoute[] {
    return [...this.#entries].flatMap(([name, { served }]) => (served?.plan && !configured.has(name) ? served : []))
  }

  /** Whether the file has been usable, or missing, at least once when it was read. */
  get ready(): boolean {
    return this.#entries.ready
  }

  /** Whether the last good entries stay in use because the present file is not usable. */
  get stale(): boolean {
    return this.#entries.stale
  }

  /** Reads the file again if the file has changed. While it is not usable, the last good entries stay. Never throws. */
  refresh(): void {
    this.#entries.refresh()
  }

  /**
   * As `refresh`, but lets other work run between the entries, of which there may be thousands. `isReload`: entries that do not last, such
   * as those with a script, are compiled anew although the file is unchanged.
   */
  load({ isReload = false } = {}): Promise<void> {
    return this.#entries.load(isReload)
  }

  close(): void {
    this.#entries.close()
  }

  /** Compiles one entry, and reports its problems. */
  #serve(name: string, entry: Json): CompiledSubscription {
    const { config, compile, check, report, file } = this.#options
    const place = () => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })
    const { route, diagnostics } = readSubscription(name, entry, config, { place })
    const refused = route ? check(route) : []
    const compiled = route && refused.length === 0 ? compile(route) : undefined
    const all = [...diagnostics, ...refused, ...(compiled?.diagnostics ?? [])].map((each) => ({ ...each, route: name }))
    if (all.length > 0) report(all)
    const served = route && compiled && servedBy(route, compiled)
    return { served, lasting: compiled?.lasting === true }
  }
}
