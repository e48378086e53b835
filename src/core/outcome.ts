/** The closed list of ways in which a request can end. `core/outcome-table.ts` has the status of each, `core/reply.ts` makes its answer. */

import type { StoreFault } from './fault.ts'

/** After this time a sender may send an event again for which the store or a limit had no room. */
const retryAfterSeconds = 5

/** Returns the refusal of a request whose work the store could not take. */
export const unavailable = (fault: StoreFault): Refused => refuse('unavailable', { retryAfterSeconds, detail: fault.message })

/** Returns the refusal of a request whose work would exceed a limit, such as the length of a queue. `detail`: the sentence for the log. */
export const overloaded = (detail: string): Refused => refuse('overloaded', { retryAfterSeconds, detail })

/** After this time a sender may send an event again that a paused route did not take. */
const pausedRetrySeconds = 60

/** Returns the refusal of a request whose route takes no events for now. `name`: the route that received it. */
export const routePaused = (name: string, detail?: string): Refused =>
  refuse('route_paused', { name, retryAfterSeconds: pausedRetrySeconds, ...(detail === undefined ? {} : { detail }) })

/** After this time a sender may send an event again for which a list of a condition was not there. */
const unlistedRetrySeconds = 60

/** Refuses an event until the list is there that a condition needs: nobody may pass a list for allowing or for blocking unseen. */
export const listUnavailable = (detail: string): Refused => refuse('list_unavailable', { retryAfterSeconds: unlistedRetrySeconds, detail })

/** The answer to a sender. */
export type Reply = {
  readonly status: number
  readonly body: string
  readonly type: string
  readonly headers?: { readonly [name: string]: string }
}

/**
 * The answer to an accepted event whose sender waits for the reply of the event's run. Exactly one of `send` and `leave` is called, once.
 */
export type AwaitedAnswer = {
  /** The headers of an answer without the reply. They name the address at which the sender can ask for the state of the run. */
  readonly lateHeaders: NonNullable<Reply['headers']>
  /**
   * Calls `write` once: with the answer that has the reply, or with `undefined` as soon as it is known that no reply will come in time. May
   * call it at once.
   */
  readonly send: (write: (reply: Reply | undefined) => void) => void
  /** Ends the wait: the sender is gone, or the event was not accepted. */
  readonly leave: () => void
}

type Refusal =
  | 'too_large'
  | 'too_many_headers'
  | 'too_slow'
  | 'unknown_route'
  | 'unknown_profile'
  | 'route_disabled'
  | 'route_paused'
  | 'rate_limited'
  | 'bad_signature'
  | 'forbidden'
  | 'bad_encoding'
  | 'bad_json'
  | 'schema_mismatch'
  | 'expression_failed'
  | 'wrong_method'
  | 'delivery_failed'
  | 'stopping'
  | 'overloaded'
  | 'unavailable'
  | 'keys_unavailable'
  | 'list_unavailable'
  | 'in_progress'
  | 'lookup_failed'
  | 'internal'

export type Refused = {
  readonly kind: 'refused'
  readonly code: Refusal
  /** The route's name, where the answer names it. */
  readonly name?: string
  readonly retryAfterSeconds?: number
  /** The methods that the route takes, where the answer says them (`Allow`). */
  readonly allow?: string
  /** The limit that the request exceeds, where the answer says it: no text of the request. */
  readonly limit?: string
  /**
   * The signature of the refused request is checked after the answer. Where the signature holds, the request leaves a record with its body.
   */
  readonly isCheckedLater?: true
  /** A text for the log, records and commands. It never goes to the sender. */
  readonly detail?: string
}

export type Ignored = {
  readonly kind: 'ignored'
  readonly reason:
    | 'event'
    | 'own_comment'
    | 'preview'
    | 'schema'
    | 'filter'
    | 'lookup'
    | 'script'
    | 'transform'
    | 'cooldown'
    | 'dispatch'
    | 'job_paused'
    | 'job_disabled'
    | 'job_running'
    | 'job_missing'
  readonly route: string
  readonly event?: string
  /** The delivery id of an event that a scheduled job did not take. Absent for other reasons. */
  readonly deliveryId?: string
  /**
   * Returns, for the log, records and commands, the rule that ended the request and the value that the rule saw. Called when somebody reads
   * the text.
   */
  readonly detail?: () => string
}

/** The earlier events whose work an event has ended. `ids`: the first of them. `isMore`: further work of the key goes on. */
export type EndedWork = { readonly count: number; readonly ids: readonly string[]; readonly isMore?: boolean }

type EventReference = {
  readonly route: string
  readonly event: string
  readonly deliveryId: string
  /** What failed on the event all the same, for the log, records and commands. It never goes to the sender. */
  readonly note?: string
}

export type Outcome =
  | Refused
  | Ignored
  /** A question that the sender asks before it sends events. It makes no work. */
  | { readonly kind: 'handshake'; readonly route: string; readonly reply: Reply }
  /** `by`: the delivery id is new, and an event with the same key (`duplicates.key`) came before. */
  | { readonly kind: 'duplicate'; readonly route: string; readonly deliveryId: string; readonly by?: 'key' }
  | (EventReference & { readonly kind: 'accepted'; readonly cronJob?: string; readonly ended?: EndedWork })
  /** The event joined a group. `group`: the id of the event that opened the group. */
  | (EventReference & { readonly kind: 'coalesced'; readonly group: string; readonly ended?: EndedWork })
  /** The event ended earlier work (`cancel_on`), and starts none. */
  | (EventReference & { readonly kind: 'closing'; readonly ended: EndedWork })
  /** The request is several events, each with an outcome of its own. `items`: their number by the name of their outcome. */
  | (EventReference & { readonly kind: 'split'; readonly items: { readonly [outcome: string]: number } })
  | {
      readonly kind: 'delivered'
      readonly route: string
      readonly target: string
      readonly deliveryId: string
      readonly note?: string
      /** The targets' answers, for the records. */
      readonly answers: readonly string[]
    }

export const refuse = (code: Refusal, more: Omit<Refused, 'kind' | 'code'> = {}): Refused => ({ kind: 'refused', code, ...more })
