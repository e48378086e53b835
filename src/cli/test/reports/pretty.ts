/** Writes the results of tests for people: a line for each test, below it why the test failed, and the counts at the end. */

import { shownFile } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import type { RouteCoverage } from '../../../dryrun/route-tests/coverage.ts'
import type { SuiteResult, TestResult, TestRun } from '../../../dryrun/route-tests/run-tests.ts'
import { frames } from '../../shell/frame.ts'
import type { Paint } from '../../shell/paint.ts'
import { failureLines, testTitle } from './failure.ts'

/** `coverage`: what the tests cover of each route. `covered`: what they cover of all routes, in percent. */
type PrettyOptions = {
  readonly coverage: readonly RouteCoverage[]
  readonly covered: number
  readonly paint: Paint
}

const maxMissed = 20

export const pretty = ({ suites, passed, failed, skipped }: TestRun, { coverage, covered, paint }: PrettyOptions): string => {
  const shown = suites.filter(({ results, diagnostics }) => results.length + diagnostics.length > 0)
  const counts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')
  const covering = coverage.length > 0 ? `\ncoverage ${covered} %\n${coverage.map(coverageLines).join('')}` : ''
  return `${shown.map((suite) => suiteText(suite, paint)).join('\n')}\n${counts}\n${covering}`
}

const suiteText = ({ file, results, diagnostics, texts }: SuiteResult, paint: Paint): string =>
  `${paint.bold(printable(shownFile(file)))}\n${results.map((result) => resultText(result, paint)).join('')}${diagnostics.length > 0 ? frames(diagnostics, texts, paint) : ''}`

const resultText = (result: TestResult, paint: Paint): string => {
  const { failure, skipped, test } = result
  const title = testTitle(result)
  if (skipped !== undefined) return `  -   ${title} ${paint.dim(`(skipped: ${printable(skipped)})`)}\n`
  if (!failure) return `  ok  ${title}\n`
  const place = `${shownFile(test.place.file)}:${test.place.line}`
  return `  ${paint.error('NO')}  ${title} ${paint.dim(printable(place))}\n${failureLines(failure)
    .map((line) => `        ${line}\n`)
    .join('')}`
}

const coverageLines = ({ route, seen, all, missed }: RouteCoverage): string => {
  const more = missed.length > maxMissed ? `      … and ${missed.length - maxMissed} more\n` : ''
  const lines = missed.slice(0, maxMissed).map((name) => `      not seen: ${printable(name)}\n`)
  return `  ${printable(route)}  ${seen} of ${all}\n${lines.join('')}${more}`
}
