/** Collects the problems that a check of the contract suite finds in a part, as sentences. An error that a part throws is a problem too. */

import { systemClock } from '../../core/clock.ts'
import type { Log, LogFields } from '../../core/log.ts'
import { pluginNamePattern } from '../../core/names.ts'
import type { Adopt } from '../../core/scope.ts'
import { throwTimeout, within } from '../../core/turns/within.ts'
import { createPartScopes } from '../../parts/part-scopes.ts'
import { failure as failureOf } from '../report-as.ts'
import { type Family, partProblems } from '../shape.ts'

export type ContractOptions = {
  /** The form of the part's name. Absent: the form of the names of plugins' parts, such as `acme-chat`. */
  readonly form?: RegExp
}

/** Returns what a part threw. The author of the part may see all of it. */
const failure = (thrown: unknown): string => failureOf(thrown, (text) => text)

/** Takes a problem: a sentence. */
export type ReportProblem = (problem: string) => void

/**
 * Resolves to the problems of a part's shape or, when the shape is right, to the problems that `look` reports by `say`. What `look` adopts
 * is closed at the end. Never rejects.
 */
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
  const scopes = createPartScopes(systemClock, log)
  try {
    problems.push(...partProblems(family, part, form))
    if (problems.length === 0) await look((problem) => problems.push(problem), scopes.create({}).adopt)
  } catch (error) {
    problems.push(`it throws: ${failure(error)}`)
  }
  await scopes.close()
  return [...new Set(problems)]
}

/** Returns the result of `work`; `undefined` when `work` throws, which is reported. `what`: the name of the work in the report. */
export const attempt = <T>(what: string, say: ReportProblem, work: () => T): T | undefined => {
  try {
    return work()
  } catch (error) {
    say(`${what} throws: ${failure(error)}`)
    return undefined
  }
}

/**
 * Resolves to the result of `work`; to `undefined` when `work` throws, rejects or takes longer than `timeoutMs` milliseconds, which is
 * reported.
 */
export const settleOrReport = async <T>(
  what: string,
  say: ReportProblem,
  work: () => T | Promise<T>,
  timeoutMs = 5_000,
): Promise<T | undefined> => {
  try {
    return await within(Promise.resolve(work()), timeoutMs, systemClock, throwTimeout('no answer', timeoutMs))
  } catch (error) {
    say(`${what} fails: ${failure(error)}`)
    return undefined
  }
}
