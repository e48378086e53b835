/**
 * The runner `command`: starts a program of the operator each time the agent is asked, with the prompt on stdin or as an argument, and
 * finds the reply in its stdout. The processes that the program leaves behind are killed, as far as they can be found (process/strays.ts).
 */

import { delimiter } from 'node:path'
import { AgentFault } from '../../core/fault.ts'
import { baseEnv, type ChildEnv, envValue, failureOf, runChild } from '../../process/child.ts'
import { createFence } from './kit/fence.ts'
import { headOf, withHead } from './kit/head.ts'
import { maxOutputBytes, replyOf } from './kit/reply-of.ts'
import { outputs, outputsByName } from './outputs/index.ts'
import type { OutputPart } from './outputs/output.ts'
import { text as textOutput } from './outputs/text.ts'
import type { RunnerJob, RunnerKey, RunnerPart, RunnerSettings } from './runner.ts'

const placeholder = '{prompt}'
/** The longest argument that Linux takes. */
const maxArgumentBytes = 131_071

/** Returns the keys that act because of what an output tells of the usage. A price can be found only where the model is named. */
const countedKeys = ({ tells }: OutputPart): readonly RunnerKey[] => {
  if (!tells) return []
  return tells.models ? ['spending', 'prices'] : ['spending']
}

export const command: RunnerPart = {
  name: 'command',
  title: 'A program of yours: prompt on stdin or as {prompt}, reply on stdout',
  reads: ['command', 'env', 'output', 'payload', 'untrusted'],
  readsBy: { key: 'output', keys: new Map(outputs.map((output) => [output.name, countedKeys(output)])) },
  program: ({ command }) => command?.[0],
  compile(settings, report) {
    const argv = settings.command ?? []
    if (!argv[0]) report('WH222', ['command'], 'the command runner needs a command', 'set agent.command: [program, argument]')
    if (argv[0]?.includes(placeholder)) report('WH222', ['command'], 'the prompt cannot be the program', 'name a program first')
    for (const [at] of argv.entries()) {
      if (at === 0 || !mayBecomeOption(argv, at)) continue
      const problem = 'a prompt that begins with "-" could be read as an option of the program here, so its run is dead'
      report('WH229', ['command', at], problem, `${wayOut}, or write text before it, as in --prompt=${placeholder}`)
    }
    const output = outputsByName.get(settings.output ?? '') ?? textOutput
    const isArgument = argv.some((argument) => argument.includes(placeholder))
    return async (prompt, job) => {
      const { signal } = job
      const text = fenced(prompt, job, settings)
      const whole = isArgument ? withPrompt(argv, text) : argv
      const env = programEnv(settings, job, (await job.writeFiles?.()) ?? [], await job.writePayload?.())
      const room = output.tells ? { maxStdoutBytes: maxOutputBytes } : {}
      const result = await runChild({ argv: whole, env, ...(isArgument ? {} : { stdin: text }), ...room, signal })
      const failure = failureOf(result)
      if (result.kind === 'exited') return replyOf(output, { stdout: result.stdout, failure }, job)
      const late = result.kind === 'aborted' && signal.reason?.name === 'TimeoutError'
      throw new Error(`the agent command: ${late ? 'took too long (agent.timeout_seconds)' : failure}`)
    }
  },
}

/**
 * Returns the prompt with the text of strangers marked, and before it the skills and what the marks mean: the program may be a model, and
 * has no system prompt of ours. With `off` the prompt stays byte for byte, for a program that reads it as data.
 */
const fenced = (prompt: string, { handling, untrusted = [], skills = [] }: RunnerJob, settings: RunnerSettings): string => {
  const asked = handling ?? settings.untrusted ?? 'fence'
  if (asked === 'off') return prompt
  const { note, around } = createFence(asked)
  return withHead(headOf({ skills, note: untrusted.length > 0 ? note : undefined }), around(prompt, untrusted))
}

/**
 * Whether a prompt in the argument at index `at` could be read as an option: the placeholder begins the argument, and no `--` before the
 * argument has ended the options.
 */
const mayBecomeOption = (argv: readonly string[], at: number): boolean =>
  argv[at]?.startsWith(placeholder) === true && !argv.slice(0, at).includes('--')

/** How to make the program read the prompt as no option, for people. */
const wayOut = `write "--" before ${placeholder}, or leave ${placeholder} out: then the prompt is on the standard input`

/** Fills the prompt into the arguments. Throws an AgentFault when the prompt could be read as an option, or is too long. */
const withPrompt = (argv: readonly string[], prompt: string): readonly string[] => {
  // An argument of a program cannot contain NUL.
  const text = prompt.replaceAll('\0', '')
  return argv.map((argument, at) => {
    const filled = argument.replaceAll(placeholder, () => text)
    // The sender of an event must not choose options of the program by a text such as `--output=/some/file` (rules: Agents 2).
    if (filled.startsWith('-') && mayBecomeOption(argv, at)) {
      const message = `the prompt begins with "-", which the program of agent.command could read as an option: ${wayOut}`
      throw new AgentFault(message, { isFinal: true })
    }
    if (Buffer.byteLength(filled) <= maxArgumentBytes) return filled
    const message = `the prompt has ${Buffer.byteLength(text)} bytes, more than an argument can hold: let agent.command read it from stdin`
    throw new AgentFault(message, { isFinal: true })
  })
}

/**
 * Returns the program's environment. It has no secret of the gateway, except variables that `agent.env` names (rules: Agents 2). Values that
 * an event fills in are variables and nothing else: no shell and no argument reads them.
 */
const programEnv = (
  { variables = {} }: RunnerSettings,
  { run, skills = [], traceparent }: RunnerJob,
  files: readonly string[],
  payloadFile: string | undefined,
): ChildEnv => ({
  ...baseEnv(process.env),
  ...variables,
  ...run.given?.env,
  HEADGATE_ROUTE: envValue(run.route),
  HEADGATE_EVENT: envValue(run.event),
  HEADGATE_DELIVERY_ID: envValue(run.deliveryId),
  HEADGATE_PROFILE: envValue(run.profile),
  ...(run.session ? { HEADGATE_SESSION: envValue(run.session.name) } : {}),
  ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }),
  ...(payloadFile === undefined ? {} : { HEADGATE_PAYLOAD_FILE: payloadFile }),
  ...(files.length > 0 ? { HEADGATE_ATTACHMENTS: files.join(delimiter) } : {}),
  ...(skills.length > 0 ? { HEADGATE_SKILLS: skills.map(({ folder }) => folder).join(delimiter) } : {}),
})
