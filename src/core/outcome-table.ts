/**
 * The table of outcomes: the status of each answer, and the name in records. Of a refusal also the sentence, how the log shows it, whether
 * the same request may be taken later, and whether its connection ends.
 */

import type { Level } from './log.ts'
import type { EndedWork, Outcome, Refused, Reply } from './outcome.ts'

/**
 * How the same request may be taken later. `route`: no request of its route can be taken now. `item`: only this request failed.
 * `later`: only this request cannot be judged yet.
 */
export type Again = 'route' | 'item' | 'later'

type RefusalRow = {
  readonly status: number
  /** The answer's text. The route's name is appended where the text ends in a blank. */
  readonly sentence: string
  /** The level in the log. A `debug` refusal is logged only where every request is. The number of lines with a higher level is limited. */
  readonly level: Level
  /** The message in the log. Absent where the message is the refusal's code. */
  readonly message?: string
  /** Absent where the same request would be refused again. */
  readonly again?: Again
  /** The answer ends the connection, because the rest of the request is not read. */
  readonly endsConnection?: true
  /** The sentence is answered as plain text, not as JSON. */
  readonly isPlain?: true
  /** Headers of the answer, beside Retry-After. */
  readonly headers?: Reply['headers']
}

/** Statuses and sentences (rules: Replies 1). "Invalid signature" is what operators look for in the log (rules: Authentication 10). */
const refusals: { readonly [code in Refused['code']]: RefusalRow } = {
  too_large: { status: 413, sentence: 'Payload too large', level: 'debug', endsConnection: true },
  too_many_headers: { status: 431, sentence: 'Too many header fields', level: 'debug', endsConnection: true },
  too_slow: { status: 408, sentence: 'Request timeout', level: 'debug', endsConnection: true },
  unknown_route: { status: 404, sentence: 'Unknown route: ', level: 'debug' },
  unknown_profile: { status: 404, sentence: 'Unknown or unconfigured profile', level: 'debug' },
  route_paused: { status: 503, sentence: 'Route paused: ', level: 'debug', again: 'route' },
  route_disabled: { status: 403, sentence: 'Route disabled: ', level: 'debug' },
  rate_limited: { status: 429, sentence: 'Rate limit exceeded', level: 'warn', again: 'route' },
  bad_signature: { status: 401, sentence: 'Invalid signature', level: 'warn', message: 'Invalid signature' },
  forbidden: { status: 403, sentence: 'Forbidden', level: 'warn' },
  wrong_method: { status: 405, sentence: 'Method not allowed', level: 'debug', headers: { Allow: 'POST' } },
  bad_encoding: {
    status: 415,
    sentence: 'Content-Encoding must be gzip, deflate or br, once',
    level: 'debug',
    headers: { 'Accept-Encoding': 'gzip, deflate, br' },
  },
  bad_json: { status: 400, sentence: 'Cannot parse body', level: 'debug' },
  schema_mismatch: { status: 422, sentence: 'Payload does not fit the schema', level: 'warn' },
  expression_failed: { status: 422, sentence: 'Expression failed', level: 'warn' },
  delivery_failed: { status: 502, sentence: 'Delivery failed', level: 'warn', again: 'item', isPlain: true },
  stopping: { status: 503, sentence: 'Server is stopping', level: 'debug', again: 'route' },
  overloaded: { status: 503, sentence: 'Queue is full', level: 'error', again: 'route' },
  unavailable: { status: 503, sentence: 'Store is unavailable', level: 'error', again: 'route' },
  // A stranger can cause the next two, by naming keys that cannot be fetched or an id that is in progress. So they must not hold up the
  // other requests of the route.
  keys_unavailable: { status: 503, sentence: 'Keys of the sender are unavailable', level: 'warn', again: 'later' },
  list_unavailable: { status: 503, sentence: 'List is unavailable', level: 'warn', again: 'later' },
  in_progress: { status: 503, sentence: 'Request with this delivery id is in progress', level: 'warn', again: 'later' },
  // The payload chooses what is looked up, so one answer that fails says nothing of the next event.
  lookup_failed: { status: 503, sentence: 'Lookup failed', level: 'warn', again: 'later' },
  internal: { status: 500, sentence: 'Internal error', level: 'error', again: 'item' },
}

/**
 * The outcomes that are not refusals. `isTaken`: the event made work: a run, a member of a group, or a delivery. `core/reply.ts` makes the
 * bodies of their answers.
 */
