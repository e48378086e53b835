/**
 * The lanes of one gateway, and the room in them: each route with a row in the settings has room of its own, and all other routes share the
 * room of the row `*`.
 */

import { clientShare, RelayLane } from './lane.ts'
import type { GatewaySettings, RouteSettings } from './relay-settings.ts'

/** The most lanes of routes without a row of their own: `*` lets a stranger choose their names. One client may open half of them. */
const maxLanes = 1_000
/** The row of all routes that have none of their own. */
const anyRoute = '*'

export class RelayLanes {
  #settings: GatewaySettings
  /** By name. Lanes take turns: the lane that was handed out last stands last. */
  readonly #all = new Map<string, RelayLane>()
  /** The sums of all routes without a row of their own: together they have the room of `*`, whatever names strangers make up. */
  #others = new RelayLane(anyRoute)

  constructor(settings: GatewaySettings) {
    this.#settings = settings
  }

  /** Uses other settings from now on. What is kept stays kept, also where it has less room now. */
  use(settings: GatewaySettings): void {
    this.#settings = settings
    this.#others = new RelayLane(anyRoute)
    for (const lane of this.#all.values()) if (this.#isOther(lane.name)) this.#others.include(lane)
  }

  all(): RelayLane[] {
    return [...this.#all.values()]
  }

  get(name: string): RelayLane | undefined {
    return this.#all.get(name)
  }

  /** Whether the lane has room for a request of this client. `bytes`: the size of the request, as far as it is known. */
  hasRoom(name: string, client: string, bytes: number, route: RouteSettings): boolean {
    const own = this.#all.get(name)
    if (this.#isOther(name)) return (own !== undefined || this.#mayOpen(client)) && this.#others.hasRoom(client, bytes, route)
    return (own ?? new RelayLane(name)).hasRoom(client, bytes, route)
  }

  /** Takes the room of a request, and returns its lane. */
  add(name: string, client: string, bytes: number): RelayLane {
    const lane = this.#all.get(name) ?? new RelayLane(name)
    this.#all.set(name, lane)
    lane.add(client, bytes)
    if (this.#isOther(name)) this.#others.add(client, bytes)
    return lane
  }

  /** Gives the room of a request back. */
  remove(lane: RelayLane, client: string, bytes: number): void {
    lane.remove(client, bytes)
    if (this.#isOther(lane.name)) this.#others.remove(client, bytes)
    if (lane.items === 0) this.#all.delete(lane.name)
  }

  /** Puts the lane behind all others, so that the requests of the other lanes are handed over first. */
  putLast(lane: RelayLane): void {
    this.#all.delete(lane.name)
    this.#all.set(lane.name, lane)
  }

  /** Whether a route has no row of its own. */
  #isOther(name: string): boolean {
    return this.#settings.route(name) === this.#settings.route(anyRoute)
  }

  /** Whether a client may open one more lane of a route without a row of its own. */
  #mayOpen(client: string): boolean {
    const others = this.all().filter(({ name }) => this.#isOther(name))
    return others.length < maxLanes && others.filter((lane) => lane.has(client)).length < maxLanes * clientShare
  }
}
