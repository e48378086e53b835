/** The contract of targets: a target sends one text to a platform, and says what became of it. */

import type { Clock } from '../../core/clock.ts'
import type { Report } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Delivery } from '../../core/new-run.ts'
import type { Closable } from '../../core/scope.ts'
import type { ChatAddress } from '../../core/session.ts'
import type { OwnComments } from '../own-comment.ts'

/** Makes a failure that is not repeated, and that says nothing of the receiver. `why`: the reason, for people. */
export const permanentFailure = (why: string): Unsent => ({ ok: false, why, repeatable: false })

/** The result of one attempt to send a text. */
export type Sent =
  /** `detail`: for people, where the text is now, for example `to ops` or the address of a comment. */
  { readonly ok: true; readonly detail?: string } | Unsent

/** The failure of an attempt to send a text. */
export type Unsent = {
  readonly ok: false
  readonly why: string
  /** Whether another attempt cannot post the text twice: nothing was posted, or the target drops a repeated post. */
  readonly repeatable: boolean
  /** The wait that the platform asks for before another attempt. */
  readonly retryAfterMs?: number
  /**
   * What the failure says of the receiver. `down`: it could not be reached, or takes no text now (5xx, 429). `up`: it refused this text.
   * When absent, a `repeatable` failure means `down`, and any other failure `unknown`.
   */
  readonly receiver?: 'down' | 'up' | 'unknown'
}

/** An alert that a text reports, for receivers that read fields. */
export type AlertNotice = {
  /** A kind of `alerts[].on`; `test` for a test message. */
  readonly kind: string
  readonly severity: 'critical' | 'error' | 'warning' | 'info'
  /** Names the alert. It has the same key when it begins and when it is over. */
  readonly key: string
  readonly state: 'firing' | 'resolved'
  /** What began or is over, in a sentence without a full stop. */
  readonly summary: string
}

/** A text to send, with what it comes from: an event, a job, an alert or a test. Without a route, `route` is empty. */
export type Outgoing = {
  readonly text: string
  readonly profile: string
  readonly route: string
  readonly deliveryId: string
  /** As in `EventFacts`. */
  readonly itemBy?: 'values' | 'place'
  /** The id of the scheduled job whose text this is. */
  readonly job?: string
  /** The text is the report for the `callback` of the route: JSON that is posted as it is. */
  readonly callback?: true
  /** The alerts that the text reports, where it is a message of alerts. */
  readonly alerts?: readonly AlertNotice[]
  readonly delivery: Delivery
  /** Where the target stands in its list of targets; 0 for the first or only target. */
  readonly position: number
  /** How long the sending may take, in milliseconds. */
  readonly budgetMs: number
  /** The place of this sending in its trace, for the header `traceparent` of W3C Trace Context. Absent while traces are off. */
  readonly traceparent?: string
  /** An earlier attempt was interrupted, and its text may have arrived. */
  readonly doubtful?: true
  /**
   * Call this, with the reason, before you post a text whose repeat could not be recognised. It throws when a stop of the gateway has
   * aborted the sending already: the text must not be posted then, because the next start sends it.
   */
  readonly onlyOnce?: (why: string) => void
  /** The process ended during the attempt before. */
  readonly resumed?: true
  /**
   * Call this with a failure after which you wait and post the text again yourself. Then other texts to the same address wait as long.
   */
  readonly postponed?: (failed: Unsent) => void
}

/** One setting of a target: its key under `platforms.<name>`, and its environment variables, whose values win. */
export type Setting = {
  readonly key: string
  readonly env: readonly string[]
  readonly secret?: true
  readonly default?: string
}

/**
 * What the value of a setting must be, where its platform takes no other. `is`: the end of a sentence that begins with "it is not", for
 * example `the address of a webhook`. `example`: a value that fits, without a secret of anybody.
 */
export type SettingForm = { readonly is: string; readonly example: string; fits(value: string): boolean }

/** What the schema says of one key of a target: a node of a JSON Schema (draft-07), with keywords of headgate (`x-…`, `doNotSuggest`). */
export type KeySchema = {
  /**
   * A setting always has a type. In `deliver_extra`, a key with a type is checked on every route, and the value of a key without a type is
   * a text or a number.
   */
  readonly type?: string | readonly string[]
  /** The name for people. When absent, the name is the key, written as words. */
  readonly title?: string
  readonly description?: string
  /** The description in Markdown. When absent, `description` takes its place. */
  readonly markdownDescription?: string
  readonly default?: Json
  readonly examples?: readonly (string | number)[]
  readonly enum?: readonly string[]
  readonly enumDescriptions?: readonly string[]
  readonly pattern?: string
  readonly patternErrorMessage?: string
  readonly items?: JsonObject
  readonly additionalProperties?: JsonObject
  /** Editors do not offer the key: another key is the usual one for the same purpose, or the target has no use for the key. */
  readonly doNotSuggest?: true
  /** The environment variables of a setting, whose values win; may be empty. When absent, the key is not among `TargetPart.settings`. */
  readonly 'x-env'?: readonly string[]
  /**
   * The value is a secret, which nothing shows; `public`: it is none. Either may be written as `${NAME}`. `late`: a text that may have a
   * `${NAME}`, which stays in it until it is sent.
   */
  readonly 'x-secret'?: true | 'public' | 'late'
  /** The value is a template, so a secret may not stand beside a placeholder in it. */
  readonly 'x-template'?: true
  /** The value is an address: a login, a parameter or a part of its path may be a secret. */
  readonly 'x-address'?: true
  /** The value is an id or name of the platform. The delivery fails when the value is empty, or has a placeholder that is not filled in. */
  readonly 'x-exact'?: true
  /** The target knows the key only to refuse it: editors mark it as wrong. */
  readonly 'x-refused'?: true
}

