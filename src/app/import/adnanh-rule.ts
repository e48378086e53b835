/** Turns trigger rules of adnanh/webhook into conditions, with the meaning that a missing value has for them. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { namesRequestSecret } from '../../core/secrets/secret-names.ts'
import { BadPattern, compileRegex } from '../../expr/regex/regex.ts'
import { type ParameterField, parameterField } from './adnanh-parameter.ts'
import type { ReportLeftOut } from './imported.ts'

/**
 * The conditions under which a rule is true (`holds`) or ends in "not found". In adnanh/webhook a missing value is an error: an `or` passes
 * over it, and an `and` ends with false, even where the rule with the missing value (a `not`) is true. `canBeBoth`: the rule can be true
 * and end in "not found".
 */
export type RuleConditions = { readonly holds: JsonObject; readonly notFound?: JsonObject; readonly canBeBoth: boolean }

/** The kinds of rules. Where a rule has several, the first in this order counts. */
const ruleKinds = ['and', 'or', 'not', 'match'] as const

/** Returns the kind of a rule and its value; `undefined` for a rule without a kind, which is never true. */
export const ruleKindOf = (rule: Json): { readonly kind: (typeof ruleKinds)[number]; readonly inner: Json } | undefined => {
  const kind = isObject(rule) ? ruleKinds.find((name) => (own(rule, name) ?? null) !== null) : undefined
  return kind && { kind, inner: (rule as JsonObject)[kind] as Json }
}

/** Compiles a rule; `undefined` where a part of it cannot be written as a condition. Each such part is reported. */
export const compileRule = (rule: Json, path: Path, say: ReportLeftOut): RuleConditions | undefined => {
  const ruleKind = ruleKindOf(rule)
  if (!ruleKind) return { holds: { any: [] }, canBeBoth: false }
  const { kind, inner } = ruleKind
  const at = [...path, kind]
  if (kind === 'match') return compileMatch(inner, at, say)
  if (kind === 'not') return negatedRule(compileRule(inner, at, say))
  const list = Array.isArray(inner) ? inner : []
  const verdicts = list.map((each, i) => compileRule(each, [...at, i], say))
  const known = verdicts.filter((each) => each !== undefined)
  if (known.length < list.length) return undefined
  if (kind === 'or') return { holds: { any: known.map(({ holds }) => holds) }, canBeBoth: false }
  return { holds: { all: known.flatMap(inAnd) }, ...notFoundIn(known), canBeBoth: false }
}

/** Returns the conditions for a rule inside an `and`: the rule is true, and no value that it looked for is missing. */
export const inAnd = ({ holds, notFound, canBeBoth }: RuleConditions): JsonObject[] => [
  holds,
  ...(notFound && canBeBoth ? [negatedCondition(notFound)] : []),
]

const negatedCondition = (condition: JsonObject): JsonObject =>
  condition.missing === true ? { field: condition.field as string, exists: true } : { not: condition }

const negatedRule = (inner: RuleConditions | undefined): RuleConditions | undefined =>
  inner && { holds: { not: inner.holds }, ...(inner.notFound ? { notFound: inner.notFound, canBeBoth: true } : { canBeBoth: false }) }

/** Returns when an `and` ends in "not found". It stops at its first false rule, so later rules then look for nothing. */
const notFoundIn = (rules: readonly RuleConditions[]): Pick<RuleConditions, 'notFound'> => {
  const cases = rules.flatMap(({ notFound }, i) => {
    if (!notFound) return []
    const before = rules.slice(0, i).flatMap(inAnd)
    return [before.length > 0 ? { all: [...before, notFound] } : notFound]
  })
  return cases.length > 0 ? { notFound: cases.length > 1 ? { any: cases } : (cases[0] as JsonObject) } : {}
}

const compileMatch = (match: Json, path: Path, say: ReportLeftOut): RuleConditions | undefined => {
  const { type, parameter = null, value = '', regex = '' } = isObject(match) ? match : {}
  const refuse = refusals[String(type)]
  if (refuse) return say(path, ...refuse, true) as undefined
  const field = parameterField(parameter, [...path, 'parameter'], say)
  if (!field) return undefined
  if (namesRequestSecret(field.name)) {
    say(path, 'it compares a secret, which must not stand in the YAML', 'let the sender sign, or send the secret as X-Gitlab-Token', true)
    return undefined
  }
  const holds = type === 'regex' ? compilePattern(field, String(regex), path, say) : compileValue(field, String(value), path, say)
  return holds && { holds, notFound: { field: field.field, missing: true }, canBeBoth: false }
}

const signatureReason = 'a signature that stands inside "or" or "not", or beside another one, cannot be carried over'
const signatureTodo = 'make one route for each sender, with a secret of its own'
const refusals: { readonly [type: string]: readonly [reason: string, todo: string] } = {
  'ip-whitelist': [
    'addresses are listed for a whole route: a list inside "or" or "not", or of what is no network, cannot be carried over',
    'make a route for each sender, with an "allow_from" of its own',
  ],
  'scalr-signature': ['headgate has no scheme for it', 'let a proxy check it, and sign anew'],
  ...Object.fromEntries(
    ['hmac', 'hash'].flatMap((word) => ['1', '256', '512'].map((size) => [`payload-${word}-sha${size}`, [signatureReason, signatureTodo]])),
  ),
}

const anyText = new Set(['', '.*', '^.*', '.*$', '^.*$', '(?s).*', '(?s)^.*$'])

const compilePattern = ({ field }: ParameterField, pattern: string, path: Path, say: ReportLeftOut): JsonObject | undefined => {
  if (anyText.has(pattern)) return { field, exists: true }
  try {
    compileRegex(pattern)
    return { field, regex: pattern }
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error
    say([...path, 'regex'], error.message, 'write another pattern: https://github.com/google/re2/wiki/Syntax', true)
    return undefined
  }
}

/** Compiles `value`. adnanh/webhook compares texts, so "5" is also the number 5, and "true" also `true`. */
const compileValue = ({ field, isText }: ParameterField, value: string, path: Path, say: ReportLeftOut): JsonObject | undefined => {
  const other = isText ? value : parseValue(value)
  if (typeof other === 'string') return { field, equals: value }
  if (typeof other !== 'object' && String(other) === value) return { field, in: [value, other] }
  say(
    [...path, 'value'],
    'it may stand for a list, a map, null or a number that headgate reads otherwise',
    'write the condition by hand',
    true,
  )
  return undefined
}

/** Parses a value as JSON; a text that is no JSON stays as it is. adnanh/webhook writes null as `<nil>`. */
const parseValue = (value: string): Json => {
  try {
    if (value === 'null') return value
    return value === '<nil>' ? null : (JSON.parse(value) as Json)
  } catch {
    return value
  }
}
