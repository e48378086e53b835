/** Reads what the ledger stored; a damaged record reads as nothing. */

import { isObject, type Json } from '../../core/json.ts'
import type { NewRun } from '../ports.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const texts = ['eventId', 'profile', 'route', 'event', 'deliveryId', 'prompt'] as const

const isText = (value: Json | undefined): value is string => typeof value === 'string'

const isTexts = (value: Json | undefined): boolean => Array.isArray(value) && value.every(isText)

const isMerged = (value: Json): boolean =>
  isObject(value) &&
  isText(value.group) &&
  typeof value.count === 'number' &&
  (value.keep === 'latest' || value.keep === 'first' || value.keep === 'all') &&
  (value.prompts === undefined || isTexts(value.prompts))

const isRun = (value: Json): boolean =>
  isObject(value) &&
  texts.every((name) => isText(value[name])) &&
  typeof value.acceptedAt === 'number' &&
  isObject(value.delivery) &&
  isText(value.delivery.target) &&
  isObject(value.delivery.extra) &&
  (value.delivery.withheld === undefined || isTexts(value.delivery.withheld)) &&
  (value.job === undefined || isText(value.job)) &&
  (value.merged === undefined || isMerged(value.merged))

export type Stored = { readonly run: NewRun; readonly reply?: string }

const parseJson = (bytes: Buffer): Json | undefined => {
  try {
    return JSON.parse(utf8.decode(bytes)) as Json
  } catch {
    return undefined
  }
}

/** A text that was stored as JSON. */
export const parseText = (bytes: Buffer | null): string | undefined => {
  const value = bytes === null ? undefined : parseJson(bytes)
  return isText(value) ? value : undefined
}

/** The two columns' bytes: a run and, once its agent answered, the answer. */
export const parseStored = (run: Buffer, reply: Buffer | null): Stored | undefined => {
  const value = parseJson(run)
  if (value === undefined || !isRun(value)) return undefined
  const stored = { run: value as unknown as NewRun }
  if (reply === null) return stored
  const text = parseText(reply)
  return text === undefined ? undefined : { ...stored, reply: text }
}

/** A lane's hash; a damaged one reads as none, so that nobody waits for a turn that never comes. */
export const parseLane = (bytes: Buffer | null): string | undefined => {
  const lane = bytes?.toString('latin1')
  return lane !== undefined && /^[\w-]{43}$/.test(lane) ? lane : undefined
}
