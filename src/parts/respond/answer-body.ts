/** Compiles the body of an answer to a sender: a text, or a map or list of JSON or of a form (rules: Templates 9). */

import type { Path } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import type { Route } from '../../generated/config.ts'
import { bodyProblem, bodyType, compileBodyPieces, filledBody, fillsOf, piecesKey, withBodyPieces } from '../body-pieces.ts'
import type { StageKit } from '../stages/stage.ts'
import { templateKit } from '../template-kit.ts'

/** The longest body of an answer, in bytes of UTF-8. */
const maxAnswerBytes = 1_048_576

/**
 * The content type of an answer, and the function that fills its body in. The values of the event are filled in first, so that a request
 * that waits for a reply does not keep its payload in memory. The function that then takes the word for the late placeholder returns
 * `undefined` where the body would be too long. Neither throws.
 */
export type AnswerBody = {
  readonly type: string
  readonly fill: (event: Event) => (word: string) => string | undefined
}

/**
 * `late`: the placeholder that no payload fills in, such as `{reply}`. `path`: that of the answer in the route. Mistakes in the body are
 * reported.
 */
export const compileAnswerBody = (
  answer: Pick<NonNullable<Route['respond']>, 'body' | 'content_type'>,
  late: string | undefined,
  path: Path,
  kit: StageKit,
): AnswerBody => {
  const written = { body: '', ...answer } as JsonObject
  const wrong = typeof written.body === 'string' ? undefined : bodyProblem(written)
  if (wrong) kit.report('WH208', [...path, ...wrong[0]], wrong[1], wrong[2])
  const isLate = (text: string): boolean => text === late
  const extra = withBodyPieces(written, isLate)
  if (fillsOf(extra).some((fill) => parseTemplate(fill).some(({ kind }) => kind === 'expression')))
    kit.report('WH503', [...path, 'body'], 'an answer is made before an expression would be worked out', 'use {dotted.path} only')
  const pieces = compileBodyPieces(extra, templateKit(kit, [...path, 'body']), isLate)
  return {
    type: bodyType(written),
    fill(event) {
      // Only an expression makes a renderer return a promise, and a route with an expression in its answer is not valid.
      const filled = { ...extra, [piecesKey]: pieces(event) } as JsonObject
      return (word) => {
        const body = filledBody(filled, (placeholder) => (isLate(placeholder) ? word : undefined), maxAnswerBytes)
        return body && 'text' in body ? body.text : undefined
      }
    },
  }
}
