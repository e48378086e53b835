/** Helps every check of the contract suite to collect problems as sentences. What a part throws counts as a problem. */

import { systemClock } from '../../core/clock.ts'
import type { Log, LogFields } from '../../core/log.ts'
import { pluginNamePattern } from '../../core/names.ts'
import { type Adopt, Owners } from '../../core/owner.ts'
import { failLate, within } from '../../core/turns/within.ts'
import { failure } from '../report-as.ts'
import { type Family, shapeProblems } from '../shape.ts'

export type ContractOptions = {
  /** What the part's name must look like. Absent: like `acme-chat`, as a plugin's must. */
  readonly form?: RegExp
}

export type ReportProblem = (problem: string) => void

/** The problems of a part's shape or, when the shape is right, those that `look` reports. Never rejects. */
export const problemsOf = async (
  family: Family,
  part: unknown,
  { form = pluginNamePattern }: ContractOptions,
  look: (say: ReportProblem, adopt: Adopt) => void | Promise<void>,
): Promise<readonly string[]> => {
  const problems: string[] = []
  const log: Log = Object.assign((_level: unknown, { reason }: LogFields, what: string) => void problems.push(`${what}: ${reason}`), {
    writes: () => true,
  })
  const owners = new Owners(systemClock, log)
  try {
    problems.push(...shapeProblems(family, part, form))
    if (problems.length === 0) await look((problem) => problems.push(problem), owners.create({}).adopt)
  } catch (error) {
    problems.push(`it throws: ${failure(error)}`)
  }
  await owners.close()
  return [...new Set(problems)]
}

/** The result of `work`. When `work` throws, that is reported, and the result is `undefined`. */
export const attempt = <T>(what: string, say: ReportProblem, work: () => T): T | undefined => {
  try {
    return work()
  } catch (error) {
    say(`${what} throws: ${failure(error)}`)
    return undefined
  }
}

/** The result of `work`. When `work` rejects or has not ended in time, that is reported, and the result is `undefined`. */
export const settleOrReport = async <T>(
  what: string,
  say: ReportProblem,
  work: () => T | Promise<T>,
  patienceMs = 5_000,
): Promise<T | undefined> => {
  try {
    return await within(Promise.resolve(work()), patienceMs, systemClock, failLate('no answer', patienceMs))
  } catch (error) {
    say(`${what} fails: ${failure(error)}`)
    return undefined
  }
}
