/** The contract of targets: a target sends one text to a platform. */

import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { Delivery } from '../../store/ports.ts'
import type { Report } from '../report.ts'

/** What became of a text. */
export type Sent =
  | { readonly ok: true; readonly detail?: string }
  | {
      readonly ok: false
      readonly why: string
      /** Another try is allowed: nothing can have been posted, or posting again cannot post twice. */
      readonly repeatable: boolean
      readonly retryAfterMs?: number
    }

/** A text to send, with the event or job that it comes from. */
export type Outgoing = {
  readonly text: string
  readonly profile: string
  readonly route: string
  readonly deliveryId: string
  /** The id of the scheduled job whose text this is. */
  readonly job?: string
  readonly delivery: Delivery
  /** The target's place in its route's list; 0 for the first or only one. */
  readonly place: number
  readonly budgetMs: number
  /** An earlier try was interrupted, and its text may have arrived. */
  readonly doubtful?: true
  /** Call it, with the reason, before posting a text whose repeat could not be recognised. Throws where it is too late to post. */
  readonly onlyOnce?: (why: string) => void
}

/** One setting of a target: its key under `platforms.<name>`, and its conventional names in the environment, whose values win. */
export type Setting = {
  readonly key: string
  readonly env: readonly string[]
  readonly secret?: true
  readonly default?: string
}

/** What a target may use. `env` is the profile's environment, for child processes. */
export type TargetKit = {
  /** The platform's settings in this profile: as written, and over them those from the environment. */
  readonly settings: JsonObject
  readonly env: { readonly [name: string]: string | undefined }
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
  readonly keep: Keep
}

/** Keeps what outlives one text, for example an access token, until the gateway stops. */
export interface Keep {
  /** What `make` made when it was asked for first: the same function always finds the same. What it owns is closed at the end. */
  of<T>(make: () => Closable<T>): T
}

/**
 * A place that texts are delivered to.
 * @example
 * export const target: TargetPart = {
 *   name: 'acme-chat',
 *   title: 'Acme',
 *   settings: [{ key: 'url', env: ['ACME_URL'] }],
 *   needs: [['url']],
 *   repeatable: false,
 *   async send({ text, budgetMs }, { settings }) {
 *     const response = await fetch(String(settings.url), { method: 'POST', body: text, signal: AbortSignal.timeout(budgetMs) })
 *     return response.ok ? { ok: true } : { ok: false, why: `HTTP ${response.status}`, repeatable: response.status === 429 }
 *   },
 * }
 */
export type TargetPart = {
  /** The name for `deliver`. */
  readonly name: string
  /** The name for people, in editors and docs/targets.md. */
  readonly title: string
  /** The target's section under `platforms`; default: its name without `_comment`. */
  readonly platform?: string
  /** A built-in target has `builtinSettings(platform)`. */
  readonly settings?: readonly Setting[]
  /** The command that the target runs, which must be on the PATH. */
  readonly program?: string
  /** Lists of settings: the target is connected when all of any list are there. Absent: it needs none. */
  readonly needs?: readonly (readonly string[])[]
  /** Keys of `deliver_extra` that a route must say. */
  readonly requires?: readonly string[]
  /** Checks a route's `deliver_extra` as written, templates not yet filled in. */
  check?(extra: JsonObject, report: Report): void
  /** The keys of `deliver_extra` that it reads. Absent: nobody knows. */
  readonly reads?: readonly string[]
  /** Why a text has nowhere to go with these settings, or `undefined`. Absent: every text has an address. */
  unaddressed?(extra: JsonObject, settings: JsonObject): string | undefined
  /** Sending the same text twice cannot post twice, so an interrupted sending may be repeated. */
  readonly repeatable: boolean
  /** Keys of `deliver_extra` that may hold several values, separated by commas. Only commas of the route separate, not a payload's. */
  readonly lists?: readonly string[]
  /** Keys of `deliver_extra` that are web addresses: what a payload fills in there is percent-encoded. */
  readonly addresses?: readonly string[]
  /** Keys of `deliver_extra` with secrets, or maps of them. They are read from the route at each sending; of a map, templates are stored. */
  readonly withheld?: readonly string[]
  /** Sends one text. A rejection counts as a failure that must not be repeated. */
  send(outgoing: Outgoing, kit: TargetKit): Promise<Sent>
}
