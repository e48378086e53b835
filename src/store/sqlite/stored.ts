/** Reads what the ledger stored of a run; a damaged record reads as nothing. */

import { isObject, type Json } from '../../core/json.ts'
import type { NewRun } from '../ports.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const texts = ['eventId', 'profile', 'route', 'event', 'deliveryId', 'prompt'] as const

const isRun = (value: Json): boolean =>
  isObject(value) &&
  texts.every((name) => typeof value[name] === 'string') &&
  typeof value.acceptedAt === 'number' &&
  isObject(value.delivery) &&
  typeof value.delivery.target === 'string' &&
  isObject(value.delivery.extra)

export type Stored = { readonly run: NewRun; readonly reply?: string }

/** The two columns' bytes: a run and, once its agent answered, the answer; both JSON. */
export const parseStored = (run: Buffer, reply: Buffer | null): Stored | undefined => {
  try {
    const value = JSON.parse(utf8.decode(run)) as Json
    if (!isRun(value)) return undefined
    const stored = { run: value as unknown as NewRun }
    if (reply === null) return stored
    const text = JSON.parse(utf8.decode(reply)) as Json
    return typeof text === 'string' ? { ...stored, reply: text } : undefined
  } catch {
    return undefined
  }
}
