/** Writes the results of tests as JUnit's XML: a suite for each file, a case for each test. */

import { shownFile } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import type { SuiteResult, TestResult, TestRun } from '../../../dryrun/route-tests/run-tests.ts'
import { xml } from '../../reports/junit.ts'
import { failureLines } from './failure.ts'

export const junit = ({ suites }: TestRun): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="headgate test">\n${suites.map(suite).join('')}</testsuites>\n`

const suite = ({ file, results, diagnostics }: SuiteResult): string => {
  const failures = results.filter(({ failure }) => failure).length
  const skipped = results.filter((result) => result.skipped !== undefined).length
  const name = xml(shownFile(file))
  const counts = `tests="${results.length + diagnostics.length}" failures="${failures}" errors="${diagnostics.length}" skipped="${skipped}"`
  const broken = diagnostics.map(
    ({ code, message }) =>
      `    <testcase name="the file" classname="${name}">\n      <error type="${code}" message="${xml(printable(message))}"/>\n    </testcase>\n`,
  )
  return `  <testsuite name="${name}" ${counts}>\n${broken.join('')}${results.map((result) => testcase(result)).join('')}  </testsuite>\n`
}

const testcase = ({ test: { spec, source, place }, ms, skipped, failure }: TestResult): string => {
  const head = `    <testcase name="${xml(printable(spec.name))}" classname="${xml(source.name)}" file="${xml(shownFile(place.file))}" line="${place.line}" time="${(ms / 1000).toFixed(3)}"`
  if (skipped !== undefined) return `${head}>\n      <skipped message="${xml(printable(skipped))}"/>\n    </testcase>\n`
  if (!failure) return `${head}/>\n`
  const [first = '', ...rest] = failureLines(failure)
  return `${head}>\n      <failure message="${xml(first)}">${xml([first, ...rest].join('\n'))}</failure>\n    </testcase>\n`
}
