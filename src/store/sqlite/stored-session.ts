/** Writes and parses what is stored of sessions; a damaged text is `undefined`. */

import { hash } from 'node:crypto'
import type { Place, SessionMessage, SessionName } from '../../core/agent/session.ts'
import { isObject, type Json } from '../../core/json.ts'
import type { Speaking, StoredMessage } from './steps.ts'
import { isText, parseJson } from './stored.ts'

/** Makes a short ASCII key of any id, so that no text that a sender chose reaches SQL's text functions. */
export const keyOf = (key: string): string => hash('sha256', key, 'base64url')

/** Where the chats of one profile are looked up. */
export const atOf = (profile: string, { platform, chat, thread }: Place): string =>
  keyOf(JSON.stringify([profile, platform, chat, thread ?? null]))

export const speakingOf = ({ place, ...about }: SessionName): Speaking => ({
  key: keyOf(about.key),
  about: JSON.stringify(about),
  place: place === undefined ? null : JSON.stringify(place),
  at: place === undefined ? null : atOf(about.profile, place),
})

export const storedMessage = (message: SessionMessage): StoredMessage => ({ text: JSON.stringify(message), chars: message.text.length })

const names = ['key', 'profile', 'route', 'name'] as const

const isPlace = (value: Json | undefined): boolean =>
  isObject(value) && isText(value.platform) && isText(value.chat) && (value.thread === undefined || isText(value.thread))

/** A session whose place alone is damaged has none. */
export const parseSession = (about: Buffer, place: Buffer | null): SessionName | undefined => {
  const value = parseJson(about)
  if (!isObject(value) || !names.every((name) => isText(value[name]))) return undefined
  const where = place === null ? undefined : parseJson(place)
  return { ...(value as unknown as SessionName), ...(isPlace(where) ? { place: where as unknown as Place } : {}) }
}

export const parseMessage = (bytes: Buffer): SessionMessage | undefined => {
  const value = parseJson(bytes)
  const isMessage =
    isObject(value) &&
    (value.role === 'user' || value.role === 'assistant') &&
    isText(value.text) &&
    typeof value.at === 'number' &&
    (value.label === undefined || isText(value.label))
  return isMessage ? (value as unknown as SessionMessage) : undefined
}
