/** A plugin's runner, as the gateway can trust it: whatever it does but give a text in its time fails the attempt. */

import { AgentFault } from '../core/fault.ts'
import type { Runner, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'
import { guardedRun } from './closing.ts'
import { failure, reportAs } from './report-as.ts'
import { isLoose, isText } from './shape.ts'

/** As much as is read of a model's answer. */
const maxReplyChars = 8 * 1024 * 1024

/** Ends when its time is over, also where the plugin's own work does not. */
const guarded =
  (runner: Runner): Runner =>
  async (prompt, job) => {
    const { signal } = job
    let stop = (): void => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new AgentFault(signal.reason?.name === 'TimeoutError' ? 'the runner took too long' : 'the run was stopped'))
      signal.addEventListener('abort', stop)
    })
    try {
      if (signal.aborted) stop()
      return replyOf(await Promise.race([stopped, asked(runner, prompt, job)]))
    } catch (thrown) {
      throw thrown instanceof AgentFault ? thrown : new AgentFault(failure(thrown), { retryAfterMs: askedWait(thrown) })
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

export const guardedRunner = (given: RunnerPart): RunnerPart => ({
  name: given.name,
  title: given.title ?? given.name,
  ...(given.notice ? { notice: given.notice } : {}),
  ...(given.standIn ? { standIn: given.standIn } : {}),
  ...(given.env?.apiKey ? { env: { apiKey: [...given.env.apiKey] } } : {}),
  ...(given.api ? { api: apiOf(given.api) } : {}),
  program: (settings) => programOf(given, settings),
  compile(settings, report) {
    const refuse = (why: string): Runner => {
      report('WH714', ['runner'], `the runner ${given.name} ${why}`)
      return () => Promise.reject(new Error(why))
    }
    try {
      return guardedRun(given.compile(settings, reportAs('WH714', report)), guarded) ?? refuse('compiled to something else than a function')
    } catch (error) {
      return refuse(`failed: ${failure(error)}`)
    }
  },
})

/** Its key is asked for where it does not say otherwise. */
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

/** None where it throws: what is wrong with its settings, its `compile` reports. */
const programOf = (given: RunnerPart, settings: RunnerSettings): string | undefined => {
  try {
    const program: unknown = given.program?.(settings)
    return isText(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** A throw becomes a rejection, and a rejection that comes too late is nobody's. */
const asked = (runner: Runner, ...args: Parameters<Runner>): Promise<unknown> => {
  const answer = (async (): Promise<unknown> => await runner(...args))()
  answer.catch(() => {})
  return answer
}

const replyOf = (reply: unknown): string => {
  if (typeof reply !== 'string') throw new Error('the runner gave no text')
  if (reply.length > maxReplyChars) throw new Error('the answer is too large')
  return reply
}

/** How long its API asked to wait. */
const askedWait = (thrown: unknown): number | undefined => {
  const ms = isLoose(thrown) ? thrown.retryAfterMs : undefined
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : undefined
}
