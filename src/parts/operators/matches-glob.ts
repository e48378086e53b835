/**
 * The operator `matches_glob` holds when one of its patterns matches the whole text of the field of a condition, or of an item where the
 * field is a list (rules: Filters 16).
 */

import type { ExactJson } from '../../core/json.ts'
import { firstFound } from '../../expr/items.ts'
import { compileGlob } from '../../expr/regex/glob.ts'
import { BadPattern, type Regex } from '../../expr/regex/regex.ts'
import { scalarText } from '../../expr/render.ts'
import { searched } from '../../expr/turn.ts'
import type { BuiltinOperator, ExactTest } from './operator.ts'

const pattern = { minLength: 1, maxLength: 200 }
/** The number of UTF-16 units of a text that are surely read in one step of a walk over items, also where all are slashes. */
const unitsAStep = 2

export const matchesGlob: BuiltinOperator = {
  name: 'matches_glob',
  schema: {
    type: ['string', 'array'],
    ...pattern,
    items: { type: 'string', ...pattern },
    minItems: 1,
    maxItems: 100,
    description: 'A pattern of a branch or path, or a list of them: * within a part, ** over parts, ?, [abc], {a,b}.',
    markdownDescription:
      'A pattern that the whole text of the field matches, or a list of patterns of which one does. `*` is any signs but a slash, `**` any signs, `?` one sign, `[abc]` one of these, `{a,b}` either of these. On a list, one item must match.\n\nExample: `matches_glob: [docs/**, "*.md"]`',
    'x-fits': ['string', 'array'],
  },
  compile(operand, { report }): ExactTest {
    const globs: Regex[] = []
    for (const [glob, path] of Array.isArray(operand) ? operand.map((each, i) => [each, [i]] as const) : [[operand, []] as const]) {
      try {
        globs.push(compileGlob(String(glob)))
      } catch (error) {
        if (!(error instanceof BadPattern)) throw error
        report(error.code, path, error.message, 'write * for a name, ** for any path, and a backslash before a sign that stands for itself')
      }
    }
    const anyGlob: Regex = { test: (text) => globs.some((each) => each.test(text)) }
    const matches = (value: ExactJson | undefined): boolean | Promise<boolean> => {
      const text = scalarText(value)
      return text !== undefined && searched(text, anyGlob)
    }
    const trueIfMatches = (item: ExactJson): true | undefined | Promise<true | undefined> => {
      const answer = matches(item)
      return answer instanceof Promise ? answer.then((holds) => holds || undefined) : answer || undefined
    }
    const stepsOf = (item: ExactJson): number => globs.length * (1 + (typeof item === 'string' ? item.length / unitsAStep : 0))
    return (value) => {
      if (!Array.isArray(value)) return matches(value)
      const found = firstFound(value, trueIfMatches, stepsOf)
      return found instanceof Promise ? found.then((holds) => holds === true) : found === true
    }
  },
  domain: () => ({ kind: 'tested' }),
  examples: [
    { operand: 'refs/heads/release/*', value: 'refs/heads/release/1.2', holds: true },
    { operand: 'refs/heads/release/*', value: 'refs/heads/release/1/2', holds: false },
    { operand: 'release', value: 'refs/heads/release', holds: false },
    { operand: 'docs/**', value: 'docs/a/b.md', holds: true },
    { operand: 'docs/**', value: 'docs', holds: false },
    { operand: 'a*a', value: 'a', holds: false },
    { operand: 'a*a', value: 'a/a', holds: false },
    { operand: '**/*.md', value: 'README.md', holds: true },
    { operand: 'src/**/test/*.ts', value: 'src/test/a.ts', holds: true },
    { operand: 'src/**/test/*.ts', value: 'src/mytest/a.ts', holds: false },
    { operand: ['*.md', 'docs/**'], value: ['src/a.ts', 'docs/a.svg'], holds: true },
    { operand: ['*.md', 'docs/**'], value: ['src/a.ts', 'src/b.md'], holds: false },
    { operand: 'v?.[0-9].{x,[!a-z]}', value: 'v1.2.x', holds: true },
    { operand: 'v?.[0-9].{x,[!a-z]}', value: 'v1.2.y', holds: false },
    { operand: 'a.b+(c)', value: 'a.b+(c)', holds: true },
    { operand: 'a.b', value: 'axb', holds: false },
    { operand: '\\*', value: 'a', holds: false },
    { operand: '*', value: 12, holds: true },
    { operand: '*', value: { a: 'b' }, holds: false },
    { operand: '**', value: null, holds: false },
    { operand: '**', value: [], holds: false },
    { operand: '**', holds: false },
  ],
}
