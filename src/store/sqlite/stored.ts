/** Parses runs, replies and lanes that the ledger stored, and writes replies. Each parser returns `undefined` for damaged bytes. */

import type { Json } from '../../core/json.ts'
import type { NewRun, Progress } from '../../core/new-run.ts'
import { isStoredReply, isStoredRun } from '../../generated/stored-checks.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const isText = (value: Json | undefined): value is string => typeof value === 'string'

type StoredReply = { readonly reply: string; readonly progress?: Progress }
export type StoredRun = { readonly run: NewRun } & Partial<StoredReply>

/** Parses JSON in UTF-8; `undefined` for any other bytes. */
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

/** Parses two columns of a run: the run and, once the agent has answered, the reply. */
export const parseStored = (run: Buffer, reply: Buffer | null): StoredRun | undefined => {
  const value = parseJson(run)
  if (!isStoredRun(value)) return undefined
  const stored = { run: value as unknown as NewRun }
  if (reply === null) return stored
  const kept = parseReply(reply)
  return kept && { ...stored, ...kept }
}

/** Writes a reply for storing: the text alone, or the text with the progress of its delivery. */
export const replyText = (reply: string, progress?: Progress): string => JSON.stringify(progress ? { reply, progress } : reply)

const parseReply = (bytes: Buffer): StoredReply | undefined => {
  const value = parseJson(bytes)
  if (isText(value)) return { reply: value }
  return isStoredReply(value) ? (value as unknown as StoredReply) : undefined
}

/**
 * Returns the hash of a lane. `undefined` for a run without a lane, and for a damaged hash: otherwise the run would wait for a turn that
 * never comes.
 */
export const parseLane = (bytes: Buffer | null): string | undefined => {
  const lane = bytes?.toString('latin1')
  return lane !== undefined && /^[\w-]{20}$/.test(lane) ? lane : undefined
}
