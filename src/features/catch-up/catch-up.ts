/** The catch-ups of a running gateway: which routes have one, which runs now, and how the last of each route ended. */

import { type Clock, hourMs, minuteMs } from '../../core/clock.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { messageOf } from '../../core/fault.ts'
import type { Outcome } from '../../core/outcome.ts'
import { outcomeName, outcomeReason, outcomeStatus } from '../../core/outcome-table.ts'
import type { CatchUpState } from '../../generated/control.ts'
import { defaults } from '../../generated/defaults.ts'
import { claimOf, holdMsOf } from '../../parts/claim.ts'
import type { CatchUpSettings, SenderLogPart } from '../../parts/sender-logs/sender-log.ts'
import { dispatchTargets } from '../../parts/split/dispatch.ts'
import type { Keep } from '../../parts/targets/target.ts'
import type { ServedRoute } from '../../plan/table.ts'
import type { Lead } from '../../store/as-leader.ts'
import { catchUpKey } from '../../store/ports.ts'
import type { OpenStore } from '../../store/store-part.ts'
import type { ServedConfig } from '../feature.ts'
import type { TakePulled } from '../polls/take-pulled.ts'
import { type CatchUpEffects, isElsewhere, type Progress, runCatchUp } from './catch-up-run.ts'
import { openLog, partOf } from './open-log.ts'

/** How far before the last catch-up the next begins, because clocks differ, and senders write their logs late. */
const overlapMs = 10 * minuteMs
/**
 * How long one gateway on a shared store has a catch-up for itself after it last renewed its lead: longer than one call of a sender may
 * take.
 */
const leadMs = minuteMs

export type CatchUpOptions = {
  readonly store: Pick<OpenStore, 'held' | 'positions' | 'keepPositions'>
  readonly lead: Lead
  readonly clock: Clock
  readonly facts: Pick<Facts, 'emit'>
  readonly keep: Keep
  readonly current: () => Pick<ServedConfig, 'config' | 'served'>
  readonly isReady: () => boolean
  /** Whether events of a route are refused because the route is paused. */
  readonly isPaused: (route: string) => boolean
  readonly take: TakePulled
}

/** `since`: wall time, milliseconds; absent: from where the last catch-up began. */
export type CatchUpQuestion = {
  readonly route?: string | undefined
  readonly since?: number | undefined
  readonly dryRun?: boolean | undefined
}

type Standing = {
  readonly served: ServedRoute
  readonly settings: CatchUpSettings
  readonly dryRun: boolean
  readonly progress: Progress
  since: number
  startedAt: number
  endedAt?: number
}

export class CatchUps {
  readonly #options: CatchUpOptions
  /** The present or last catch-up of each route, by its name. Names are those of served routes, so they are bounded. */
  readonly #standings = new Map<string, Standing>()
  readonly #stopping = new AbortController()
  /** The end of the last catch-up of each log, by the name of the log. */
  readonly #work = new Map<string, Promise<void>>()

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /** Returns the routes that can catch up, by their names. */
  routes(): ReadonlyMap<string, ServedRoute> {
    const served = this.#options.current().served()
    return new Map(served.filter(({ source }) => source.spec.catch_up !== undefined).map((each) => [each.source.name, each]))
  }

