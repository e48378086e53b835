/**
 * Says when routes catch up by themselves: after the start, after a reload or a subscription that brought them or changed them, after posts
 * to them were answered with 503, and after a catch-up whose events are still to come. Each catch-up waits until the gateway takes events.
 */

import { type Clock, hourMs, minuteMs } from '../../core/clock.ts'
import type { Observer } from '../../core/facts/facts.ts'
import { equalJson } from '../../core/json.ts'
import { outcomeStatus } from '../../core/outcome-table.ts'
import type { Scope } from '../../core/scope.ts'
import { backOff } from '../../core/turns/back-off.ts'
import { repeat } from '../../core/turns/repeat.ts'
import type { CatchUpSettings } from '../../parts/sender-logs/sender-log.ts'
import type { CatchUps } from './catch-up.ts'

/** How long after its last 503 a route catches up. */
const quietMs = minuteMs
/** How often each route is checked for whether its catch-up is due. */
const checkEveryMs = 5_000
/**
 * The pause after a catch-up that failed, and after one that asked for events, which the sender may have failed to deliver again. It is
 * doubled with each further catch-up of this sort, up to an hour.
 */
const [failedMs, awaitedMs] = [minuteMs, 5 * minuteMs]
/** How long after it left a catch-up to another gateway a gateway tries the same catch-up itself. */
const elsewhereMs = minuteMs

type CatchUpTriggersOptions = {
  readonly catchUps: Pick<CatchUps, 'begin' | 'routes' | 'isRunning'>
  readonly clock: Clock
  readonly isReady: () => boolean
  /** Whether events of a route are refused because the route is paused. Its catch-up waits until it is resumed. */
  readonly isPaused: (route: string) => boolean
  /** Whether a route has `catch_up`. */
  readonly canCatchUp: (route: string) => boolean
}

/** A route that is to catch up. `tries`: how many catch-ups it has had since the last that found nothing to do. */
type Due = { at: number; tries: number }

export class CatchUpTriggers implements Observer<'catch_up'> {
  readonly handlers: Observer<'catch_up'>['handlers'] = {
    request_ended: ({ route, ended, replay }) => {
      if (outcomeStatus(ended.outcome) === 503 && route && !replay && this.#options.canCatchUp(route.name)) this.#want(route.name, quietMs)
    },
    config_replaced: ({ changes }) => {
      for (const name of [...changes.added, ...changes.changed]) if (this.#options.canCatchUp(name)) this.#want(name, 0)
    },
    catch_up_ended: ({ route, isElsewhere, why, awaited }) => {
      // Another gateway catches up, and may end before it has read all of the log: this one asks again later.
      if (isElsewhere) this.#want(route, elsewhereMs)
      else if (why !== undefined) this.#again(route, failedMs)
      else if (awaited > 0) this.#again(route, awaitedMs)
      else this.#ended(route)
    },
  }
  readonly #options: CatchUpTriggersOptions
  /** The routes that are to catch up, by name, each with the monotonic time at which its catch-up may begin. */
  readonly #due = new Map<string, Due>()
  /** The settings that routes had at the last check, by the name of the route. */
  #known: ReadonlyMap<string, CatchUpSettings> = new Map()

  constructor(options: CatchUpTriggersOptions) {
    this.#options = options
  }

  /** Lets all routes catch up now, and checks until the end of the scope which routes are to catch up again. */
  start(scope: Scope): void {
    repeat(this.#options.clock, checkEveryMs, () => this.#check(), { first: 'now', scope })
  }

  #again(name: string, firstMs: number): void {
    const tries = (this.#due.get(name)?.tries ?? 0) + 1
    this.#due.set(name, { at: this.#now() + backOff({ first: firstMs, most: hourMs })(tries), tries })
  }

  #now(): number {
    return this.#options.clock.monotonic()
  }

  #want(name: string, afterMs: number): void {
    const tries = this.#due.get(name)?.tries ?? 0
    this.#due.set(name, { at: this.#now() + afterMs, tries })
  }

  /** Forgets a route that has caught up, unless posts to it got a 503 since the catch-up began: their events are still to come. */
  #ended(name: string): void {
    const due = this.#due.get(name)
    if (due && due.at === Number.POSITIVE_INFINITY) this.#due.delete(name)
  }

  /** Lets routes catch up that were not there at the last check, or had other settings: no fact tells of subscriptions. */
  #findChanged(): void {
    const served = [...this.#options.catchUps.routes()]
    const present = new Map(served.flatMap(([name, { source }]) => (source.spec.catch_up ? [[name, source.spec.catch_up] as const] : [])))
    for (const [name, settings] of present) {
      const known = this.#known.get(name)
      if (known === undefined || !equalJson(known, settings)) this.#want(name, 0)
    }
    this.#known = present
  }

  #check(): void {
    const { catchUps, isReady, isPaused } = this.#options
    this.#findChanged()
    if (isReady()) {
      for (const [name, due] of this.#due) {
        if (!this.#options.canCatchUp(name)) this.#due.delete(name)
        else if (due.at <= this.#now() && !isPaused(name) && !catchUps.isRunning(name)) {
          // While its catch-up runs, a route is not due. A 503 in this time makes the route due again.
          due.at = Number.POSITIVE_INFINITY
          catchUps.begin({ route: name })
        }
      }
    }
  }
}
