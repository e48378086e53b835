/** The sessions of the memory store, each with its latest messages. */

import type { ChatAddress, Session, SessionFilter, SessionMessage, SessionName } from '../../core/session.ts'
import { maxMessageChars, maxMessages, maxSessions } from '../bounds.ts'

type StoredMessage = { readonly turn: string | undefined; readonly message: SessionMessage }
type StoredSession = { name: SessionName; readonly createdAt: number; updatedAt: number; messages: StoredMessage[] }

export class Sessions {
  /** The sessions by key, in the order of their last messages: the session that is idle for longest comes first. */
  readonly #sessions = new Map<string, StoredSession>()

  get size(): number {
    return this.#sessions.size
  }

  /** Adds the messages of a turn. `false`: the session has this turn already. The session counts as used just now all the same. */
  converse(session: SessionName, turn: string, messages: readonly SessionMessage[], now: number): boolean {
    const stored = this.#sessions.get(session.key) ?? { name: session, createdAt: now, updatedAt: now, messages: [] }
    if (session.chatAddress) stored.name = { ...stored.name, chatAddress: session.chatAddress }
    this.#touch(stored, now)
    for (const key of this.#sessions.keys()) {
      if (this.#sessions.size <= maxSessions) break
      this.#sessions.delete(key)
    }
    if (stored.messages.some((kept) => kept.turn === turn)) return false
    addMessages(stored, turn, messages)
    return true
  }

  mirror(profile: string, chatAddress: ChatAddress, message: SessionMessage, now: number): 'none' | 'several' | 'written' {
    const [only, ...others] = [...this.#sessions.values()].filter(({ name }) => name.profile === profile && isAt(name, chatAddress))
    if (only === undefined) return 'none'
    if (others.length > 0) return 'several'
    this.#touch(only, now)
    addMessages(only, undefined, [message])
    return 'written'
  }

  conversation(key: string, max: number): SessionMessage[] {
    const messages = this.#sessions.get(key)?.messages ?? []
    return messages.slice(Math.max(0, messages.length - max)).map(({ message }) => message)
  }

  session(key: string, now: number): Session | undefined {
    const held = this.#sessions.get(key)
    return held && sessionOf(held, now)
  }

  list(of: SessionFilter, max: number, now: number): Session[] {
    const isMeant = ({ name: { profile, route } }: StoredSession) => (of.profile ?? profile) === profile && (of.route ?? route) === route
    const held = [...this.#sessions.values()].filter(isMeant).reverse()
    return held.slice(0, max).map((each) => sessionOf(each, now))
  }

  forget(before: number): number {
    const idle = [...this.#sessions].filter(([, { updatedAt }]) => updatedAt < before)
    for (const [key] of idle) this.#sessions.delete(key)
    return idle.length
  }

  /** Erases the messages of these turns. A session whose messages are all erased goes too, because its name may be that of a person. */
  erase(turns: ReadonlySet<string>): void {
    for (const [key, session] of this.#sessions) {
      const kept = session.messages.filter(({ turn }) => turn === undefined || !turns.has(turn))
      if (kept.length === 0 && session.messages.length > 0) this.#sessions.delete(key)
      session.messages = kept
    }
  }

  #touch(held: StoredSession, now: number): void {
    held.updatedAt = now
    this.#sessions.delete(held.name.key)
    this.#sessions.set(held.name.key, held)
  }
}

const isAt = ({ chatAddress }: SessionName, { platform, chat, thread }: ChatAddress): boolean =>
  chatAddress?.platform === platform && chatAddress.chat === chat && chatAddress.thread === thread

/** Adds messages, and drops the oldest past the bounds. */
const addMessages = (stored: StoredSession, turn: string | undefined, messages: readonly SessionMessage[]): void => {
  const all = [...stored.messages, ...messages.map((message) => ({ turn, message }))]
  let first = all.length
  let chars = 0
  while (first > 0 && all.length - first < maxMessages) {
    chars += all[first - 1]?.message.text.length ?? 0
    if (chars > maxMessageChars) break
    first--
  }
  stored.messages = all.slice(first)
}

const sessionOf = ({ name, createdAt, updatedAt, messages }: StoredSession, now: number): Session => ({
  ...name,
  ageMs: now - createdAt,
  idleMs: now - updatedAt,
  messages: messages.length,
})
