/** The pauses of routes that a gateway keeps to, as their file had them last. A reload does not change them. */

import type { Pause } from '../../datadir/paused-routes.ts'

export class Pauses {
  #byRoute: ReadonlyMap<string, Pause> = new Map()

  get all(): ReadonlyMap<string, Pause> {
    return this.#byRoute
  }

  replace(pauses: ReadonlyMap<string, Pause>): void {
    this.#byRoute = pauses
  }

  /** Whether the events of a route are refused. Each request asks this. */
  refuses(route: string): boolean {
    return this.#byRoute.size > 0 && this.#byRoute.get(route)?.isHold === false
  }

  /** Whether the runs of a route wait. */
  holds(route: string): boolean {
    return this.#byRoute.get(route)?.isHold === true
  }
}
