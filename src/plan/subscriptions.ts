/** The subscriptions file as served routes. */

import type { Config, RouteSource } from '../config/config.ts'
import { readSubscription } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import type { Compiled } from './compile.ts'
import { Entries } from './entries.ts'
import { type Served, servedBy } from './table.ts'

export type SubscriptionsOptions = {
  readonly file: string
  readonly config: Pick<Config, 'globalSecret' | 'profiles'>
  readonly compile: (route: RouteSource) => Compiled
  /** Told of entries that are not served, and of a file that is not usable. */
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

/** Owns the snapshot of one subscriptions file. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #entries: Entries<Served | undefined>

  constructor(options: SubscriptionsOptions) {
    const { file, report } = options
    this.#options = options
    this.#entries = new Entries({ file, report, corrupt: 'WH803', compile: (name, entry) => this.#serve(name, entry) })
  }

  /** The route of this name in the file as it is now. */
  get(name: string): Served | undefined {
    this.refresh()
    return this.#entries.get(name)
  }

  get size(): number {
    return this.#entries.size
  }

  /** Whether there is a set: the file was usable once, or not there. */
  get ready(): boolean {
    return this.#entries.ready
  }

  /** Whether the last good set stays because the file as it is now cannot be used. */
  get stale(): boolean {
    return this.#entries.stale
  }

  /** Reads the file again if it changed; a torn or corrupt one keeps the last good set. Never throws. */
  refresh(): void {
    this.#entries.refresh()
  }

  /** As `refresh`, with turns for others between the entries: for thousands of them at once. */
  load(): Promise<void> {
    return this.#entries.load()
  }

  #serve(name: string, entry: Json): Served | undefined {
    const { config, compile, report, file } = this.#options
    const place = () => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })
    const { route, diagnostics } = readSubscription(name, entry, config, { place })
    const compiled = route ? compile(route) : undefined
    const all = [...diagnostics, ...(compiled?.diagnostics ?? [])].map((each) => ({ ...each, route: name }))
    if (all.length > 0) report(all)
    if (!route || !compiled?.plan) return undefined
    return servedBy(route, compiled.plan)
  }
}
