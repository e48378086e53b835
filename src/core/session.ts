/** What a lasting conversation is made of, wherever it is kept, shown or given to an agent. */

import { cut } from './text.ts'

/** A chat, as the target that texts go to resolved it. */
export type Place = {
  readonly platform: string
  readonly chat: string
  readonly thread?: string
}

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
 * begins with a bracket gets a backslash, so that no such line is one of them (rules: Sessions 6).
 */
export const wordsOf = ({ role, text, label }: SessionMessage): string => {
  if (role === 'assistant') return text
  return label === undefined ? unlabelled(text) : `[${label}] delivered this to the chat:\n${unlabelled(text)}`
}

// Whatever breaks a line, then what is not seen, then whatever looks like an opening bracket.
const breaks = '\\n\\r\\v\\f\\u0085\\u2028\\u2029'
const unseen = `(?:(?![${breaks}])[\\s\\p{C}\\p{M}\\p{Z}\\u115f\\u1160\\u2800\\u3164\\uffa0])*`
const labelLike = new RegExp(`((?:^|[${breaks}])${unseen})(?=[\\p{Ps}\\u231c\\u2308])`, 'gu')

const unlabelled = (text: string): string => text.replace(labelLike, '$1\\')
