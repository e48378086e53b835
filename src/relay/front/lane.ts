/**
 * The requests of one route that a relay keeps: their number and bytes, so that limits are checked without reading the disk, and which of
 * them a gateway has.
 */

import type { PullerProcess } from './puller-processes.ts'
import type { RouteSettings } from './relay-settings.ts'

type Sum = { items: number; bytes: number }

/** The part of a lane's room that one client may have: a stranger must not fill a route with forged posts. */
export const clientShare = 0.5

/** The most requests of a lane that one process has at a time. */
export const maxOut = 64

export class RelayLane {
  readonly name: string
  readonly #all: Sum = { items: 0, bytes: 0 }
  readonly #clients = new Map<string, Sum>()
  /** The number of the newest request of the lane that is on the disk. */
  readyTo = 0
  /** The number of the newest request that was handed to the present process of the gateway. */
  handedTo = 0
  /** The sizes, in bytes, of the requests that the gateway's process was given and has not settled, by the numbers of the requests. */
  readonly out = new Map<number, number>()
  /** The process that takes this lane. Only one does at a time, so that the order is kept. */
  puller: PullerProcess | undefined

  constructor(name: string) {
    this.name = name
  }

  get items(): number {
    return this.#all.items
  }

  get bytes(): number {
    return this.#all.bytes
  }

  /** Whether requests of a client are kept in this lane. */
  has(client: string): boolean {
    return this.#clients.has(client)
  }

  /** Whether a process of the gateway could get a request. */
  get isDue(): boolean {
    return this.readyTo > this.handedTo && this.out.size < maxOut
  }

  /** Whether one more request of a client fits. */
  hasRoom(client: string, bytes: number, { maxItems, maxBytes }: RouteSettings): boolean {
    const own = this.#clients.get(client) ?? { items: 0, bytes: 0 }
    const fits = (sum: Sum, share: number): boolean =>
      sum.items + 1 <= Math.ceil(maxItems * share) && sum.bytes + bytes <= Math.ceil(maxBytes * share)
    return fits(this.#all, 1) && fits(own, clientShare)
  }

  add(client: string, bytes: number): void {
    this.#sum(client, { items: 1, bytes })
  }

  /** Adds the sums of another lane. */
  include(lane: RelayLane): void {
    for (const [client, sum] of lane.#clients) this.#sum(client, sum)
  }

  #sum(client: string, { items, bytes }: Sum): void {
    const own = this.#clients.get(client) ?? { items: 0, bytes: 0 }
    this.#clients.set(client, own)
    for (const sum of [this.#all, own]) {
      sum.items += items
      sum.bytes += bytes
    }
  }

  remove(client: string, bytes: number): void {
    const own = this.#clients.get(client)
    for (const sum of [this.#all, ...(own ? [own] : [])]) {
      sum.items--
      sum.bytes -= bytes
    }
    if (own?.items === 0) this.#clients.delete(client)
  }

  hand(puller: PullerProcess, items: readonly { readonly id: number; readonly bytes: number }[]): void {
    this.puller = puller
    for (const { id, bytes } of items) {
      this.out.set(id, bytes)
      this.handedTo = Math.max(this.handedTo, id)
    }
  }

  /**
   * Drops the requests that the process of the gateway no longer has, so that they are handed out again. Once it has none, another process
   * may take the lane.
   */
  keepOut(isHeld: (id: number) => boolean): void {
    for (const id of this.out.keys()) if (!isHeld(id)) this.out.delete(id)
    this.handedTo = Math.max(0, ...this.out.keys())
    if (this.out.size === 0) this.puller = undefined
  }

  /** Notes that a request has ended. */
  ended(id: number): void {
    this.out.delete(id)
    if (this.out.size === 0) this.puller = undefined
  }
}
