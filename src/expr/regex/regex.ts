/** Compiles regular expressions for a linear-time engine (RE2), under further bounds, so that no match holds the event loop for long. */

import { RE2JS, RE2Set } from 're2js'
import { messageOf } from '../../core/fault.ts'
import { maxProduct } from '../search.ts'
import { TooHard } from '../too-hard.ts'
import { compileLiterals } from './literals.ts'

/** The form of common well-formed patterns. An engine's parser takes thirty times as long, and a start may check ten thousand patterns. */
const inClass = String.raw`(?:a-z|A-Z|0-9|[\w ./:@]|\\[dws./-])`
const atom = String.raw`(?:[\w /:@#,;=!~%&<>"'.-]|\\[dDwWsS./^$|?*+()[\]{}\\-]|\[\^?${inClass}+-?\])[*+?]?`
const group = String.raw`\((?:\?:)?(?:${atom}|\|)*\)[*+?]?`
const plainForm = new RegExp(String.raw`^(?:\(\?i\))?\^?(?:${atom}|${group})*\$?$`)

/** Whether the linear-time engine surely accepts the pattern, so that its parser need not be loaded. `false`: only that parser can say. */
export const isPlainPattern = (pattern: string): boolean => plainForm.test(pattern)

/** The UTF-16 units of a text that are searched, from its beginning: a megabyte takes the engine's automaton about 10 ms. */
const maxUnits = 1_048_576
const maxPatternUnits = 1024
/** The most bytes of the automaton's states. Building a state takes time in proportion to its size, so the limit bounds the time, too. */
const stateBytes = 1_048_576
/** The most work for the engine where it has no automaton: the length of the text times the size of the pattern's program. */
const maxSlowSteps = 1_000_000

/** A pattern that cannot be used: WH401 malformed, WH402 not linear-time. */
export class BadPattern extends Error {
  override name = 'BadPattern'
  readonly code: 'WH401' | 'WH402'

  constructor(code: 'WH401' | 'WH402', message: string) {
    super(message)
    this.code = code
  }
}

const nonLinear: readonly (readonly [RegExp, string])[] = [
  [/^(?:[^\\]|\\.)*?\(\?<?[=!]/s, 'look-around'],
  [/^(?:[^\\]|\\.)*?\\(?:[1-9]|k[<{'])/s, 'a back-reference'],
]

const badPattern = (pattern: string, error: unknown): BadPattern => {
  const found = nonLinear.find(([shape]) => shape.test(pattern))
  if (found) return new BadPattern('WH402', `the pattern uses ${found[1]}, which the linear-time engine does not have`)
  return new BadPattern('WH401', messageOf(error).replace('error parsing regexp: ', ''))
}

const orBadPattern = <T>(pattern: string, read: (pattern: string) => T): T => {
  if (pattern.length > maxPatternUnits) throw new BadPattern('WH401', `the pattern is longer than ${maxPatternUnits} characters`)
  try {
    return read(pattern)
  } catch (error) {
    throw badPattern(pattern, error)
  }
}

/** Compiles a pattern for the engine, without flags. Throws BadPattern. */
export const compileRe2 = (pattern: string): RE2JS => orBadPattern(pattern, RE2JS.compile)

/** Throws the BadPattern that `compileRe2` would throw, in less time: a set parses a pattern, and makes its program only later. */
export const checkRe2 = (pattern: string): void => {
  orBadPattern(pattern, (given) => isPlainPattern(given) || new RE2Set().add(given))
}

/** Throws TooHard where the engine without an automaton would take too long on this text. */
export const checkSteps = (regex: RE2JS, text: string): void => {
  if (text.length * regex.programSize() > maxSlowSteps) throw new TooHard('the pattern would take too long on a text of this length')
}

export type Regex = { test(text: string): boolean }

/**
 * Compiles a pattern that may match anywhere in a text. Throws BadPattern; `test` throws TooHard instead of taking long. The engine
 * searches only the first 1,048,576 UTF-16 units of a text; a pattern of fixed texts may also match behind them.
 */
export const compileRegex = (pattern: string): Regex => {
  const literals = compileLiterals(pattern)
  if (!literals) checkRe2(pattern)
  // The engine is built for the first text. Ten thousand engines would take most of a start's time and memory, and many are never used.
  let engine: Regex | undefined
  return {
    test(text) {
      if (literals && text.length * literals.units <= maxProduct) return literals.test(text)
      engine ??= buildEngine(pattern)
      return engine.test(text)
    },
  }
}

const buildEngine = (pattern: string): Regex => {
  const regex = compileRe2(pattern)
  const engine = regex.re2()
  const { dfa } = engine
  dfa.stateBudget = stateBytes
  dfa.memBudget = stateBytes

  // When the automaton has no room for more states, it drops its states and builds them anew, which takes as long as at first. For each
  // text this may happen once. After that the engine goes on without an automaton.
  const startOver = dfa.resetCache.bind(dfa)
  let starts = 0
  dfa.resetCache = (state) => (starts++ === 0 ? startOver(state) : null)

  const walk = engine.doExecuteNFA.bind(engine)
  let subject = ''
  engine.doExecuteNFA = (...call) => {
    checkSteps(regex, subject)
    return walk(...call)
  }

  return {
    test(text) {
      starts = 0
      subject = text.length > maxUnits ? text.slice(0, maxUnits) : text
      try {
        return regex.test(subject)
      } finally {
        subject = ''
      }
    },
  }
}
