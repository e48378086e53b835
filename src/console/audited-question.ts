/** Writes the audit's lines of the questions that change something, as the table declares them. */

import type { JsonObject } from '../core/json.ts'
import type { Audit } from '../features/audit/audit.ts'

/**
 * What the audit has of a question. `on`: the members of the subject, with the members of the question that they are copied from; `body?`
 * stands for whether the question has the member `body`. `unless`: the member with which the question changes nothing.
 */
type DeclaredAudit = { readonly action: string; readonly on: { readonly [member: string]: string }; readonly unless?: string }

/** `own`: the answer writes the lines itself. `none`: the question changes nothing. A question that only shows something says neither. */
export type QuestionAudit = DeclaredAudit | 'own' | 'none' | undefined

/** Does the work of a question of the user `by`, between its two lines in the audit. */
export const auditedQuestion = <T>(
  audit: Audit,
  declared: QuestionAudit,
  question: JsonObject,
  by: string,
  work: () => Promise<T>,
): Promise<T> => {
  if (typeof declared !== 'object' || (declared.unless !== undefined && question[declared.unless] === true)) return work()
  return audit.of({ by, action: declared.action, on: subjectOf(declared, question) }, work)
}

const subjectOf = ({ on }: DeclaredAudit, question: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(on).flatMap(([member, from]) => {
      const value = from.endsWith('?') ? question[from.slice(0, -1)] !== undefined : question[from]
      return value === undefined ? [] : [[member, value]]
    }),
  )
