/**
 * The operator `regex` holds when its pattern matches anywhere in the text of the field of a condition. The time of the search is linear in
 * the length of the text (rules: Filters 8).
 */

import { BadPattern, compileRegex } from '../../expr/regex/regex.ts'
import { scalarText } from '../../expr/render.ts'
import { nextTurn } from '../../expr/turn.ts'
import type { ExactOperator, ExactTest } from './operator.ts'

/**
 * In a text of more UTF-16 units than this, a search waits for a later turn of the event loop, so that the times of many patterns on one
 * payload do not add up in one turn.
 */
const longText = 8192

export const regex: ExactOperator = {
  name: 'regex',
  compile(pattern, { report }): ExactTest {
    try {
      const found = compileRegex(String(pattern))
      return (value) => {
        const text = scalarText(value)
        if (text === undefined) return false
        return text.length > longText ? nextTurn().then(() => found.test(text)) : found.test(text)
      }
    } catch (error) {
      if (!(error instanceof BadPattern)) throw error
      report(error.code, [], error.message, 'the syntax is RE2: https://github.com/google/re2/wiki/Syntax')
      return () => false
    }
  },
  domain: (pattern) => ({ kind: 'pattern', source: String(pattern) }),
  examples: [
    { operand: '^(fix|feat)', value: 'fix: a', holds: true },
    { operand: '^(fix|feat)', value: 'a fix', holds: false },
    { operand: '(?i)URGENT', value: 'so urgent', holds: true },
    { operand: '^4\\d\\d$', value: 404, holds: true },
    { operand: 'true', value: true, holds: true },
    { operand: '.', value: ['a'], holds: false },
    { operand: '', value: null, holds: false },
    { operand: '.*', holds: false },
  ],
}
