/** What a lasting conversation is made of, wherever it is kept, shown or given to an agent. */

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
