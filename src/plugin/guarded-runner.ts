/** Guards a plugin's runner: when the runner does not give a text in time, the attempt fails with an AgentFault. */

import { AgentFault } from '../core/fault.ts'
import { unlessAborted } from '../core/turns/unless-aborted.ts'
import type { Runner, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'
import { guardedRun } from './closing.ts'
import { failure, type Hide, hidingToo, reportAs } from './report-as.ts'
import { isMap, isText } from './shape.ts'

/** The most UTF-16 units of a reply. An answer of a model may have as many bytes (`runners/kit/model-fetch.ts`). */
const maxReplyUnits = 8 * 1024 * 1024

/** Wraps the plugin's function, so that an attempt ends when `job.signal` aborts, even if the plugin's work goes on. */
const guardedAsk =
  (runner: Runner, hide: Hide): Runner =>
  async (prompt, job) => {
    const { signal } = job
    try {
      return checkedReply(await unlessAborted(askPlugin(runner, prompt, job), signal))
    } catch (thrown) {
      if (signal.aborted) throw new AgentFault(signal.reason?.name === 'TimeoutError' ? 'the runner took too long' : 'the run was stopped')
      throw thrown instanceof AgentFault ? thrown : new AgentFault(failure(thrown, hide), { retryAfterMs: askedWait(thrown) })
    }
  }

/** Returns a runner that calls the plugin's runner. A runner that cannot be compiled is reported as WH714, and gives no reply. */
export const guardedRunner = (given: RunnerPart, hideKnown: Hide): RunnerPart => ({
  name: given.name,
  title: given.title ?? given.name,
  ...(given.notice ? { notice: given.notice } : {}),
  ...(given.standIn ? { standIn: given.standIn } : {}),
  ...(given.env?.apiKey ? { env: { apiKey: [...given.env.apiKey] } } : {}),
  ...(given.api ? { api: apiOf(given.api) } : {}),
  program: (settings) => programOf(given, settings),
  compile(settings, report) {
    const hide = hidingToo(hideKnown, () => [settings.apiKey ?? '', ...Object.values(settings.variables ?? {})])
    const refuse = (why: string): Runner => {
      report('WH714', ['runner'], `the runner ${given.name} ${why}`, 'look up in its plugin what it takes')
      return () => Promise.reject(new Error(why))
    }
    try {
      return (
        guardedRun(given.compile(settings, reportAs('WH714', report, hide)), (ask: Runner) => guardedAsk(ask, hide)) ??
        refuse('compiled to something else than a function')
      )
    } catch (error) {
      return refuse(`failed: ${failure(error, hide)}`)
    }
  },
})

/** Guards `keyless`: the runner needs a key unless the plugin's function says clearly that it does not. */
const apiOf = (given: NonNullable<RunnerPart['api']>): NonNullable<RunnerPart['api']> => ({
  url: given.url,
  keyless(baseUrl) {
    try {
      return given.keyless?.(baseUrl) === true
    } catch {
      return false
    }
  },
})

/**
 * Returns the program of the runner; `undefined` when the plugin's function throws or gives no text: `compile` reports settings that are
 * wrong.
 */
const programOf = (given: RunnerPart, settings: RunnerSettings): string | undefined => {
  try {
    const program: unknown = given.program?.(settings)
    return isText(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** Calls the plugin's function. A throw becomes a rejection. A rejection after the attempt's end is caught, so that the process goes on. */
const askPlugin = (runner: Runner, ...args: Parameters<Runner>): Promise<unknown> => {
  const answer = (async (): Promise<unknown> => await runner(...args))()
  answer.catch(() => {})
  return answer
}

/** Returns the reply. Throws when it is no text, or too long. */
const checkedReply = (reply: unknown): string => {
  if (typeof reply !== 'string') throw new Error('the runner gave no text')
  if (reply.length > maxReplyUnits) throw new Error('the answer is too large')
  return reply
}

/** Returns how long the runner's API asked to wait, in milliseconds: the plugin's error may have it as `retryAfterMs`. */
const askedWait = (thrown: unknown): number | undefined => {
  const ms = isMap(thrown) ? thrown.retryAfterMs : undefined
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : undefined
}
