/**
 * The form of a kind of call: its statement, and how the calls of this kind that come together are sent as one statement. Also what writes
 * the parameters of such statements (decision 0117).
 */

import type { ResultRow, Statement } from './connection.ts'

/** `Call`: what a caller gives. `Answer`: what the caller gets. */
export type CallKind<Call, Answer> = Statement & {
  readonly maxCalls: number
  /** The length of a call's texts, for calls whose texts may be long. */
  readonly charsOf?: (call: Call) => number
  /**
   * Whether a call may be sent again after its commit, because the second sending changes nothing and gives the same answer, or does no
   * harm.
   */
  readonly isRepeatable: boolean
  /** Whether a call may go into one statement with these calls. Without this function any call may. */
  readonly joins?: (calls: readonly Call[], call: Call) => boolean
  /** Called with the calls that were given up while nobody knows whether they were committed. */
  readonly doubt?: (calls: readonly Call[]) => void
  /** Returns the parameters of the statement for these calls. */
  readonly values: (calls: readonly Call[]) => readonly unknown[]
  readonly answers: (rows: readonly ResultRow[], calls: readonly Call[]) => readonly Answer[]
}

/** Writes an SQL array for a parameter. Its members, such as numbers and hashes, must have no character that would have to be escaped. */
export const list = (members: readonly (string | number | boolean | bigint | null)[]): string => `{${members.map(String).join(',')}}`

/** Joins JSON texts to one parameter, which `lines` splits again. A line break is a safe separator, because JSON escapes line breaks. */
export const joinLines = (texts: readonly string[]): string => texts.join('\n')

/** Returns the SQL that splits a parameter of `joinLines` into an array of texts. */
export const lines = (parameter: string): string => `string_to_array(${parameter}, E'\\n')`

/** Returns the SQL for the time until the time of a column, in milliseconds. */
export const msUntil = (column: string): string => `(extract(epoch from ${column} - clock()) * 1000)::float8`

const longestMs = 1e13

/** Bounds a duration: a duration that the database cannot add to a time would fail all calls of its statement. */
export const boundedMs = (ms: number): number => (ms > longestMs ? longestMs : ms > 0 ? ms : 0)
