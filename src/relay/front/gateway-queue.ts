/**
 * What a relay does for one gateway: it has the lanes of its routes, hands their requests to the gateway's processes, and gives senders
 * that wait the gateway's answers.
 */

import type { Clock } from '../../core/clock.ts'
import type { Reply } from '../../core/outcome.ts'
import { Timer } from '../../core/turns/timer.ts'
import type { WireFrame } from '../wire/frames.ts'
import { type DoneHead, type ItemHead, isKept, type RelayHead } from '../wire/messages.ts'
import { Arrivals } from './arrivals.ts'
import { maxOut, type RelayLane } from './lane.ts'
import { RelayLanes } from './lanes.ts'
import { bytesOf, type ItemFacts, type NewItem, type RelayLedger } from './ledger.ts'
import { type PullerProcess, PullerProcesses } from './puller-processes.ts'
import type { GatewaySettings, RouteSettings } from './relay-settings.ts'
import { WaitingSenders } from './waiting-senders.ts'

/** The most bytes of all lanes that one process has at a time. */
const maxOutBytes = 16 * 1024 * 1024
/** How long senders still wait when the connection of the gateway's last process has broken: the process may come back. */
const lostMs = 5_000

export type GatewayQueueOptions = { readonly settings: GatewaySettings; readonly ledger: RelayLedger; readonly clock: Clock }

export class GatewayQueue {
  #settings: GatewaySettings
  readonly #ledger: RelayLedger
  readonly #clock: Clock
  readonly #lanes: RelayLanes
  readonly #processes: PullerProcesses
  readonly #arrivals: Arrivals
  readonly senders: WaitingSenders
  #isClosed = false
  readonly #lostTimer: Timer

  constructor({ settings, ledger, clock }: GatewayQueueOptions) {
    this.#settings = settings
    this.#lanes = new RelayLanes(settings)
    this.#ledger = ledger
    this.#clock = clock
    this.#lostTimer = new Timer(clock, () => this.#releaseSenders())
    this.#arrivals = new Arrivals(clock)
    this.senders = new WaitingSenders(clock)
    this.#processes = new PullerProcesses(clock, (puller) => this.#left(puller))
  }

  get isTaken(): boolean {
    return this.#processes.areNear
  }

  get lanes(): Iterable<RelayLane> {
    return this.#lanes.all()
  }

  use(settings: GatewaySettings): void {
    this.#settings = settings
    this.#lanes.use(settings)
  }

  /** Takes note of a request that an earlier process kept. */
  found({ id, lane, client, bytes }: ItemFacts): void {
    this.#lanes.add(lane, client, bytes).readyTo = id
    this.#arrivals.kept(id)
  }

  /** Whether the lane has room for a request of this client. `bytes`: the size of the request, as far as it is known. */
  hasRoom(lane: string, client: string, bytes: number, route: RouteSettings): boolean {
    return !this.#isClosed && this.#lanes.hasRoom(lane, client, bytes, route)
  }

  /**
   * Keeps a request, for which there must be room. Resolves once it is on the disk, to its number. `beforeTaken` is called before a process
   * of the gateway can have the request. Rejects with a StoreFault.
   */
  async keep(item: Omit<NewItem, 'gateway'>, beforeTaken: (id: number) => void): Promise<void> {
    const bytes = bytesOf(item)
    // The room is taken before the commit, so that requests that come meanwhile find it taken.
    const lane = this.#lanes.add(item.head.lane, item.client, bytes)
    try {
      const id = await this.#ledger.keep({ ...item, gateway: this.#settings.name })
      this.#arrivals.kept(id)
      beforeTaken(id)
      lane.readyTo = Math.max(lane.readyTo, id)
    } catch (error) {
      this.#lanes.remove(lane, item.client, bytes)
      throw error
    }
    this.#wakeOne()
  }

  /** Asks the gateway for the answer to a request that is not kept; resolves to `undefined` where there is none. */
  ask(head: Omit<ItemHead, 'id'>, ms: number): Promise<Reply | undefined> {
    if (!this.isTaken) return Promise.resolve(undefined)
    const reply = this.senders.ask(head, ms)
    this.#wakeOne()
    return reply
  }