/** The keys of a map, in the order in which editors offer them. */
export type KeySchemas = { readonly [key: string]: KeySchema }

/** The keys of a built-in target. The published schema, the docs and the rules of editors are made from these keys. */
export type TargetSchema = {
  /** The target's section under `platforms`. */
  readonly settings?: { readonly description: string; readonly properties: KeySchemas }
  readonly deliver_extra: { readonly properties: KeySchemas }
}

/** What a target may use to send. `env` is the profile's environment, for child processes. `log` writes a text to the gateway's log. */
export type TargetKit = {
  /** The platform's settings in this profile. Values from the environment replace those in the file. */
  readonly settings: JsonObject
  readonly env: { readonly [name: string]: string | undefined }
  readonly log: (outgoing: Outgoing) => void
  readonly clock: Clock
  readonly keep: Keep
  /**
   * Makes the mark that a target with `returnsAsEvent` adds to its comment on a code host. By the mark, the gateway ignores the event about
   * the comment. Without a mark the gateway would answer its own comment.
   */
  readonly mark: OwnComments['mark']
}

/** Keeps what a target needs longer than for one text, for example an access token, until the gateway stops. */
export interface Keep {
  /** Calls `make` the first time it is given, and returns that result at each later call. A result with `close` is closed at the stop. */
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
  /** The name by which `deliver` names the target. */
  readonly name: string
  /** The name for people, in editors and docs/targets.md. */
  readonly title: string
  /** Other names that `deliver` accepts. In a plugin's target they have no effect. */
  readonly aliases?: readonly string[]
  /** The target's section under `platforms`. The default is the target's name without `_comment`. */
  readonly platform?: string
  /** What the schema says of the target's keys. When absent, they are not known. A plugin exports `schema` beside its targets instead. */
  readonly schema?: TargetSchema
  /** The settings that the target reads. A built-in target has those of its schema (`settingsIn`). */
  readonly settings?: readonly Setting[]
  /** The command that the target runs, which must be on the PATH. */
  readonly program?: string
  /** Lists of settings. The target is connected when every setting of one list is there. When absent, the target needs none. */
  readonly needs?: readonly (readonly string[])[]
  /**
   * Forms of settings, by key. A value of another form is reported by `validate` and `targets list`, and nothing is sent with it. Settings
   * that are web addresses by their names (`url`, `api_base`, `webhook_url` …) need no form for that.
   */
  readonly forms?: { readonly [key: string]: SettingForm }
  /** Keys of `deliver_extra` that must be set. */
  readonly requires?: readonly string[]
  /** Checks a `deliver_extra` of the configuration, before templates are filled in. */
  check?(extra: JsonObject, report: Report): void
  /**
   * Returns why a text with these settings has nowhere to go, or `undefined`. When the function is absent, every text has an address.
   */
  unaddressed?(extra: JsonObject, settings: JsonObject): string | undefined
  /**
   * Returns why `send` would refuse each text with these settings, or `undefined`. The gateway calls the function once the
   * templates are filled in, and before it asks an agent, so that nobody pays for a reply that cannot be sent. The function returns at once
   * and makes no request. When the function is absent, `unaddressed` is called instead.
   */
  undeliverable?(extra: JsonObject, settings: JsonObject): string | undefined
  /**
   * Returns the chat that a text with these settings goes to, or `undefined`. When the function is absent, the target has no chats.
   */
  chat?(extra: JsonObject, settings: JsonObject): Omit<ChatAddress, 'platform'> | undefined
  /**
   * A text that the target posts comes back as an event. Such an event gets no run, where the text ends with the mark of `TargetKit.mark`,
   * and the runs that comment on one issue are limited.
   */
  readonly returnsAsEvent?: true
  /** The target's texts reach only whoever runs the gateway, so a route without a prompt is not reported for this target. */
  readonly internal?: true
  /** Whether an interrupted attempt may be repeated, because sending the same text twice cannot post twice. */
  readonly repeatable: boolean
  /** Keys of `deliver_extra` that may have several values, separated by commas. A comma from a payload does not separate values. */
  readonly lists?: readonly string[]
  /** Keys of `deliver_extra` whose values are web addresses. Text that a payload fills in there is percent-encoded. */
  readonly addresses?: readonly string[]
  /**
   * Keys of `deliver_extra` whose values are secrets. The values are not stored, and each attempt reads them from the configuration. Of a
   * value that is a map, only the entries with placeholders are stored.
   */
  readonly withheld?: readonly string[]
  /** The key `body` of `deliver_extra` is the body of a request (`body-pieces.ts`). In a plugin's target it has no effect. */
  readonly hasBody?: true
  /**
   * Sends one text. A rejected promise counts as a failure that must not be repeated, and so does no answer half a second after `budgetMs`.
   */
  send(outgoing: Outgoing, kit: TargetKit): Promise<Sent>
}
