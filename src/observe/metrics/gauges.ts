/** Reads the values that change without a fact, such as the backlog. They are read whenever somebody asks for the metrics. */

import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FileDigests } from '../../config/file-digests.ts'
import type { Clock } from '../../core/clock.ts'
import { throwTimeout, within } from '../../core/turns/within.ts'
import type { Status } from '../../generated/control.ts'
import type { Store } from '../../store/ports.ts'
import type { Meter } from './meter.ts'

export type MetricSources = {
  readonly version: string
  readonly store: Pick<Store, 'totals'>
  /**
   * The numbers of requests without an answer, of open connections, of bytes of unfinished bodies, and of what was refused unread:
   * connections, requests by the status of their answer, and handshakes of TLS.
   */
  readonly http: {
    readonly active: () => number
    readonly connections: () => number
    readonly bodyBytes: () => number
    readonly refusedUnread: { readonly connections: number; readonly requests: ReadonlyMap<number, number>; readonly handshakes: number }
    /** The certificates that are shown; none where the server speaks plain HTTP. */
    readonly certificates: () => { readonly certificates?: readonly { readonly file: string; readonly ends_at: string }[] }
  }
  readonly runsInProgress: () => number
  /** Returns the number of requests that wait for the reply of their run. */
  readonly waitingRequests: () => number
  /** Returns the state of the relay; nothing where the configuration names none. */
  readonly relay: () => Pick<Status, 'relay'>
  /** Returns the states of the polls; nothing where no route polls. */
  readonly polls: () => Pick<Status, 'polls'>
  /** Returns why the gateway should get no requests; `undefined` where it should get them. */
  readonly notReady: () => string | undefined
  readonly configuration: () => {
    readonly routes: number
    readonly digests: FileDigests
    /** When the configuration in use was taken over, in milliseconds since 1970. */
    readonly at: number
    /** Whether the last reload was refused or failed. */
    readonly hasFailed: boolean
  }
}

/** How long the answer to a scrape waits for the totals of the store, in milliseconds. */
const totalsMs = 2_000
const relayGauges = ['relayConnected', 'relayKept'] as const
const storeGauges = ['waitingRuns', 'lanedRuns', 'groups', 'deadRuns', 'sessions', 'oldestSeconds'] as const

/** Sets the gauges to what their sources say now. */
export class Gauges {
  readonly #meter: Meter
  readonly #sources: MetricSources
  readonly #clock: Clock
  /** The time for which the event loop was active until the last reading, in milliseconds. */
  #activeMs = 0

  constructor(meter: Meter, sources: MetricSources, clock: Clock) {
    this.#meter = meter
    this.#sources = sources
    this.#clock = clock
    meter.set('build', [sources.version, process.version], 1)
  }

  async read(): Promise<void> {
    const { http, configuration, notReady, runsInProgress, waitingRequests, relay } = this.#sources
    const { relay: fromRelay } = relay()
    const { routes, digests, at, hasFailed } = configuration()
    // A gateway without a relay must not look like a gateway whose relay is unavailable.
    for (const key of relayGauges) this.#meter.clear(key)
    const values = {
      ready: notReady() === undefined ? 1 : 0,
      activeRequests: http.active(),
      waitingRequests: waitingRequests(),
      ...(fromRelay ? { relayConnected: fromRelay.connected ? 1 : 0, relayKept: fromRelay.kept ?? 0 } : {}),
      connections: http.connections(),
      bodyMemory: http.bodyBytes(),
      refusedConnections: http.refusedUnread.connections,
      failedHandshakes: http.refusedUnread.handshakes,
      runsInProgress: runsInProgress(),
      routes,
      reloadedAt: at / 1000,
      reloadOk: hasFailed ? 0 : 1,
    }
    for (const [key, value] of Object.entries(values) as [keyof typeof values, number][]) this.#meter.set(key, [], value)
    for (const [status, count] of http.refusedUnread.requests) this.#meter.set('unreadRequests', [String(status)], count)
    this.#meter.clear('certificateEnd')
    for (const { file, ends_at } of http.certificates().certificates ?? [])
      this.#meter.set('certificateEnd', [file], Date.parse(ends_at) / 1000)
    this.#setPolls()
    this.#meter.clear('config')
    this.#meter.set('config', [digestOf(digests)], 1)
    this.#addLoopTime()
    await this.#readTotals()
  }

  #setPolls(): void {
    this.#meter.clear('pollFailing')
    for (const { route, state, taken, refused, given_up } of this.#sources.polls().polls ?? []) {
      this.#meter.set('pollFailing', [route], state === 'failing' ? 1 : 0)
      for (const [result, count] of Object.entries({ taken, refused, given_up })) this.#meter.set('pollMessages', [route, result], count)
    }
  }

  #addLoopTime(): void {
    const { active } = performance.eventLoopUtilization()
    this.#meter.add('loopSeconds', [], Math.max(0, active - this.#activeMs) / 1000)
    this.#activeMs = active
  }

  /** The gauges of a store that does not answer are left out, so that nobody takes an old number for a new number. */
  async #readTotals(): Promise<void> {
    for (const key of storeGauges) this.#meter.clear(key)
    try {
      const asked = this.#sources.store.totals()
      const {
        runs,
        inLanes,
        groups,
        dead,
        sessions,
        oldestMs = 0,
      } = await within(asked, totalsMs, this.#clock, throwTimeout('no answer', totalsMs))
      const values = [runs, inLanes, groups, dead, sessions, oldestMs / 1000]
      for (const [i, key] of storeGauges.entries()) this.#meter.set(key, [], values[i] as number)
    } catch {
      // The metric `headgate_ready` says that the store does not answer.
    }
  }
}

/**
 * Returns a short digest of the configuration files in use. Gateways with equal files have equal digests, in whichever folders they are.
 */
const digestOf = (digests: FileDigests): string =>
  createHash('sha256')
    .update(JSON.stringify([...digests.values()].sort()))
    .digest('hex')
    .slice(0, 12)
