/** Asks the operator's program (prompt on stdin or as an argument, reply on stdout), and kills every process that the program leaves behind. */

import { delimiter } from 'node:path'
import { AgentFault } from '../../core/fault.ts'
import { baseEnv, type Env, envValue, failureOf, runChild } from '../../process/child.ts'
import type { RunnerJob, RunnerPart, RunnerSettings } from './runner.ts'

/** What stands for the prompt among the arguments. */
const placeholder = '{prompt}'
/** Linux takes no longer argument. */
const maxArgumentBytes = 131_071

export const command: RunnerPart = {
  name: 'command',
  title: 'A program of yours: prompt on stdin or as {prompt}, reply on stdout',
  program: ({ command }) => command?.[0],
  compile(settings, report) {
    const argv = settings.command ?? []
    if (!argv[0]) report('WH222', ['command'], 'the command runner needs a command', 'set agent.command: [program, argument]')
    if (argv[0]?.includes(placeholder)) report('WH222', ['command'], 'the prompt cannot be the program', 'name a program first')
    const isArgument = argv.some((argument) => argument.includes(placeholder))
    return async (prompt, job) => {
      const { signal } = job
      const whole = isArgument ? withPrompt(argv, prompt) : argv
      const result = await runChild({ argv: whole, env: environment(settings, job), ...(isArgument ? {} : { stdin: prompt }), signal })
      const failure = failureOf(result)
      if (result.kind === 'exited' && failure === undefined) return result.stdout.replace(/\r?\n$/, '')
      const late = result.kind === 'aborted' && signal.reason?.name === 'TimeoutError'
      throw new Error(`the agent command: ${late ? 'took too long (agent.timeout_seconds)' : failure}`)
    }
  },
}

const withPrompt = (argv: readonly string[], prompt: string): readonly string[] => {
  // An argument cannot hold NUL.
  const text = prompt.replaceAll('\0', '')
  return argv.map((argument) => {
    const filled = argument.replaceAll(placeholder, () => text)
    if (Buffer.byteLength(filled) <= maxArgumentBytes) return filled
    const message = `the prompt has ${Buffer.byteLength(text)} bytes, more than an argument can hold: let agent.command read it from stdin`
    throw new AgentFault(message, { isFinal: true })
  })
}

/** No secret of the gateway's is in it, but those that `agent.env` names (rules: Agents 2). */
const environment = ({ variables = {} }: RunnerSettings, { run, skills = [] }: RunnerJob): Env => ({
  ...baseEnv(process.env),
  ...variables,
  HEADGATE_ROUTE: envValue(run.route),
  HEADGATE_EVENT: envValue(run.event),
  HEADGATE_DELIVERY_ID: envValue(run.deliveryId),
  HEADGATE_PROFILE: envValue(run.profile),
  ...(run.session ? { HEADGATE_SESSION: envValue(run.session.name) } : {}),
  ...(skills.length > 0 ? { HEADGATE_SKILLS: skills.map(({ folder }) => folder).join(delimiter) } : {}),
})
