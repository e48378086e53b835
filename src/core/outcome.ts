/** How a request can end: a closed list; `http/reply.ts` gives each its status and body. */

type Refusal =
  | 'too_large'
  | 'too_many_headers'
  | 'unknown_route'
  | 'unknown_profile'
  | 'route_disabled'
  | 'rate_limited'
  | 'bad_signature'
  | 'forbidden'
  | 'bad_json'
  | 'delivery_failed'
  | 'stopping'
  | 'overloaded'
  | 'unavailable'
  | 'internal'

export type Refused = {
  readonly kind: 'refused'
  readonly code: Refusal
  /** The route's name, where the answer names it. */
  readonly name?: string
  readonly retryAfterSeconds?: number
  /** For the log only: never leaves the server. */
  readonly detail?: string
  readonly eventId?: string
}

export type Ignored = {
  readonly kind: 'ignored'
  readonly reason: 'event' | 'filter' | 'script'
  readonly route: string
  readonly event?: string
  /** For the log only: which rule said no, and to what. Worked out when somebody reads it. */
  readonly detail?: () => string
}

export type Outcome =
  | Refused
  | Ignored
  | { readonly kind: 'duplicate'; readonly route: string; readonly deliveryId: string }
  | { readonly kind: 'accepted'; readonly route: string; readonly event: string; readonly deliveryId: string; readonly eventId: string }
  | { readonly kind: 'delivered'; readonly route: string; readonly target: string; readonly deliveryId: string; readonly eventId: string }

export const refuse = (code: Refusal, more: Omit<Refused, 'kind' | 'code'> = {}): Refused => ({ kind: 'refused', code, ...more })
