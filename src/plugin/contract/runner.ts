/**
 * The contract suite for runners: a runner reports settings that it lacks instead of throwing, answers with a text, and ends soon after the
 * signal of its run aborts.
 */

import type { NewRun } from '../../core/new-run.ts'
import type { Adopt } from '../../core/scope.ts'
import type { RunnerPart, RunnerSettings } from '../../parts/runners/runner.ts'
import { attempt, type ContractOptions, problemsOf, type ReportProblem, settleOrReport } from './problems.ts'

export type RunnerOptions = ContractOptions & {
  /** The settings with which the runner is asked. They should name a stand-in for the agent. When absent, the runner is only compiled. */
  readonly settings?: RunnerSettings
}

const run: NewRun = {
  eventId: 'e',
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: 'd',
  prompt: 'ping',
  delivery: { target: 'acme-chat', extra: {} },
  acceptedAt: 0,
}

/** Resolves to what is wrong with a runner, in sentences; empty when it keeps the contract. */
export const checkRunner = (runner: RunnerPart, options: RunnerOptions = {}): Promise<readonly string[]> =>
  problemsOf('runner', runner, options, async (say, adopt) => {
    const compile = compilerOf(runner, say, adopt)
    compile({}, () => {})
    if (!options.settings) return
    const ask = compile(options.settings, (message) => say(`its settings are refused: ${message}`))
    if (!ask) return
    const never = new AbortController().signal
    const answer = await settleOrReport('an answer', say, async () => [await ask(run.prompt, { run, signal: never })])
    if (answer && typeof answer[0] !== 'string') say('its answer is no text')
    const stopping = new AbortController()
    const asked = async (): Promise<unknown> => await ask(run.prompt, { run, signal: stopping.signal })
    const stopped = asked().catch(() => {})
    stopping.abort(new DOMException('the run took too long', 'TimeoutError'))
    await settleOrReport('a run that is stopped', say, () => stopped)
  })

/** Makes the function that compiles the runner with some settings. `refused` gets what the runner reports of the settings. */
const compilerOf =
  (runner: RunnerPart, say: ReportProblem, adopt: Adopt) => (settings: RunnerSettings, refused: (message: string) => void) => {
    const ask = attempt('compile', say, () => adopt(runner.compile(settings, (_code, _path, message) => refused(message))))
    if (typeof ask === 'function') return ask
    say('compile gives no function')
    return undefined
  }
