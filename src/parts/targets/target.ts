/** The contract of targets: a target sends one text to a platform. */

import type { Clock } from '../../core/clock.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { ChatAddress } from '../../core/session.ts'
import type { Delivery } from '../../store/ports.ts'
import type { OwnComments } from '../own-comment.ts'
import type { Report } from '../report.ts'

/** The result of one attempt to send a text. */
export type Sent =
  | { readonly ok: true; readonly detail?: string }
  | {
      readonly ok: false
      readonly why: string
      /** Whether another attempt cannot post the text twice: nothing was posted, or the target drops a repeated post. */
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
  /** Where the target stands in its route's list; 0 for the first or only target. */
  readonly position: number
  readonly budgetMs: number
  /** An earlier attempt was interrupted, and its text may have arrived. */
  readonly doubtful?: true
  /** Call this, with the reason, before you post a text whose repeat could not be recognised. It throws when it is too late to post. */
  readonly onlyOnce?: (why: string) => void
}

/** One setting of a target: its key under `platforms.<name>`, and its environment variables, whose values win. */
export type Setting = {
  readonly key: string
  readonly env: readonly string[]
  readonly secret?: true
  readonly default?: string
}

/** What the schema says of one key: a node of a JSON Schema (draft-07), with keywords of ours. */
export type KeySchema = {
  /** Of a setting, always there. A key of `deliver_extra` that has a type is checked on every route; without one it is a text or a number. */
  readonly type?: string | readonly string[]
  /** The name for people. When absent, it is the key in words. */
  readonly title?: string
  readonly description?: string
  /** The description in Markdown. When absent, it is the description. */
  readonly markdownDescription?: string
  readonly default?: Json
  readonly examples?: readonly (string | number)[]
  readonly additionalProperties?: JsonObject
  /** The target knows the key, but another one is the usual one, so editors do not offer it. */
  readonly doNotSuggest?: true
  /** The environment variables of a setting, whose values win. May be empty. When absent, `TargetPart.settings` has no such setting. */
  readonly 'x-env'?: readonly string[]
  /** The value may be written as `${NAME}`. */
  readonly 'x-secret'?: true
  /** No error of the platform may show the value. */
  readonly 'x-redact'?: true
  /** An id or name of the platform: the delivery fails when a placeholder in the value is not filled in, as in the keys of an address. */
  readonly 'x-exact'?: true
  /** The target knows the key only to refuse it: editors mark it as wrong. */
  readonly 'x-refused'?: true
}

/** The keys of a map, in the order in which editors offer them. */
export type KeySchemas = { readonly [key: string]: KeySchema }

/** The keys of a built-in target. The published schema, the docs and the rules of editors are made of them. */
export type TargetSchema = {
  /** Its section under `platforms`. */
  readonly settings?: { readonly description: string; readonly properties: KeySchemas }
  readonly deliver_extra: { readonly properties: KeySchemas }
}

/** What a target may use to send. `env` is the profile's environment, for child processes. */
export type TargetKit = {
  /** The platform's settings in this profile. Values from the environment replace those in the file. */
  readonly settings: JsonObject
  readonly env: { readonly [name: string]: string | undefined }
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
  readonly keep: Keep
  /** Marks a comment on a code host as ours, for a target with `returnsAsEvent`. Without a mark the gateway answers its own comment. */
  readonly mark: OwnComments['mark']
}

/** Keeps what a target needs longer than for one text, for example an access token, until the gateway stops. */
export interface Keep {
  /** Calls `make` the first time, and always returns the same result for the same function. What the result owns is closed at the end. */
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
  /** Other names that `deliver` accepts. In a plugin's target they have no effect. */
  readonly aliases?: readonly string[]
  /** The target's section under `platforms`. The default is the target's name without `_comment`. */
  readonly platform?: string
  /** What the schema says of the target's keys. A plugin exports `schema` beside its targets instead. When absent, the keys are not known. */
  readonly schema?: TargetSchema
  /** The settings that the target reads. A built-in target has those of its schema (`settingsIn`). */
  readonly settings?: readonly Setting[]
  /** The command that the target runs, which must be on the PATH. */
  readonly program?: string
  /** Lists of settings. The target is connected when every setting of one list is there. When absent, the target needs none. */
  readonly needs?: readonly (readonly string[])[]
  /** Keys of `deliver_extra` that a route must set. */
  readonly requires?: readonly string[]
  /** Checks a route's `deliver_extra`, before templates are filled in. */
  check?(extra: JsonObject, report: Report): void
  /** Why a text has no address with these settings, or `undefined`. When absent, every text has an address. */
  unaddressed?(extra: JsonObject, settings: JsonObject): string | undefined
  /** The chat that a text with these settings goes to, `undefined` when it has no address. When absent, the target is no chat. */
  chat?(extra: JsonObject, settings: JsonObject): Omit<ChatAddress, 'platform'> | undefined
  /** What it posts comes back as an event of the same sender. Such an event is not answered, and the runs that comment on one issue are counted. */
  readonly returnsAsEvent?: true
  /** Its texts reach only whoever runs the gateway, so a route without a prompt is not reported for this target. */
  readonly internal?: true
  /** Whether an interrupted attempt may be repeated, because sending the same text twice cannot post twice. */
  readonly repeatable: boolean
  /** Keys of `deliver_extra` that may hold several values, separated by commas. A comma from a payload does not separate values. */
  readonly lists?: readonly string[]
  /** Keys of `deliver_extra` that hold web addresses. Text that a payload fills in there is percent-encoded. */
  readonly addresses?: readonly string[]
  /** Keys of `deliver_extra` that hold secrets. Each attempt reads them from the route. Of a map, only values with templates are stored. */
  readonly withheld?: readonly string[]
  /** Sends one text. A rejected promise counts as a failure that must not be repeated. */
  send(outgoing: Outgoing, kit: TargetKit): Promise<Sent>
}
