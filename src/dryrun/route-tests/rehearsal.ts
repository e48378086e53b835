/**
 * A rehearsal of a route for its tests. The gateway's own code runs from the post to the delivery, on a store and a clock of its own, with
 * mocks in place of agent and targets, and of the script unless the test asks for the real one.
 */

import type { Config, RouteSource } from '../../config/config.ts'
import type { RunAttempt } from '../../core/facts/fact.ts'
import { createFacts } from '../../core/facts/facts.ts'
import type { JsonObject } from '../../core/json.ts'
import type { NewRun } from '../../core/new-run.ts'
import type { Reply } from '../../core/outcome.ts'
import { type ListSpec, type OpenedList, unavailableList } from '../../expr/named-lists.ts'
import type { Effects } from '../../parts/effects.ts'
import type { LookupQuestion } from '../../parts/lookups/lookup.ts'
import { defaultAgent } from '../../parts/named-agents.ts'
import type { Outgoing, Sent } from '../../parts/targets/target.ts'
import type { Catalogue } from '../../plan/compile.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { runScript, type ScriptResult } from '../../process/script.ts'
import { noConversations } from '../../runs/conversation.ts'
import { jobPolicyOf, policyOf, type RunPolicy } from '../../runs/policy.ts'
import { Worker } from '../../runs/worker.ts'
import { createLimiter } from '../../serve/limits/limiter.ts'
import { AwaitedReplies } from '../../serve/replies/awaited-replies.ts'
import { createStatusTokens } from '../../serve/replies/status-token.ts'
import { openMemory } from '../../store/memory/memory-store.ts'
import { addressProblem } from '../trace/address-problem.ts'
import { createDryEffects, silentLog } from '../trace/dry-effects.ts'
import { type DryPlan, dryPlan } from '../trace/dry-plan.ts'
import { openGivenList } from '../trace/given-lists.ts'
import { type GivenAnswers, givenLookups } from '../trace/given-lookups.ts'
import { type Trace, type Traced, tracePlan } from '../trace/trace.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** How agent, targets and script behave in the present step of a test. */
export type Mocks = {
  /** The agent's reply, or the message of its failure. Absent: the agent replies with its prompt. */
  readonly agent?: { readonly reply: string } | { readonly fail: string }
  /** The failure of targets. Absent: every text is delivered. */
  readonly deliver?: { readonly fail: string; readonly repeatable: boolean }
  /** The result of the route's script. Absent: the script lets the event on unchanged. `run`: the real script runs. */
  readonly script?: ScriptResult | 'run'
  /** The answers to the route's lookups. A lookup that is not named is not asked, and its answer is missing. */
  readonly lookups?: GivenAnswers
  /** The lists that conditions ask, as `openGivenList` takes them. A list that is not named is missing. */
  readonly lists?: JsonObject | undefined
}

/** The effects of the events since the previous call of `happened`. */
export type Happened = {
  /** The prompts that the agent got, in order. */
  readonly prompts: readonly string[]
  /** The names of the agents that were asked, in order. */
  readonly agents: readonly string[]
  /** The attempts that ended, in order. */
  readonly attempts: readonly RunAttempt[]
  /** The texts that were sent, direct texts and replies. */
  readonly sent: readonly Outgoing[]
}

export type RehearsalOptions = {
  readonly source: RouteSource
  readonly config: Config
  readonly catalogue: Catalogue
  readonly jobs: JobBook
  readonly clock: VirtualClock
}

export interface Rehearsal {
  /**
   * Posts an event, and returns its trace, whose `answer` is what the sender has by the time that it is read: with the reply of the run,
   * where the sender waits for that. Resolves when the work that the event starts is done, or waits for a later time of the clock.
   */
  post(traced: Traced, mocks: Mocks): Promise<Omit<Trace, 'starts'>>
  /** Moves the clock on, and resolves when the work that falls due on the way is done. */
  advance(ms: number, mocks: Mocks): Promise<void>
  /** Returns the prompts, attempts and texts since the last call of `happened`. */
  happened(): Happened
  /** Closes all that the plan has open. Never rejects. */
  close(): Promise<void>
}

