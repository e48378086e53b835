/**
 * Runs the tests of routes, each test on a store and a clock of its own. No test touches the setup, unless it asks for the real scripts.
 */

import { type Fault, messageOf } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { TestExpect, TestMocks, TestStep } from '../../generated/config.ts'
import { type Coverage, createCoverage, type RouteCoverage } from './coverage.ts'
import { checkExpected, type StepResult } from './expectations.ts'
import type { Difference } from './matcher.ts'
import { createRehearsal, type Mocks, type Rehearsal } from './rehearsal.ts'
import { readSnapshots, type Snapshots } from './snapshots.ts'
import { readSuites, type Suite, type TestCase } from './suite.ts'
import { testRequest } from './test-request.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** The units of durations, in milliseconds. */
const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the milliseconds of a duration: `90` is seconds, `5m` has its unit. The schema has checked the form. */
const durationMs = (written: string | number): number => {
  if (typeof written === 'number') return written * 1000
  const [, number = '0', unit = 's'] = /^([0-9.]+)([a-z]+)$/.exec(written) ?? []
  return Number(number) * (units[unit] ?? 1000)
}

export type RunTestsOptions = {
  /** Files of tests, configurations and folders. Empty: the data directory. */
  readonly paths: readonly string[]
  /** Runs only tests with this text in their name. */
  readonly name?: string | undefined
  /** Whether snapshots are written instead of compared. */
  readonly update: boolean
}

export type TestFailure =
  /** The differences after a step (counted from 1). */
  | { readonly kind: 'different'; readonly step: number; readonly differences: readonly Difference[]; readonly result: StepResult }
  /** The test could not run. */
  | { readonly kind: 'broken'; readonly step: number; readonly why: string }

export type TestResult = {
  readonly test: TestCase
  readonly ms: number
  /** Why the test was skipped. A test with neither `skipped` nor `failure` has passed. */
  readonly skipped?: string
  readonly failure?: TestFailure
}

export type SuiteResult = Omit<Suite, 'cases'> & { readonly results: readonly TestResult[] }

export type TestRun = {
  readonly suites: readonly SuiteResult[]
  readonly passed: number
  /** The number of failed tests and of findings in their files together. */
  readonly failed: number
  readonly skipped: number
  readonly coverage: readonly RouteCoverage[]
  /** The coverage of all routes in percent, rounded down, so that 100 means all. */
  readonly covered: number
  /** The files on which the results depend, whether they exist or not. */
  readonly files: readonly string[]
}

/** Returns the beginning of the names of a test's snapshots. */
const snapshotName = ({ spec, source }: TestCase): string => `${spec.route ?? source.name} › ${spec.name}`

/** Runs the tests. Throws a usage Fault for a path that does not exist, and for a malformed file of snapshots. */
export const runTests = async (workspace: Workspace, { paths, name, update }: RunTestsOptions): Promise<TestRun> => {
  const suites = await readSuites(workspace, paths)
  const coverage = createCoverage()
  const files = new Set(suites.flatMap(({ file, cases }) => [file, ...cases.flatMap(({ setup }) => setup.files)]))
  const reads = (file: string): void => void files.add(file)
  const ran: SuiteResult[] = []
  for (const { cases, ...suite } of suites) {
    const snapshots = readSnapshots(suite.file, update)
    const results: TestResult[] = []
    const isChosen = (test: TestCase): boolean => name === undefined || test.spec.name.includes(name)
    for (const test of cases.filter(isChosen)) results.push(await runTest(test, { workspace, snapshots, coverage, reads }))
    const ended = new Set(results.flatMap(({ test, skipped, failure }) => (failure || skipped !== undefined ? [] : [test])))
    await snapshots.save(suite.diagnostics.length > 0 ? 'all' : cases.filter((test) => !ended.has(test)).map(snapshotName))
    ran.push({ ...suite, results })
  }
  const results = ran.flatMap((suite) => suite.results)
  // The coverage counts all configured routes, and a subscription only when a test names it.
  const routes = new Set(
    suites.flatMap(({ cases }) =>
      cases.flatMap(({ setup, source }) => [...setup.config.routes.values(), setup.routes.get(source.name) ?? source]),
    ),
  )
  const covered = coverage.routes([...routes])
  return {
    suites: ran,
    passed: results.filter(({ failure, skipped }) => !failure && skipped === undefined).length,
    failed: results.filter(({ failure }) => failure).length + ran.reduce((sum, { diagnostics }) => sum + diagnostics.length, 0),
    skipped: results.filter(({ skipped }) => skipped !== undefined).length,
    coverage: covered,
    covered: percentOf(covered),
    files: [...files],
  }
}

