/** Compares a value with a matcher of a test: an equal value, or rules that must hold. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { compileEqual } from '../../expr/equal.ts'
import { BadExpression, compileJsonata } from '../../expr/jsonata/jsonata.ts'
import { BadPattern, compileRegex } from '../../expr/regex/regex.ts'
import type { TestRule } from '../../generated/config.ts'
import { withoutBraces } from '../trace/describe-trace.ts'

/** A difference from an expectation. `at`: the key of the expectation, as `prompt.contains[1]`. */
export type Difference = { readonly at: string; readonly expected: string; readonly got: string }

/** What a rule may need besides the value: the placeholders of the event, and the stored snapshots. */
export type MatchContext = {
  /** The placeholders that had no value, as they are written in the template. */
  readonly unresolved: readonly string[]
  /**
   * Returns the stored snapshot for the key `at`; `undefined` where none is stored. In a run that updates snapshots, stores `value` and
   * returns it.
   */
  readonly snapshot: (at: string, value: string) => string | undefined
}

type Value = Json | undefined

const showValue = (value: Value): string => (value === undefined ? 'nothing' : JSON.stringify(value))
const textOfValue = (value: Value): string => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value))

/**
 * Compares a value, and returns the differences. `at`: the key of the expectation. `matcher`: a plain value, which must be equal, or a map
 * of rules.
 */
export const match = async (at: string, matcher: Json | TestRule, value: Value, around: MatchContext): Promise<readonly Difference[]> =>
  isObject(matcher as Json) ? matchRules(at, matcher as TestRule, value, around) : compareWhole(at, matcher as Json, value)

const compareWhole = (at: string, wanted: Json, value: Value): readonly Difference[] =>
  compileEqual(wanted)(value) ? [] : [{ at, expected: showValue(wanted), got: showValue(value) }]

const matchRules = async (at: string, rule: TestRule, value: Value, around: MatchContext): Promise<readonly Difference[]> => {
  const text = textOfValue(value)
  const differences: Difference[] = []
  const must = (holds: boolean, key: string, expected: string, got = showValue(value)): void => {
    if (!holds) differences.push({ at: `${at}.${key}`, expected, got })
  }
  if (rule.equals !== undefined) differences.push(...compareWhole(`${at}.equals`, rule.equals as Json, value))
  for (const [i, part] of asList(rule.contains).entries())
    must(text.includes(part), `contains[${i}]`, `a text with ${showValue(part)} in it`)
  for (const [i, part] of asList(rule.lacks).entries()) must(!text.includes(part), `lacks[${i}]`, `a text without ${showValue(part)}`)
  if (rule.matches !== undefined) must(fitsPattern(rule.matches, text), 'matches', `a text that /${rule.matches}/ fits`)
  if (rule.jsonata !== undefined) must(await jsonataHolds(rule.jsonata, value), 'jsonata', `${rule.jsonata} to be true`)
  const { max_chars: max } = rule
  if (max !== undefined) must(text.length <= max, 'max_chars', `at most ${max} characters`, `${text.length} characters`)
  if (rule.unresolved) {
    const wanted = rule.unresolved.map(withoutBraces).sort()
    const got = around.unresolved.map(withoutBraces).sort()
    must(wanted.join('\n') === got.join('\n'), 'unresolved', showValue(wanted), showValue(got))
  }
  if (rule.snapshot) {
    const before = around.snapshot(at, text)
    must(before === text, 'snapshot', before === undefined ? 'a snapshot: run with --update' : showValue(before))
  }
  return differences
}

const asList = (texts: string | readonly string[] | undefined): readonly string[] => (texts === undefined ? [] : [texts].flat())

const fitsPattern = (pattern: string, text: string): boolean => {
  try {
    return compileRegex(pattern).test(text)
  } catch (error) {
    if (error instanceof BadPattern) return false
    throw error
  }
}

const jsonataHolds = async (source: string, value: Value): Promise<boolean> => {
  try {
    return (await compileJsonata(source)((value ?? null) as JsonObject)) === true
  } catch (error) {
    if (error instanceof BadExpression || error instanceof Error) return false
    throw error
  }
}
