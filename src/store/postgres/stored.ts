/** Parses the JSON texts of the shared database, and writes replies. Each parser returns `undefined` for a damaged text. */

import type { Json } from '../../core/json.ts'
import type { NewRun, Progress } from '../../core/new-run.ts'
import type { ChatAddress, SessionMessage, SessionName } from '../../core/session.ts'
import {
  isReloadRequest,
  isReplicaState,
  isSessionAbout,
  isSessionMessage,
  isSessionPlace,
  isStoredReply,
  isStoredRun,
} from '../../generated/stored-checks.js'
import type { ReloadRequest, ReplicaState } from '../shared.ts'

type StoredReply = { readonly reply: string; readonly progress?: Progress }

const parse = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export const parseText = (text: string): string | undefined => {
  const value = parse(text)
  return typeof value === 'string' ? value : undefined
}

/** Parses a run and its reply. `reply`: `null` before the agent has answered. */
export const parseStored = (run: string, reply: string | null): ({ readonly run: NewRun } & Partial<StoredReply>) | undefined => {
  const value = parse(run)
  if (!isStoredRun(value)) return undefined
  const stored = { run: value as unknown as NewRun }
  if (reply === null) return stored
  const kept = parseReply(reply)
  return kept && { ...stored, ...kept }
}

/** Writes a reply for storing: the text alone, or the text with the progress of its delivery. */
export const replyText = (reply: string, progress?: Progress): string => JSON.stringify(progress ? { reply, progress } : reply)

const parseReply = (text: string): StoredReply | undefined => {
  const value = parse(text)
  if (typeof value === 'string') return { reply: value }
  return isStoredReply(value) ? (value as unknown as StoredReply) : undefined
}

/** Parses the name and the chat of a session. Where only the text of the chat is damaged, the result has no chat. */
export const parseSession = (about: string, address: string | null): SessionName | undefined => {
  const value = parse(about)
  if (!isSessionAbout(value)) return undefined
  const chatAddress = address === null ? undefined : parse(address)
  return {
    ...(value as unknown as SessionName),
    ...(isSessionPlace(chatAddress) ? { chatAddress: chatAddress as unknown as ChatAddress } : {}),
  }
}

export const parseMessage = (text: string): SessionMessage | undefined => {
  const value = parse(text)
  return isSessionMessage(value) ? (value as unknown as SessionMessage) : undefined
}

export const parseReplicaState = (text: string): ReplicaState | undefined => {
  const value = parse(text)
  return isReplicaState(value) ? (value as unknown as ReplicaState) : undefined
}

export const parseReloadRequest = (text: string): ReloadRequest | undefined => {
  const value = parse(text)
  return isReloadRequest(value) ? (value as unknown as ReloadRequest) : undefined
}