const percentOf = (coverage: readonly RouteCoverage[]): number => {
  const all = coverage.reduce((sum, route) => sum + route.all, 0)
  const seen = coverage.reduce((sum, route) => sum + route.seen, 0)
  return all === 0 ? 100 : Math.floor((100 * seen) / all)
}

/** The things that all tests of a file share. */
type TestContext = {
  readonly workspace: Workspace
  readonly snapshots: Snapshots
  readonly coverage: Coverage
  /** Called with the path of each file that a test makes its request from. */
  readonly reads: (file: string) => void
}

/** The time at which each test starts: always the same, so that a test does not depend on the day. */
const startsAt = Date.UTC(2026, 0, 1)

const runTest = async (test: TestCase, around: TestContext): Promise<TestResult> => {
  const { spec, source, setup } = test
  if (spec.skip !== undefined) return { test, ms: 0, skipped: spec.skip }
  const from = performance.now()
  const clock = createVirtualClock(startsAt)
  const rehearsal = createRehearsal({ ...setup, source, clock })
  const steps: readonly TestStep[] = spec.steps ?? [
    { ...(spec.send ? { send: spec.send } : {}), ...(spec.expect ? { expect: spec.expect } : {}) },
  ]
  let failure: TestFailure | undefined
  for (const [i, step] of steps.entries()) {
    failure = await runStep(step, { test, rehearsal, clock, step: i + 1, around })
    if (failure) break
  }
  await rehearsal.close()
  return { test, ms: performance.now() - from, ...(failure ? { failure } : {}) }
}

/** The things that all steps of a test share, and the number of the step, counted from 1. */
type StepContext = {
  readonly test: TestCase
  readonly rehearsal: Rehearsal
  readonly clock: ReturnType<typeof createVirtualClock>
  readonly step: number
  readonly around: TestContext
}

/** Runs a step: sends its events, then moves the clock on. Expectations are checked after each event, or once after the clock has moved. */
const runStep = async (step: TestStep, context: StepContext): Promise<TestFailure | undefined> => {
  const { test, rehearsal, clock, around } = context
  const mocks = mocksOf(step.mocks ?? test.spec.mocks, test.runScripts)
  let latest: StepResult['traced']
  try {
    for (let i = 0; step.send && i < (step.repeat ?? 1); i++) {
      if (i > 0 && step.every !== undefined) await rehearsal.advance(durationMs(step.every), mocks)
      const traced = await rehearsal.post(testRequest(step.send, test, { clock, ...around }), mocks)
      around.coverage.add(test.source, traced)
      latest = traced
      const failure =
        step.advance === undefined ? await checkStep(step.expect, { traced, happened: rehearsal.happened() }, context) : undefined
      if (failure) return failure
    }
    if (step.advance === undefined) return undefined
    await rehearsal.advance(durationMs(step.advance), mocks)
    return await checkStep(step.expect, { traced: latest, happened: rehearsal.happened() }, context)
  } catch (error) {
    const hint = (error as Partial<Fault>).hint
    return { kind: 'broken', step: context.step, why: `${messageOf(error)}${hint === undefined ? '' : ` (${hint})`}` }
  }
}

const checkStep = async (
  expected: TestExpect | undefined,
  result: StepResult,
  { test, step, around }: StepContext,
): Promise<TestFailure | undefined> => {
  const snapshot = (at: string, value: string) => around.snapshots.of(`${snapshotName(test)} › step ${step}`, at, value)
  const differences = await checkExpected(expected ?? {}, result, { snapshot })
  return differences.length > 0 ? { kind: 'different', step, differences, result } : undefined
}

/** Returns the mocks as the rehearsal takes them, from the mocks that a test has in YAML. */
const mocksOf = (
  { agent, deliver, script, lookup, lookup_later: later, lookup_failures: failures, lists }: TestMocks = {},
  runScripts: boolean,
): Mocks => ({
  lookups: { answers: lookup as JsonObject | undefined, later: later as JsonObject | undefined, failures },
  lists: lists as JsonObject | undefined,
  ...(agent?.fail !== undefined ? { agent: { fail: agent.fail } } : agent?.reply !== undefined ? { agent: { reply: agent.reply } } : {}),
  ...(deliver && (deliver.fail !== undefined || (deliver.status ?? 200) >= 300)
    ? { deliver: { fail: deliver.fail ?? `HTTP ${deliver.status}`, repeatable: deliver.repeatable ?? true } }
    : {}),
  ...(script?.fail !== undefined
    ? { script: { ok: false, why: script.fail } }
    : script?.stdout !== undefined
      ? { script: { ok: true, output: script.stdout } }
      : runScripts
        ? { script: 'run' }
        : {}),
})
