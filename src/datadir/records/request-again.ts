/**
 * Reads a stored request as if it came again, for a replay or a trace. A signature that held at the arrival is not checked again. A request
 * whose signature did not hold must be verified now.
 */

import { randomUUID } from 'node:crypto'
import { originHeader, pulled } from '../../core/headers.ts'
import type { RequestHead, VerifiedRequest } from '../../core/request.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { withoutEncoding } from '../../parts/body/inflate.ts'

/** The request of an event. `request`: a request that was verified at its arrival. `unverified`: a request that must be verified first. */
export type RepeatedRequest =
  /** `why`: the reason why there is no request to repeat. */
  | { readonly found: false; readonly why: string }
  | { readonly found: true; readonly view: EventView; readonly request: VerifiedRequest }
  | { readonly found: true; readonly view: EventView; readonly unverified: RequestHead & { readonly body: Buffer } }

type RepeatOptions = {
  /** The wall time of the repeat, in milliseconds. */
  readonly at: number
  /**
   * Whether the stored delivery id is kept, which makes the repeat a duplicate within the hour. Otherwise the repeat gets a fresh id. A
   * request that must be verified again has the id of its headers in either case.
   */
  readonly sameId: boolean
  /** The body that replaces the stored body; `undefined` keeps the stored body. */
  readonly body?: string | undefined
}

/** Reads the stored request of an event, or says why there is none to repeat. `eventId`: an event's id, or the beginning of one. */
export const repeatRequest = async (
  records: Pick<EventRecords, 'event' | 'raw'>,
  eventId: string,
  { at, sameId, body }: RepeatOptions,
): Promise<RepeatedRequest> => {
  const lookup = await records.event(eventId)
  if (lookup.kind !== 'found')
    return { found: false, why: lookup.kind === 'ambiguous' ? `several events begin with ${eventId}` : `no event ${eventId}` }
  const { event: view } = lookup
  const { batch_of: batchOf, batch_index: item, dispatched_by: by } = view
  if (batchOf !== undefined && body !== undefined)
    return { found: false, why: `it is one event of a request, which is edited as a whole: replay ${batchOf}` }
  const raw = await rawOf(records, view)
  if (!raw) return { found: false, why: 'its raw request was not kept, or is gone' }
  if (raw.method === 'GET' && body !== undefined) return { found: false, why: 'it came by GET: its payload is in its address, and no body' }
  if (view.unverified || view.outcome === 'bad_signature') {
    if (body !== undefined) return { found: false, why: 'its signature did not hold, and holds for no other body' }
    return { found: true, view, unverified: asArrived(view, raw) }
  }
  const headers = raw.headers as VerifiedRequest['headers']
  const request: VerifiedRequest = {
    eventId: randomUUID(),
    method: raw.method,
    pathAndQuery: raw.pathAndQuery,
    // A body that replaces a compressed one is not compressed.
    headers: body === undefined ? headers : withoutEncoding(headers),
    remote: () => 'replay',
    at,
    body: body === undefined ? raw.body : Buffer.from(body),
    verification: { scheme: 'replay', secret: 0, signedId: (sameId && view.delivery_id) || randomUUID() },
    isPulled: raw.headers[originHeader] === pulled,
    replay: { isNew: !sameId, item, to: by === undefined ? undefined : view.route },
  }
  return { found: true, view, request }
}

/** Reads the raw request of an event: for one item of a request that was split, that of the whole request. `undefined` where it is gone. */
export const rawOf = async (
  records: Pick<EventRecords, 'event' | 'raw'>,
  { raw, batch_of: batchOf }: Pick<EventView, 'raw' | 'batch_of'>,
): Promise<RawRequest | undefined> => {
  if (raw || batchOf === undefined) return raw && records.raw(raw)
  const whole = await records.event(batchOf)
  return whole.kind === 'found' && whole.event.raw ? records.raw(whole.event.raw) : undefined
}

/**
 * Returns the request as it came, with the time of its arrival, because the check of a signature compares a signed time with the time of
 * arrival.
 */
const asArrived = (
  { at, unverified }: EventView,
  { method = 'POST', pathAndQuery, headers, body }: RawRequest,
): RequestHead & { readonly body: Buffer } => ({
  method,
  url: () => unverified?.address ?? '',
  pathAndQuery,
  headers: headers as RequestHead['headers'],
  remote: () => 'replay',
  isProxied: () => unverified?.proxied === true,
  at: Date.parse(at),
  body,
})
