/**
 * Compiles `respond` of a route, or of the scheme that the route names: the answer to an event that was not refused, for senders that do
 * not take the gateway's usual answer.
 */

import type { Path } from '../../core/diagnostic.ts'
import type { Reply } from '../../core/outcome.ts'
import { isTakenOutcome, outcomeStatus } from '../../core/outcome-table.ts'
import type { Respond } from '../../core/plan.ts'
import type { Event } from '../../core/request.ts'
import { escapeFor } from '../../expr/escape.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import { compileTemplate } from '../../expr/template.ts'
import type { Route } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import type { StageKit } from '../stages/stage.ts'
import { templateKit } from '../template-kit.ts'

/** The longest body of an answer, in UTF-16 units. A longer body is cut. */
const maxBodyUnits = 16_384

/** Reports the expressions in the body of an answer. `path`: that of the answer in the route. */
export const reportExpressions = (body: string, path: Path, { report }: Pick<StageKit, 'report'>): void => {
  if (parseTemplate(body, () => {}).some(({ kind }) => kind === 'expression'))
    report('WH503', [...path, 'body'], 'an answer is made before an expression would be worked out', 'use {dotted.path} only')
}

type Written = NonNullable<Route['respond']>
type WrittenAnswer = Pick<Written, 'status' | 'body' | 'content_type'>

/** The placeholder for the word that says by what an event was ignored. In the answer to such events, no field of the payload has this name. */
export const reasonPlaceholder = '{reason}'

/** Makes the function that answers an event: the body of the answer is a template over the event. A mistake in the template is reported. */
const compileAnswer = (answer: WrittenAnswer, path: Path, kit: StageKit): ((event: Event, reason?: string) => Reply) => {
  const { status = defaults.respond.status, body = defaults.respond.body, content_type: type = defaults.respond.content_type } = answer
  reportExpressions(body, path, kit)
  const texts = path.at(-1) === 'ignored' ? body.split(reasonPlaceholder) : [body]
  const renders = texts.map((text) => compileTemplate(text, templateKit(kit, [...path, 'body']), escapeFor(type)))
  return (event, reason = '') => {
    // Only an expression makes the renderer return a promise, and an expression is reported above as a mistake.
    const rendered = renders.map((render) => render(event)).map((text) => (typeof text === 'string' ? text : ''))
    return {
      status,
      body: rendered.join(reason).slice(0, maxBodyUnits),
      type,
      headers: { 'X-Content-Type-Options': 'nosniff' },
    }
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
