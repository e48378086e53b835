/**
 * The operator `regex` holds when its pattern matches anywhere in the text of the field of a condition. The time of the search is linear in
 * the length of the text (rules: Filters 8).
 */

import type { Report } from '../../core/diagnostic.ts'
import { matchesNothing, withoutSlashes } from '../../expr/regex/no-match.ts'
import { BadPattern, compileRegex } from '../../expr/regex/regex.ts'
import { scalarText } from '../../expr/render.ts'
import { searched } from '../../expr/turn.ts'
import type { BuiltinOperator, ExactTest } from './operator.ts'

/** Reports a pattern that matches no text. The pattern is refused, because under `not` it would let every event through. */
const reportVain = (pattern: string, report: Report): void => {
  const inner = withoutSlashes(pattern)
  const why = inner === undefined ? 'a sign stands before its ^, or behind its $' : 'the slashes belong to it'
  const help = inner === undefined ? 'put ^ before the signs and $ behind them; where a sign is meant, write \\^ or \\$' : `write ${inner}`
  report('WH401', [], `no text matches the pattern: ${why}`, help)
}

export const regex: BuiltinOperator = {
  name: 'regex',
  schema: {
    type: 'string',
    maxLength: 1024,
    description: 'A pattern found anywhere in the field; linear time, no look-around, no back-references.',
    markdownDescription:
      "A pattern found anywhere in the field's text. It runs on a linear-time engine: `(?i)` and named groups work, look-around and back-references are refused.\n\nExample: `regex: ^(fix|feat)`",
    'x-fits': ['string', 'number'],
  },
  compile(operand, { report }): ExactTest {
    const pattern = String(operand)
    try {
      const found = compileRegex(pattern)
      if (matchesNothing(pattern)) reportVain(pattern, report)
      return (value) => {
        const text = scalarText(value)
        return text !== undefined && searched(text, found)
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
