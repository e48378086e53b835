/** Guards a plugin's runner: unless the runner gives a text in time, the attempt fails. */

import { AgentFault } from '../core/fault.ts'
import type { Runner, RunnerPart, RunnerSettings } from '../parts/runners/runner.ts'
import { guardedRun } from './closing.ts'
import { failure, reportAs } from './report-as.ts'
import { isMap, isText } from './shape.ts'

/** The longest reply. Of a model's answer no more is read either. */
const maxReplyChars = 8 * 1024 * 1024

/** Wraps a runner, so that a run ends when its time is over, even if the plugin's own work goes on. */
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

/** Says when the runner needs no key. Without a plugin's word, it needs one. */
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

/** The program of the runner; none when the plugin's function throws, because `compile` reports what is wrong with the settings. */
const programOf = (given: RunnerPart, settings: RunnerSettings): string | undefined => {
  try {
    const program: unknown = given.program?.(settings)
    return isText(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** Calls the plugin. A throw becomes a rejection, and a rejection that comes too late is caught. */
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

/** How long the runner's API asked to wait. */
const askedWait = (thrown: unknown): number | undefined => {
  const ms = isMap(thrown) ? thrown.retryAfterMs : undefined
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? ms : undefined
}
