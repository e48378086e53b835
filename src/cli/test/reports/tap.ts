/** Writes the results of tests as TAP 14: a test point for each test, and a failed test point for each finding in a file of tests. */

import { shownPlace } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import type { TestRun } from '../../../dryrun/route-tests/run-tests.ts'
import { failureLines, testTitle } from './failure.ts'

export const tap = ({ suites }: TestRun): string => {
  const points = suites.flatMap(({ results, diagnostics }) => [
    ...diagnostics.map((each) => ({
      ok: false,
      title: `${each.code} ${each.message}`,
      said: [each.place ? shownPlace(each.place) : ''],
      skip: '',
    })),
    ...results.map((result) => ({
      ok: !result.failure,
      title: testTitle(result),
      said: result.failure ? failureLines(result.failure) : [],
      skip: result.skipped === undefined ? '' : ` # SKIP ${printable(result.skipped)}`,
    })),
  ])
  const lines = points.map(
    ({ ok, title, said, skip }, i) =>
      `${ok ? 'ok' : 'not ok'} ${i + 1} - ${escaped(title)}${skip}\n${said.length > 0 ? details(said) : ''}`,
  )
  return `TAP version 14\n1..${points.length}\n${lines.join('')}`
}

/** Escapes a title, because a `#` in it would begin a directive. */
const escaped = (title: string): string => printable(title).replace(/[\\#]/g, '\\$&')

const details = (said: readonly string[]): string =>
  `  ---\n  said:\n${said.map((line) => `    - ${JSON.stringify(line)}\n`).join('')}  ...\n`