/** Makes a rehearsal. Its `post` rejects with a Fault for a route whose mistake would stop the start of the gateway. */
export const createRehearsal = (options: RehearsalOptions): Rehearsal => {
  const { source, config, catalogue, jobs, clock } = options
  const store = openMemory({ clock })
  const facts = createFacts()
  const standIns = createStandIns()
  facts.observe(standIns)
  const worker = new Worker({
    store,
    isShared: false,
    lacks: () => undefined,
    undeliverable: undeliverableBy(options),
    clock,
    facts,
    log: silentLog,
    redact: (text) => text,
    conversations: noConversations,
    agent: standIns.agent,
    send: standIns.send,
    policy: policyBy(options),
    mayDeliver: async (run) => (await plan?.plan().mayDeliver?.(run)) ?? { kind: 'deliver' },
    comments: (target) => catalogue.targets.get(target)?.returnsAsEvent ?? false,
    repeatable: (target) => catalogue.targets.get(target)?.repeatable ?? false,
    maxConcurrent: () => config.maxConcurrentRuns,
  })
  const effects: Effects = {
    ...createDryEffects(clock),
    limiter: createLimiter(clock, () => config.adapter.rate_limit),
    jobs,
    store,
    // The tokens of status addresses are not compared, so their key is not secret.
    replies: new AwaitedReplies({
      clock,
      facts,
      most: () => config.maxWaitingRequests,
      tokens: createStatusTokens(() => Buffer.alloc(32)),
    }),
    send: standIns.send,
    script: standIns.script,
    lookup: standIns.lookup,
    openList: standIns.openList,
    wake: (ended) => worker.wake(ended),
  }
  const setup = { source, config, catalogue, effects }
  let plan: DryPlan | undefined
  return {
    async post(traced, mocks) {
      standIns.use(mocks)
      plan ??= dryPlan(setup)
      const { answer: usual, ...result } = await tracePlan(traced, setup, plan)
      let replied: Reply | undefined
      result.awaited?.send((reply) => {
        replied = reply
      })
      await worker.idle()
      return {
        ...result,
        get answer() {
          return replied ?? usual
        },
      }
    },
    async advance(ms, mocks) {
      standIns.use(mocks)
      await clock.advance(ms, () => worker.idle())
    },
    happened: standIns.happened,
    close: async () => plan?.close(),
  }
}

const policyBy =
  ({ source, config, jobs }: RehearsalOptions) =>
  ({ job, profile, agent = defaultAgent }: NewRun): RunPolicy => {
    // No skill is read, because the agent is a mock.
    const shared = { agents: config.agents, tools: config.tools, profile: undefined }
    return job === undefined ? policyOf(shared, source.spec, false, agent) : jobPolicyOf(shared, jobs.get(profile, job)?.spec)
  }

const undeliverableBy =
  ({ source, config, catalogue, jobs }: RehearsalOptions) =>
  (run: NewRun): string | undefined =>
    addressProblem(run, {
      config,
      catalogue,
      route: source.spec,
      job: run.job === undefined ? undefined : jobs.get(run.profile, run.job)?.spec,
    })

/**
 * Makes the stand-ins for agent, targets and script. The stand-ins behave as the mocks of the present step say, and note each prompt,
 * attempt and sent text.
 */
const createStandIns = () => {
  let mocks: Mocks = {}
  let seen: { prompts: string[]; agents: string[]; attempts: RunAttempt[]; sent: Outgoing[] } = {
    prompts: [],
    agents: [],
    attempts: [],
    sent: [],
  }
  return {
    use(now: Mocks): void {
      mocks = now
    },
    happened(): Happened {
      const before = seen
      seen = { prompts: [], agents: [], attempts: [], sent: [] }
      return before
    },
    handlers: { attempt_ended: ({ run }: { readonly run: RunAttempt }) => void seen.attempts.push(run) },
    async agent(prompt: string, { agent: name }: { readonly agent: string }): Promise<string> {
      seen.prompts.push(prompt)
      seen.agents.push(name)
      const { agent = { reply: prompt } } = mocks
      if ('fail' in agent) throw new Error(agent.fail)
      return agent.reply
    },
    async send(outgoing: Outgoing): Promise<Sent> {
      seen.sent.push(outgoing)
      const { deliver } = mocks
      return deliver ? { ok: false, why: deliver.fail, repeatable: deliver.repeatable } : { ok: true }
    },
    lookup: (question: LookupQuestion) => givenLookups(mocks.lookups ?? {})(question),
    openList: (spec: ListSpec): OpenedList => ({
      ask: () => (openGivenList(spec, mocks.lists ?? {}) ?? unavailableList('mocks.lists of the test does not give it')).ask(),
    }),
    async script(...[folder, job]: Parameters<Effects['script']>): Promise<ScriptResult> {
      if (mocks.script === 'run') return runScript(folder, job)
      return mocks.script ?? { ok: true, output: job.input }
    },
  }
}
