/** What was said in the session of a run: given to the agent before it is asked, and kept once it has answered (rules: Sessions 2, 3). */

import { type ChatAddress, keptText, type SessionMessage, wordsOf } from '../core/agent/session.ts'
import type { Clock } from '../core/clock.ts'
import type { NewRun, Store } from '../store/ports.ts'

/** What was said, as an agent is given it. */
export type Utterance = Pick<SessionMessage, 'role' | 'text'>

export type Conversations = {
  /** The latest messages of the run's session, oldest first; the first is no reply. Empty for a run without a session. Throws StoreFault. */
  historyOf(run: NewRun): Promise<readonly Utterance[]>
  /** Keeps a prompt and its reply, once for each event. `false`: they were kept, or the run has no session. Throws StoreFault. */
  keep(run: NewRun, prompt: string, reply: string): Promise<boolean>
}

/** Where nothing is said again. */
export const noConversations: Conversations = { historyOf: async () => [], keep: async () => false }

export type ConversationOptions = {
  readonly store: Pick<Store, 'conversation' | 'converse'>
  readonly clock: Clock
  /** Takes known secrets out of a text before it is stored. */
  readonly redact: (text: string) => string
  /** How many messages its agent is given. */
  readonly most: (run: NewRun) => number
  /** The chat that a run's reply goes to. */
  readonly placeOf: (run: NewRun) => ChatAddress | undefined
}

export const createConversations = ({ store, clock, redact, most, placeOf }: ConversationOptions): Conversations => ({
  async historyOf(run) {
    const messages = run.session ? await store.conversation(run.session.key, most(run)) : []
    // The oldest question may be one too many, and models expect no answer before the first question.
    const first = messages.findIndex(({ role }) => role === 'user')
    return first < 0 ? [] : messages.slice(first).map((message) => ({ role: message.role, text: wordsOf(message) }))
  },
  async keep(run, prompt, reply) {
    const { session, profile, route, eventId, acceptedAt } = run
    if (!session) return false
    const place = placeOf(run)
    return store.converse({ ...session, profile, route, ...(place ? { place } : {}) }, eventId, [
      { role: 'user', text: keptText(redact(prompt)), at: acceptedAt },
      { role: 'assistant', text: keptText(redact(reply)), at: clock.now() },
    ])
  },
})
