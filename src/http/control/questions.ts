/**
 * Reads the question of a control operation from a request. Some members of the question are in the request's path, the other members in
 * its body.
 */

import { isObject, type JsonObject } from '../../core/json.ts'
import type { controlOperations } from '../../generated/control.ts'

export type Operation = (typeof controlOperations)[keyof typeof controlOperations]

/**
 * Returns the question: the members of `inPath` and of `body` in one object. An unknown member is refused: otherwise the gateway would
 * ignore a misspelt member and use the default in its place. Throws an Error with `statusCode` 400, whose message says what is wrong.
 */
export const questionOf = ({ question }: { readonly question: QuestionShape }, inPath: JsonObject, body: unknown): JsonObject => {
  const { check, members, required } = question
  const needed = required.filter((name) => !Object.hasOwn(inPath, name))
  const need = `${needed.map(quoted).join(' and ')} ${needed.length > 1 ? 'are' : 'is'} needed: `
  const musts = needed.map((name) => mustBe(name, members)).join(', ')
  const given = body ?? {}
  if (!isObject(given)) throw badRequest(`the body must be a JSON object${needed.length > 0 ? `; ${need}${musts}` : ''}`)
  for (const name of Object.keys(inPath)) if (Object.hasOwn(given, name)) throw badRequest(unknown(name))
  const whole = { ...given, ...inPath }
  if (check(whole)) return whole
  const [problem] = check.errors ?? []
  if (problem?.keyword === 'additionalProperties') throw badRequest(unknown(String(problem.params.additionalProperty)))
  throw badRequest(problem?.keyword === 'required' ? `${need}${musts}` : mustBe(problem?.instancePath.split('/')[1] ?? '', members))
}

/** How the table describes a question: the check of its shape, what each member must be, and the names of the required members. */
type QuestionShape = {
  readonly check: Operation['question']['check']
  readonly members: { readonly [name: string]: { readonly must: string } }
  readonly required: readonly string[]
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64))
const unknown = (name: string): string => `the member ${quoted(name)} is not known`
const mustBe = (name: string, members: QuestionShape['members']): string => `${quoted(name)} must be ${members[name]?.must}`

const badRequest = (sentence: string): Error => Object.assign(new Error(sentence), { statusCode: 400 })
