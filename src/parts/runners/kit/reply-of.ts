/** Takes the reply out of what the program of an agent printed, and reports the usage that stands in it to the run. */

import { AgentFault, messageOf } from '../../../core/fault.ts'
import { unknownCall } from '../outputs/kit/told-usage.ts'
import type { OutputPart } from '../outputs/output.ts'
import type { RunnerJob } from '../runner.ts'

/** The most bytes that a program may print beside its reply: an agent prints what its tools found, too. They are parsed in one go. */
export const maxOutputBytes = 4 * 1024 * 1024
/** The longest reply, as of a program whose whole output is the reply. */
const maxReplyChars = 1024 * 1024

/**
 * Resolves to the reply of a program that has ended. `failure`: why it failed, by its exit code. Rejects with an AgentFault where there is
 * no reply. A reply that is there is returned even where it used up a budget, because nothing more is spent by delivering it.
 */
export const replyOf = async (
  { name, tells, parse }: OutputPart,
  { stdout, failure }: { readonly stdout: string; readonly failure: string | undefined },
  { used }: Pick<RunnerJob, 'used'>,
): Promise<string> => {
  const told = parse(stdout)
  const reply = told?.reply ?? ''
  const problem =
    failure ?? (told ? (told.problem ?? unusable(reply, tells)) : `its output is not ${name}, or ends too early (agent.output)`)
  // A program that failed without numbers has often not reached its model, and may succeed at the next attempt. With any other end without
  // numbers nobody can tell whether the run keeps to its budget.
  const hasFailed = (failure ?? told?.problem) !== undefined
  const calls = (told ? (told.calls ?? []) : [unknownCall]).filter((call) => !hasFailed || call.inputTokens + call.outputTokens > 0)
  let over: unknown
  if (calls.length > 0) await used?.(...calls).catch((thrown: unknown) => (over = thrown))
  if (problem === undefined) return reply
  const isFinal = over instanceof AgentFault && over.isFinal
  throw new AgentFault(`the agent command: ${problem}${over === undefined ? '' : `; ${messageOf(over)}`}`, { isFinal })
}

/** Returns why a text cannot be the reply; `undefined` where it can. A program that prints nothing but its reply may have none. */
const unusable = (reply: string, tells: OutputPart['tells']): string | undefined => {
  if (!tells) return undefined
  if (reply.trim() === '') return 'it said nothing'
  return reply.length > maxReplyChars ? `its reply has more than ${maxReplyChars} characters` : undefined
}
