/**
 * Reads and extends the conversation of a run's session: the agent gets the latest messages with the prompt, and prompt and reply are then
 * added to the conversation (rules: Sessions 2, 3).
 */

import type { Clock } from '../core/clock.ts'
import type { NewRun } from '../core/new-run.ts'
import { type ChatAddress, keptText, readableMessage, type SessionMessage } from '../core/session.ts'
import type { Store } from '../store/ports.ts'

/** A message as an agent gets it. */
type Utterance = Pick<SessionMessage, 'role' | 'text'>

export type Conversations = {
  /**
   * Returns the latest messages of the run's session, oldest first. The first message is never a reply. Empty for a run without a session.
   * Throws a StoreFault.
   */
  historyOf(run: NewRun): Promise<readonly Utterance[]>
  /**
   * Adds a prompt and its reply to the run's session, once for each event. `false`: they were added before, or the run has no session.
   * Throws a StoreFault.
   */
  keep(run: NewRun, prompt: string, reply: string): Promise<boolean>
}

/** Conversations that keep nothing and are always empty. */
export const noConversations: Conversations = { historyOf: async () => [], keep: async () => false }

export type ConversationOptions = {
  readonly store: Pick<Store, 'conversation' | 'converse'>
  readonly clock: Clock
  /** Removes known secrets from a text before it is stored. */
  readonly redact: (text: string) => string
  /** Returns how many messages the run's agent gets at most. */
  readonly most: (run: NewRun) => number
  /** Returns the chat that the run's reply goes to. */
  readonly chatAddressOf: (run: NewRun) => ChatAddress | undefined
}

export const createConversations = ({ store, clock, redact, most, chatAddressOf }: ConversationOptions): Conversations => ({
  async historyOf(run) {
    const messages = run.session ? await store.conversation(run.session.key, most(run)) : []
    // The oldest message may be a reply without its question, and models expect a question first.
    const first = messages.findIndex(({ role }) => role === 'user')
    return first < 0 ? [] : messages.slice(first).map((message) => ({ role: message.role, text: readableMessage(message) }))
  },
  async keep(run, prompt, reply) {
    const { session, profile, route, eventId, acceptedAt } = run
    if (!session) return false
    const chatAddress = chatAddressOf(run)
    return store.converse({ ...session, profile, route, ...(chatAddress ? { chatAddress } : {}) }, eventId, [
      { role: 'user', text: keptText(redact(prompt)), at: acceptedAt },
      { role: 'assistant', text: keptText(redact(reply)), at: clock.now() },
    ])
  },
})
