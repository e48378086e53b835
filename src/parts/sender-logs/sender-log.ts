/**
 * The contract of sender logs: a sender log reads what a sender remembers of its deliveries to one webhook, and asks the sender to send one
 * of them again. What is sent again comes as a normal request, with a signature of the sender.
 */

import type { Clock } from '../../core/clock.ts'
import type { Report } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Route } from '../../generated/config.ts'
import type { Keep } from '../targets/target.ts'

/** The settings under `catch_up` of a route, with references resolved. */
export type CatchUpSettings = NonNullable<Route['catch_up']>

/** One attempt of the sender to deliver an event. Several attempts may have the same delivery id. */
export type LogEntry = {
  /** The delivery id, as a request of this sender has it for the route's scheme. */
  readonly deliveryId: string
  /** The sender's own name of this attempt, which asks for it again. Empty where the sender cannot be asked, because `body` is there. */
  readonly ref: string
  /** When the attempt was made: wall time of the sender, milliseconds. */
  readonly at: number
  readonly event: string
  /** Whether the sender counts the attempt as delivered. */
  readonly isDelivered: boolean
  /** Whether somebody asked for this attempt, so that it was not the sender's first. */
  readonly isRepeat: boolean
  /** The event itself, as JSON, where the sender sends nothing again and the event must be pulled. Nobody signs it. */
  readonly body?: string
}

/** Why the log could not be read, or an entry not be asked for. */
export type LogFailure = {
  readonly ok: false
  /** What happened, without secrets, to be shown to the operator. */
  readonly why: string
  /** The way out, where there is one. */
  readonly help?: string
  /** The wait after which the same question may be asked again; absent where an answer cannot be expected. */
  readonly retryAfterMs?: number
  /** Whether only this entry cannot be sent again, and the next may be asked for. */
  readonly isOfEntry?: true
}

/**
 * A page of a log. `unreadable`: how many of its entries are not in the form that the sender describes. `next`: the cursor of the next
 * page, with older entries; absent at the end of the log.
 */
export type LogPage = { readonly ok: true; readonly entries: readonly LogEntry[]; readonly unreadable: number; readonly next?: string }

export interface SenderLog {
  /** Reads a page, the newest entries first. `since`: entries before this wall time need not be there. Never rejects. */
  read(cursor: string | undefined, since: number): Promise<LogPage | LogFailure>
  /** Asks the sender to send an entry again. Absent for a sender whose entries have their `body`, or with `byHand`. Never rejects. */
  sendAgain?(entry: LogEntry): Promise<{ readonly ok: true } | LogFailure>
  /**
   * For a sender whose API has no known call that sends an event again: the place where a person does so, in words. Missing events are then
   * only reported.
   */
  readonly byHand?: string
}

/** What a sender log may use. */
export type SenderLogKit = {
  /** The environment of the route's profile, for child processes. */
  readonly env: { readonly [name: string]: string | undefined }
  /** The settings of a platform in the route's profile (`platforms.<name>`), with those from the environment. */
  readonly platform: (name: string) => JsonObject
  /** The event types that the route lists; empty where it takes all. */
  readonly events: readonly string[]
  readonly clock: Clock
  readonly keep: Keep
}

export type SenderLogPart = {
  /** The name by which `catch_up.from` names the log. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** The schemes by which requests of the sender may be verified. A route with `catch_up` verifies by one of them. */
  readonly schemes: readonly string[]
  /** How far back the sender's log goes at most, in hours: servers of one's own may keep it for longer than the public one. */
  readonly longestHours: number
  /** How many entries the sender may be asked to send again in a minute, by its own limits. Not used with `byHand`. */
  readonly perMinute: number
  /** The permission that the token must have, as a sentence for people. */
  readonly right: string
  /** Returns the keys that are read with these settings, besides `from` and `hours`. */
  reads(settings: CatchUpSettings): readonly (keyof CatchUpSettings)[]
  /** Reports settings that cannot work. */
  check(settings: CatchUpSettings, report: Report): void
  open(settings: CatchUpSettings, kit: SenderLogKit): SenderLog
}
