/** Hashes keys, and writes and parses stored sessions and messages. Each parser returns `undefined` for damaged bytes. */

import { hash } from 'node:crypto'
import type { ChatAddress, SessionMessage, SessionName } from '../../core/session.ts'
import { isSessionAbout, isSessionMessage, isSessionPlace } from '../../generated/stored-checks.js'
import { parseJson } from './stored.ts'

/** A session that gets messages. `key` and `at` are hashes; `about` and `place` are JSON. */
export type SessionColumns = { readonly key: string; readonly about: string; readonly place: string | null; readonly at: string | null }

/** A message as it is stored. `text` is JSON. */
export type StoredMessage = { readonly text: string; readonly chars: number }

/** Hashes an id to a short ASCII key of 120 bits, so that no text that a sender chose reaches SQL's text functions. */
export const hashKey = (key: string): string => hash('sha256', key, 'base64url').slice(0, 20)

/** Returns the key of a chat of a profile. */
export const chatKey = (profile: string, { platform, chat, thread }: ChatAddress): string =>
  hashKey(JSON.stringify([profile, platform, chat, thread ?? null]))

export const sessionColumnsOf = ({ chatAddress, ...about }: SessionName): SessionColumns => ({
  key: hashKey(about.key),
  about: JSON.stringify(about),
  place: chatAddress === undefined ? null : JSON.stringify(chatAddress),
  at: chatAddress === undefined ? null : chatKey(about.profile, chatAddress),
})

export const storedMessage = (message: SessionMessage): StoredMessage => ({ text: JSON.stringify(message), chars: message.text.length })

/** Parses a session; `undefined` where it is damaged. Where only its chat is damaged, the session is returned without a chat. */
export const parseSession = (about: Buffer, place: Buffer | null): SessionName | undefined => {
  const value = parseJson(about)
  if (!isSessionAbout(value)) return undefined
  const where = place === null ? undefined : parseJson(place)
  return { ...(value as unknown as SessionName), ...(isSessionPlace(where) ? { chatAddress: where as unknown as ChatAddress } : {}) }
}

export const parseMessage = (bytes: Buffer): SessionMessage | undefined => {
  const value = parseJson(bytes)
  return isSessionMessage(value) ? (value as unknown as SessionMessage) : undefined
}
