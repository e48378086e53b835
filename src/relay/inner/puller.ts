/**
 * Takes requests from a relay; a gateway may have several processes that do. Requests of one route are worked on one after the other, in
 * the order in which they came. Each is acknowledged once its outcome is final: a request that this gateway cannot take now is tried again.
 * Where only one request fails, the requests of other clients go on.
 */

import { randomUUID } from 'node:crypto'
import { pause } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import type { Log } from '../../core/log.ts'
import { networkOf } from '../../core/network.ts'
import { backOff } from '../../core/turns/back-off.ts'
import type { WireFrame } from '../wire/frames.ts'
import { type DoneHead, type ItemHead, isKept, maxReplyBytes, type RelayHead } from '../wire/messages.ts'
import { Acknowledger } from './acknowledger.ts'
import { type ItemAnswer, type ReceiveItemOptions, receiveItem } from './receive-item.ts'
import { type RelayAddress, RelayApi } from './relay-api.ts'

export type PullerOptions = ReceiveItemOptions & {
  readonly log: Log
  readonly address: () => RelayAddress
}

/**
 * The state of the connection. `since`: when it last changed, in milliseconds since 1970. `reason`: why nothing is taken from the relay.
 */
export type RelayState = {
  readonly url: string
  readonly connected: boolean
  readonly since: number
  readonly reason?: string
  readonly kept?: RelayHead
}

const longestPauseMs = 30_000
/**
 * How often a request is tried whose work fails in this gateway (500, 502). It is given up then, so that it does not hold its client up
 * for ever. A gateway that can take nothing of anybody now (429, 503) tries without a limit: the relay lets the request expire.
 */
const maxFailures = 8
/**
 * How often the requests of one client are tried in a row while they cannot be judged yet (`later` in receive-item.ts): about an hour. From
 * then on each request is given up when its next try fails, until one is taken.
 */
const maxLaterTries = 120
/**
 * The most requests of a route that wait because the rate limit of their key (`rate_limit` with `key`) is used up. They count towards the
 * requests that the relay hands out at a time, so if more of them waited here, all others would wait in the relay. A further request is
 * acknowledged as refused, and can be replayed from its record.
 */
const maxLimited = 32

/** The pause before a request is tried again. */
const pauseAfter = backOff({ first: 500, most: longestPauseMs })
/** The pause after the relay gave no answer, with jitter: all gateways behind a relay miss it at once. */
const pauseAfterSilence = backOff({ first: 500, most: longestPauseMs, jitter: 0.5 })

const waitOf = ({ reply: { headers } }: ItemAnswer, tries: number): number =>
  Math.max(pauseAfter(tries), Math.min(Number(headers?.['Retry-After'] ?? 0) * 1000, longestPauseMs))

/**
 * How far the clocks of the relay and of this machine may be apart, in milliseconds. A request is judged as of the relay's time, and the
 * strictest sender's signature holds for a minute.
 */
const maxApartMs = 30_000

/** Returns the path in an address, without a slash at its end. */
const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, '') : '')

export class Puller {
  readonly #options: PullerOptions
  readonly #api: RelayApi
  readonly #acknowledger: Acknowledger
  /** The ids of the requests that were taken and not acknowledged. */
  readonly #held = new Set<string>()
  /** The work on each queue: on each lane, and beside each lane on the queues of single clients and of requests that wait for a rate limit. */
  readonly #queues = new Map<string, Promise<void>>()
  /**
   * How often requests that cannot be judged yet were tried since a request of the same client was taken, by the name of the client's
   * queue.
   */
  readonly #laterTries = new Map<string, number>()
  /** The number of requests that wait for the rate limit of their key, by lane. */
  readonly #limited = new Map<string, number>()
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>
  #state: RelayState

