/** A kind of call, and how the calls of one kind that come together become one statement. */

import type { Row, Statement } from './connection.ts'

export type CallKind<Call, Answer> = Statement & {
  /** The most calls in one statement. */
  readonly maxCalls: number
  /** The length of a call's texts, for calls whose texts may be long. */
  readonly charsOf?: (call: Call) => number
  /** A second sending of a call that was committed changes nothing more and gives the same answer. */
  readonly isRepeatable: boolean
  /** Whether a call may go into the statement of these calls. Absent: any call may. */
  readonly joins?: (calls: readonly Call[], call: Call) => boolean
  /** Told of calls that were given up with an unknown outcome. */
  readonly doubt?: (calls: readonly Call[]) => void
  readonly values: (calls: readonly Call[]) => readonly unknown[]
  /** Returns an answer for each call. */
  readonly answers: (rows: readonly Row[], calls: readonly Call[]) => readonly Answer[]
}

/** Writes a list for a parameter. Its members have no character that a list would have to escape: they are numbers, or hashes. */
export const list = (members: readonly (string | number | boolean | bigint | null)[]): string => `{${members.map(String).join(',')}}`

/** Writes JSON texts for a parameter that `lines` reads: JSON has no line break outside of its escapes. */
export const joinLines = (texts: readonly string[]): string => texts.join('\n')

/** The SQL of the list of texts that `joinLines` wrote. */
export const lines = (parameter: string): string => `string_to_array(${parameter}, E'\\n')`

const longestMs = 1e13

/** Bounds a duration: one that the database cannot add to a time would fail all calls of its statement. */
export const boundedMs = (ms: number): number => (ms > longestMs ? longestMs : ms > 0 ? ms : 0)
