/** Asks the agent for the reply of a run, with the tools, skills and limits of the run's policy, and with the messages of its session. */

import { setMaxListeners } from 'node:events'
import { readSkills } from '../config/skills.ts'
import { systemClock } from '../core/clock.ts'
import { AgentFault, messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { Skill } from '../parts/runners/runner.ts'
import type { Agent } from '../plan/runner.ts'
import type { Lease } from '../store/ports.ts'
import { runFields, type Transcript } from './attempt/transcript.ts'
import { type CallFactsOptions, createCallFacts } from './call-facts.ts'
import type { Conversations } from './conversation.ts'
import { type Cancels, RunStopped } from './flow/cancels.ts'
import type { HeldLeases } from './held-leases.ts'
import { mergedPrompt } from './merged-prompt.ts'
import type { UsageMeter } from './meter.ts'
import type { RunPolicy } from './policy.ts'
import { runFilesOf } from './run-files.ts'

export type AskOptions = CallFactsOptions & {
  readonly agent: Agent
  readonly conversations: Conversations
  readonly log: Log
  readonly leases: Pick<HeldLeases, 'mayBeLost' | 'confirm'>
  readonly cancels: Cancels
  /** The folder in which the files of a run stand while its agent works. Absent where no agent gets files, as in tests of routes. */
  readonly filesFolder?: string
}

/**
 * What a question to the agent needs. `signal` aborts when a stop waits for runs no longer. `policy`: the limits, tools and skills of the
 * run.
 */
type AgentCall = {
  readonly options: AskOptions
  readonly signal: AbortSignal
  readonly lease: Lease
  readonly policy: RunPolicy
  readonly transcript: Pick<Transcript, 'span' | 'toolCalls' | 'agent'>
}

/** Thrown where the lease may have run out before the agent is asked, so that another process may have the run. */
export class StoodStill extends Error {}

/** Thrown when the agent gave no reply to a run. */
export class Unanswered extends AgentFault {}

/**
 * Asks the agent, and resolves to its reply. `meter` counts the usage, and ends the asking when a budget is used up. Rejects with
 * `Unanswered` for any failure, with `StoodStill`, and with `RunStopped` where the run was cancelled meanwhile.
 */
export const askAgent = async ({ options, signal, lease, policy, transcript }: AgentCall, meter: UsageMeter): Promise<string> => {
  const { run } = lease
  const { agent, maxSteps, toolsets, model, maxOutputTokens, handling } = policy
  // `AbortSignal.any` would leave an entry for each run at `signal`, which lives as long as the process, and `AbortSignal.timeout` a timer
  // that nobody can cancel. So both are made by hand.
  const asking = new AbortController()
  // Each tool of the agent may listen to this signal. Node would warn of more than ten listeners.
  setMaxListeners(0, asking.signal)
  const stop = (): void => asking.abort(signal.reason)
  const cancelLate = systemClock.after(policy.timeoutMs, () => asking.abort(new DOMException('the run took too long', 'TimeoutError')))
  const files = options.filesFolder === undefined ? undefined : runFilesOf(run, options.filesFolder)
  const hearing = options.log.writes('debug') ? hearingOf(lease, options.log) : undefined
  signal.addEventListener('abort', stop)
  const ended = options.cancels.asking(lease, (why) => asking.abort(why))
  if (signal.aborted) stop()
  try {
    await meter.check()
    const { text, untrusted } = mergedPrompt(run)
    const history = await options.conversations.historyOf(run)
    // The lease is checked just before the agent is asked: nothing that takes long may come between the check and the question.
    const mayBegin = (): void => {
      if (options.leases.mayBeLost(lease)) throw new StoodStill()
    }
    mayBegin()
    transcript.agent = agent
    return await options.agent(text, {
      agent,
      run,
      // The lease is checked again when the toolsets are open, because the start of a toolset may take long.
      mayBegin,
      signal: asking.signal,
      untrusted,
      maxSteps,
      toolsets,
      skills: loadSkills(lease, policy, options.log),
      history,
      used: (...calls) => meter.used(...calls),
      ...createCallFacts(lease, transcript, options),
      ...files?.writers,
      ...(transcript.span ? { traceparent: transcript.span.traceparent } : {}),
      ...(model === undefined ? {} : { model }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(handling === undefined ? {} : { handling }),
      ...(hearing ? { heard: hearing.heard } : {}),
    })
  } catch (error) {
    if (error instanceof StoodStill) throw error
    if (asking.signal.reason instanceof RunStopped) throw asking.signal.reason
    throw new Unanswered(`agent: ${messageOf(error)}`, error instanceof AgentFault ? error : {})
  } finally {
    ended()
    await files?.remove()
    hearing?.end()
    cancelLate()
    signal.removeEventListener('abort', stop)
  }
}

/** Reads the skills that the route or job names. A missing skill is logged. */
const loadSkills = (lease: Lease, { skills: names, profileFolder }: RunPolicy, log: Log): readonly Skill[] => {
  if (names.length === 0 || profileFolder === undefined) return []
  const { skills, missing } = readSkills(profileFolder, names)
  for (const { name, why } of missing) log('warn', { ...runFields(lease), skill: name, reason: why }, 'a run goes without a skill')
  return skills
}

/**
 * A longer line, in characters, is logged in pieces that end at a blank: if a piece ended within a secret, the log would not recognise the
 * secret and mask it.
 */
const maxHeardLine = 1_000
/** The most characters without a blank that are kept until a blank comes. Past them the log says only how many characters there were. */
const maxHeardWord = 20_000

/** Logs the agent's text line by line as it arrives. `heard` takes the next piece of the text. Call `end` after the last piece. */
const hearingOf = (lease: Lease, log: Log): { readonly heard: (text: string) => void; readonly end: () => void } => {
  let line = ''
  const say = (text: string): void => log('debug', { ...runFields(lease), text }, 'the agent says')
  return {
    heard(text) {
      line += text
      const lineEnd = line.lastIndexOf('\n')
      const end = lineEnd < 0 && line.length >= maxHeardLine ? line.search(/\s\S*$/) : lineEnd
      if (end >= 0) {
        say(line.slice(0, end))
        line = line.slice(end + 1)
      } else if (line.length > maxHeardWord) {
        say(`(${line.length} characters without a blank)`)
        line = ''
      }
    },
    end() {
      if (line !== '') say(line)
      line = ''
    },
  }
}