  /**
   * Hands requests to a process of the gateway, after at most 25 seconds, in which it waits for some. `holds`: the numbers of the requests
   * that the process has and has not answered: what else it was handed did not reach it, and comes again. `gone`: aborted when nobody
   * reads the answer any more.
   */
  async take(name: string, holds: ReadonlySet<string>, gone: AbortSignal): Promise<readonly WireFrame<object>[]> {
    // A process that asks for the first time learns at once that it is connected.
    const isNew = !this.#processes.has(name)
    const puller = this.#processes.heard(name)
    for (const lane of this.#lanesOf(puller)) lane.keepOut((id) => holds.has(String(id)))
    let frames = this.#handOut(puller)
    if (frames.length === 0 && !isNew && !gone.aborted && !this.#isClosed) {
      await this.#processes.untilWoken(puller, gone)
      frames = gone.aborted ? [] : this.#handOut(puller)
    }
    if (gone.aborted) this.#lost(name)
    else this.#processes.heard(name)
    return [{ head: this.#head(), body: Buffer.alloc(0) }, ...frames]
  }

  /** Takes the answers of a process, and forgets the requests that they answer. Rejects with a StoreFault. */
  async done(name: string, answers: readonly WireFrame<DoneHead>[]): Promise<void> {
    this.#processes.heard(name)
    const ended = new Map<number, number>()
    for (const { head, body } of answers) {
      const { id, status, type, headers } = head
      this.senders.give(id, { status, type, body: body.toString(), ...(headers ? { headers } : {}) })
      if (isKept(id)) ended.set(Number(id), status)
    }
    if (ended.size === 0) return
    for (const facts of await this.#ledger.end(this.#settings.name, ended, this.#clock.now())) this.#forget(facts)
    // The ended requests leave room for further requests of their lanes.
    this.#wakeOne()
  }

  /** Forgets a process that has given all its answers: its lanes are free. Where it was the last, no sender waits any more. */
  leave(name: string): void {
    this.#processes.leave(name)
    this.#releaseSenders()
  }

  /** Forgets a process whose connection broke. It may come back, or be about to end and still give some answers. */
  #lost(name: string): void {
    this.#processes.leave(name)
    this.#lostTimer.start(lostMs)
  }

  #releaseSenders(): void {
    if (this.#processes.isEmpty) this.senders.release()
  }

  /** Forgets what is kept for too long. Resolves to the number of requests that expired, by lane. Rejects with a StoreFault. */
  async expire(): Promise<ReadonlyMap<string, number>> {
    const now = this.#clock.now()
    const expired = new Map<string, number>()
    for (const { name } of this.#lanes.all()) {
      const lane = { gateway: this.#settings.name, lane: name }
      const before = now - this.#settings.keepMs
      while ((this.#ledger.oldestAt(lane) ?? before) < before) {
        const old = await this.#ledger.expire(lane, before, now)
        for (const facts of old) this.#forget(facts)
        if (old.length > 0) expired.set(name, (expired.get(name) ?? 0) + old.length)
      }
    }
    return expired
  }

  /** From now on nothing is kept, and nobody waits. */
  close(): void {
    this.#isClosed = true
    this.#lostTimer.stop()
    this.senders.close()
    this.#processes.close()
  }

  #head(): RelayHead {
    const { name, keepMs } = this.#settings
    let [items, bytes] = [0, 0]
    for (const lane of this.#lanes.all()) {
      items += lane.items
      bytes += lane.bytes
    }
    const oldestAt = this.#ledger.oldestOf(name)
    return { relay: this.#ledger.name, keepMs, now: this.#clock.now(), items, bytes, ...(oldestAt === undefined ? {} : { oldestAt }) }
  }

  #left(puller: PullerProcess): void {
    for (const lane of this.#lanesOf(puller)) lane.keepOut(() => false)
    this.#wakeOne()
  }

  #wakeOne(): void {
    this.#processes.wakeOne((puller) => this.senders.hasAsked || this.#hasDue(puller))
  }

  #hasDue(puller: PullerProcess): boolean {
    for (const lane of this.#lanes.all()) if (lane.isDue && (lane.puller ?? puller) === puller) return true
    return false
  }

  #handOut(puller: PullerProcess): WireFrame<object>[] {
    const frames: WireFrame<object>[] = this.senders.takeAsked().map((head) => ({ head, body: Buffer.alloc(0) }))
    let left = maxOutBytes
    for (const { out } of this.#lanesOf(puller)) for (const bytes of out.values()) left -= bytes
    for (const lane of this.#lanes.all()) {
      if (left <= 0) break
      if (!lane.isDue || (lane.puller ?? puller) !== puller) continue
      const page = { after: lane.handedTo, upTo: lane.readyTo, max: maxOut - lane.out.size, maxBytes: left }
      const items = this.#ledger.next({ gateway: this.#settings.name, lane: lane.name }, page)
      if (items.length === 0) continue
      lane.hand(puller, items)
      for (const { id, bytes, head, body } of items) {
        left -= bytes
        frames.push({ head: { ...head, id: String(id), at: this.#arrivals.timeOf(id, head.at) }, body })
      }
      // The lane goes behind the others, because there may be more requests than one process may have.
      this.#lanes.putLast(lane)
    }
    return frames
  }

  #lanesOf(puller: PullerProcess): RelayLane[] {
    return this.#lanes.all().filter((lane) => lane.puller === puller)
  }

  #forget({ id, lane: name, client, bytes }: ItemFacts): void {
    const lane = this.#lanes.get(name)
    if (!lane) return
    lane.ended(id)
    this.#lanes.remove(lane, client, bytes)
  }
}
