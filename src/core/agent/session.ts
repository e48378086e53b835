/** What a lasting conversation is made of, wherever it is kept, shown or given to an agent. */

import { cut } from '../text.ts'

/** The address of a chat, as the target that sends texts there made it out. */
export type ChatAddress = {
  readonly platform: string
  readonly chat: string
  readonly thread?: string
}

/** A lasting conversation of one route (`session` on the route; rules: Sessions 1). */
export type SessionName = {
  /** Unambiguous over (profile, route, name). */
  readonly key: string
  readonly profile: string
  readonly route: string
  /** The key that the route's template gave. */
  readonly name: string
  /** The chat that its replies go to, as it was known last. */
  readonly place?: ChatAddress
}

/** `messages`: how many it has now. */
export type Session = SessionName & { readonly ageMs: number; readonly idleMs: number; readonly messages: number }

export type SessionFilter = { readonly profile?: string; readonly route?: string }

export type SessionMessage = {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Wall time, milliseconds. */
  readonly at: number
  /** The route whose delivery this is a copy of (`mirror_to_session`). Absent for what was said in the session itself. */
  readonly label?: string
}

/** The longest name of a session, in characters. */
export const maxSessionName = 1_000
const maxChars = 65_536

/** A text as a session keeps it. */
export const keptText = (text: string): string => (text.length <= maxChars ? text : `${cut(text, maxChars - 1)}…`)

/**
 * What an agent or a reader is given of a message. A copy begins with a line that names its route. In all that others wrote, a line that
 * begins with a bracket gets a backslash, so that no such line is one of them (rules: Sessions 6). An agent's own brackets stay, unless its
 * line reads like that one: somebody may have made it say so.
 */
export const wordsOf = ({ role, text, label }: SessionMessage): string => {
  if (role === 'assistant') return text.replace(labelWords, '$1\\')
  const body = withoutLabels(text)
  return label === undefined ? body : `[${label}] ${delivered}:\n${body}`
}

/** A text of others in which no line is a label. */
export const withoutLabels = (text: string): string => text.replace(bracket, '$1\\')

const delivered = 'delivered this to the chat'

// Whatever breaks a line, then what is not seen, then whatever looks like an opening bracket.
const breaks = '\\n\\r\\v\\f\\u0085\\u2028\\u2029'
const unseen = `(?:(?![${breaks}])[\\s\\p{C}\\p{M}\\p{Z}\\u115f\\u1160\\u2800\\u3164\\uffa0])*`
const opening = '[\\p{Ps}\\u231c\\u2308]'
const bracket = new RegExp(`((?:^|[${breaks}])${unseen})(?=${opening})`, 'gu')
const labelWords = new RegExp(`((?:^|[${breaks}])${unseen})(?=${opening}[^${breaks}]{0,200}${delivered})`, 'giu')
