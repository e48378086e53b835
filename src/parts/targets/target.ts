/** A target: sends one text to a platform. */

import type { Clock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Delivery } from '../../store/ports.ts'
import type { Report } from '../report.ts'

export type Sent =
  | { readonly ok: true; readonly detail?: string }
  | {
      readonly ok: false
      readonly why: string
      /** Nothing can have been posted, or posting again cannot post twice. */
      readonly repeatable: boolean
      readonly retryAfterMs?: number
    }

/** A text on its way out, with who it belongs to. */
export type Outgoing = {
  readonly text: string
  readonly profile: string
  readonly route: string
  readonly deliveryId: string
  /** The scheduled job that says this, by id. */
  readonly job?: string
  readonly delivery: Delivery
  /** Which of several targets of its route this is; 0 for the first or only one. */
  readonly place: number
  readonly budgetMs: number
  /** An earlier try was broken off: it may have arrived. */
  readonly doubtful?: true
  /** Called before a text is posted whose repeat could not be recognised, with the reason. Throws where it is too late to post it. */
  readonly onlyOnce?: (why: string) => void
}

/** One setting of a target: its key under `platforms.<name>`, and the conventional names it has in the environment, which win. */
export type Setting = {
  readonly key: string
  readonly env: readonly string[]
  readonly secret?: true
  readonly default?: string
}

/** What a target may use: its platform's settings in this profile, the environment for its child processes, the log. */
export type TargetKit = {
  /** As written, and over them those of the environment that the target names. */
  readonly settings: JsonObject
  readonly env: { readonly [name: string]: string | undefined }
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
  readonly keep: Keep
}

/** What outlives one text: bought tokens, turns of a connection, where a program was found. It ends with the gateway, not with the process. */
export interface Keep {
  /** What `make` made when it was asked for first: the same function always finds the same. */
  of<T>(make: () => T): T
}

export type TargetPart = {
  /** What `deliver` calls it. */
  readonly name: string
  /** For people, where editors and docs/targets.md list the targets. */
  readonly title: string
  /** Its section under `platforms`; absent: its name without `_comment`. */
  readonly platform?: string
  /** Of a built-in target: `builtinSettings(platform)`. */
  readonly settings?: readonly Setting[]
  /** The command that it runs, from a folder of the PATH. */
  readonly program?: string
  /** Which settings make it connected: all of any of these lists. Absent: it needs none. */
  readonly needs?: readonly (readonly string[])[]
  /** Checks a route's `deliver_extra` as written, templates not yet filled in. */
  check?(extra: JsonObject, report: Report): void
  /** Sending the same text twice cannot post twice: what a crash broke off may be sent again. */
  readonly repeatable: boolean
  /** Keys of `deliver_extra` that may hold several values, with commas between them, as the route writes them: a payload adds none. */
  readonly lists?: readonly string[]
  /** Keys of `deliver_extra` that are web addresses: what a payload fills in is percent-encoded. */
  readonly addresses?: readonly string[]
  /** Keys of `deliver_extra` that hold secrets, or maps of them: read from the route when sending, and stored only where a payload fills them in. */
  readonly withheld?: readonly string[]
  /** Sends one text; a rejection counts as a failure that must not be repeated. */
  send(outgoing: Outgoing, kit: TargetKit): Promise<Sent>
}
