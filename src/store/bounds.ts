/** The bounds of every store: how much senders can make it hold, and how much callers may ask for. */

/** The most groups that wait at one time. */
export const maxGroups = 10_000
/** The most groups that become runs in one `take`. */
export const maxGroupsPerTake = 1_000
/** A group keeps its newest prompts, up to this number and this length together. The newest of all is kept whatever its length. */
export const maxPrompts = 100
export const maxPromptChars = 150_000
/** The most events in one call of `standings`. */
export const maxStandings = 1_000
export const maxPlans = 10_000
export const maxSessions = 10_000
/** A session keeps its newest messages, up to this number and this length together. */
export const maxMessages = 200
export const maxMessageChars = 262_144
/** The most sums of windows that have not ended (`spend`). */
export const maxSums = 10_000

/** Whether a text can be an event's id: it has no character that JSON would escape, so stored JSON can be searched for it. */
export const isEventId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text)

/** Whether a sum can take this: a database has no number for NaN. */
export const isNumbers = (...values: readonly number[]): boolean => values.every(Number.isFinite)