  constructor(options: PullerOptions) {
    this.#options = options
    this.#api = new RelayApi(options, randomUUID())
    this.#acknowledger = new Acknowledger({
      send: (answers) => this.#api.done(answers),
      sent: (ids) => {
        for (const id of ids) this.#held.delete(id)
      },
      pause: (tries) => this.#pause(pauseAfterSilence(tries)),
      isStopping: () => this.#stop.signal.aborted,
    })
    this.#state = { url: options.address().url, connected: false, since: options.clock.now() }
    this.#loop = this.#pull()
  }

  state(): RelayState {
    return this.#state
  }

  /** Takes nothing more, lets the requests in progress end, and gives their answers. What was not begun goes to another process. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    // The last request of a lane may open a queue of its client's requests, so the wait is repeated until no queue is left.
    while (this.#queues.size > 0) await Promise.all(this.#queues.values())
    await this.#acknowledger.close()
    await this.#api.done([], true).catch(() => {})
  }

  async #pull(): Promise<void> {
    const { signal } = this.#stop
    let failures = 0
    while (!signal.aborted) {
      try {
        const { about, items, at } = await this.#api.take([...this.#held], signal)
        failures = 0
        if (about.now !== undefined && Math.abs(about.now - at) > maxApartMs) {
          await this.#wrongClock(about.now - at)
          continue
        }
        this.#reached(about)
        for (const item of items) this.#add(item, about)
      } catch (error) {
        if (signal.aborted) return
        this.#lost(messageOf(error))
        await this.#pause(pauseAfterSilence(++failures))
      }
    }
  }

  /**
   * Puts a request behind the others of its lane. A request that the relay does not keep is run at once: it makes no work, so its order
   * does not matter.
   */
  #add(item: WireFrame<ItemHead>, about: RelayHead): void {
    const { id, lane } = item.head
    // The relay hands a request out again where it believes that the request did not reach this process.
    if (this.#held.has(id)) return
    this.#held.add(id)
    if (!isKept(id)) return void receiveItem(item, about, this.#options).then((answer) => this.#acknowledge(id, answer))
    this.#after(lane, () => this.#settle(item, about))
  }

  /** Begins the work once all earlier work of the same queue has ended. `queue`: the name of a lane, or of a queue beside it. */
  #after(queue: string, work: () => Promise<void>): void {
    const done = (this.#queues.get(queue) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#queues.get(queue) !== done) return
      this.#queues.delete(queue)
      this.#laterTries.delete(queue)
    })
    this.#queues.set(queue, done)
  }

  /**
   * Works on a kept request until its outcome is final. Where no request of the route can be taken now, the whole lane waits. Where only
   * this request failed, it goes to a queue of its client, as do later requests of this client, so that the requests of other clients go
   * on. Where only the rate limit of its key is used up, this request alone waits (`#limit`).
   */
  async #settle(item: WireFrame<ItemHead>, about: RelayHead, isInClientQueue = false, before = 0): Promise<void> {
    const { id, lane, remote } = item.head
    const clientQueue = `${lane} ${networkOf(remote)}`
    if (!isInClientQueue && this.#queues.has(clientQueue)) return this.#after(clientQueue, () => this.#settle(item, about, true))
    for (let tries = before + 1; !this.#stop.signal.aborted; tries++) {
      const answer = await receiveItem(item, about, this.#options)
      const { again } = answer
      if (again === 'limited') return void this.#limit(item, about, answer)
      if (again === 'later') this.#laterTries.set(clientQueue, (this.#laterTries.get(clientQueue) ?? 0) + 1)
      else this.#laterTries.delete(clientQueue)
      if (again === undefined) return this.#acknowledge(id, answer)
      if (this.#isOver(again, tries, clientQueue)) return void this.#giveUp(item, answer)
      const wait = (): Promise<void> => this.#pause(waitOf(answer, again === 'later' ? (this.#laterTries.get(clientQueue) ?? 1) : tries))
      if (again !== 'route' && !isInClientQueue)
        return this.#after(clientQueue, () => wait().then(() => this.#settle(item, about, true, tries)))
      await wait()
    }
  }

  #isOver(again: ItemAnswer['again'], tries: number, clientQueue: string): boolean {
    return again === 'item' ? tries >= maxFailures : again === 'later' && (this.#laterTries.get(clientQueue) ?? 0) >= maxLaterTries
  }

  /**
   * Lets a request wait until the rate limit of its key has room, behind other requests of its lane that wait for the same reason. No other
   * request waits behind it.
   */
  #limit(item: WireFrame<ItemHead>, about: RelayHead, first: ItemAnswer): void {
    const { id, lane } = item.head
    const waiting = this.#limited.get(lane) ?? 0
    if (waiting >= maxLimited) return void this.#giveUp(item, first)
    this.#limited.set(lane, waiting + 1)
    const settle = async (): Promise<void> => {
      let answer = first
      for (let tries = 1; answer.again === 'limited' && !this.#stop.signal.aborted; tries++) {
        await this.#pause(waitOf(answer, tries))
        if (!this.#stop.signal.aborted) answer = await receiveItem(item, about, this.#options)
      }
      const left = (this.#limited.get(lane) ?? 1) - 1
      if (left > 0) this.#limited.set(lane, left)
      else this.#limited.delete(lane)
      if (answer.again === undefined) this.#acknowledge(id, answer)
      else if (answer.again !== 'limited') this.#after(lane, () => this.#settle(item, about))
    }
    this.#after(`${lane} limited`, settle)
  }

  /** Acknowledges a request with its last answer, though the gateway might take it later, and logs how its event can still be had. */
  #giveUp({ head: { id, lane } }: WireFrame<ItemHead>, answer: ItemAnswer): void {
    const { reply, eventId } = answer
    const fix = eventId === undefined ? 'have its sender send it again' : `headgate events replay ${eventId}`
    const about = { lane, relay_id: id, status: reply.status, event_id: eventId, fix }
    this.#options.log('warn', about, 'a request from the relay is given up')
    this.#acknowledge(id, answer)
  }

  /**
   * Gives the relay an answer. Where the sender waits for the reply of a run, the answer follows later: the run is committed, so the lane
   * need not wait for it.
   */
  #acknowledge(id: string, { replied, ...answer }: ItemAnswer): void {
    if (!replied) this.#acknowledger.add(this.#doneFrame(id, answer))
    else void replied.then((reply = answer.reply) => this.#acknowledger.add(this.#doneFrame(id, { ...answer, reply })))
  }

  /**
   * Returns an answer for the relay. A body that is too large for it is left out: its sender gets the status alone. A path of this gateway
   * (`Location`) becomes the path under which senders see it.
   */
  #doneFrame(id: string, { reply, eventId }: ItemAnswer): WireFrame<DoneHead> {
    const { status, type, body, headers } = reply
    const bytes = Buffer.from(body)
    const path = headers?.Location
    const seen = path?.startsWith('/') ? { Location: `${pathOf(this.#options.address().url)}${path}` } : {}
    const all = { ...headers, ...seen, ...(eventId === undefined ? {} : { 'X-Headgate-Event-Id': eventId }) }
    return { head: { id, status, type, headers: all }, body: bytes.length > maxReplyBytes ? Buffer.alloc(0) : bytes }
  }

  #reached(kept: RelayHead): void {
    const { log, clock, address } = this.#options
    const { url } = address()
    if (!this.#state.connected) log('info', { relay: url, kept: kept.items }, 'connected to the relay')
    const since = this.#state.connected ? this.#state.since : clock.now()
    this.#state = { url, connected: true, since, kept }
  }

  #lost(reason: string, fields: { readonly apart_seconds?: number } = {}): void {
    const { log, clock, address } = this.#options
    const { url } = address()
    const isNew = this.#state.connected || this.#state.reason !== reason
    if (isNew) log('warn', { relay: url, reason, ...fields }, 'nothing is taken from the relay: what senders post waits there')
    this.#state = { url, connected: false, since: this.#state.connected ? clock.now() : this.#state.since, reason }
  }

  /**
   * Takes nothing while the relay's clock and this machine's clock differ too much: each event with a signed time would be refused, and be
   * lost. The requests that were handed over are given back. `aheadMs`: how far the relay's clock is ahead.
   */
  async #wrongClock(aheadMs: number): Promise<void> {
    const way = aheadMs > 0 ? 'ahead of' : 'behind'
    const fields = { apart_seconds: Math.round(Math.abs(aheadMs) / 1000) }
    this.#lost(`its clock is more than ${maxApartMs / 1000} s ${way} that of this machine: set the wrong one right`, fields)
    await this.#api.done([], true).catch(() => {})
    await this.#pause(longestPauseMs)
  }

  /** Resolves after `ms` milliseconds, or when the puller stops. */
  #pause(ms: number): Promise<void> {
    return pause(ms, this.#options.clock, this.#stop.signal)
  }
}
