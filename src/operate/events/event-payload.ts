/** Reads the stored request of an event. Requests are not always kept, so a missing request comes with a reason. */

import { isUtf8 } from 'node:buffer'
import type { Json } from '../../core/json.ts'
import { rawOf } from '../../datadir/records/request-again.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'
import { maskHeaders } from '../../secrets/mask.ts'

const notKeptReason = 'not kept: payloads are kept best effort, within the limits of storage.retention'
const goneReason = 'gone: payloads are kept best effort, and its segment was removed or damaged'

/**
 * Returns the request with its secret headers and parameters masked, or a phrase that says why there is none. For one item of a request
 * that was split, that is the whole request.
 */
export const payloadOf = async (records: EventRecords, event: EventView): Promise<RawRequest | string> => {
  if (!event.raw && event.batch_of === undefined) return notKeptReason
  const kept = await rawOf(records, event)
  // The journal keeps the signature of a refused request (`keep_refused`), so that it can be verified again. So the headers are masked
  // here.
  return kept ? { ...kept, headers: maskHeaders(kept.headers) } : goneReason
}

/** A request as JSON for programs; `null` where there is none. `body_base64`: the body where it is not UTF-8. */
type PayloadJson = {
  readonly payload: string
  readonly path_and_query: string | null
  readonly headers: { readonly [name: string]: Json } | null
  readonly body: string | null
  readonly body_base64: string | null
  readonly body_bytes: number | null
}

/**
 * Returns a request as JSON for programs: its body as text where it is UTF-8, else its bytes in base64. `payload`: `kept`, or the first
 * words of the phrase that says why there is no request.
 */
export const describePayload = (payload: RawRequest | string): PayloadJson => {
  if (typeof payload === 'string')
    return { payload: payload.split(':')[0] ?? '', path_and_query: null, headers: null, body: null, body_base64: null, body_bytes: null }
  const { pathAndQuery, headers, body } = payload
  const isText = isUtf8(body)
  return {
    payload: 'kept',
    path_and_query: pathAndQuery ?? null,
    headers: { ...headers },
    body: isText ? body.toString('utf8') : null,
    body_base64: isText ? null : body.toString('base64'),
    body_bytes: body.length,
  }
}