  /**
   * Begins a catch-up of a route, or of all routes that can. A catch-up that runs already goes on. Returns the states of these catch-ups.
   */
  begin({ route, since, dryRun = false }: CatchUpQuestion): readonly CatchUpState[] {
    const routes = this.routes()
    for (const name of this.#standings.keys()) if (!routes.has(name) && !this.isRunning(name)) this.#standings.delete(name)
    const chosen = [...routes].filter(([name]) => route === undefined || name === route)
    for (const [name, served] of chosen) {
      if (this.isRunning(name)) continue
      const { catch_up: settings } = served.source.spec
      if (settings === undefined) continue
      const now = this.#options.clock.now()
      const standing: Standing = { served, settings, dryRun, progress: newProgress(), since: since ?? now, startedAt: now }
      this.#standings.set(name, standing)
      // One after the other: the routes of one sender often share a token, and its limits.
      const before = this.#work.get(settings.from) ?? Promise.resolve()
      this.#work.set(
        settings.from,
        before.then(() => this.#run(standing, since)),
      )
    }
    return chosen.flatMap(([name]) => this.state(name))
  }

  /** Returns the state of the present or last catch-up of a route, or of all routes. */
  states(route?: string): readonly CatchUpState[] {
    return [...this.#standings.keys()].filter((name) => route === undefined || name === route).flatMap((name) => this.state(name))
  }

  /** Returns the catch-ups that are under way, and those that failed, except where another gateway does the catch-up. */
  open(): readonly CatchUpState[] {
    return this.states().filter((each) => each.state !== 'done' && !isElsewhere(each))
  }

  state(name: string): CatchUpState[] {
    const standing = this.#standings.get(name)
    return standing ? [viewOf(standing)] : []
  }

  isRunning(name: string): boolean {
    const standing = this.#standings.get(name)
    return standing !== undefined && standing.endedAt === undefined
  }

  /** Ends what is in progress, and waits for that. The next start begins anew. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the gateway stops'))
    await Promise.all(this.#work.values())
  }

  async #run(standing: Standing, since: number | undefined): Promise<void> {
    const { clock, store, keep, current } = this.#options
    const { progress, served, settings, dryRun } = standing
    try {
      this.#stopping.signal.throwIfAborted()
      const { name, profile } = served.source
      const key = catchUpKey({ profile, route: name })
      standing.startedAt = clock.now()
      standing.since = since ?? (await this.#sinceOf(key, settings))
      const log = openLog(served.source, settings, { config: current().config, clock, keep })
      const perMinute = this.#perMinute(settings, partOf(settings))
      await runCatchUp({ log, since: standing.since, perMinute, dryRun, progress }, this.#effectsFor(standing))
      // The next catch-up begins where this one began. With `--since` it may have looked back less far, and the time before stays open.
      if (progress.state === 'done' && !dryRun && since === undefined) await store.keepPositions(new Map([[key, standing.startedAt]]))
    } catch (error) {
      Object.assign(progress, { state: 'failed', why: messageOf(error) })
    }
    standing.endedAt = clock.now()
    this.#tell(standing)
  }

  async #sinceOf(key: string, { hours = defaults.catch_up.hours }: CatchUpSettings): Promise<number> {
    const now = this.#options.clock.now()
    const earliest = now - hours * hourMs
    const last = (await this.#options.store.positions()).get(key)
    // A time that is still to come was written by a wrong clock.
    return last === undefined || last > now ? earliest : Math.max(earliest, last - overlapMs)
  }

  /** At most half of what the route takes in a minute: the other half is for new events. */
  #perMinute({ per_minute: perMinute }: CatchUpSettings, part: SenderLogPart): number {
    const { rate_limit: limit } = this.#options.current().config.adapter
    return Math.min(perMinute ?? part.perMinute, Math.max(1, limit / 2))
  }

  #effectsFor({ served, dryRun }: Standing): CatchUpEffects {
    const { clock, store, lead, isReady, isPaused, take } = this.#options
    const { name: route, profile, spec } = served.source
    const holdMs = holdMsOf(spec)
    return {
      clock,
      isReady,
      isPaused: () => isPaused(route),
      signal: this.#stopping.signal,
      held: async (ids) => {
        const keysOf = (name: string) => ids.map((deliveryId) => claimOf({ profile, route: name, deliveryId }, holdMs).key)
        const held = await Promise.all((spec.dispatch ? dispatchTargets(spec) : [route]).map((name) => store.held(keysOf(name))))
        return ids.map((_, i) => held.some((each) => each[i]))
      },
      take: async (entry) => whyRefused(await take(served, entry)),
      // A dry run asks the sender for nothing, so another gateway may catch up meanwhile.
      lead: async () => dryRun || (await lead(`catch-up/${route}`, leadMs)),
    }
  }

  #tell({ served, settings, since, progress, dryRun, endedAt }: Standing): void {
    if (dryRun) return
    const { name: route, profile } = served.source
    const { listed, asked, awaited, refused, givenUp, why } = progress
    const counts = { listed, asked, awaited, refused, givenUp }
    this.#options.facts.emit({
      kind: 'catch_up_ended',
      at: endedAt ?? 0,
      profile,
      route,
      from: settings.from,
      since,
      ...counts,
      why,
      isElsewhere: isElsewhere(progress),
    })
  }
}

/** Returns why a pulled event was not taken; `undefined` where it was. */
const whyRefused = (outcome: Outcome | undefined): string | undefined => {
  if (!outcome) return 'the route is disabled'
  return outcomeStatus(outcome) < 400 ? undefined : `${outcomeName(outcome)}: ${outcomeReason(outcome) ?? ''}`
}

const newProgress = (): Progress => ({ state: 'waiting', listed: 0, missing: 0, asked: 0, awaited: 0, refused: 0, givenUp: 0, handled: [] })

const viewOf = ({ served, settings, dryRun, progress, since, startedAt, endedAt }: Standing): CatchUpState => {
  const { state, listed, missing, asked, refused, givenUp, why, help, senderWait, handled } = progress
  return {
    profile: served.source.profile,
    route: served.source.name,
    from: settings.from,
    state,
    dry_run: dryRun,
    since: new Date(since).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    ...(endedAt === undefined ? {} : { ended_at: new Date(endedAt).toISOString() }),
    listed,
    missing,
    asked,
    refused,
    given_up: givenUp,
    ...(why === undefined ? {} : { why }),
    ...(help === undefined ? {} : { help }),
    ...(senderWait === undefined ? {} : { waits_until: new Date(senderWait.until).toISOString(), waits_for: senderWait.why }),
    events: handled.map(({ deliveryId, event, at, result, why: refusal }) => ({
      delivery_id: deliveryId,
      event,
      at: new Date(at).toISOString(),
      result,
      ...(refusal === undefined ? {} : { why: refusal }),
    })),
  }
}
