/** What was said in the session of a run: given to the agent before it is asked, and kept once it has answered (rules: Sessions 2, 3). */

import type { Clock } from '../core/clock.ts'
import { keptText, type Place, type SessionMessage, wordsOf } from '../core/session.ts'
import type { NewRun, Store } from '../store/ports.ts'

/** What was said, as an agent is given it. */
export type Utterance = Pick<SessionMessage, 'role' | 'text'>

export type Conversations = {
  /** The latest messages of the run's session, oldest first. The first is not the agent's. Empty for a run without a session. Throws StoreFault. */
  historyOf(run: NewRun, max: number): Promise<readonly Utterance[]>
  /** Keeps a prompt and its reply, once for each event. Nothing is kept for a run without a session. Throws StoreFault. */
  keep(run: NewRun, prompt: string, reply: string): Promise<void>
}

export type ConversationOptions = {
  readonly store: Pick<Store, 'conversation' | 'converse'>
  readonly clock: Clock
  /** Takes known secrets out of a text before it is stored. */
  readonly redact: (text: string) => string
  /** The chat that a run's reply goes to. */
  readonly placeOf: (run: NewRun) => Place | undefined
}

export const createConversations = ({ store, clock, redact, placeOf }: ConversationOptions): Conversations => ({
  async historyOf({ session }, max) {
    const messages = session && max > 0 ? await store.conversation(session.key, max) : []
    // The oldest question may be one too many, and models expect no answer before the first question.
    const first = messages.findIndex(({ role }) => role === 'user')
    return first < 0 ? [] : messages.slice(first).map((message) => ({ role: message.role, text: wordsOf(message) }))
  },
  async keep(run, prompt, reply) {
    const { session, profile, route, eventId, acceptedAt } = run
    if (!session) return
    const place = placeOf(run)
    await store.converse({ ...session, profile, route, ...(place ? { place } : {}) }, eventId, [
      { role: 'user', text: keptText(redact(prompt)), at: acceptedAt },
      { role: 'assistant', text: keptText(redact(reply)), at: clock.now() },
    ])
  },
})
