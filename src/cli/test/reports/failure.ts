/** Writes a failed test in words: the differences, and how far the event got. */

import { printable } from '../../../core/text.ts'
import type { TestFailure, TestResult } from '../../../dryrun/route-tests/run-tests.ts'

const maxShown = 400

/**
 * Returns the title of a test, safe on a terminal. The name of a test that was exported from an event may hold words that the sender of the
 * event chose.
 */
export const testTitle = ({ test: { spec, source } }: TestResult): string => printable(`${source.name}: ${spec.name}`)

/** Returns the failure as lines of plain text, safe on a terminal. */
export const failureLines = (failure: TestFailure): readonly string[] => {
  const step = `step ${failure.step}: `
  if (failure.kind === 'broken') return [`${step}${printable(failure.why, maxShown)}`]
  const { differences, result } = failure
  return [
    ...differences.map(
      ({ at, expected, got }) => `${step}${at}: expected ${printable(expected, maxShown)}, got ${printable(got, maxShown)}`,
    ),
    ...wayLines(result.traced),
  ]
}

/** Says which stages the event passed, its outcome and reason, and why nothing goes out; empty if there is no trace of the event. */
const wayLines = (traced: Extract<TestFailure, { kind: 'different' }>['result']['traced']): readonly string[] => {
  if (!traced) return []
  const { stages, name, reason, undeliverable } = traced
  const passed = stages.flatMap(({ stage, result }) => (result === 'pass' ? stage : []))
  return [
    `passed ${passed.join(', ') || 'nothing'}; ${name}${reason === undefined ? '' : `: ${printable(reason, maxShown)}`}`,
    ...(undeliverable === undefined ? [] : [`nothing can be delivered: ${printable(undeliverable, maxShown)}`]),
  ]
}
