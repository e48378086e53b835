/** The sessions of an open database, with their messages. */

import type { Session, SessionFilter, SessionMessage } from '../../core/session.ts'
import { parseMessage, parseSession, type StoredMessage } from '../stored.ts'
import type { Statements } from './statements.ts'

/** A session that gets messages. `key` and `at` are hashes; `about` and `place` are JSON. */
type SessionColumns = { readonly key: string; readonly about: string; readonly place: string | null; readonly at: string | null }

type SessionRow = [about: Buffer, place: Buffer | null, createdAt: number, updatedAt: number, messages: number]

export class Sessions {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /**
   * Called at the start of a process. Times of sessions that are in the future become the present time, because the clock may have been set
   * back since the last stop.
   */
  takeOver(now: number): void {
    this.#sql.capSessions.run([now])
  }

  /** Adds the messages of a turn. `false`: the session has the messages of this turn already. */
  converse(session: SessionColumns, turn: string, messages: readonly StoredMessage[], now: number): boolean {
    const isNew = this.#sql.sessionOf.all([session.key]).length === 0
    const [row] = this.#sql.openSession.all({ ...session, now }) as [number][]
    if (row === undefined) throw new Error('a session was not opened')
    if (isNew) this.#sql.trimSessions.run()
    if (this.#sql.hasTurn.all([row[0], turn]).length > 0) return false
    this.#add(row[0], turn, messages)
    return true
  }

  mirror(at: string, message: StoredMessage, now: number): 'none' | 'several' | 'written' {
    const [only, ...others] = this.#sql.sessionsAt.all([at]) as [number][]
    if (only === undefined) return 'none'
    if (others.length > 0) return 'several'
    this.#sql.touchSession.run([now, only[0]])
    this.#add(only[0], null, [message])
    return 'written'
  }

  conversation(key: string, max: number): SessionMessage[] {
    const rows = this.#sql.messagesOf.all([key, max]) as [Buffer][]
    return rows.flatMap(([message]) => parseMessage(message) ?? []).reverse()
  }

  session(key: string, now: number): Session | undefined {
    const [row] = this.#sql.session.all([key]) as SessionRow[]
    return row && sessionOf(row, now)
  }

  list(of: SessionFilter, max: number, now: number): Session[] {
    const all = (this.#sql.sessions.all() as SessionRow[]).flatMap((row) => sessionOf(row, now) ?? [])
    const isMeant = ({ profile, route }: Session) => (of.profile ?? profile) === profile && (of.route ?? route) === route
    return all.filter(isMeant).slice(0, max)
  }

  forget(before: number): number {
    return this.#sql.forgetSessions.run([before]).changes
  }

  /** Erases the messages of these turns (a JSON list of hashes), and the sessions that have no others. */
  erase(turns: string): void {
    this.#sql.eraseSessions.run([turns])
    this.#sql.eraseMessages.run([turns])
  }

  #add(id: number, turn: string | null, messages: readonly StoredMessage[]): void {
    for (const { chars, text } of messages) this.#sql.addMessage.run([id, turn, chars, text])
    this.#sql.trimMessages.run([id])
  }
}

/** Makes a session of a row; `undefined` for a damaged row. */
const sessionOf = ([about, place, createdAt, updatedAt, messages]: SessionRow, now: number): Session | undefined => {
  const name = parseSession(about, place)
  return name && { ...name, ageMs: Math.max(0, now - createdAt), idleMs: Math.max(0, now - updatedAt), messages }
}
