/** Answers the lookups of a dry run with values that somebody gives, so that nothing is asked. */

import type { Json, JsonObject } from '../../core/json.ts'
import { own } from '../../core/json.ts'
import type { AskLookup } from '../../parts/lookups/lookup.ts'

/** The answers to lookups by their names, and the reasons of those that fail. A lookup in neither is not asked. */
export type GivenAnswers = {
  readonly answers?: JsonObject | undefined
  /** The answers that are other ones when the question is asked once more, before a delivery. */
  readonly later?: JsonObject | undefined
  readonly failures?: { readonly [name: string]: string | undefined } | undefined
}

export const givenLookups =
  ({ answers = {}, later = {}, failures = {} }: GivenAnswers): AskLookup =>
  async ({ name, isFresh }) => {
    const failed = own(failures, name)
    // `null` is an answer: the server knows of nothing.
    const answer = own<Json>(isFresh && Object.hasOwn(later, name) ? later : answers, name)
    if (failed !== undefined) return { ok: false, why: failed }
    return answer === undefined ? undefined : { ok: true, text: JSON.stringify(answer) }
  }
