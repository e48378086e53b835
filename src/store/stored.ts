/**
 * What stores write and read of runs, replies, groups and sessions. A column is a text, or its bytes where they may be no UTF-8. Each parser
 * returns `undefined` for a damaged column.
 */

import type { Json } from '../core/json.ts'
import type { DeliveryProgress, NewRun } from '../core/new-run.ts'
import type { Prompt } from '../core/prompt.ts'
import type { ChatAddress, SessionMessage, SessionName } from '../core/session.ts'
import { isSessionAbout, isSessionMessage, isSessionPlace, isStoredReply, isStoredRun } from '../generated/stored-checks.js'
import type { QueuedEvent } from './ports.ts'
import type { ErasedRun } from './store-part.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Column = Buffer | string
type StoredReply = { readonly reply: string; readonly progress?: DeliveryProgress }

export const storedJson = (column: Column): Json | undefined => {
  try {
    return JSON.parse(typeof column === 'string' ? column : utf8.decode(column)) as Json
  } catch {
    return undefined
  }
}

/** Parses a text that was stored as JSON. */
export const parseText = (column: Column | null): string | undefined => {
  const value = column === null ? undefined : storedJson(column)
  return typeof value === 'string' ? value : undefined
}

/** Parses a run and, once the agent has answered, its reply. */
export const parseStored = (run: Column, reply: Column | null): ({ readonly run: NewRun } & Partial<StoredReply>) | undefined => {
  const value = storedJson(run)
  if (!isStoredRun(value)) return undefined
  const stored = { run: value as unknown as NewRun }
  if (reply === null) return stored
  const kept = parseReply(reply)
  return kept && { ...stored, ...kept }
}

/** Whether a later event with this key ends the work. */
export const hasEndKey = ({ endKeys }: NewRun, key: string): boolean => endKeys?.split(' ').includes(key) === true

/** Writes a reply: the text alone, or the text with the progress of its delivery. */
export const replyText = (reply: string, progress?: DeliveryProgress): string => JSON.stringify(progress ? { reply, progress } : reply)

const parseReply = (column: Column): StoredReply | undefined => {
  const value = storedJson(column)
  if (typeof value === 'string') return { reply: value }
  return isStoredReply(value) ? (value as unknown as StoredReply) : undefined
}

/** Returns the event of a waiting group or run, for a user who looks at the backlog. */
export const queuedEventOf = ({ eventId, profile, route }: NewRun): QueuedEvent => ({ eventId, profile, route })

/**
 * Returns the prompt that a group with `keep: all` keeps of an event: a bare text where no part of the prompt is marked as written by a
 * sender.
 */
export const keptPrompt = ({ prompt: text, untrusted }: Pick<NewRun, 'prompt' | 'untrusted'>): string | Prompt =>
  untrusted ? { text, untrusted } : text

/** Returns what an erasure reports of a run that it erased. `ended`: the attempts of a run that still waited (`ErasedRun`). */
export const erasedRun = ({ eventId, profile, route, event, deliveryId }: NewRun, ended?: number): ErasedRun => ({
  ...{ eventId, profile, route, event, deliveryId },
  ...(ended === undefined ? {} : { ended }),
})

/** The events of an erasure, as sets. */
export type ErasureSets = { readonly ids: ReadonlySet<string>; readonly groups: ReadonlySet<string> }

/** Whether a run is about an erased event: it is the run of the event, or it keeps the prompts of all events of its group. */
export const isRunToErase = ({ eventId, merged }: NewRun, { ids, groups }: ErasureSets): boolean =>
  ids.has(eventId) || (merged?.keep === 'all' && groups.has(merged.group))

/** The texts of a session that gets messages: its name and its chat as JSON, and the text whose hash is the key of the chat. */
export const sessionTexts = ({ chatAddress, ...about }: SessionName) => ({
  about: JSON.stringify(about),
  place: chatAddress === undefined ? null : JSON.stringify(chatAddress),
  chat: chatAddress === undefined ? null : chatText(about.profile, chatAddress),
})

/** Returns the text whose hash is the key of a chat of a profile. */
export const chatText = (profile: string, { platform, chat, thread }: ChatAddress): string =>
  JSON.stringify([profile, platform, chat, thread ?? null])

/** A message of a session as it is stored: JSON, and the number of characters of its text. */
export type StoredMessage = { readonly text: string; readonly chars: number }

export const storedMessage = (message: SessionMessage): StoredMessage => ({ text: JSON.stringify(message), chars: message.text.length })

/** Parses the name and the chat of a session. Where only the chat is damaged, the session is returned without a chat. */
export const parseSession = (about: Column, place: Column | null): SessionName | undefined => {
  const value = storedJson(about)
  if (!isSessionAbout(value)) return undefined
  const chatAddress = place === null ? undefined : storedJson(place)
  return {
    ...(value as unknown as SessionName),
    ...(isSessionPlace(chatAddress) ? { chatAddress: chatAddress as unknown as ChatAddress } : {}),
  }
}

export const parseMessage = (column: Column): SessionMessage | undefined => {
  const value = storedJson(column)
  return isSessionMessage(value) ? (value as unknown as SessionMessage) : undefined
}
