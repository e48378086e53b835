/**
 * Compiles `respond` of a route, or of the scheme that the route names: the answer to an event that was not refused, for senders that do
 * not take the gateway's usual answer.
 */

import type { Path } from '../../core/diagnostic.ts'
import type { Reply } from '../../core/outcome.ts'
import { isTakenOutcome, outcomeStatus } from '../../core/outcome-table.ts'
import type { Respond } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import type { StageKit } from '../stages/stage.ts'
import { compileAnswerBody } from './answer-body.ts'

type Written = NonNullable<Route['respond']>
type WrittenAnswer = Pick<Written, 'status' | 'body' | 'content_type'>

/** The placeholder for the word that says by what an event was ignored. In the answer to such events, no field of the payload has this name. */
export const reasonPlaceholder = '{reason}'

/** Makes the function that answers an event; `undefined` stands for the gateway's usual answer. Mistakes in the body are reported. */
const compileAnswer = (answer: WrittenAnswer, path: Path, kit: StageKit): ((event: Event, reason?: string) => Reply | undefined) => {
  const { status = defaults.respond.status } = answer
  const { type, fill } = compileAnswerBody(answer, path.at(-1) === 'ignored' ? reasonPlaceholder : undefined, path, kit)
  return (event, reason = '') => {
    const body = fill(event)(reason)
    return body === undefined ? undefined : { status, body, type, headers: { 'X-Content-Type-Options': 'nosniff' } }
  }
}

/**
 * Makes the function that answers an event: as `outcomes` says of its outcome, else as `usual` does. Absent: the usual answer is the
 * gateway's. Mistakes in templates are reported.
 */
export const compileRespond = (
  usual: WrittenAnswer | undefined,
  outcomes: Written['outcomes'] = {},
  kit: StageKit,
): Respond | undefined => {
  const other = usual && compileAnswer(usual, ['respond'], kit)
  const of = (name: keyof typeof outcomes) => (outcomes[name] ? compileAnswer(outcomes[name], ['respond', 'outcomes', name], kit) : other)
  const [accepted, ignored, duplicate] = [of('accepted'), of('ignored'), of('duplicate')]
  if (!accepted && !ignored && !duplicate) return undefined
  return (event, outcome) => {
    if (outcome.kind === 'ignored') return ignored?.(event, outcome.reason)
    if (outcome.kind === 'duplicate') return duplicate?.(event)
    // Of a request that was split, the status says whether an item made work.
    return (isTakenOutcome(outcome) || outcomeStatus(outcome) === 202 ? accepted : other)?.(event)
  }
}
