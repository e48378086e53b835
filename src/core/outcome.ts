/** The closed list of ways in which a request can end. `core/outcome-table.ts` has the status of each, `core/reply.ts` makes its answer. */

/** The answer to a sender. */
export type Reply = {
  readonly status: number
  readonly body: string
  readonly type: string
  readonly headers?: { readonly [name: string]: string }
}

type Refusal =
  | 'too_large'
  | 'too_many_headers'
  | 'too_slow'
  | 'unknown_route'
  | 'unknown_profile'
  | 'route_disabled'
  | 'rate_limited'
  | 'bad_signature'
  | 'forbidden'
  | 'bad_json'
  | 'schema_mismatch'
  | 'wrong_method'
  | 'delivery_failed'
  | 'stopping'
  | 'overloaded'
  | 'unavailable'
  | 'keys_unavailable'
  | 'in_progress'
  | 'internal'

export type Refused = {
  readonly kind: 'refused'
  readonly code: Refusal
  /** The route's name, where the answer names it. */
  readonly name?: string
  readonly retryAfterSeconds?: number
  /**
   * The signature of the refused request is checked after the answer. Where the signature holds, the request leaves a record with its body.
   */
  readonly isCheckedLater?: true
  /** A text for the log, records and commands. It never goes to the sender. */
  readonly detail?: string
}

export type Ignored = {
  readonly kind: 'ignored'
  readonly reason: 'event' | 'own_comment' | 'schema' | 'filter' | 'script' | 'job_paused' | 'job_disabled' | 'job_running' | 'job_missing'
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

type EventReference = { readonly route: string; readonly event: string; readonly deliveryId: string }

export type Outcome =
  | Refused
  | Ignored
  /** A question that the sender asks before it sends events. It makes no work. */
  | { readonly kind: 'handshake'; readonly route: string; readonly reply: Reply }
  | { readonly kind: 'duplicate'; readonly route: string; readonly deliveryId: string }
  | (EventReference & { readonly kind: 'accepted'; readonly cronJob?: string })
  /** The event joined a group. `group`: the id of the event that opened the group. */
  | (EventReference & { readonly kind: 'coalesced'; readonly group: string })
  | {
      readonly kind: 'delivered'
      readonly route: string
      readonly target: string
      readonly deliveryId: string
      /** The targets' answers, for the records. */
      readonly answers: readonly string[]
    }

export const refuse = (code: Refusal, more: Omit<Refused, 'kind' | 'code'> = {}): Refused => ({ kind: 'refused', code, ...more })
