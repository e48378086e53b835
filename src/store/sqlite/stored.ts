/** Parses what the ledger stored; `undefined` for a damaged record. */

import { isObject, type Json } from '../../core/json.ts'
import type { NewRun, Progress } from '../ports.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const texts = ['eventId', 'profile', 'route', 'event', 'deliveryId', 'prompt'] as const

export const isText = (value: Json | undefined): value is string => typeof value === 'string'

const isTexts = (value: Json | undefined): boolean => Array.isArray(value) && value.every(isText)

const isSpans = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((span) => Array.isArray(span) && span.length === 2 && span.every(Number.isSafeInteger))

const isPrompt = (value: Json): boolean => isText(value) || (isObject(value) && isText(value.text) && isSpans(value.untrusted))

const isMerged = (value: Json): boolean =>
  isObject(value) &&
  isText(value.group) &&
  typeof value.count === 'number' &&
  (value.keep === 'latest' || value.keep === 'first' || value.keep === 'all') &&
  (value.prompts === undefined || (Array.isArray(value.prompts) && value.prompts.every(isPrompt)))

const isDelivery = (value: Json | undefined): boolean =>
  isObject(value) && isText(value.target) && isObject(value.extra) && (value.withheld === undefined || isTexts(value.withheld))

const isDestination = (value: Json | undefined): boolean =>
  isObject(value) && Array.isArray(value.to)
    ? (value.mode === 'all' || value.mode === 'first_success') && value.to.length > 0 && value.to.every(isDelivery)
    : isDelivery(value)

const isProgress = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'boolean' || each === null || isText(each))

const isRun = (value: Json): boolean =>
  isObject(value) &&
  texts.every((name) => isText(value[name])) &&
  typeof value.acceptedAt === 'number' &&
  isDestination(value.delivery) &&
  (value.job === undefined || isText(value.job)) &&
  (value.untrusted === undefined || isSpans(value.untrusted)) &&
  (value.merged === undefined || isMerged(value.merged)) &&
  (value.session === undefined || (isObject(value.session) && isText(value.session.key) && isText(value.session.name)))

type Reply = { readonly reply: string; readonly progress?: Progress }
export type Stored = { readonly run: NewRun } & Partial<Reply>

/** `undefined` for bytes that are no JSON in UTF-8. */
export const parseJson = (bytes: Buffer): Json | undefined => {
  try {
    return JSON.parse(utf8.decode(bytes)) as Json
  } catch {
    return undefined
  }
}

/** Parses a text that was stored as JSON. */
export const parseText = (bytes: Buffer | null): string | undefined => {
  const value = bytes === null ? undefined : parseJson(bytes)
  return isText(value) ? value : undefined
}

/** Parses two columns of a run: the run itself and, once the agent has answered, the reply. */
export const parseStored = (run: Buffer, reply: Buffer | null): Stored | undefined => {
  const value = parseJson(run)
  if (value === undefined || !isRun(value)) return undefined
  const stored = { run: value as unknown as NewRun }
  if (reply === null) return stored
  const kept = parseReply(reply)
  return kept && { ...stored, ...kept }
}

/** Writes a reply as it is stored: the text alone, or the text with the progress of its delivery. */
export const replyText = (reply: string, progress?: Progress): string => JSON.stringify(progress ? { reply, progress } : reply)

const parseReply = (bytes: Buffer): Reply | undefined => {
  const value = parseJson(bytes)
  if (isText(value)) return { reply: value }
  return isObject(value) && isText(value.reply) && isProgress(value.progress) ? (value as unknown as Reply) : undefined
}

/** The hash of a lane; `undefined` for a damaged one, so that no run waits for a turn that never comes. */
export const parseLane = (bytes: Buffer | null): string | undefined => {
  const lane = bytes?.toString('latin1')
  return lane !== undefined && /^[\w-]{43}$/.test(lane) ? lane : undefined
}