const others = {
  ignored: { status: 200, isTaken: false },
  handshake: { status: 200, isTaken: false },
  duplicate: { status: 200, isTaken: false },
  accepted: { status: 202, isTaken: true },
  coalesced: { status: 202, isTaken: true },
  // Its items are taken, each with an outcome of its own. Where no item made work, the status is 200.
  split: { status: 202, isTaken: false },
  delivered: { status: 200, isTaken: true },
  closing: { status: 200, isTaken: false },
} as const satisfies { readonly [kind in Exclude<Outcome['kind'], 'refused'>]: { readonly status: number; readonly isTaken: boolean } }

/** The kinds of outcomes of events that made work. */
type Taken = { readonly [kind in keyof typeof others]: (typeof others)[kind]['isTaken'] extends true ? kind : never }[keyof typeof others]

export const refusalRow = ({ code }: Refused): RefusalRow => refusals[code]

/** Returns the status of the answer to an outcome. The answer of a route that shapes its answers has a status of its own. */
export const outcomeStatus = (outcome: Outcome): number => {
  if (outcome.kind === 'refused') return refusalRow(outcome).status
  if (outcome.kind === 'handshake') return outcome.reply.status
  return outcome.kind === 'split' && !outcome.items.accepted && !outcome.items.coalesced ? 200 : others[outcome.kind].status
}

export const outcomeNames: readonly string[] = [...Object.keys(others), ...Object.keys(refusals)]

/**
 * Returns the code of the refusal whose answer has this status, and with whose sentence `sentence` begins; `undefined` where there is none.
 */
export const refusalSaid = (status: number, sentence: string): string | undefined =>
  Object.entries(refusals).find(([, row]) => row.status === status && sentence.startsWith(row.sentence))?.[0]

/** Counts refusals in words, in the table's order: `3 rate_limited (429), 1 too_large (413)`. Empty where nothing was refused. */
export const describeRefusals = (counts: { readonly [code in Refused['code']]?: number }): string =>
  Object.entries(refusals)
    .flatMap(([code, { status }]) => {
      const count = counts[code as Refused['code']]
      return count === undefined ? [] : [`${count} ${code} (${status})`]
    })
    .join(', ')

/** Returns a refusal's code, or the kind of any other outcome. */
export const outcomeName = (outcome: Outcome): string => (outcome.kind === 'refused' ? outcome.code : outcome.kind)

export const isTakenOutcome = (outcome: Outcome): outcome is Extract<Outcome, { readonly kind: Taken }> =>
  outcome.kind !== 'refused' && others[outcome.kind].isTaken

const maxIdsInReason = 5

const describeEnded = ({ count, ids, isMore }: EndedWork): string => {
  const others = count > maxIdsInReason ? ` and ${count - maxIdsInReason} more` : ''
  const named = count === 0 ? '' : `: ${ids.slice(0, maxIdsInReason).join(', ')}${others}`
  return `it ended the work of ${count} earlier ${count === 1 ? 'event' : 'events'}${named}${isMore ? '; further work of its key goes on' : ''}`
}

/**
 * Returns the reason of an outcome for the log, records and commands; `undefined` where it has none. The reason never goes to the sender.
 */
export const outcomeReason = (outcome: Outcome): string | undefined => {
  switch (outcome.kind) {
    case 'ignored':
      return outcome.detail?.() ?? outcome.reason
    case 'handshake':
      return 'a question of the sender was answered'
    case 'refused':
      return outcome.detail ?? outcome.limit
    case 'duplicate':
      return outcome.by && 'its delivery id is new, but an event with the same key (duplicates.key) came before'
    case 'split': {
      const counts = Object.entries(outcome.items).map(([name, count]) => `${count} ${name}`)
      return [`its items: ${counts.join(', ')}`, ...(outcome.note === undefined ? [] : [outcome.note])].join('; ')
    }
    case 'accepted':
    case 'coalesced':
    case 'closing':
      return [outcome.ended && describeEnded(outcome.ended), outcome.note].filter((text) => text !== undefined).join('; ') || undefined
    case 'delivered':
      return outcome.note
  }
}

/** Describes an outcome for records and commands. */
export const describeOutcome = (outcome: Outcome): { readonly outcome: string; readonly status: number; readonly reason?: string } => {
  const reason = outcomeReason(outcome)
  return { outcome: outcomeName(outcome), status: outcomeStatus(outcome), ...(reason === undefined ? {} : { reason }) }
}
