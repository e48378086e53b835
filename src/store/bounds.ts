/** The bounds that every store keeps: on what senders can make it hold, and on what callers may ask for. */

/** The most groups that wait at one time. */
export const maxGroups = 10_000
/** The most groups that become runs in one `take`. */
export const maxGroupsPerTake = 1_000
/**
 * The most prompts of a group, and their most characters together. Past them the oldest are dropped; the newest is kept whatever its
 * length.
 */
export const maxPrompts = 100
export const maxPromptChars = 150_000
/** The most events in one call of `standings`. */
export const maxStandings = 1_000
export const maxPlans = 10_000
export const maxSessions = 10_000
/** The most messages of a session, and their most characters together. Past them the oldest are dropped. */
export const maxMessages = 200
export const maxMessageChars = 262_144
/** The most sums of open windows (`spend`). */
export const maxSums = 10_000

/** Whether a text can be an event's id: JSON escapes none of its characters, so stored JSON can be searched for it. */
export const isEventId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text)

/** Whether all values are finite: a database has no number for NaN. */
export const isNumbers = (...values: readonly number[]): boolean => values.every(Number.isFinite)

/** How long a shared store holds a claim that is not settled: no work before an answer takes longer. */
export const unsettledMs = 30_000
