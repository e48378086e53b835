/** A stored request as if it came again: its signature held when it came, and is not asked for again. */

import { randomUUID } from 'node:crypto'
import type { VerifiedRequest } from '../../core/request.ts'
import { readEvent, readRaw } from '../../journal/reader.ts'
import type { EventView } from '../../journal/record.ts'

export type Again =
  | { readonly found: false; readonly why: string }
  | { readonly found: true; readonly view: EventView; readonly request: VerifiedRequest }

type Wish = {
  /** Wall time, milliseconds. */
  readonly at: number
  /** Its delivery id is the old one, which is a duplicate within its hour; else a fresh one. */
  readonly sameId: boolean
  /** Another body than the stored one. */
  readonly body?: string | undefined
}

export const requestAgain = async (folder: string, eventId: string, { at, sameId, body }: Wish): Promise<Again> => {
  const found = await readEvent(folder, eventId)
  if (found.kind !== 'found')
    return { found: false, why: found.kind === 'ambiguous' ? `several events begin with ${eventId}` : `no event ${eventId}` }
  const { event: view } = found
  const raw = view.raw && (await readRaw(folder, view.raw))
  if (!raw) return { found: false, why: 'its raw request was not kept, or is gone' }
  const request: VerifiedRequest = {
    eventId: randomUUID(),
    headers: raw.headers as VerifiedRequest['headers'],
    remote: () => 'replay',
    at,
    body: body === undefined ? raw.body : Buffer.from(body),
    verification: { scheme: 'replay', secret: 0, signedId: (sameId && view.delivery_id) || randomUUID() },
  }
  return { found: true, view, request }
}
