/** A lasting conversation: its types, and its messages as agents and readers get them. */

import { cut } from './text.ts'

/** The chat that a target sends its texts to, as the target resolved it. */
export type ChatAddress = {
  readonly platform: string
  readonly chat: string
  readonly thread?: string
}

/** A lasting conversation of one route (`session` on the route; rules: Sessions 1). */
export type SessionName = {
  /** Different for each profile, route and name. */
  readonly key: string
  readonly profile: string
  readonly route: string
  /** The text that the route's template rendered for an event. */
  readonly name: string
  /** The chat that the session's replies go to, as the latest delivery resolved it. */
  readonly chatAddress?: ChatAddress
}

/**
 * A session in a store. `ageMs`: the time since the session was made. `idleMs`: the time since it was last used. `messages`: the number of
 * its messages.
 */
export type Session = SessionName & { readonly ageMs: number; readonly idleMs: number; readonly messages: number }

export type SessionFilter = { readonly profile?: string; readonly route?: string }

export type SessionMessage = {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Wall time, milliseconds. */
  readonly at: number
  /** The route whose delivery this message copies (`mirror_to_session`). Absent for a message of the session itself. */
  readonly label?: string
}

/** The longest name of a session, in UTF-16 units. */
export const maxSessionName = 1_000
/** The longest text of a message that a session keeps, in UTF-16 units. */
const maxMessageUnits = 65_536

/** Returns the text of a message as a session keeps it: cut, with an ellipsis at its end, where it is too long. */
export const keptText = (text: string): string => (text.length <= maxMessageUnits ? text : `${cut(text, maxMessageUnits - 1)}…`)

/**
 * Returns the text of a message for an agent or a reader. A copied delivery begins with a label: a line in brackets that names its route.
 * In a text that a sender or a target wrote, a line that begins with a bracket gets a backslash, so that no such line reads as a label
 * (rules: Sessions 6). In an agent's text only a line that reads like a whole label gets a backslash: a sender may have made the agent
 * write it.
 */
export const readableMessage = ({ role, text, label }: SessionMessage): string => {
  if (role === 'assistant') return text.replace(labelLine, '$1\\')
  const body = withoutLabels(text)
  return label === undefined ? body : `[${label}] ${labelVerb}:\n${body}`
}

/** Escapes each line of a foreign text that could read as a label. */
export const withoutLabels = (text: string): string => text.replace(bracketLine, '$1\\')

const labelVerb = 'delivered this to the chat'

// A line break, then invisible characters, then anything that looks like an opening bracket.
const lineBreaks = '\\n\\r\\v\\f\\u0085\\u2028\\u2029'
const invisibleForm = `(?:(?![${lineBreaks}])[\\s\\p{C}\\p{M}\\p{Z}\\u115f\\u1160\\u2800\\u3164\\uffa0])*`
const bracketForm = '[\\p{Ps}\\u231c\\u2308]'
const bracketLine = new RegExp(`((?:^|[${lineBreaks}])${invisibleForm})(?=${bracketForm})`, 'gu')
const labelLine = new RegExp(`((?:^|[${lineBreaks}])${invisibleForm})(?=${bracketForm}[^${lineBreaks}]{0,200}${labelVerb})`, 'giu')
