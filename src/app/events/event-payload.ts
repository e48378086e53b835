/** Reads the stored request of an event. Requests are kept best effort, so a missing request comes with a reason. */

import { isUtf8 } from 'node:buffer'
import type { JsonObject } from '../../core/json.ts'
import { maskHeaders } from '../../core/secrets/mask.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView, RawRequest } from '../../journal/record.ts'

const notKept = 'not kept: payloads are kept best effort, within the limits of storage.retention'
const isGone = 'gone: payloads are kept best effort, and its segment was removed or damaged'

/** Returns the request, or a phrase that says why there is none. */
export const payloadOf = async (records: EventRecords, { raw }: EventView): Promise<RawRequest | string> => {
  if (!raw) return notKept
  const kept = await records.raw(raw)
  // The record keeps the signature of a request that is to be verified again, so it is masked here.
  return kept ? { headers: maskHeaders(kept.headers), body: kept.body } : isGone
}

/** Returns a request for programs: its body as text where it is UTF-8, else its bytes in base64. */
export const describePayload = (payload: RawRequest | string): JsonObject => {
  if (typeof payload === 'string')
    return { payload: payload.split(':')[0] ?? '', headers: null, body: null, body_base64: null, body_bytes: null }
  const { headers, body } = payload
  const isText = isUtf8(body)
  return {
    payload: 'kept',
    headers: { ...headers },
    body: isText ? body.toString('utf8') : null,
    body_base64: isText ? null : body.toString('base64'),
    body_bytes: body.length,
  }
}
