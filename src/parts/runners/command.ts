/** Asks the operator's program (prompt on stdin, reply on stdout), and kills every process that the program leaves behind. */

import { type Env, envValue, failureOf, runChild } from '../../process/child.ts'
import type { NewRun } from '../../store/ports.ts'
import type { RunnerPart } from './runner.ts'

export const command: RunnerPart = {
  name: 'command',
  title: 'A program of yours: prompt on stdin, reply on stdout',
  program: ({ command }) => command?.[0],
  compile(settings, report) {
    const argv = settings.command ?? []
    if (!argv[0]) report('WH222', ['command'], 'the command runner needs a command', 'set agent.command: [program, argument]')
    return async (prompt, { run, signal }) => {
      const result = await runChild({ argv, env: environment(process.env, run), stdin: prompt, signal })
      const failure = failureOf(result)
      if (result.kind === 'exited' && failure === undefined) return result.stdout.replace(/\r?\n$/, '')
      const late = result.kind === 'aborted' && signal.reason?.name === 'TimeoutError'
      throw new Error(`the agent command: ${late ? 'took too long' : failure}`)
    }
  },
}

/** The gateway's environment, because the agent's keys are in it, but without the secrets that verify senders (rules: Agents 2). */
const environment = (from: Env, run: NewRun): Env => ({
  ...Object.fromEntries(Object.entries(from).filter(([name]) => !name.startsWith('WEBHOOK_SECRET'))),
  HEADGATE_ROUTE: envValue(run.route),
  HEADGATE_EVENT: envValue(run.event),
  HEADGATE_DELIVERY_ID: envValue(run.deliveryId),
  HEADGATE_PROFILE: envValue(run.profile),
})
