/**
 * The bounds that every store keeps, on what it stores and on what one call may ask for; the checks of ids and numbers that stores share;
 * and how long a shared store keeps a claim that is not settled.
 */

import { StoreFault } from '../core/fault.ts'

export const maxGroups = 10_000
/** The most groups that become runs in one `take` because they are due. */
export const maxGroupsPerTake = 1_000
/**
 * The most prompts of a group, and the most characters of all its prompts together. Past these bounds the oldest prompts are dropped. The
 * newest prompt is kept, whatever its length.
 */
export const maxPrompts = 100
export const maxPromptChars = 150_000
/** The most events in one call of `acceptAll`. A store rejects a call with more. */
const maxWorks = 1_000
/**
 * The most runs and groups that one event ends in its commit: as many as wait at most by default (`max_queued_runs`). Where there are more,
 * the oldest are ended.
 */
export const maxEnded = 10_000
/** The most events in one call of `standings`. A store rejects a call with more. */
export const maxStandings = 1_000
/** The most groups and the most lanes that a call of `queues` returns, because a whole run is read for each of these. */
export const maxQueues = 50
/** The most schedules whose next times are stored. The times of further schedules are not stored. */
export const maxPositions = 10_000
/** The most sessions. Past this bound, the sessions whose last message is the oldest are dropped. */
export const maxSessions = 10_000
/**
 * The most messages of a session, and the most characters of all its messages together. Past these bounds the oldest messages are dropped,
 * and a message that alone is too long is dropped as well.
 */
export const maxMessages = 200
export const maxMessageChars = 262_144
/** The most sums of usage (`spend` in ports.ts). Past this bound, the sums whose windows of time end first are dropped. */
export const maxSums = 10_000

/** Whether a text can be the id of an event: JSON escapes none of the allowed characters, so stored JSON can be searched for an id. */
export const isEventId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text)

/** Throws a StoreFault for more work than one call of `acceptAll` takes. */
export const checkWorks = ({ length }: readonly unknown[]): void => {
  if (length > maxWorks) throw new StoreFault(`was given more than ${maxWorks} events at once`)
}

/** Whether all values are finite numbers: SQLite cannot store NaN, and PostgreSQL would keep a sum at NaN for ever. */
export const isNumbers = (...values: readonly number[]): boolean => values.every(Number.isFinite)

/**
 * How long a shared store holds a claim that is not settled, in milliseconds. Work that is done before the answer to the sender never takes
 * longer.
 */
export const unsettledMs = 30_000
