/**
 * Turns trigger rules of adnanh/webhook into conditions that hold for the same requests, also for requests without a value that the rule
 * looks for.
 */

import type { Path } from '../../core/diagnostic.ts'
import { exactJson, isLongId } from '../../core/exact-json.ts'
import { ExactNumber } from '../../core/exact-number.ts'
import { type ExactJson, type ExactObject, isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { namesRequestSecret } from '../../core/secret-names.ts'
import { noteDigits, withDigits } from '../../core/written-digits.ts'
import { BadPattern, compileRegex } from '../../expr/regex/regex.ts'
import { type ParameterField, parameterField } from './adnanh-parameter.ts'
import type { ReportLeftOut } from './imported.ts'

/**
 * The conditions under which a rule is true (`holds`), and under which it ends with the error "not found" (`notFound`), because a value is
 * missing. In adnanh/webhook an `or` passes over this error, and an `and` is false after it, even where the rule with the error (a `not`)
 * counts as true. `canBeBoth`: the rule can be true and have the error.
 */
export type RuleConditions = { readonly holds: JsonObject; readonly notFound?: JsonObject; readonly canBeBoth: boolean }

/** The kinds of rules. Where a rule has the keys of several kinds, the first in this order counts. */
const ruleKinds = ['and', 'or', 'not', 'match'] as const

/** Returns the kind of a rule and the value under its key; `undefined` for a rule without a kind, which is never true. */
export const ruleKindOf = (rule: Json): { readonly kind: (typeof ruleKinds)[number]; readonly inner: Json } | undefined => {
  const kind = isObject(rule) ? ruleKinds.find((name) => (own(rule, name) ?? null) !== null) : undefined
  return kind && { kind, inner: (rule as JsonObject)[kind] as Json }
}

const matchKeys: ReadonlySet<string> = new Set(['type', 'parameter', 'secret', 'value', 'regex', 'ip-range'])

/**
 * Reports the keys of a rule, and of the rules in it, that adnanh/webhook passes over: those that it does not know, and each kind beside
 * the one that counts. A signature may be among them, which the hook then never asked for.
 */
export const reportIdle = (rule: Json, path: Path, report: ReportLeftOut): void => {
  if (!isObject(rule)) return
  const found = ruleKindOf(rule)
  for (const [key, value] of Object.entries(rule)) {
    if (key === found?.kind || value === null) continue
    if (!(ruleKinds as readonly string[]).includes(key)) reportUnknown([...path, key], report)
    else
      report(
        [...path, key],
        `beside "${found?.kind}" it does nothing: adnanh/webhook looks at one of the two`,
        'write both into an "and", if both are to hold',
      )
  }
  if (!found) return
  const { kind, inner } = found
  const at = [...path, kind]
  if (kind === 'match') reportUnknownIn(inner, at, report)
  else if (kind === 'not') reportIdle(inner, at, report)
  else for (const [i, each] of (Array.isArray(inner) ? inner : []).entries()) reportIdle(each, [...at, i], report)
}

const reportUnknownIn = (match: Json, path: Path, report: ReportLeftOut): void => {
  for (const key of isObject(match) ? Object.keys(match) : []) if (!matchKeys.has(key)) reportUnknown([...path, key], report)
}

const reportUnknown = (path: Path, report: ReportLeftOut): void =>
  report(path, 'adnanh/webhook knows no such key here, and passes over it', 'look for a slip in its name')

/** Compiles a rule; `undefined` where a part of the rule cannot be written as a condition. Each such part is reported. */
export const compileRule = (rule: Json, path: Path, report: ReportLeftOut): RuleConditions | undefined => {
  const ruleKind = ruleKindOf(rule)
  if (!ruleKind) return { holds: { any: [] }, canBeBoth: false }
  const { kind, inner } = ruleKind
  const at = [...path, kind]
  if (kind === 'match') return compileMatch(inner, at, report)
  if (kind === 'not') return negatedRule(compileRule(inner, at, report))
  const list = Array.isArray(inner) ? inner : []
  const verdicts = list.map((each, i) => compileRule(each, [...at, i], report))
  const known = verdicts.filter((each) => each !== undefined)
  if (known.length < list.length) return undefined
  if (kind === 'or') return { holds: { any: known.map(({ holds }) => holds) }, canBeBoth: false }
  return { holds: { all: known.flatMap(inAnd) }, ...notFoundIn(known), canBeBoth: false }
}

/** Returns the conditions that must all hold where the rule is inside an `and`: the rule is true, and it does not end with "not found". */
export const inAnd = ({ holds, notFound, canBeBoth }: RuleConditions): JsonObject[] => [
  holds,
  ...(notFound && canBeBoth ? [negatedCondition(notFound)] : []),
]

const negatedCondition = (condition: JsonObject): JsonObject =>
  condition.missing === true ? { field: condition.field as string, exists: true } : { not: condition }

const negatedRule = (inner: RuleConditions | undefined): RuleConditions | undefined =>
  inner && { holds: { not: inner.holds }, ...(inner.notFound ? { notFound: inner.notFound, canBeBoth: true } : { canBeBoth: false }) }

/**
 * Returns the condition under which an `and` ends with "not found". It stops at its first false rule. So a missing value of a rule counts
 * only where all rules before that rule are true.
 */
const notFoundIn = (rules: readonly RuleConditions[]): Pick<RuleConditions, 'notFound'> => {
  const cases = rules.flatMap(({ notFound }, i) => {
    if (!notFound) return []
    const before = rules.slice(0, i).flatMap(inAnd)
    return [before.length > 0 ? { all: [...before, notFound] } : notFound]
  })
  return cases.length > 0 ? { notFound: cases.length > 1 ? { any: cases } : (cases[0] as JsonObject) } : {}
}

const compileMatch = (match: Json, path: Path, report: ReportLeftOut): RuleConditions | undefined => {
  const { type, parameter = null, regex = '' } = isObject(match) ? match : {}
  const { value = '' } = withDigits(isObject(match) ? match : {}) as ExactObject
  const refusal = refusedMatchTypes[String(type)]
  if (refusal) return report(path, ...refusal, true) as undefined
  const field = parameterField(parameter, [...path, 'parameter'], report)
  if (!field) return undefined
  if (namesRequestSecret(field.name)) {
    report(
      path,
      'it compares a secret, which must not stand in the YAML',
      'let the sender sign, or send the secret as X-Gitlab-Token',
      true,
    )
    return undefined
  }
  const values = Array.isArray(value) ? value : [value]
  const ofValues = (): JsonObject | undefined => {
    const any = values.map((each) => compileValue(field, String(each), path, report))
    if (!any.every((each) => each !== undefined)) return undefined
    return any.length === 1 ? any[0] : { any }
  }
  const holds = type === 'regex' ? compilePattern(field, String(regex), path, report) : ofValues()
  return holds && { holds, notFound: { field: field.field, missing: true }, canBeBoth: false }
}

const signatureReason = 'a signature that stands inside "or" or "not", or beside another one, cannot be carried over'
const signatureTodo = 'make one route for each sender, with a secret of its own'
/** The types of `match` that no condition can express, each with its report. */
const refusedMatchTypes: { readonly [type: string]: readonly [reason: string, todo: string] } = {
  'ip-whitelist': [
    'addresses are listed for a whole route: a list inside "or" or "not", or of what is no network, cannot be carried over',
    'make a route for each sender, with an "allow_from" of its own',
  ],
  'scalr-signature': ['headgate has no scheme for it', 'let a proxy check it, and sign anew'],
  ...Object.fromEntries(
    ['hmac', 'hash'].flatMap((word) => ['1', '256', '512'].map((size) => [`payload-${word}-sha${size}`, [signatureReason, signatureTodo]])),
  ),
}

/** Patterns that match any text, so that only the presence of the value counts. `^.*$` matches no text with a line feed. */
const anyText = new Set(['', '.*', '^.*', '.*$', '(?s).*', '(?s)^.*$'])

const compilePattern = ({ field }: ParameterField, pattern: string, path: Path, report: ReportLeftOut): JsonObject | undefined => {
  if (anyText.has(pattern)) return { field, exists: true }
  try {
    compileRegex(pattern)
    return { field, regex: pattern }
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error
    report([...path, 'regex'], error.message, 'write another pattern: https://github.com/google/re2/wiki/Syntax', true)
    return undefined
  }
}

/**
 * Compiles a `match` that compares a value. adnanh/webhook compares texts, so "5" also equals the number 5, and "true" also equals `true`.
 */
const compileValue = ({ field, isText }: ParameterField, value: string, path: Path, report: ReportLeftOut): JsonObject | undefined => {
  if (value.includes('{{')) {
    report([...path, 'value'], 'a condition reads no variables', 'write the value itself', true)
    return undefined
  }
  const other = isText ? value : parseValue(value)
  if (typeof other === 'string') return { field, equals: value }
  if (typeof other !== 'object' && String(other) === value) return { field, in: [value, other] }
  if (other instanceof ExactNumber && isLongId(other)) {
    const either = [value, other.toNumber()]
    noteDigits(either, () => other.text)
    return { field, in: either }
  }
  report(
    [...path, 'value'],
    'it may stand for a list, a map, null or a number that headgate reads otherwise',
    'write the condition by hand',
    true,
  )
  return undefined
}

/** Parses a value as JSON; a text that is no JSON stays a text. adnanh/webhook writes null as `<nil>`, so `null` is a text. */
const parseValue = (value: string): ExactJson => {
  try {
    if (value === 'null') return value
    return value === '<nil>' ? null : exactJson(value)
  } catch {
    return value
  }
}
