/** Writes the results of tests as data for programs. */

import { shownFile } from '../../../core/diagnostic.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { TestResult, TestRun } from '../../../dryrun/route-tests/run-tests.ts'
import { findingItems } from '../../shell/findings.ts'
import { failureLines } from './failure.ts'

/** Returns the results of all tests of a run. `withCoverage`: what the tests cover of each route is part of the data. */
export const describeRun = ({ suites, passed, failed, skipped, coverage }: TestRun, withCoverage: boolean): JsonObject => ({
  suites: suites.map(({ file, results, diagnostics, texts }) => ({
    file: shownFile(file),
    diagnostics: findingItems(diagnostics, texts),
    tests: results.map(describeResult),
  })),
  summary: { passed, failed, skipped },
  coverage: withCoverage ? coverage.map(({ route, seen, all, missed }) => ({ route, seen, all, missed: [...missed] })) : null,
})

const describeResult = ({ test: { spec, source, place }, skipped, failure }: TestResult): JsonObject => ({
  name: spec.name,
  route: source.name,
  line: place.line,
  result: skipped !== undefined ? 'skipped' : failure ? 'failed' : 'passed',
  reason: skipped ?? null,
  step: failure?.step ?? null,
  differences: failure?.kind === 'different' ? failure.differences.map((each) => ({ ...each })) : [],
  said: failure ? [...failureLines(failure)] : [],
})
